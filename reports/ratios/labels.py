"""How reports speak of each problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ...instances import Instance, Sukp, Value
from .wording import price


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemLabels:
    """Words for one problem.

    Parameters
    ----------
    title
        Heading of its section.
    costs
        A sentence: what a cost is.
    given
        Head of the column that says what an instance is.
    n, k
        Labels of axes; "" for k where it is nothing to plot against.
    has_busy
        Whether some processors are busy, so that occupancy can be plotted.
    """

    title: str
    costs: str
    given: str
    n: str
    k: str
    has_busy: bool


SUBJECTS: Mapping[str, ProblemLabels] = MappingProxyType(
    {
        "ksubset": ProblemLabels(
            title="Processors close together",
            costs="Costs are sums of hop distances over all pairs of chosen "
            "processors.",
            given="network",
            n="n, free processors",
            k="k, processors to choose",
            has_busy=True,
        ),
        "procset": ProblemLabels(
            title="Processor sets",
            costs="Costs are the vectors of all sets touched, summed and compared "
            "lexicographically. A ratio is given level by level; of the levels below "
            "the first that is not 1 it says little, and may be less than 1. What "
            "counts is the share of optimal selections.",
            given="sets",
            n="n, available processors",
            k="r, processors requested",
            has_busy=True,
        ),
        "sukp": ProblemLabels(
            title="Set-union knapsack",
            costs="Costs are the profits of the items left out, so that less is "
            "better, and ratios are of these costs.",
            given="items",
            n="n, items",
            k="",
            has_busy=False,
        ),
        "submesh": ProblemLabels(
            title="Submesh allocation",
            costs="Costs are the residents that are moved, the processors they hold "
            "and the steps they go, compared lexicographically. A method that moves "
            "nobody either finds a free box, which costs nothing, or has no answer.",
            given="mesh",
            n="free processors",
            k="processors requested",
            has_busy=True,
        ),
    }
)
"""Words by the name of the problem."""


def paid(instance: Instance, value: Value | None) -> str:
    """Write a cost as people speak of it.

    >>> two = Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6)
    >>> paid(two, 4)
    'profit 5 of 9 (4 left out)'
    """
    if isinstance(instance, Sukp) and isinstance(value, int):
        whole = sum(instance.profits)
        taken, of, left = (price(part) for part in (whole - value, whole, value))
        return f"profit {taken} of {of} ({left} left out)"
    return price(value)
