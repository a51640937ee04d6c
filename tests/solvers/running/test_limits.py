"""Limits hold for every method; Ctrl-C is answered at any moment."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

import pytest

from closeknit.instances import Instance, KSubset, Mesh, check, mesh, write_ksubset
from closeknit.instances.ksubset import generators
from closeknit.instances.procset.generators import torus_planes
from closeknit.instances.submesh.generators import waiting_state
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import METHODS
from closeknit.reports.campaigns.campaign import run_one
from closeknit.solvers import DEFAULT, Limit, Result, Settings, Status, answer
from closeknit.solvers.running import clock, interrupt
from closeknit.solvers.running.interrupt import (
    OutOfTimeError,
    alarm_postponed,
    alarmed,
    deferred,
)
from closeknit.solvers.running.method import Method, Run, stopped_result

from ...paths import ROOT

COMMAND = [sys.executable, "-m", "closeknit"]
HANG = 300.0
PAIRS = [(problem, name) for problem, methods in METHODS.items() for name in methods]


@cache
def instances(problem: str) -> tuple[Instance, ...]:
    """Instances of which every method of the problem takes at least one."""
    from fractions import Fraction

    half = Fraction(1, 2)
    if problem == "procset":
        return (torus_planes((4, 4, 3), 9, free=half, seed=1, private=2),)
    if problem == "sukp":
        return (random_sukp(18, 18, Fraction(1, 5), Fraction(3, 4), seed=1),)
    if problem == "contention":
        from closeknit.network.contention.constructor import contention

        tree = generators.network_of("tree", (3, 4, 4))
        ways = "dimension-order"
        return (
            contention(Mesh(8, 8), 9, routing=ways, objective="links", busy=[(0, 3)]),
            contention(tree, 9),
            contention(Mesh(8, 8), 9, traffic="ring"),
        )
    if problem == "submesh":
        return (waiting_state((12, 12), 1, 6, seed=1),)
    return (
        generators.random_occupancy((8, 8), 7, half, seed=1),
        generators.random_occupancy((30,), 9, half, seed=1, kind="torus"),
        generators.random_occupancy((30,), 9, half, seed=1),
        generators.random_occupancy((4, 5), 6, half, seed=1, kind="tree"),
        generators.mesh(3, 3, k=4),
    )


@pytest.mark.parametrize("seconds", [0.0, 0.01])
@pytest.mark.parametrize(("problem", "name"), PAIRS)
def test_hardly_any_time_still_gives_an_answer(
    problem: str, name: str, seconds: float
) -> None:
    method = METHODS[problem][name]
    taken = 0
    for instance in instances(problem):
        if method.refuses and method.refuses(instance):
            continue
        taken += 1
        result = method(instance, Settings(time_limit=seconds))
        if result.chosen is not None:
            assert check(instance, result.chosen) == []
        done = result.status in (Status.OPTIMAL, Status.INFEASIBLE)
        assert done or not method.exact or result.limit is Limit.TIME
        assert result.limit in (None, Limit.TIME)
        assert problem == "submesh" or result.chosen is not None
    assert taken


def endless(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Never look at the clock, as code that builds a model does not."""
    while True:
        sum(range(1000))


def endless_with_a_choice(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    start = clock.now()
    chosen = range(1, instance.k + 1)
    try:
        return endless(instance, settings)
    except KeyboardInterrupt:
        return answer(instance, chosen, start=start, limit=Limit.INTERRUPT)


def deaf(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Put Ctrl-C off, and never look whether it came."""
    with deferred():
        return endless(instance, settings)


def attentive(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    start = clock.now()
    with deferred() as pressed:
        pressed.wait(HANG)
    chosen = range(2, instance.k + 2)
    return answer(instance, chosen, start=start, limit=Limit.INTERRUPT)


def slow_at_pricing(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    start = clock.now()
    with alarm_postponed():
        until = clock.now() + settings.time_limit + 3 * interrupt.GRACE
        while clock.now() < until:
            pass
        return answer(instance, range(3, instance.k + 3), start=start)


@pytest.mark.parametrize(
    ("function", "first", "limit"),
    [
        (endless, 0, Limit.TIME),
        (endless_with_a_choice, 1, Limit.TIME),
        (deaf, 0, Limit.TIME),
        (attentive, 2, Limit.TIME),
        (slow_at_pricing, 3, None),
    ],
)
def test_a_method_that_never_looks_at_the_clock_is_stopped(
    function: Run, first: int, limit: Limit | None
) -> None:
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM)]
    result = Method("odd", function)(mesh(4, 4, k=3), Settings(time_limit=0.1))
    assert (result.chosen, result.limit) == ((first, first + 1, first + 2), limit)
    assert before == [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGALRM)]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_alarm_does_not_ring_while_a_stopped_run_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slowly(instance: KSubset, limit: Limit, *, start: float) -> Result:
        until = time.monotonic() + 6 * interrupt._EVERY
        while time.monotonic() < until:
            pass
        return stopped_result(instance, limit, start=start)

    monkeypatch.setattr("closeknit.solvers.running.method.stopped_result", slowly)
    odd = Method("odd", endless)
    result = odd(mesh(4, 4, k=3), Settings(time_limit=0.1))
    assert (result.chosen, result.limit) == ((0, 1, 2), Limit.TIME)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_late_run_of_a_campaign_is_no_failure() -> None:
    odd = Method("odd", endless, runs_solver=True)
    row = run_one(mesh(4, 4, k=3), odd, Settings(time_limit=0.1))
    assert (row.status, row.limit, row.error) == ("feasible", "time", "")


@pytest.mark.parametrize(
    ("function", "first"), [(endless_with_a_choice, 1), (attentive, 2)]
)
def test_ctrl_c_is_not_mistaken_for_the_alarm(function: Run, first: int) -> None:
    with later(signal.SIGINT):
        result = Method("odd", function)(mesh(4, 4, k=3), Settings())
    assert (result.chosen, result.limit) == (
        (first, first + 1, first + 2),
        Limit.INTERRUPT,
    )


def test_ctrl_c_before_anything_is_found_is_raised() -> None:
    with later(signal.SIGINT), pytest.raises(KeyboardInterrupt):
        Method("odd", endless)(mesh(4, 4, k=3), Settings())


def later(number: int) -> "Later":
    return Later(number)


class Later:
    """Send a signal to this process in a moment."""

    def __init__(self, number: int) -> None:
        self.timer = threading.Timer(0.3, os.kill, (os.getpid(), number))

    def __enter__(self) -> None:
        self.timer.start()

    def __exit__(self, *error: object) -> None:
        self.timer.join()


def test_the_alarm_does_not_break_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "takes_its_time.py").write_text(
        "from time import monotonic\n"
        "until = monotonic() + 0.7\n"
        "while monotonic() < until:\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def import_and_go_on() -> None:
        with alarmed(0.0):
            importlib.import_module("takes_its_time")
            endless(mesh(4, 4, k=3))

    with pytest.raises(OutOfTimeError):
        import_and_go_on()
    assert sys.modules.pop("takes_its_time").until


def ring_once(moment: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the alarm ring, once its time is over, right after a call of ``os``."""
    called, rang = getattr(os, moment), list[int]()

    def ringing(*given: object, **named: object) -> object:
        result = called(*given, **named)
        if not rang and len(interrupt._alarms) == 1:
            rang.append(1)
            interrupt._alarms[0]._until = 0.0
            signal.raise_signal(signal.SIGALRM)
        return result

    monkeypatch.setattr(os, moment, ringing)
    return rang


@pytest.mark.parametrize("moment", ["fsencode", "pipe", "close"])
def test_the_alarm_loses_no_child_that_is_being_started(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constructor that is broken off leaves a child that nobody can end."""
    children = list[subprocess.Popen[bytes]]()
    rang = ring_once(moment, monkeypatch)
    waits = [sys.executable, "-c", "input()"]

    def start_and_go_on() -> None:
        with alarmed(HANG):
            children.append(subprocess.Popen(waits, stdin=subprocess.PIPE))
            interrupt._alarms[0].set()
            interrupt._alarms[0]._until = 0.0
            signal.raise_signal(signal.SIGALRM)

    with pytest.raises(OutOfTimeError):
        start_and_go_on()
    assert rang
    assert len(children) == 1
    children[0].communicate(b"\n", timeout=HANG)


def test_the_alarm_does_not_break_the_removal_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off there, Python closes the folder again: a bad file descriptor."""
    (tmp_path / "one" / "two").mkdir(parents=True)
    rang = ring_once("close", monkeypatch)
    with alarmed(HANG):
        shutil.rmtree(tmp_path / "one")
    assert rang
    assert not (tmp_path / "one").exists()


def test_no_alarm_within_another_or_where_the_timer_is_taken() -> None:
    with alarmed(HANG) as outer, alarmed(0.0) as inner:
        assert not outer.rung
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1
        time.sleep(0.5)
    assert not inner.rung
    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        with alarmed(0.0) as alarm:
            time.sleep(0.5)
        assert not alarm.rung
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_in_other_threads_methods_run_without_an_alarm() -> None:
    found: list[Result] = []

    def solve() -> None:
        found.append(METHODS["ksubset"]["mm"](mesh(4, 4, k=3)))

    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()
    assert found[0].status is Status.FEASIBLE


@pytest.mark.parametrize("problem", METHODS)
def test_the_last_resort_is_valid(problem: str) -> None:
    for instance in instances(problem):
        result = stopped_result(instance, Limit.TIME, start=clock.now())
        assert result.limit is Limit.TIME
        if problem == "submesh":
            assert result.status is Status.UNKNOWN
        else:
            assert check(instance, result.chosen or ()) == []


# --- the command line ---------------------------------------------------------

FIRST_IMPORTS = ("argparse", "closeknit.instances.errors", "numpy", "closeknit.cli.app")


def started(*words: str, until: str) -> subprocess.Popen[str]:
    """Start a command; return when a module has just been imported."""
    program = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "closeknit", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stderr is not None
    for line in program.stderr:
        if line.rpartition("|")[2].strip() == until:
            break
    return program


@pytest.mark.parametrize("module", FIRST_IMPORTS)
@pytest.mark.parametrize(
    "words",
    [
        ["methods"],
        ["solve", "FILE"],
        pytest.param(["compare", "FILE"], marks=pytest.mark.slow),
        pytest.param(["verify", "--list"], marks=pytest.mark.slow),
    ],
    ids=["methods", "solve", "compare", "verify"],
)
def test_ctrl_c_during_imports_gives_one_line(
    words: list[str], module: str, tmp_path: Path
) -> None:
    file = tmp_path / "small.json"
    write_ksubset(mesh(4, 4, k=3), file)
    words = [str(file) if word == "FILE" else word for word in words]
    program = started(*words, until=module)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=HANG)
    said = [line for line in errors.splitlines() if not line.startswith("import time:")]
    assert "Traceback" not in errors
    assert (program.returncode, said) in ((130, ["closeknit: interrupted"]), (0, []))


def test_a_second_ctrl_c_during_imports_ends_the_program_at_once(
    tmp_path: Path,
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", SLOW_IMPORT.format(folder=str(tmp_path))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    (tmp_path / "endless_import.py").write_text(
        "print('in', flush=True)\nwhile True:\n    pass\n"
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "in\n"
    program.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert program.poll() is None
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=HANG)
    assert (program.returncode, errors) == (130, "closeknit: interrupted\n")


@pytest.mark.parametrize(
    "handler", ["Ending().begun = True", "pass"], ids=["command", "python"]
)
def test_ctrl_c_while_llvm_hands_over_machine_code_is_not_lost(
    handler: str, tmp_path: Path
) -> None:
    """There ctypes prints an exception and forgets it, so that the run would go on."""
    program = subprocess.run(
        [sys.executable, "-c", HANDING_OVER.format(handler=handler)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert program.stdout.split() == ["pressed", "interrupted"]
    assert "Exception ignored" not in program.stderr


@pytest.mark.parametrize(
    "moment",
    [
        "del (held := [Pressing()])[0]",
        "gc.callbacks.append(pressing_once)\n    gc.collect()",
    ],
    ids=["dropped", "collecting"],
)
def test_ctrl_c_where_python_forgets_exceptions_is_not_lost(moment: str) -> None:
    """There Python prints an exception, and the run would go on."""
    program = subprocess.run(
        [sys.executable, "-c", FORGETTING.format(moment=moment)],
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert (program.stdout.split(), program.stderr) == (["pressed", "interrupted"], "")


FORGETTING = """
import gc, signal, time
from closeknit.ending import Ending

class Pressing:
    @staticmethod
    def press():
        print("pressed", flush=True)
        signal.raise_signal(signal.SIGINT)

    def __del__(self):
        self.press()

def pressing_once(when, about):
    if when == "stop":
        Pressing.press()
        gc.callbacks.remove(pressing_once)

Ending().begun = True
try:
    {moment}
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""

HANDING_OVER = """
import os, signal, time
import numpy as np
from numba.core.codegen import CPUCodeLibrary as CodeLibrary
from closeknit.ending import Ending
from closeknit.solvers.running.interrupt import alarmed
from closeknit.simulation.stream.kernels import _pairs_of_line

handed_over = CodeLibrary._object_compiled_hook

def pressing(module, data):
    if not os.environ.get("PRESSED"):
        os.environ["PRESSED"] = "yes"
        print("pressed", flush=True)
        signal.raise_signal(signal.SIGINT)
    return handed_over(module, data)

CodeLibrary._object_compiled_hook = pressing
{handler}
try:
    with alarmed(100):
        _pairs_of_line(np.arange(3), 3)
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""

SLOW_IMPORT = """
import signal, sys, time
time.sleep(1)
sys.path.insert(0, {folder!r})
from closeknit.ending import Ending
Ending().begun = True
import endless_import
"""


def hard(file: Path) -> None:
    """Write an instance that takes long to prove."""
    from fractions import Fraction

    free = Fraction(70, 100)
    instance = generators.random_occupancy((30, 30), 90, free, seed=6, kind="torus")
    write_ksubset(instance, file)


def test_compare_stops_on_ctrl_c_and_shows_what_there_is(tmp_path: Path) -> None:
    file, out = tmp_path / "hard.json", tmp_path / "rows.json"
    hard(file)
    methods = METHODS["ksubset"]
    for name in ("mm", "cuts-bb"):  # compiled before
        methods[name](instances("ksubset")[1], Settings(time_limit=60))
    program = subprocess.Popen(
        [
            *(*COMMAND, "compare", str(file), str(file), "--methods", "mm,row-major"),
            *("--exact", "cuts-bb", "--time-limit", "100000", "--json", str(out)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4)  # by now in the search, which would go on for a day
    program.send_signal(signal.SIGINT)
    output, errors = program.communicate(timeout=HANG)
    assert program.returncode == 130
    assert errors.splitlines()[-1] == "closeknit: interrupted"
    assert "Traceback" not in errors
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len({row["method"] for row in rows}) == len(rows) <= 3
    if len(rows) == 3:
        assert rows[-1]["limit"] == "interrupt"
        assert "cuts-bb" in output


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "name"), PAIRS)
def test_half_a_second_is_kept(problem: str, name: str) -> None:
    """Judged by processor seconds, since others may use the machine as well."""
    program = [sys.executable, "benchmarks/bench_limits.py", "--limit", "0.5", "--json"]
    if not name.endswith(("/highs", "/cbc")):
        program.append("--cpu")
    done = subprocess.run(
        [*program, "--problem", problem, "--method", name, "--first", "2"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=10 * HANG,
        check=True,
    )
    for line in done.stdout.splitlines():
        row = json.loads(line)
        assert "FAILED" not in row["status"]
        assert min(row["wall"], row["cpu"]) <= 1.5, row
