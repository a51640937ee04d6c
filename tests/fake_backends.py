"""Mixed-integer solvers that misbehave; imported by a worker process only."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

from closeknit.solvers.mip_worker import Job


def _selection(job: Job, first: int) -> list[float]:
    return [1.0 if first <= i < first + 3 else 0.0 for i in range(len(job.chosen))]


def hang(job: Job) -> None:
    """Sleep for ever, with a child of its own that does the same."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(os.environ["FAKE_PIDS"]).write_text(f"{os.getpid()} {child.pid}")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def hang_with_progress(job: Job) -> None:
    job.note(values=_selection(job, 0), bound=1.5)
    hang(job)


def leave(job: Job) -> None:
    print("something terrible", file=sys.stderr, flush=True)
    os._exit(7)


def segfault(job: Job) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def garbage(job: Job) -> None:
    print("\x00\xff" * 100)
    (job.folder / "outcome.json").write_bytes(b"\xff\x00 not json")


def no_status(job: Job) -> None:
    job.end(values=[1.0])


def letters(job: Job) -> None:
    job.end(status="optimal", values=["a", "b"], bound=1.0)


def eat(job: Job) -> None:
    job.note(bound=1.5)
    hoard = []
    while True:
        hoard.append(bytearray(2**24))


def eat_and_abort(job: Job) -> None:
    print("terminate called: std::bad_alloc", file=sys.stderr, flush=True)
    os.abort()


def too_few(job: Job) -> None:
    job.end(status="optimal", values=[0.0] * len(job.chosen), bound=1.0, version="fake")


def bound_too_high(job: Job) -> None:
    job.end(status="optimal", values=_selection(job, 0), bound=1e6, version="fake")


def infeasible(job: Job) -> None:
    job.end(status="infeasible")


def confused(job: Job) -> None:
    job.end(status="error: lost its way")


def almost(job: Job) -> None:
    """Answer in floats that are nearly integers, and a bound below one."""
    values = [abs(v - 3e-7) for v in _selection(job, 0)]
    job.end(status="time", values=values, bound=3.0000001, version="fake 1")


def needs_a_module(job: Job) -> None:
    import_module("a_module_that_nobody_has")
