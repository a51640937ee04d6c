"""What reports say of each problem, and how its pictures are drawn.

A further problem needs one entry in `LABELS`, and a module here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from ...extensions import INSTALLED, load
from ...instances import Instance, KSubset, Sukp, Value, problem_of
from ...instances.support import support_of
from ...instances.support.networks import drawn_as
from ..pages.numbers import price
from .graph import graph_picture, tree_picture
from .grid import grid_picture
from .points import points_picture
from .procset import procset_picture
from .shapes import Picture
from .submesh import submesh_kinds, submesh_picture
from .sukp import sukp_picture

Selections = Mapping[str, Collection[int]]
"""Choices by the names written above them."""
Painter = Callable[[Any, str, Selections, str, float], Picture]
"""Draws the choice of a name among all choices, in an accent, in a width of pixels."""
Kinds = list[tuple[str, str]]
"""Kinds of shapes, and what they mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemLabels:
    """Words and pictures for one problem."""

    title: str  # heading of its section
    costs: str  # a sentence: what a cost is
    given: str  # head of the column that describes an instance
    picture: Painter  # draws one choice, or the instance alone
    kinds: Callable[[Any, Selections], Kinds]  # what the legend explains beside choices
    cost: str = "cost"  # head of the column of costs
    chosen: str = "chosen by"  # the legend's name of a choice, before the method's
    cost_text: Callable[[Any, Value | None], str] = lambda instance, value: price(value)
    scale: Callable[[Any], int] = lambda instance: 1  # divisor of the costs
    has_dots: Callable[[Any], bool] = lambda instance: False
    """Whether a dot marks what only one of two choices takes."""


def _profit(instance: Sukp, value: Value | None) -> str:
    if not isinstance(value, int):
        return price(value)
    whole = sum(instance.profits)
    taken, of, left = (price(part) for part in (whole - value, whole, value))
    return f"profit {taken} of {of} ({left} left out)"


def _network(
    instance: KSubset, name: str, selections: Selections, accent: str, room: float
) -> Picture:
    chosen = selections.get(name, ())
    topology = drawn_as(instance.topology)
    if topology is not instance.topology:
        instance = replace(instance, topology=topology)
    own = {instance.free[i] for i in chosen}
    if topology.graph:
        return graph_picture(instance, topology.graph, {v for (v,) in own}, accent)
    if topology.tree:
        return tree_picture(instance, topology.tree, {v for (v,) in own}, accent)
    if not topology.grid:
        return points_picture(instance, chosen, accent)
    others = {
        instance.free[i]
        for other, choice in selections.items()
        if other != name
        for i in choice
    }
    return grid_picture(instance, own, others, accent)


def _single(paint: Callable[[Any, Collection[int], str, float], Picture]) -> Painter:
    """Return a painter that needs to know no other choice."""
    return lambda instance, name, selections, accent, room: paint(
        instance, selections.get(name, ()), accent, room
    )


def _processors(instance: Instance, selections: Selections) -> Kinds:
    features = support_of(instance).features(instance)
    busy = features.locations > features.n
    return [("ck-free", "free"), *[("ck-busy", "busy")] * busy]


def _items(instance: Sukp, selections: Selections) -> Kinds:
    return [("ck-busy", "item and its elements" + ", not taken" * bool(selections))]


_NETWORKS = ProblemLabels(
    title="Processors close together",
    costs="Costs are sums of hop distances over all pairs of chosen processors.",
    given="network",
    picture=_network,
    kinds=_processors,
    scale=lambda instance: instance.topology.scale,
    has_dots=lambda one: drawn_as(one.topology).grid is not None,
)
LABELS: Mapping[str, ProblemLabels] = MappingProxyType(
    {
        "ksubset": _NETWORKS,
        "procset": ProblemLabels(
            title="Processor sets",
            costs="Costs are the vectors of all sets touched, summed and compared "
            "lexicographically. A ratio is given level by level; the levels below the "
            "first that is not 1 say little, and may be less than 1. The share of "
            "optimal selections is what to compare.",
            given="sets",
            picture=_single(procset_picture),
            kinds=_processors,
        ),
        "sukp": ProblemLabels(
            title="Set-union knapsack",
            costs="Costs are the profits of the items left out, so that less is "
            "better, and ratios are of these costs.",
            given="items",
            picture=_single(sukp_picture),
            kinds=_items,
            cost="profit",
            cost_text=_profit,
        ),
        "submesh": ProblemLabels(
            title="Submesh allocation",
            costs="Costs are the residents that are moved, the processors they hold "
            "and the distances of the moves, compared lexicographically. A method "
            "that moves no resident either finds a free box, which costs nothing, or "
            "has no answer.",
            given="mesh",
            picture=_single(submesh_picture),
            kinds=submesh_kinds,
            chosen="request, by",
        ),
    }
    | {
        name: load(f"{module}:labels")(_NETWORKS)
        for part in INSTALLED.values()
        for name, module in part.problems.items()
    }
)
"""Words and pictures by the name of the problem."""


def labels_of(instance: Instance) -> ProblemLabels:
    """Return the labels of an instance's problem."""
    return LABELS[problem_of(instance).name]


def format_cost(instance: Instance, value: Value | None) -> str:
    """Write a cost for people.

    >>> two = Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6)
    >>> format_cost(two, 4)
    'profit 5 of 9 (4 left out)'
    """
    return labels_of(instance).cost_text(instance, value)
