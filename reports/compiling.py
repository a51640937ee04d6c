"""Compile the kernels of many methods in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial

from ..heuristics import METHODS
from ..heuristics.registry import AnyMethod
from ..heuristics.warming import KINDS, Kind, warm
from ..solvers.kernels import quiet
from . import pool

_LONGEST_FIRST = [
    "levelset-bb",
    "cuts-bb",
    "opened-bb",
    "frontier-dp",
    "sukp-bb",
    "ptas",
    "tabu",
    "migrate",
    "thrifty",
]
"""Methods that take longest to compile, so that no process is left with one alone."""


def compile_all(problems: Sequence[str], *, jobs: int) -> list[str]:
    """Compile what the methods of some problems need; return what failed, and why.

    Parameters
    ----------
    problems
        Names of problems.
    jobs
        Number of processes.
    """
    kinds = [kind for kind in KINDS if kind[0] in problems]
    methods = [
        (method, [kind for kind in kinds if kind[0] == problem])
        for problem in problems
        for method in METHODS[problem].values()
        if not method.runs_solver and method.name != "auto"
    ]
    rank = {name: at for at, name in enumerate(_LONGEST_FIRST)}
    methods.sort(key=lambda pair: rank.get(pair[0].name, len(rank)))
    return compile_for(methods, jobs=jobs)


def compile_for(
    methods: Iterable[tuple[AnyMethod, Sequence[Kind]]], *, jobs: int
) -> list[str]:
    """Compile what some methods need on instances of some kinds; return failures."""
    pairs = list(methods)
    calls = [pool.Call(partial(_warm_all, *pair)) for pair in pairs]
    failures = []
    with closing(pool.run(calls, jobs=jobs)) as outcomes:
        for position, outcome in outcomes:
            if isinstance(outcome, pool.Failure):
                failures.append(f"{pairs[position][0].name}: {outcome.why}")
    return failures


def _warm_all(method: AnyMethod, kinds: Sequence[Kind]) -> None:
    quiet()
    for kind in kinds:
        warm(method, kind)
