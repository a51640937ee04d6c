"""Every method for the k-subset problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import KSubset
from . import guarantees, models, one_axis, ptas, ptas_published, town
from .allocation import deciding
from .allocation.table import STRATEGIES
from .registry import Method, table


def _needs_coordinates(instance: KSubset) -> str | None:
    if instance.topology.kind == "tree":
        return "needs coordinates; a tree has none"
    return None


def _needs_a_tree(instance: KSubset) -> str | None:
    if instance.topology.kind != "tree":
        return "needs a tree"
    return None


def _needs_a_plane(instance: KSubset) -> str | None:
    if instance.topology.kind != "mesh" or instance.topology.dimension != 2:
        return "needs a two-dimensional mesh"
    return None


KSUBSET: Mapping[str, Method[KSubset]] = table(
    Method(
        name="mm",
        where="heuristics.mm:mm",
        guarantee=guarantees.manhattan_median,
        takes_ties=True,
    ),
    Method(name="mm-free", where="heuristics.mm:mm_free", guarantee=guarantees.star),
    Method(
        name="mm-all",
        where="heuristics.mm:mm_all",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc",
        where="heuristics.mm_inc:mm_inc",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc-first",
        where="heuristics.mm_inc:mm_inc_first",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc-all",
        where="heuristics.mm_inc:mm_inc_all",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mc1x1",
        where="heuristics.mc1x1:mc1x1",
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    Method(
        name="mc1x1-all",
        where="heuristics.mc1x1:mc1x1_all",
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.ptas:{name}",
            guarantee=partial(ptas.guarantee, m),
            refuses=partial(ptas.refusal, m),
        )
        for name, m in ptas.STRIPS.items()
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.ptas_published:{name}",
            guarantee=partial(ptas_published.guarantee, m),
            refuses=partial(ptas_published.refusal, m),
        )
        for name, m in ptas_published.STRIPS.items()
    ),
    Method(name="town", where="heuristics.town:town", refuses=town.refusal),
    Method(name="random", where="heuristics.baselines:random_choice", seeded=True),
    Method(name="row-major", where="heuristics.baselines:row_major"),
    *(
        Method(
            name=name,
            where=f"heuristics.allocation.deciding:{name}",
            refuses=partial(deciding.refusal, name),
            seeded=maker.seeded,
        )
        for name, maker in STRATEGIES.items()
    ),
    Method(name="bruteforce", where="heuristics.bruteforce:bruteforce", exact=True),
    Method(name="cuts-bb", where="heuristics.cuts_bb:cuts_bb", exact=True),
    Method(
        name="tree-dp",
        where="heuristics.tree_dp:tree_dp",
        exact=True,
        refuses=_needs_a_tree,
    ),
    Method(
        name="ring-dp",
        where="heuristics.ring_dp:ring_dp",
        exact=True,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="ring-window",
        where="heuristics.ring_window:ring_window",
        guarantee=guarantees.star,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="line-window",
        where="heuristics.line:line_window",
        exact=True,
        refuses=one_axis.refuse_line,
    ),
    Method(
        name="levelset-bb",
        where="heuristics.levelset_bb:levelset_bb",
        exact=True,
        refuses=_needs_a_plane,
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.models:{name}",
            exact=True,
            refuses=partial(models.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in models.NAMES
    ),
    Method(name="auto", where="heuristics.auto:auto", exact=True),
)
"""Methods for the k-subset problem, by the name used in reports."""
