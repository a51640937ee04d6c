"""Compile the kernels of methods, networks and clusters in several processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from ... import exact, formulations, heuristics, methods, scheduler, simulation
from ...heuristics.ksubset.mm_mesh_kernels import scan_mesh
from ...instances import InputError
from ...instances.files import write_text
from ...methods import METHODS
from ...methods.warming import KINDS, Kind, warm, with_kernels
from ...scheduler.placement.warming import warm_placement
from ...solvers.kernels import KERNELS, announce
from ...solvers.method import AnyMethod
from . import pool

_LONGEST_FIRST = [
    *("levelset-bb", "cuts-bb", "set-opening-bb", "frontier-dp", "sukp-bb"),
    *("ptas", "tabu", "migrate", "thrifty"),
]
"""Methods that take longest to compile, so that no process is left with one alone."""

NETWORK = "network"
CLUSTERS = "clusters"
"""What stand for simulated networks, and for nodes of clusters, beside problems."""
Wanted = tuple[AnyMethod, Kind]


def compile_all(problems: Sequence[str], *, jobs: int) -> list[str]:
    """Compile the kernels of some problems; return the methods that failed, and why.

    `NETWORK` and `CLUSTERS` are among them.
    """
    return compile_for(
        (
            (method, kind)
            for kind in KINDS
            if kind[0] in problems
            for method in METHODS[kind[0]].values()
        ),
        jobs=jobs,
        networks=NETWORK in problems,
        clusters=CLUSTERS in problems,
    )


def compile_for(
    wanted: Iterable[Wanted],
    *,
    jobs: int,
    networks: bool = False,
    clusters: bool = False,
) -> list[str]:
    """Compile the kernels of some methods on kinds of instances; return failures.

    What has been compiled before is known by a file next to the machine code, and
    skipped. Each method is compiled in one process, for all its kinds.
    """
    kinds: dict[str, list[Kind]] = {}
    named: dict[str, AnyMethod] = {}
    for method, kind in wanted:
        for one in with_kernels(method, kind[0]):
            label = f"{kind[0]} {one.name}"
            named[label] = one
            kinds.setdefault(label, []).append(kind)
    if not (named or networks or clusters):
        return []
    place = _ready_file()
    ready = _read(place)
    rank = {name: at for at, name in enumerate(_LONGEST_FIRST)}
    labels = sorted(named, key=lambda one: rank.get(named[one].name, len(rank)))
    due = {
        label: missing
        for label in labels
        if (missing := [k for k in kinds[label] if _line(label, k) not in ready])
    }
    lines = {label: {_line(label, kind) for kind in due[label]} for label in due}
    work: dict[str, Callable[[], None]] = {
        label: partial(_warm, named[label], due[label]) for label in due
    }
    for name in _engines() if networks else ():
        label = f"{NETWORK} {name}"
        if label not in ready:
            lines[label], work[label] = {label}, partial(_warm_engine, name)
    if clusters and CLUSTERS not in ready:
        lines[CLUSTERS], work[CLUSTERS] = {CLUSTERS}, warm_placement
    if work:
        announce(_seconds_of_a_method() * len(work) / jobs)
    calls = [pool.Call(run) for run in work.values()]
    failures = []
    with closing(pool.run(calls, jobs=jobs)) as outcomes:
        for position, outcome in outcomes:
            label = list(work)[position]
            if isinstance(outcome, pool.Failure):
                failures.append(f"{label}: {outcome.why}")
            else:
                ready |= lines[label]
    if calls and place is not None:
        with suppress(InputError):  # a read-only installation
            write_text(place, json.dumps(sorted(ready)))
    return failures


def _warm(method: AnyMethod, kinds: Sequence[Kind]) -> None:
    for kind in kinds:
        warm(method, kind)


def _engines() -> list[str]:
    from ...simulation.network.warming import NETWORK_KERNELS

    return list(NETWORK_KERNELS)


def _warm_engine(name: str) -> None:
    from ...simulation.network.warming import NETWORK_KERNELS

    NETWORK_KERNELS[name]()


def _seconds_of_a_method() -> float:
    """Estimate the seconds of compiling one method, on average."""
    methods = [
        one
        for problem, table in METHODS.items()
        for method in table.values()
        if method.name != "auto"
        for one in with_kernels(method, problem)  # which imports its kernels
    ]
    return sum(each.own_seconds() for each in KERNELS) / len(methods)


def _line(label: str, kind: Kind) -> str:
    return f"{label} {kind[1]} {kind[2]}"


def _read(place: Path | None) -> set[str]:
    if place is None:
        return set()
    with suppress(OSError, ValueError, TypeError):
        return set(json.loads(place.read_text(encoding="utf-8")))
    return set()


@cache
def _ready_file() -> Path | None:
    """Return the file that records what has been compiled of these sources.

    It lies with the machine code, so that both are removed together.
    """
    digest = sha256(f"{sys.version} {version('numba')}".encode())
    for package in (exact, formulations, heuristics, methods, scheduler, simulation):
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(file.read_bytes())
    folder = scan_mesh.dispatcher.stats.cache_path
    if folder is None:
        return None
    return Path(folder) / f"closeknit-ready-{digest.hexdigest()[:16]}.json"
