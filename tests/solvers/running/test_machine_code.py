"""No piece of machine code stands for another function, whoever compiled what when."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from ...machine_code.kernel_runs import kernel_named
from ...paths import ROOT

SOME, PAIRS = 14, 8
SEED = 1
BRIEF = 0.45
"""Seconds that a kernel of the quick test is expected to take to compile, at most."""


def run(*words: object, given: str = "", **environment: str) -> str:
    """Run Python on something; return what it prints, after what it says of errors."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        input=given,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr + done.stdout


# --- numbers of functions ---


def draw(n: int) -> list[int]:
    """Number a function n times, as numba does when it compiles."""
    from numba.core.bytecode import FunctionIdentity

    from closeknit.solvers.running import kernels_numba

    assert kernels_numba._numbers_are_drawn
    return [FunctionIdentity.from_function(json.loads).unique_id for _ in range(n)]


DRAW = f"""
import json
from multiprocessing import get_context
from closeknit.solvers.running import kernels_numba

{inspect.getsource(draw)}
def send(results):
    results.put(draw(50))

def start(way):
    context = get_context(way)
    results = context.Queue()
    children = [context.Process(target=send, args=[results]) for _ in range(2)]
    for child in children:
        child.start()
    drawn = draw(50) + results.get(timeout=100) + results.get(timeout=100)
    for child in children:
        child.join()
    print(json.dumps(drawn))
"""
"""Children of a process that imports nothing of the tests' folder: a package of another
project that is called tests, too, may come first there."""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_never_draw_the_same_number(way: str, tmp_path: Path) -> None:
    numbers = draw(50)
    (tmp_path / "numbers_here.py").write_text(DRAW)
    code = f"import multiprocessing, numbers_here\nnumbers_here.start({way!r})"
    numbers += json.loads(run("-c", code, PYTHONPATH=str(tmp_path)))
    assert len(set(numbers)) == 200


def test_threads_never_draw_the_same_number() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            drawn = [each for part in pool.map(draw, [2000] * 4) for each in part]
    finally:
        sys.setswitchinterval(interval)
    assert len(set(drawn)) == 8000


KERNELS = """
import numpy as np
from closeknit.solvers.running.kernels import kernel

@kernel
def ordered(a):
    a.sort()
    return a

@kernel
def ranked(a):
    return np.argsort(a)
"""
SHORT = KERNELS.replace("a.sort()\n    return a", "low = np.argmin(a)\n    return low")
SHORT = SHORT.replace("np.argsort(a)", "np.argmax(a)")
"""They contain functions of numba's own, too, and take a tenth to compile."""
VALUES = "np.array([7919 * i % 1009 for i in range(40)])"
USE = f"""
import numpy as np
from kernels_here import ordered, ranked
a = {VALUES}
found, place = ordered(a.copy()), ranked(a)
if np.ndim(found):
    assert list(found) == sorted(a)
    assert list(place) == list(np.argsort(a))
else:
    assert (found, place) == (np.argmin(a), np.argmax(a))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two kernels."""
    (tmp_path / "kernels_here.py").write_text(SHORT)
    return tmp_path


def use(folder: Path, before: str, after: str = "") -> tuple[str, list[Path]]:
    """Run two kernels; return what is said, and the files of machine code."""
    said = run("-c", before + USE + after, PYTHONPATH=str(folder), NUMBA_CACHE_DIR="")
    return said, sorted((folder / "__pycache__").glob("*.nbc"))


class Anything:
    """Stands for whatever a piece of machine code is about."""

    def __new__(cls, *args: Any, **more: Any) -> Any:
        """Take anything."""
        return object.__new__(cls)

    def __init__(self, *args: Any, **more: Any) -> None:
        """Take anything."""

    def __setstate__(self, state: Any) -> None:
        """Take anything."""


class Parts(pickle.Unpickler):
    """Reads a piece of machine code without importing anything."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a stand-in."""
        return Anything


def names_in(file: Path) -> set[str]:
    """Return the names of the functions in a piece of machine code."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]
    from numba.core import codegen  # noqa: F401, which sets LLVM up

    with file.open("rb") as opened:
        _, parts = Parts(opened).load()
    _, _, (_, bitcode) = parts[0]
    module = llvm.parse_bitcode(bitcode)
    return {each.name for each in module.functions if not each.is_declaration}


def numbers_in(file: Path) -> list[int]:
    """Return the numbers of the functions of Python sources in a piece."""
    names = [name for name in names_in(file) if name.startswith("_Z")]
    numbers = [re.findall(r"B\d+v(\d+)", name) for name in names]
    assert all(numbers)
    return [int(each) for found in numbers for each in found]


NUMBA_BEFORE = f"""
import numba, numpy as np

@numba.njit
def both(a):
    return np.argmin(a), np.argmax(a)

both({VALUES})
"""
STILL_RUNS = f"a = {VALUES}; assert both(a) == (np.argmin(a), np.argmax(a));"
SORTING = NUMBA_BEFORE.replace(
    "return np.argmin(a), np.argmax(a)", "a.sort(); return np.argsort(a)"
)
STILL_SORTS = f"assert list(both({VALUES})) == list(range(40));"


@pytest.mark.parametrize(
    ("kernels", "before", "after"),
    [
        (SHORT, "", ""),
        pytest.param(SHORT, "import numba", "", marks=pytest.mark.slow),
        (SHORT, NUMBA_BEFORE, STILL_RUNS),
        pytest.param(KERNELS, SORTING, STILL_SORTS, marks=pytest.mark.slow),
    ],
    ids=["nobody", "imported", "used", "used to sort"],
)
def test_kept_code_has_drawn_numbers_whoever_used_numba_first(
    folder: Path, kernels: str, before: str, after: str
) -> None:
    (folder / "kernels_here.py").write_text(kernels)
    said, files = use(folder, before, after)
    assert "not kept" not in said
    assert len(files) == 2
    numbers = [each for file in files for each in numbers_in(file)]
    assert len(numbers) >= 4  # of numba's own functions, one a file at least
    assert min(numbers) >= 1 << 100
    hits = "print(ranked.dispatcher.stats.cache_hits)"
    said, again = use(folder, before, f"{after}{hits}")
    assert again == files
    assert ": 1})" in said


OTHERWISE = """
from numba.core.bytecode import FunctionIdentity
from itertools import count
real = FunctionIdentity.from_function.__func__
numbers = count(1)

def counted(kind, function):
    FunctionIdentity._unique_ids = numbers
    made = real(kind, function)
    del FunctionIdentity._unique_ids
    return made

FunctionIdentity.from_function = classmethod(counted)
"""
ABSENT = OTHERWISE + "del FunctionIdentity._unique_ids\n"


@pytest.mark.parametrize("numba", [OTHERWISE, ABSENT])
def test_where_numba_counts_otherwise_nothing_is_kept(folder: Path, numba: str) -> None:
    said, files = use(folder, numba)
    assert files == []
    assert said.count("compiled kernels are not kept") == 1
    assert said.count("\n") == 1


def test_code_is_not_kept_when_another_library_sets_the_counter(folder: Path) -> None:
    other = (
        "from closeknit.solvers.running import kernels_numba\n"
        "from numba.core.bytecode import FunctionIdentity\n"
        "from itertools import count\n"
        "FunctionIdentity._unique_ids = count(1)\n"
    )
    said, files = use(folder, other)
    assert files == []
    assert said.count("compiled kernels are not kept") == 1


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        """Let unpickling make the file."""
        return Path.touch, (self.file,)


def test_code_of_earlier_schemes_is_never_loaded(folder: Path) -> None:
    use(folder, "")
    sprung = folder / "sprung"
    files = sorted((folder / "__pycache__").glob("*.nbc"))
    trap = pickle.dumps(Trap(sprung))
    for file in files:  # the current one is loaded, as this shows
        file.write_bytes(trap)
    use(folder, "")
    assert sprung.exists()
    sprung.unlink()
    tag = f"py{sys.version_info[0]}{sys.version_info[1]}"
    for file in files:
        file.unlink()
        module, name = file.name.split(".")[:2]
        line = {"ordered": 5, "ranked": 10}[name]
        for end in (f"{tag}.nbi", f"{tag}.1.nbc", f"{tag}.0123456789abcdef.nbc"):
            (file.parent / f"{module}.{name}-{line}.{end}").write_bytes(trap)
    _, fresh = use(folder, "")
    assert not sprung.exists()
    assert [each.name for each in fresh] == [each.name for each in files]


# --- kernels of ours that contain functions of numba's own ---


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls of all kernels that tiny instances need, from source."""
    file = tmp_path_factory.mktemp("calls") / "calls"
    run("-m", "tests.machine_code.kernel_calls", file, CLOSEKNIT_KERNELS="interpreted")
    return file


def expected_seconds(name: str) -> float:
    """Estimate how long a kernel takes to compile."""
    return float(sum(each.own_seconds() for each in kernel_named(name).callees()))


def sorts(name: str) -> bool:
    """Whether a kernel sorts: in numba, by functions defined inside functions."""
    return not {"sort", "argsort"}.isdisjoint(
        kernel_named(name).py_func.__code__.co_names
    )


@dataclass(frozen=True)
class Piece:
    """A kernel compiled in a process of its own: where, and what numba noted of it."""

    kernel: str
    folder: Path
    closures: list[str]
    drawn: list[tuple[int, str]]

    @cached_property
    def symbols(self) -> dict[str, int]:
        """Return which of the functions numbered here the names in its code mean."""
        places = {number: at for at, (number, _) in enumerate(self.drawn)}
        return {
            name: places[int(number)]
            for file in self.folder.rglob("*.nbc")
            for name in names_in(file)
            for number in re.findall(r"B\d+v(\d+)", name)
            if int(number) in places
        }


def run_groups(calls: Path, groups: Sequence[tuple[Path, list[str], int]]) -> list[Any]:
    """Run groups of kernels, each in a process of its own."""
    given = json.dumps([(str(folder), *more) for folder, *more in groups])
    lines = run("-m", "tests.machine_code.kernel_runs", calls, given=given).splitlines()
    assert [line for line in lines if " ended with " in line] == []
    ran = [json.loads(line) for line in lines if line.startswith("{")]
    assert len(ran) == sum(len(kernels) for _, kernels, _ in groups)
    wrong = [groups[each["group"]][1:] for each in ran if not each["right"]]
    assert wrong == []
    return ran


def compile_apart(
    calls: Path, place: Path, kernels: Sequence[tuple[str, int]]
) -> list[Piece]:
    """Compile kernels, each after so many functions; keep those with numba's own.

    Those are the ones that numba linked, after type inference, with functions which it
    defines inside functions.
    """
    groups = [(place / str(i), [n], at) for i, (n, at) in enumerate(kernels)]
    ran = run_groups(calls, groups)
    pieces = [
        Piece(each["kernel"], groups[each["group"]][0], each["closures"], each["drawn"])
        for each in ran
    ]
    return [piece for piece in pieces if piece.closures]


def earlier(one: Piece, other: Piece) -> int | None:
    """Return after how many more functions a process would number one as the other.

    That is, a function of numba's own that both have under one name but for the number;
    None if there is none.
    """
    places, others = (
        {re.sub(r"B\d+v\d+", "", name): at for name, at in piece.symbols.items()}
        for piece in (one, other)
    )
    shared = sorted(places.keys() & others.keys())
    return others[shared[0]] - places[shared[0]] if shared else None


def link(source: str, target: str) -> None:
    """Put a file where another may be: a kernel that two others call."""
    Path(target).unlink(missing_ok=True)
    os.link(source, target)


def hold_pairs(calls: Path, place: Path, pairs: Sequence[tuple[Piece, Piece]]) -> None:
    """Load both kernels of a pair in one process, and compare with the source.

    Before that, no name in the code of both may stand for two functions: each process
    has noted which files and lines it numbered.
    """
    groups = []
    for at, pair in enumerate(pairs):
        names, others = (piece.symbols for piece in pair)
        assert names
        assert others
        assert names.keys() & others.keys() == set()
        for piece in pair:
            copytree(
                piece.folder,
                place / f"both{at}",
                copy_function=link,
                dirs_exist_ok=True,
            )
        kernels = [piece.kernel for piece in pair]
        groups += [(place / f"both{at}", way, 0) for way in (kernels, kernels[::-1])]
    assert all(each["loaded"] for each in run_groups(calls, groups))


def hold_some(calls: Path, place: Path, names: Sequence[str]) -> None:
    """Hold pairs of kernels: all that have functions of one name, and drawn ones.

    Of the former one is compiled again where as many functions have been numbered
    before as let a counter give the functions of that name one number.
    """
    pieces = compile_apart(calls, place / "first", [(name, 0) for name in names])
    pairs = list(combinations(pieces, 2))
    alike = [
        (one, other, ahead) if ahead >= 0 else (other, one, -ahead)
        for one, other in pairs
        if (ahead := earlier(one, other)) is not None
    ]
    assert alike
    later = [(one.kernel, ahead) for one, _, ahead in alike]
    again = compile_apart(calls, place / "later", later)
    apart = [(late, other) for late, (_, other, _) in zip(again, alike, strict=True)]
    drawn = Random(SEED).sample(pairs, max(0, min(PAIRS, len(pairs)) - len(apart)))
    hold_pairs(calls, place, apart + drawn)


def test_kernels_of_two_processes_serve_a_third_one(
    calls: Path, tmp_path: Path
) -> None:
    kept = pickle.loads(calls.read_bytes())
    brief = [n for n in sorted(kept) if kept[n] and expected_seconds(n) <= BRIEF]
    some = {*filter(sorts, brief), *Random(SEED).sample(brief, SOME)}
    hold_some(calls, tmp_path, sorted(some))


@pytest.mark.slow
def test_all_kernels_serve_beside_all_others(calls: Path, tmp_path: Path) -> None:
    kept = pickle.loads(calls.read_bytes())
    names = [(name, 0) for name in sorted(kept) if kept[name]]
    pieces = compile_apart(calls, tmp_path, names)
    assert len(pieces) > 60
    hold_pairs(calls, tmp_path, list(combinations(pieces, 2)))
