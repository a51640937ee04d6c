"""``closeknit select --serve`` among signals, broken pipes, and input meant to harm."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.cli.select.command import free_processors
from closeknit.cli.select.server import LONGEST_LINE, LineSplitter, Server, memory
from closeknit.instances import InputError
from closeknit.scheduler.config import read_configuration
from closeknit.scheduler.live import LiveSelector
from closeknit.scheduler.selector import Selector

from ...faults.fault_injection import (
    Injector,
    Outcome,
    Point,
    broken,
    every_fault,
    failing,
    full,
    in_child,
    out_of_memory,
)
from ...modules import loaded
from ...paths import ROOT
from .samples import SAMPLE, sample

COMMAND = [sys.executable, "-m", "closeknit", "select", "--config"]
GOOD = b'{"queue": "cluster", "pes": 4}\n'
BENCH = ROOT / "benchmarks" / "soak_select.py"
HEAD = {"format": "closeknit/select-processors", "version": 1}


soak = loaded(BENCH)


@contextmanager
def serving(*words: str, config: str = SAMPLE) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [*COMMAND, config, "--serve", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        bufsize=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[bytes], line: bytes) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


# Lines, and what they hold


def test_a_line_is_kept_up_to_its_limit_and_skipped_beyond() -> None:
    lines = LineSplitter()
    assert lines.add(b"x" * LONGEST_LINE + b"\n") == [b"x" * LONGEST_LINE]
    tracemalloc.start()
    for _ in range(640):
        assert lines.add(b"x" * 2**16) == []  # 40 MiB
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 4 * LONGEST_LINE
    assert lines.add(b"x\nnext\nand") == [None, b"next"]
    assert lines.end() == [b"and"]
    assert lines.end() == []
    assert lines.add(b"x" * (LONGEST_LINE + 1)) == []
    assert lines.end() == [None]


def test_names_are_counted_before_they_are_listed() -> None:
    configuration = read_configuration(SAMPLE)
    processors = len(configuration.processors)
    tracemalloc.start()
    for free in (
        f"n[{','.join(43 * ['0-4194303'])}]",
        "n" + 8 * "[0-9]",
        "n[1-400],n[1-273]",
        "n1," * (4 * processors + 1),
        f"n[{'1,' * 4 * processors}1]",
    ):
        with pytest.raises(InputError, match=f"more than {4 * processors} names"):
            free_processors(configuration, free)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 2**20
    # so many are read, if only to say that they do not exist
    with pytest.raises(InputError, match="no such host"):
        free_processors(configuration, f"k[1-{4 * processors}]")


def test_names_from_a_file_are_counted_too(
    tmp_path: Path, refusal: Callable[..., str]
) -> None:
    file = tmp_path / "free"
    words = f"select --config {SAMPLE} --queue cluster --pes 4 --free @{file}"
    for content, complaint in (
        (b"n[0-4194303,0-4194303]", "more than 672 names"),
        (b"n01 \xff", f"{file}: is not UTF-8 text (byte 4)"),
    ):
        file.write_bytes(content)
        assert complaint in refusal(words)
    with file.open("wb") as stream:
        stream.truncate(2**26 + 1)
    assert "larger than 64 MiB" in refusal(words)


@pytest.mark.parametrize("action", ["check", "select"])
@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_a_configuration_is_a_regular_file(
    tmp_path: Path, action: str, kind: str, refusal: Callable[..., str]
) -> None:
    place = tmp_path / "fifo" if kind == "fifo" else Path("/dev/zero")
    if kind == "fifo":
        os.mkfifo(place)
    words = {
        "check": f"config check {place}",
        "select": f"select --config {place} --queue q --pes 1",
    }
    assert refusal(words[action]) == f"{place}: must be a regular file"


# One server and all it is asked


def test_every_hostile_request_is_one_error_and_the_next_is_served() -> None:
    with serving() as process:
        first = ask(process, GOOD)
        assert first["start"] is True
        for kind, request in soak.hostile().items():
            answer = ask(process, request + b"\n")
            assert {*answer} == {*HEAD, "error"}, kind
            assert len(answer["error"]) < 400, kind
            assert "internal" not in answer["error"], kind
        again = ask(process, GOOD)
        assert {**again, "seconds": 0} == {**first, "seconds": 0}
        # the last line has no end, and nothing is left unanswered
        out, err = process.communicate(GOOD + b"\xff\n\n" + GOOD.strip())
        answers = [json.loads(line) for line in out.splitlines()]
        assert ["error" in one for one in answers] == [False, True, False]
        assert (process.returncode, err) == (0, b"")


def test_hangup_reloads_a_broken_file_is_named_and_sigterm_ends(tmp_path: Path) -> None:
    path = tmp_path / "pss.conf"
    path.write_bytes(sample(7))
    with serving(config=str(path)) as process:
        assert ask(process, GOOD)["cost"][-1] == 7
        path.write_text("queues: [")
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        said = process.stderr.readline().decode()
        assert said.startswith(f"closeknit: not reloaded: {path}:1:9: expected")
        assert ask(process, GOOD)["cost"][-1] == 7
        path.write_bytes(sample(8))
        process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while ask(process, GOOD)["cost"][-1] == 7:
            assert time.monotonic() < end
        assert ask(process, GOOD)["cost"][-1] == 8
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_ctrl_c_ends_an_idle_server() -> None:
    with serving() as process:
        ask(process, GOOD)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.communicate() == (b"", b"")


@pytest.mark.parametrize("place", ["/dev/full", "closed", "a pipe without reader"])
def test_an_output_that_cannot_be_written_is_one_line(place: str) -> None:
    output: int | None = None
    if place == "/dev/full":
        output = os.open(place, os.O_WRONLY)
    elif place == "a pipe without reader":
        reader, output = os.pipe()
        os.close(reader)
    done = subprocess.run(
        [*COMMAND, SAMPLE, "--serve"],
        input=GOOD,
        stdout=output,
        stderr=subprocess.PIPE,
        preexec_fn=(lambda: os.close(1)) if output is None else None,
        check=False,
    )
    said = done.stderr.decode()
    assert done.returncode == 2
    assert said.startswith("closeknit: standard output: ")
    assert said.count("\n") == 1


# The loop by itself, with answers made up


class Unchanging:
    """Stands for a configuration that is never read."""

    begun = 0

    def begin(self, *, force: bool = False) -> None:
        self.begun += force


def loop(
    answer: Callable[[bytes], dict[str, Any]], content: bytes, *, seconds: float = 60.0
) -> tuple[int, list[Any]]:
    """Serve what a pipe holds; return the answers without their head."""
    source, into = os.pipe()
    out, sink = os.pipe()
    os.write(into, content)
    os.close(into)
    live: Any = Unchanging()
    try:
        status = Server(live, answer, seconds=seconds, source=source, sink=sink).run()
    finally:
        os.close(sink)
        os.close(source)
        with os.fdopen(out, "rb") as stream:
            answers = [json.loads(line) for line in stream]
    assert all(one.items() >= HEAD.items() for one in answers)
    return status, [
        {key: one[key] for key in one if key not in HEAD} for one in answers
    ]


def test_whatever_a_request_meets_the_next_one_is_served() -> None:
    def answer(line: bytes) -> dict[str, Any]:
        if line == b"memory":
            raise MemoryError
        if line == b"bug":
            raise KeyError("x")
        if line == b"slow":
            end = time.monotonic() + 60
            while time.monotonic() < end:
                pass
        if line == b"wrapped":
            try:
                time.sleep(60)
            except BaseException as error:
                raise SystemError("a kernel returned with an exception set") from error
        return {"line": line.decode()}

    status, answers = loop(answer, b"memory\nbug\nslow\nwrapped\nlast", seconds=0.5)
    assert status == 0
    assert answers == [
        {"error": "there is not enough memory for this request"},
        {"error": "internal error: KeyError: 'x'"},
        {"error": "given up after 0.5 s"},
        {"error": "given up after 0.5 s"},
        {"line": "last"},
    ]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_compiling_counts_against_no_limit() -> None:
    numba_lock = pytest.importorskip("numba.core.compiler_lock").global_compiler_lock

    def answer(line: bytes) -> dict[str, Any]:
        with numba_lock:
            time.sleep(1.5)
        return {}

    assert loop(answer, b"one\n", seconds=0.5) == (0, [{}])


def test_terminated_it_answers_what_has_come() -> None:
    def answer(line: bytes) -> dict[str, Any]:
        if line == b"1":
            os.kill(os.getpid(), signal.SIGTERM)
        return {"line": line.decode()}

    status, answers = loop(answer, b"1\n2\n3\n")
    assert (status, [one["line"] for one in answers]) == (0, ["1", "2", "3"])


def test_interrupted_it_answers_the_request_at_hand() -> None:
    def answer(line: bytes) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return {"line": line.decode()}

    status, answers = loop(answer, b"1\n2\n3\n")
    assert (status, answers) == (130, [{"line": "1"}])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_answers_are_written_whole_however_the_pipe_takes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write, calls = os.write, 0

    def sparing(descriptor: int, content: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls % 3 == 0:
            raise BlockingIOError
        return write(descriptor, content[:1])

    def answer(line: bytes) -> dict[str, Any]:
        monkeypatch.setattr(os, "write", sparing)
        return {"line": line.decode()}

    assert loop(answer, b"one\ntwo\n") == (0, [{"line": "one"}, {"line": "two"}])


def test_memory_has_an_end() -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("nothing tells how much memory is held")

    def answer(line: bytes) -> dict[str, Any]:
        return {"length": len(bytearray(int(line)))}

    with memory(128):
        status, answers = loop(answer, b"1000\n400000000\n1000\n")
    assert status == 0
    assert answers == [
        {"length": 1000},
        {"error": "there is not enough memory for this request"},
        {"length": 1000},
    ]
    assert len(bytearray(400_000_000)) == 400_000_000  # and is given back


# Every fault in one session


SESSION = [
    b'{"queue": "cluster", "pes": 4}',
    b"nonsense",
    b'{"queue": "cluster", "pes": 24, "free": "n[01-06],n[15-21]"}',
    b'{"queue": "cluster", "pes": 4}',
]
RELOADED = 2
"""The request before which the new configuration is read."""
POINTS: tuple[Point, ...] = (
    *broken("os:read", "os:open", "select:select", "pathlib:Path.stat"),
    *full("os:write"),
    *failing(errno.EMFILE, "os:pipe"),
    Point("resource:setrlimit", ValueError),
    Point("threading:Thread.start", lambda: RuntimeError("can't start new thread")),
    *out_of_memory(
        "os:read",
        "os:write",
        "closeknit.cli.select.server:LineSplitter.add",
        "closeknit.cli.select.command:parse_json",
        "closeknit.cli.select.server:dumps",
        "closeknit.cli.select.command:names",
        "closeknit.scheduler.config.files:_decode",
        "closeknit.scheduler.config.parse:parse_source",
        "closeknit.scheduler.config.check:check",
        "closeknit.scheduler.config.model:Configuration.instance",
        "closeknit.scheduler.live:Selector",
        "closeknit.scheduler.selector:RequestSolver",
        "closeknit.exact.procset.incremental_selector:RequestSolver.select",
        "closeknit.exact.procset.incremental_selector:RequestSolver.mincosts",
        "closeknit.scheduler.selector:answer",
        "closeknit.scheduler.live:LiveSelector.current",
        "closeknit.scheduler.live:LiveSelector.begin",
        "threading:Thread.start",
    ),
)


def session(path: Path, before: bytes, after: bytes) -> int:
    """Serve the session; the configuration changes in the midst of it."""
    path.write_bytes(before)
    asked = 0
    current = LiveSelector.current

    def changing(live: LiveSelector) -> Selector:
        nonlocal asked
        asked += 1
        if asked == RELOADED + 1:
            path.write_bytes(after)
            live.begin()
            for thread in threading.enumerate():
                if thread.name == "reload":
                    thread.join()
        return current(live)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LiveSelector, "current", changing)
        return run(["select", "--config", str(path), "--serve"])


def timeless(answer: dict[str, Any]) -> str:
    return json.dumps({**answer, "seconds": 0}, sort_keys=True)


@pytest.mark.parametrize("lasting", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_any_one_fault_is_an_error_or_one_line(tmp_path: Path, lasting: bool) -> None:
    path = tmp_path / "pss.conf"
    before, after = sample(7), sample(8)
    for extra in (7, 8):  # compile, and know what is right
        path.write_bytes(sample(extra))
        Selector(read_configuration(path)).select("cluster", 24)
    stdin = b"\n".join(SESSION)

    def trial(injector: Injector) -> Outcome:
        def command() -> int:
            with injector:
                return session(path, before, after)

        return in_child(command, stdin=stdin)

    whole = trial(Injector((), 1))
    assert (whole.status, whole.err) == (0, "")
    right = [json.loads(line) for line in whole.out.splitlines()]
    assert [("error" in one) for one in right] == [False, True, False, False]
    assert (right[0]["cost"][-1], right[3]["cost"][-1]) == (7, 8)
    met: set[str] = set()
    for injector, outcome in every_fault(POINTS, trial, lasting=lasting):
        where = f"call {injector.at} at {injector.met}: {outcome}"
        said = outcome.err.splitlines()
        assert all(line.startswith("closeknit: ") for line in said), where
        answers = [json.loads(line) for line in outcome.out.splitlines()]
        assert outcome.status in (0, 2), where
        assert outcome.status == 0 or said, where
        assert outcome.status == 2 or len(answers) == len(SESSION), where
        if not lasting:
            assert len(said) <= 1, where
        for i, answer in enumerate(answers):
            kept = i == 3 and timeless({**answer}) == timeless(right[0])
            assert (
                "error" in answer or kept or timeless(answer) == timeless(right[i])
            ), where
        if injector.met:
            met.add(injector.met.place)
        else:
            assert [timeless(one) for one in answers] == [timeless(x) for x in right]
    if not lasting:
        assert met >= {point.place for point in POINTS}


# For long


@pytest.mark.parametrize(
    "requests", [2_500, pytest.param(10_000, marks=pytest.mark.slow)]
)
def test_memory_stays_flat_over_many_requests(requests: int) -> None:
    with soak.served() as process:
        found = soak.soak(process, requests, warm_up=2_000)
    assert found.wrong == []
    assert found.hostile == requests // 100
    assert found.drift <= 2.5 + (soak.FLAT_MIB - 2.5) * requests / 10_000
