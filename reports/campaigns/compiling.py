"""Compile the kernels of methods, and of parts, in several processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from ...extensions import INSTALLED, load
from ...heuristics.ksubset.mm_mesh_kernels import scan_mesh
from ...instances import InputError
from ...instances.writing.files import write_text
from ...methods import METHODS
from ...methods.warming import KINDS, Kind, warm, with_kernels
from ...solvers.running.kernels import INTERPRETED, KERNELS, announce
from ...solvers.running.method import AnyMethod
from . import pool

_LONGEST_FIRST = [
    *("cuts-bb", "set-opening-bb", "frontier-dp", "sukp-bb"),
    *("learning", "ptas", "tabu", "migrate", "propagation", "thrifty"),
]
"""Methods that take longest to compile, so that no process is left with one alone."""

OTHERS: Mapping[str, str] = MappingProxyType(
    {name: part.kernels for name, part in INSTALLED.items() if part.kernels}
)
"""Parts that have kernels next to those of methods: where their functions are."""


def compile_all(
    parts: Collection[str],
    *,
    jobs: int,
    more: Mapping[str, Callable[[], None]] = MappingProxyType({}),
) -> list[str]:
    """Compile the kernels of problems and `OTHERS`; return what failed."""
    wanted = (
        (method, kind)
        for kind in KINDS
        if kind[0] in parts
        for method in METHODS[kind[0]].values()
    )
    others = [part for part in OTHERS if part in parts]
    return compile_for(wanted, jobs=jobs, others=others, more=more)


def compile_for(
    wanted: Iterable[tuple[AnyMethod, Kind]],
    *,
    jobs: int,
    others: Iterable[str] = (),
    more: Mapping[str, Callable[[], None]] = MappingProxyType({}),
) -> list[str]:
    """Compile the kernels of some methods on kinds of instances; return what failed.

    ``more`` has, by what they are for, functions that compile further kernels. What has
    been compiled before is known by a file next to the machine code, and
    skipped. Each method is compiled in one process, for all its kinds.
    """
    tasks: dict[str, dict[str, Callable[[], None]]] = {}
    for method, kind in wanted:
        for one in with_kernels(method, kind[0]):
            label = f"{kind[0]} {one.name}"
            line = f"{label} {kind[1]} {kind[2]}"
            tasks.setdefault(label, {})[line] = partial(warm, one, kind)
    of_parts = {
        f"{part} {name}": run
        for part in others
        for name, run in load(OTHERS[part]).items()
    }
    tasks |= {label: {label: run} for label, run in {**more, **of_parts}.items()}
    if not tasks or INTERPRETED:
        return []
    place = _ready_file()
    ready = _read(place)
    rank = {name: at for at, name in enumerate(_LONGEST_FIRST)}
    due = sorted(
        (label for label, lines in tasks.items() if lines.keys() - ready),
        key=lambda label: rank.get(label.split()[1], len(rank)),
    )
    if not due:
        return []
    seconds = sum(each.own_seconds() for each in KERNELS)  # those of all tasks
    announce(seconds * len(due) / len(tasks) / jobs)
    calls = []
    failures = []
    for label in due:
        runs = [run for line, run in tasks[label].items() if line not in ready]
        calls.append(pool.Call(partial(_run_all, runs), kind=label.split()[0]))
    with closing(pool.run(calls, jobs=jobs)) as outcomes:
        for position, outcome in outcomes:
            if isinstance(outcome, pool.Failure):
                failures.append(f"{due[position]}: {outcome.why}")
            else:
                ready |= tasks[due[position]].keys()
    _keep(place, ready)
    return failures


@contextmanager
def announcing(what: Collection[str], *, of_all: int, jobs: int) -> Iterator[set[str]]:
    """Announce that a block compiles kernels, but for what ran to its end before.

    ``what`` names its tasks, each of which needs about one part in ``of_all`` of all
    kernels. The block puts those that have run to their end into the set yielded.
    """
    done: set[str] = set()
    if INTERPRETED:
        yield done
        return
    place = _ready_file()
    due = len(set(what) - _read(place))
    announce(due / of_all * sum(each.own_seconds() for each in KERNELS) / jobs)
    try:
        yield done
    finally:
        _keep(place, done)


def _run_all(runs: Iterable[Callable[[], None]]) -> None:
    for run in runs:
        run()


def _keep(place: Path | None, done: set[str]) -> None:
    """Add to what is recorded, maybe by others meanwhile."""
    if place is not None:
        with suppress(InputError):  # a read-only installation
            write_text(place, json.dumps(sorted(_read(place) | done)))


def _read(place: Path | None) -> set[str]:
    with suppress(OSError, ValueError, TypeError, RecursionError):
        found = json.loads(place.read_text(encoding="utf-8")) if place else ()
        return {one for one in found if isinstance(one, str)}
    return set()


@cache
def _ready_file() -> Path | None:
    """Return the file that records what has been compiled of these sources.

    It lies with the machine code, so that both are removed together.
    """
    folder = scan_mesh.dispatcher.stats.cache_path
    if folder is None:
        return None
    digest = sha256(f"{sys.version} {version('numba')}".encode())
    for package in sorted(Path(__file__).parents[2].iterdir()):
        for file in sorted(package.rglob("*.py")):
            digest.update(file.read_bytes())
    return Path(folder) / f"closeknit-ready-{digest.hexdigest()[:16]}.json"
