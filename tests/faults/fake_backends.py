"""Mixed-integer solvers that misbehave; imported by a worker process only."""

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

from closeknit.solvers.mip_worker import ModelRun


def _selection(job: ModelRun, first: int) -> list[float]:
    return [1.0 if first <= i < first + 3 else 0.0 for i in range(len(job.chosen))]


def hang(job: ModelRun) -> None:
    """Sleep for ever, with a child of its own that does the same."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(os.environ["FAKE_PIDS"]).write_text(f"{os.getpid()} {child.pid}")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def hang_with_progress(job: ModelRun) -> None:
    job.note(values=_selection(job, 0), bound=1.5)
    hang(job)


def leave(job: ModelRun) -> None:
    print("something terrible", file=sys.stderr, flush=True)
    os._exit(7)


def segfault(job: ModelRun) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def garbage(job: ModelRun) -> None:
    print("\x00\xff" * 100)
    (job.folder / "outcome.json").write_bytes(b"\xff\x00 not json")


def no_status(job: ModelRun) -> None:
    job.end(values=[1.0])


def letters(job: ModelRun) -> None:
    job.end(status="optimal", values=["a", "b"], bound=1.0)


def eat(job: ModelRun) -> None:
    job.note(bound=1.5)
    hoard = []
    while True:
        hoard.append(bytearray(2**24))


def eat_and_abort(job: ModelRun) -> None:
    print("terminate called: std::bad_alloc", file=sys.stderr, flush=True)
    os.abort()


def too_few(job: ModelRun) -> None:
    job.end(status="optimal", values=[0.0] * len(job.chosen), bound=1.0, version="fake")


def bound_too_high(job: ModelRun) -> None:
    job.end(status="optimal", values=_selection(job, 0), bound=1e6, version="fake")


def infeasible(job: ModelRun) -> None:
    job.end(status="infeasible")


def confused(job: ModelRun) -> None:
    job.end(status="error: lost its way")


def almost(job: ModelRun) -> None:
    """Answer in floats that are nearly integers, and a bound below one."""
    values = [abs(v - 3e-7) for v in _selection(job, 0)]
    job.end(status="time", values=values, bound=3.0000001, version="fake 1")


def needs_a_module(job: ModelRun) -> None:
    import_module("a_module_that_nobody_has")


# Several levels. The model is that of CARDS in formulations/procset/test_models.py: its
# classes are 0, 1, 2, 3 and {4, 5}, its shared sets the first four.


def _take(job: ModelRun, *ones: str) -> list[float]:
    """Give the variables values as a solver does."""
    for variable in job.model.variables():
        variable.varValue = 1.0 if variable.name in ones else 0.0
    return [float(variable.varValue) for variable in job.chosen]


def _first_level(job: ModelRun) -> bool:
    """Solve the first level truly; say whether it was the first."""
    if job.optima:
        return False
    values = _take(job, "x0", "x1", "y0", "y2", "y3")
    job.end(status="optimal", values=values, bound=1.0, version="fake 1")
    return True


def second_level_crashes(job: ModelRun) -> None:
    if not _first_level(job):
        segfault(job)


def second_level_infeasible(job: ModelRun) -> None:
    if not _first_level(job):
        infeasible(job)


def second_level_bound_too_high(job: ModelRun) -> None:
    if not _first_level(job):
        job.end(status="time", values=None, bound=1000.0, version="fake 1")


def second_level_hangs(job: ModelRun) -> None:
    if not _first_level(job):
        job.note(bound=1.7)
        hang(job)


def optimal_in_words_only(job: ModelRun) -> None:
    values = _take(job, "x4")
    job.end(status="optimal", values=values, bound=0.5, version="fake 1")


def none_taken(job: ModelRun) -> None:
    values = _take(job)
    job.end(status="time", values=values, bound=0.0, version="fake 1")


def optima_that_are_words(job: ModelRun) -> None:
    job.note(bound=0.0)
    outcome = '{"status": "optimal", "optima": ["a"], "values": null, "bound": null}'
    (job.folder / "outcome.json").write_text(outcome)
    os._exit(0)


def highs_without_values(job: ModelRun) -> None:
    """Run HiGHS such that it ends with neither an answer nor values, as it may."""
    highspy = import_module("highspy")
    highspy.Highs.run = lambda engine: None
    highspy.Highs.getSolution = lambda engine: highspy.HighsSolution()
    import_module("closeknit.solvers.mip_backends").highs(job)
