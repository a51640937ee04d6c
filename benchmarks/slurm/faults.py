"""The service killed, hanging or answering rubbish, at random moments of a run."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


def _answer(text: bytes) -> bytes:
    return _HEAD % len(text) + text


def rubbish(random_: random.Random, names: list[str]) -> bytes:
    """Return an answer that must not be believed, or must do no harm."""
    some = ",".join(random_.choices(names, k=random_.randint(1, 40)))
    young = b'"state_age": 0.1, "hostlist": "%s"'
    return random_.choice(
        [
            b"",
            random_.randbytes(random_.randint(1, 5000)),
            b"HTTP/1.1 500 Oh\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10**6,
            _answer(b"{}"),
            _answer(b"[" * 10**5),
            _answer(b"{" + young % b"" + b"}"),
            _answer(b"{" + young % b"n[0000-99999999]" + b"}"),
            _answer(b"{" + young % b"nowhere[1-7]" + b"}"),
            _answer(b"{" + young % some.encode() + b"}"),
            _answer(b"{" + young % b"n[0000-0001],n0000" + b"}"),
            _answer(b"{" + young % b"n0001; rm -rf /" + b"}"),
        ]
    )


class Faults:
    """Disturbs a service until it is stopped.

    Parameters
    ----------
    start
        Starts the service and returns its process.
    path
        Its socket.
    follower
        The process that keeps it informed.
    names
        Nodes, of which some rubbish is made.
    times
        Moments of the faults, in seconds from now.
    """

    def __init__(
        self,
        start: Callable[[], subprocess.Popen[bytes]],
        path: Path,
        follower: subprocess.Popen[bytes],
        names: list[str],
        times: list[float],
        seed: int,
    ) -> None:
        self.service = start()
        self.done: Counter[str] = Counter()
        self.answered = 0
        """Questions answered by rubbish."""
        self._start, self._path, self._names = start, path, names
        self._follower = follower
        self._times, self._random = sorted(times), random.Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="faults")

    def __enter__(self) -> Faults:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.service.send_signal(signal.SIGCONT)
        self._follower.send_signal(signal.SIGCONT)
        self.service.terminate()
        self.service.wait()

    def _run(self) -> None:
        begin = time.monotonic()
        kinds = [self._kill, self._hang, self._rubbish, self._hang_follower]
        order = [kinds[i % 16 // 5] for i in range(len(self._times))]
        self._random.shuffle(order)
        for moment, fault in zip(self._times, order, strict=True):
            if self._stop.wait(max(moment - (time.monotonic() - begin), 0)):
                return
            fault()
            self.done[fault.__name__.strip("_").replace("_", " ")] += 1

    def _kill(self) -> None:
        self.service.kill()
        self.service.wait()
        self._stop.wait(self._random.uniform(0, 1))
        self.service = self._start()

    def _hang(self) -> None:
        self.service.send_signal(signal.SIGSTOP)
        self._stop.wait(self._random.uniform(0.5, 3))
        self.service.send_signal(signal.SIGCONT)

    def _hang_follower(self) -> None:
        self._follower.send_signal(signal.SIGSTOP)
        self._stop.wait(8)
        self._follower.send_signal(signal.SIGCONT)

    def _rubbish(self) -> None:
        """Put another listener at the path of the socket for a while."""
        aside = self._path.with_suffix(".aside")
        end = time.monotonic() + self._random.uniform(1, 3)
        with contextlib.suppress(FileNotFoundError):
            self._path.rename(aside)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self._path))
            listener.listen()
            listener.settimeout(0.1)
            while time.monotonic() < end and not self._stop.is_set():
                with contextlib.suppress(OSError):
                    self._serve(listener.accept()[0])
        self._path.unlink()
        with contextlib.suppress(FileNotFoundError):
            aside.rename(self._path)

    def _serve(self, line: socket.socket) -> None:
        with line:
            line.settimeout(0.05)
            asked = line.recv(65536)
            text = rubbish(self._random, self._names)
            if asked.startswith(b"POST /select"):
                self.answered += 1
            line.sendall(text)
            if self._random.random() < 0.3:
                self._stop.wait(0.05)  # then it ends too early, and late
