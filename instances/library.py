"""Bundled instances, and named suites of instances.

Bundled instances were generated with the parameters in their names, or are worked
examples of papers; each is solved to proven optimality in seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.resources import files
from types import MappingProxyType

from .errors import InputError
from .ksubset import graph_generators as graphs
from .ksubset import worst_cases
from .problems import CORE, Instance, parse_instance, problem_of
from .reading.parsing import parse_json

_DATA = files(f"{__package__}.data")


def bundled_names() -> list[str]:
    """Return the names of the bundled instances, sorted.

    >>> "6x6-full-k9" in bundled_names()
    True
    """
    return sorted(
        entry.name.removesuffix(".json")
        for entry in _DATA.iterdir()
        if entry.name.endswith(".json")
    )


def bundled(name: str) -> Instance:
    """Return a bundled instance; raise InputError if there is none of this name.

    Examples
    --------
    >>> bundled("6x6-full-k9").n
    36
    """
    if name not in bundled_names():
        raise InputError("no such bundled instance", "name", name)
    text = (_DATA / f"{name}.json").read_text(encoding="utf-8")
    return parse_instance(parse_json(text, file=f"{name}.json"))


def _instances_of(problem: str | None = None) -> list[Instance]:
    """Return all bundled instances, or those of one problem, sorted by name."""
    found = map(bundled, bundled_names())
    return [one for one in found if problem in (None, problem_of(one).name)]


def all_worst_cases() -> list[worst_cases.WorstCase]:
    """Return every worst-case construction, at a size that is solved in seconds."""
    eps = Fraction(1, 132)
    return [
        worst_cases.theorem1(1, 8, eps),
        worst_cases.theorem1(2, 8, eps),
        worst_cases.theorem1(3, 12, eps),
        worst_cases.median_decoys(2, 6, eps),
        worst_cases.median_decoys(2, 11, eps),
        worst_cases.mm_distinct(20),
        worst_cases.mm_distinct(555),
        worst_cases.mc1x1_family(4, 50),
        worst_cases.mc1x1_family(8, 200),
        worst_cases.mc1x1_family(6, 100, d=3),
        worst_cases.genalg(),
        worst_cases.genalg_tree(4),
        worst_cases.hilbert_gap(16),
    ]


def _graphs() -> list[Instance]:
    """Return graphs of every family, each solved to optimality in seconds."""
    half, most = Fraction(1, 2), Fraction(3, 4)
    return [
        graphs.fat_tree(4, 6),
        graphs.fat_tree(8, 20, half, seed=1),
        graphs.hypercube(4, 7),
        graphs.hypercube(5, 6, most, seed=2),
        graphs.dragonfly(4, 2, 2, 8),
        graphs.dragonfly(4, 2, 2, 10, half, seed=3),
        graphs.random_regular(24, 3, 6, seed=4),
        graphs.random_regular(60, 4, 8, most, seed=5),
    ]


SUITES = MappingProxyType[str, Callable[[], list[Instance]]](
    {
        "bundled": _instances_of,
        **{f"bundled-{problem}": partial(_instances_of, problem) for problem in CORE},
        "graphs": _graphs,
        "worst-cases": lambda: [case.instance for case in all_worst_cases()],
    }
)
"""Suites by name; `closeknit ratios` accepts them in place of a folder."""


def suite(name: str) -> list[Instance]:
    """Return the instances of a suite; raise InputError if there is none of this name.

    Examples
    --------
    >>> len(suite("bundled")) >= 12
    True
    """
    if name not in SUITES:
        raise InputError(f"no such suite (known: {', '.join(SUITES)})", "suite", name)
    return SUITES[name]()
