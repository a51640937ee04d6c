"""A service that answers what a test wants, on a socket of the file system."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HEAD = "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"


def response(body: Any, status: int = 200) -> bytes:
    """Return a response of HTTP; bytes are sent as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"{HEAD.format(status=status)}Content-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


@contextlib.contextmanager
def listening(
    path: Path, answer: Callable[[bytes], bytes | None]
) -> Iterator[list[bytes]]:
    """Answer every connection; None leaves it open. Yields the requests that came."""
    requests: list[bytes] = []
    stop, kept = threading.Event(), []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(0.05)

        def run() -> None:
            while not stop.is_set():
                try:
                    line, _ = listener.accept()
                except TimeoutError:
                    continue
                line.settimeout(1)
                requests.append(_whole(line))
                content = answer(requests[-1])
                if content is None:
                    kept.append(line)
                    continue
                with line, contextlib.suppress(OSError):
                    line.sendall(content)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield requests
        finally:
            stop.set()
            thread.join()
            for line in kept:
                line.close()
    path.unlink()


def _whole(line: socket.socket) -> bytes:
    """Read a request with its body."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += line.recv(65536)
    head, _, body = found.partition(b"\r\n\r\n")
    length = next(
        int(field.split(b":")[1])
        for field in head.split(b"\r\n")
        if field.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += line.recv(65536)
    return head + b"\r\n\r\n" + body
