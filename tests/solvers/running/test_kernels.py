"""Kernels: cold and warm agree, clocks stand still, caches may be missing."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from closeknit.instances import InputError, Instance, check, problem_of
from closeknit.instances.library import bundled, bundled_names
from closeknit.methods import METHODS
from closeknit.methods.interpreted_or_compiled import run_once
from closeknit.methods.warming import KINDS, Kind, kind_of, tiny_instances, warm
from closeknit.solvers import Limit, Result, Settings
from closeknit.solvers.running import clock, kernels
from closeknit.solvers.running.interrupt import OutOfTimeError
from closeknit.solvers.running.kernels import (
    Kernel,
    MissingMachineCode,
    interpreted,
    kernel,
    only_ready,
    uncounted,
)
from closeknit.solvers.running.method import AnyMethod

from ... import house


@kernel
def triangle(n: int) -> int:
    """Sum the numbers below n."""
    total = 0
    for i in range(n):
        total += i
    return total


@kernel
def doubled(n: int) -> int:
    """Call another kernel."""
    return 2 * int(triangle(n))


def test_source_and_machine_code_agree() -> None:
    with interpreted():
        slow = doubled(10)
    assert slow == doubled(10) == 90
    assert type(slow) is int


def test_no_kernel_multiplies_signed_words() -> None:
    """Machine code takes for granted that they do not overflow: hashes and coins do."""
    found = []
    for module in house.modules().values():
        kernels = (
            each
            for one in ast.walk(module.tree)
            if isinstance(one, ast.FunctionDef)
            and "kernel" in map(ast.unparse, one.decorator_list)
            for each in ast.walk(one)
        )
        for node in kernels:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                sides = [ast.unparse(side) for side in (node.left, node.right)]
                large = [re.sub(r"np\.uint64\(\d+\)", "", side) for side in sides]
                if any(re.search(r"\d{11,}", side) for side in large):
                    found.append(f"{module.shown}:{node.lineno}")
    assert not found


def test_sources_return_numbers_as_machine_code_does() -> None:
    @kernel
    def first(values: np.ndarray) -> tuple[int, float, bool]:
        return values[0], values[0] / 2, values[0] > 2

    values = np.arange(3, 6)
    with interpreted():
        slow = first(values)
    assert slow == first(values) == (3, 1.5, True)
    assert [type(each) for each in slow] == [int, float, bool]


def test_what_slices_refuse_takes_no_time_to_compile() -> None:
    """numba's own message took 1.8 seconds of each process: it compiles strings."""
    program = """
import numpy as np
from numba.core import event
from closeknit.solvers.running.kernels import kernel

@kernel
def copied(target, source):
    target[1:] = source
    return target[-1]

with event.install_recorder("numba:compile") as recorder:
    assert copied(np.zeros(3), np.ones(2)) == 1
made = [each.data["dispatcher"].py_func for _, each in recorder.buffer]
print(sorted({each.__module__ for each in made}))
try:
    copied(np.zeros(3), np.ones(9))
except ValueError as refused:
    print(refused)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    modules, refusal = done.stdout.splitlines()
    assert modules == "['__main__', 'closeknit.solvers.running.kernels_numba']"
    assert refusal == "cannot assign a slice from an array of another size"


def test_an_uncounted_kernel_takes_arrays_and_makes_none() -> None:
    @uncounted
    @kernel
    def last_of(rows: np.ndarray, i: int) -> int:
        row = rows[i]
        return int(row[-1])

    @uncounted
    @kernel
    def made(n: int) -> int:
        return len(np.zeros(n))

    @kernel
    def summed(rows: np.ndarray) -> int:
        total = 0
        for _ in range(1000):
            for i in range(len(rows)):
                total += last_of(rows, i)
        return total

    @kernel
    def refused(n: int) -> int:
        return int(made(n))

    rows = np.arange(6).reshape(2, 3)
    held = sys.getrefcount(rows)
    assert summed(rows) == 7000
    assert sys.getrefcount(rows) == held
    assert rows.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(Exception, match="Only accept returning of array"):
        refused(3)


def test_clock_stands_still_while_a_kernel_compiles() -> None:
    @kernel
    def fresh(values: np.ndarray) -> float:
        return float(np.sort(values)[0] + values.sum() + np.median(values))

    began, went = perf_counter(), clock.now()
    assert fresh(np.ones(5)) == 7.0
    assert clock.now() - went < (perf_counter() - began) / 2


def test_clock_stops_once_and_goes_on() -> None:
    before = clock.now()
    with clock.stopped(), clock.stopped():
        held = clock.now()
        assert clock.now() == held
    assert held >= before
    assert clock.now() >= held
    start = clock.now()
    while clock.now() == start:
        pass


def test_clock_stands_still_as_long_as_one_thread_stops_it() -> None:
    """It went on with the first, and two that stopped at once ended in a TypeError."""
    with ThreadPoolExecutor(1) as other:
        block = clock.stopped()
        other.submit(block.__enter__).result()
        with clock.stopped():
            held = clock.now()
            other.submit(block.__exit__, None, None, None).result()
            assert clock.now() == held
        assert not clock.is_stopped()

    def stop_often() -> None:
        for _ in range(3_000):
            with clock.stopped():
                pass

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(stop_often) for _ in range(3)]:
            done.result()
    assert not clock.is_stopped()


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), OutOfTimeError(), None])
def test_a_signal_while_numba_makes_an_answer_stays_what_it_is(
    monkeypatch: pytest.MonkeyPatch, cause: BaseException | None
) -> None:
    """numba turns what a handler of signals raises there into a SystemError."""

    @kernel
    def never_called() -> int:
        return 1

    def dispatcher() -> int:
        raise SystemError("returned a result with an exception set") from cause

    monkeypatch.setattr(never_called, "_dispatcher", dispatcher)
    with pytest.raises(type(cause) if cause else SystemError) as raised:
        never_called()
    assert cause is None or raised.value is cause


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep machine code in a folder in which there is none."""
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("empty")
def test_only_ready_refuses_what_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_A_WHILE", 0.0)

    @kernel
    def never_compiled(n: int) -> int:
        return n + 1

    with only_ready(), pytest.raises(MissingMachineCode):
        never_compiled(1)
    assert never_compiled(1) == 2


@pytest.mark.usefixtures("empty")
def test_one_line_tells_of_compiling(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "_worth_saying", 0.0)

    @kernel
    def one(n: int) -> int:
        return n + 1

    @kernel
    def other(n: int) -> int:
        return n + 2

    assert one(1) + other(1) == 5
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("closeknit: compiling kernels, once, about ")
    assert captured.err.count("\n") == 1


# --- where machine code is kept ---


def test_what_machine_code_is_made_of_is_described_alike_in_every_process() -> None:
    """For every kernel, and without addresses or places of files."""
    code = """
from importlib import import_module
from pathlib import Path
import closeknit
from closeknit.solvers.running.kernels import KERNELS
root = Path(closeknit.__file__).parent
for package in sorted(root.iterdir()):
    for file in sorted(package.rglob("*kernels*.py")):
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        import_module(f"closeknit.{name}")
print(len(KERNELS), *sorted(each.ingredients() for each in KERNELS), sep="\\n")
"""
    one, other = (
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    )
    assert int(one.partition("\n")[0]) > 300
    assert " at 0x" not in one
    assert str(Path(np.__file__).parent) not in one
    assert one == other


PACKAGE = {
    "values.py": """
from typing import NamedTuple

ADDED = {constant}

class Pair(NamedTuple):
    {fields}: int
""",
    "inner.py": """
from closeknit.solvers.running.kernels import kernel
from values import ADDED, Pair

@kernel
def step(n: int, pair: Pair) -> int:
    return n + {added} + ADDED + pair.low
""",
    "outer.py": """
from closeknit.solvers.running.kernels import kernel
from inner import step

@kernel
def twice(n, pair):
    return step(step(n, pair), pair)
""",
}
TEXT = {"added": "1", "constant": "0", "fields": "low: int; high"}


def run_twice(
    folder: Path, changes: dict[str, str], *, n: str = "1", **environment: str
) -> str:
    """Write three files, kernels that call into another file; run them."""
    for name, text in PACKAGE.items():
        source = text.format_map(TEXT | changes)
        if not (folder / name).exists() or (folder / name).read_text() != source:
            (folder / name).write_text(source)
    code = (
        "import outer; from values import Pair; "
        f"value = int(outer.twice({n}, Pair(0, 10))); "
        "cache = outer.twice.dispatcher.stats; "
        "print(value, sum(cache.cache_hits.values()), cache.cache_path)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        pytest.param({"added": "5"}, 11, id="a callee in another file"),
        pytest.param(
            *({"constant": "4"}, 11),
            id="a constant of a third file",
            marks=pytest.mark.slow,
        ),
        pytest.param({"fields": "high: int; low"}, 23, id="the fields of a tuple"),
    ],
)
def test_machine_code_is_kept_and_renewed_when_its_sources_change(
    tmp_path: Path, changes: dict[str, str], value: int
) -> None:
    cache = str(tmp_path / "cache")
    assert run_twice(tmp_path, {}, NUMBA_CACHE_DIR=cache).startswith("3 0 ")
    assert run_twice(tmp_path, {}, NUMBA_CACHE_DIR=cache).startswith("3 1 ")
    changed = run_twice(tmp_path, changes, NUMBA_CACHE_DIR=cache)
    assert changed.startswith(f"{value} 0 ")


def test_kernels_name_what_they_call() -> None:
    """A kernel called as ``module.name`` would not be found by the cache's stamp."""
    for each in kernels.KERNELS:
        for name in each.py_func.__code__.co_names:
            value = each.py_func.__globals__.get(name)
            if isinstance(value, ModuleType):
                assert value.__name__.split(".")[0] == "numpy", each


def test_damaged_machine_code_is_made_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run_twice(tmp_path, {}, NUMBA_CACHE_DIR=str(cache))
    damaged = [*cache.rglob("*.nbc")]
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[:20])
    assert run_twice(tmp_path, {}, NUMBA_CACHE_DIR=str(cache)).startswith("3 ")


def test_machine_code_for_other_types_is_kept_beside(tmp_path: Path) -> None:
    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run_twice(tmp_path, {}, **kept) == run_twice(tmp_path, {}, n="1.0", **kept)
    for n in ("1", "1.0"):
        assert run_twice(tmp_path, {}, n=n, **kept).split()[1] == "1"


def test_machine_code_of_an_older_source_is_removed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run_twice(tmp_path, {}, NUMBA_CACHE_DIR=str(cache))
    (folder,) = cache.iterdir()
    first = set(folder.iterdir())
    counted = [folder / "inner.step-7.py311.inner.nbi", folder / "inner.step-7.1.nbc"]
    for old in counted:  # named as they were with an index
        old.touch()
    run_twice(tmp_path, {"added": "5"}, NUMBA_CACHE_DIR=str(cache))
    second = set(folder.iterdir())
    assert len(first) == len(second) == 2
    assert not first & second


def test_machine_code_made_beforehand_is_loaded_where_nothing_can_be_written(
    tmp_path: Path,
) -> None:
    assert run_twice(tmp_path, {}).startswith("3 0 ")
    code = (
        "from closeknit.solvers.running import kernels_numba\n"
        "kernels_numba._writable = lambda folder: False\n"
        "from values import Pair\n"
        "import outer; outer.twice(1, Pair(0, 10))\n"
        "print(outer.twice.dispatcher.stats.cache_hits)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ": 1" in done.stdout


def test_plots_are_silent_without_a_home(tmp_path: Path) -> None:
    file = tmp_path / "full.json"
    file.write_text(
        '{"format": "closeknit/ksubset", "version": 1, "name": "full", '
        '"topology": {"kind": "mesh", "shape": [3, 3]}, "k": 4}'
    )
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("XDG_", "MPL"))}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "closeknit",
            "solve",
            file,
            "--plot",
            tmp_path / "a.png",
        ],
        env={**kept, "HOME": "/proc/none"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the source's folder nor the user's cache can be written."""

    def only_below(folder: Path) -> bool:
        return folder.parent.name.startswith("closeknit-kernels-") and real(folder)

    real = kernels_numba()._writable
    monkeypatch.setattr(kernels_numba(), "_writable", only_below)


def never_kept(n: int) -> int:
    """Sum the numbers below n."""
    return n * (n - 1) // 2


def fresh_kernel() -> Kernel:
    """Return a kernel of which there is no machine code anywhere."""
    return Kernel(never_kept)


@pytest.mark.usefixtures("nowhere")
def test_without_any_cache_kernels_still_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/nonexistent")
    one = fresh_kernel()
    assert one(5) == 10
    assert one.dispatcher.stats.cache_path is None


@pytest.mark.usefixtures("nowhere")
def test_read_only_installations_use_a_private_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    one = fresh_kernel()
    assert one(5) == 10
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))


def kernels_numba() -> Any:
    """Return the module as an object whose attributes may be replaced."""
    from closeknit.solvers.running import kernels_numba

    return kernels_numba


def test_a_folder_that_others_may_write_to_is_not_taken(tmp_path: Path) -> None:
    folder = kernels_numba().private_folder(str(tmp_path))
    assert folder is not None
    folder.chmod(0o777)
    assert kernels_numba().private_folder(str(tmp_path)) is None
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert kernels_numba().private_folder(str(tmp_path)) is None


# --- methods ---


def own_methods() -> Iterator[tuple[Kind, AnyMethod]]:
    """Every method with kernels of its own, with every kind."""
    for kind in KINDS:
        for method in METHODS[kind[0]].values():
            if not method.runs_solver:
                yield kind, method


def same(one: Result, other: Result) -> bool:
    """Whether two results differ in nothing but seconds."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("status", "chosen", "objective", "bound", "proof", "limit", "seed")
    )


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        pytest.param(kind, method, id=f"{'-'.join(map(str, kind))}-{method.name}")
        for kind, method in own_methods()
    ],
)
def test_every_method_answers_from_source_as_from_machine_code(
    kind: Kind, method: AnyMethod
) -> None:
    settings = Settings(time_limit=60.0, node_limit=2000)
    for instance in tiny_instances(kind):
        assert kind_of(instance) == kind
        if method.refuses and method.refuses(instance):
            continue
        with interpreted():
            slow = method(instance, settings)
        assert same(slow, method(instance, settings))


@pytest.mark.parametrize("name", bundled_names())
def test_run_once_answers_as_the_method_does(name: str) -> None:
    instance = bundled(name)
    method = METHODS[problem_of(instance).name]["auto"]
    result = run_once(method, instance)
    assert same(result, method(instance))
    if result.chosen is not None:
        assert check(instance, result.chosen) == []


def test_run_once_returns_what_an_interruption_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = bundled("8x8-random-50pct-k10-s1")
    method = METHODS["ksubset"]["auto"]
    monkeypatch.setattr("closeknit.methods.interpreted_or_compiled._TINY_SECONDS", 1e-9)
    assert run_once(method, instance).limit is None
    assert run_once(method, instance, Settings(time_limit=0.5)).limit in (
        None,
        Limit.TIME,
    )


def _bundled_pairs() -> Iterator[tuple[str, str]]:
    for name in bundled_names():
        for method in METHODS[problem_of(bundled(name)).name].values():
            if not method.runs_solver and not (
                method.refuses and method.refuses(bundled(name))
            ):
                yield name, method.name


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled_names())
def test_after_warming_nothing_is_compiled(name: str) -> None:
    from numba.core import event

    instance: Instance = bundled(name)
    for one, method_name in _bundled_pairs():
        if one != name:
            continue
        method = METHODS[problem_of(instance).name][method_name]
        warm(method, kind_of(instance))
        with event.install_recorder("numba:compile") as compiled, suppress(InputError):
            method(instance, Settings(time_limit=5.0))  # too large for some
        assert compiled.buffer == [], method_name
