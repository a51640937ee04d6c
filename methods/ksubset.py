"""Every method for the k-subset problem."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..exact.ksubset.distances_bb import search as distances_bb
from ..heuristics.ksubset import guarantees, one_axis, ptas, ptas_published, town
from ..instances import Graph, KSubset
from ..instances.topologies.graph import NO_CUTS
from ..solvers.method import Method, table
from . import allocator_as_method as deciding
from . import models_ksubset as models
from .allocators import STRATEGIES


def _needs_coordinates(instance: KSubset) -> str | None:
    if instance.topology.kind in ("tree", "graph"):
        return f"needs coordinates; a {instance.topology.kind} has none"
    return None


def _needs_cuts(instance: KSubset) -> str | None:
    if isinstance(instance.topology, Graph) and instance.topology.embedding is None:
        return NO_CUTS
    return None


def _needs_a_tree(instance: KSubset) -> str | None:
    topology = instance.topology
    if isinstance(topology, Graph):
        tree = topology.embedding is not None and topology.embedding.is_tree
        return None if tree else "needs a tree, or a graph with the distances of one"
    return None if topology.kind == "tree" else "needs a tree"


def _needs_a_plane(instance: KSubset) -> str | None:
    if instance.topology.kind != "mesh" or instance.topology.dimension != 2:
        return "needs a two-dimensional mesh"
    return None


KSUBSET: Mapping[str, Method[KSubset]] = table(
    Method(
        name="mm",
        where="heuristics.ksubset.mm:mm",
        guarantee=guarantees.manhattan_median,
        takes_ties=True,
    ),
    Method(
        name="mm-free", where="heuristics.ksubset.mm:mm_free", guarantee=guarantees.star
    ),
    Method(
        name="mm-all",
        where="heuristics.ksubset.mm:mm_all",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc",
        where="heuristics.ksubset.mm_inc:mm_inc",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc-first",
        where="heuristics.ksubset.mm_inc:mm_inc_first",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc-all",
        where="heuristics.ksubset.mm_inc:mm_inc_all",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mc1x1",
        where="heuristics.ksubset.mc1x1:mc1x1",
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    Method(
        name="mc1x1-all",
        where="heuristics.ksubset.mc1x1:mc1x1_all",
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.ksubset.ptas:{name}",
            guarantee=partial(ptas.guarantee, m),
            refuses=partial(ptas.refusal, m),
        )
        for name, m in ptas.STRIPS.items()
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.ksubset.ptas_published:{name}",
            guarantee=partial(ptas_published.guarantee, m),
            refuses=partial(ptas_published.refusal, m),
        )
        for name, m in ptas_published.STRIPS.items()
    ),
    Method(name="town", where="heuristics.ksubset.town:town", refuses=town.refusal),
    Method(
        name="random", where="heuristics.ksubset.baselines:random_choice", seeded=True
    ),
    Method(name="row-major", where="heuristics.ksubset.baselines:row_major"),
    *(
        Method(
            name=name,
            where=f"methods.allocator_as_method:{name}",
            refuses=partial(deciding.refusal, name),
            seeded=maker.seeded,
        )
        for name, maker in STRATEGIES.items()
    ),
    Method(name="bruteforce", where="exact.ksubset.bruteforce:bruteforce", exact=True),
    Method(
        name="cuts-bb",
        where="exact.ksubset.cuts_bb.search:cuts_bb",
        exact=True,
        refuses=_needs_cuts,
    ),
    Method(
        name="distances-bb",
        where="exact.ksubset.distances_bb.search:distances_bb",
        exact=True,
        refuses=distances_bb.refusal,
    ),
    Method(
        name="tree-dp",
        where="exact.ksubset.tree_dp.program:tree_dp",
        exact=True,
        refuses=_needs_a_tree,
    ),
    Method(
        name="ring-dp",
        where="exact.ksubset.ring_dp.program:ring_dp",
        exact=True,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="ring-window",
        where="heuristics.ksubset.ring_window:ring_window",
        guarantee=guarantees.star,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="line-window",
        where="exact.ksubset.line:line_window",
        exact=True,
        refuses=one_axis.refuse_line,
    ),
    Method(
        name="levelset-bb",
        where="exact.ksubset.levelset_bb.search:levelset_bb",
        exact=True,
        refuses=_needs_a_plane,
    ),
    *(
        Method(
            name=name,
            where=f"methods.models_ksubset:{name}",
            exact=True,
            refuses=partial(models.refusal, name),
            seeded=True,
            runs_solver=True,
        )
        for name in models.NAMES
    ),
    Method(name="auto", where="methods.auto_ksubset:auto", exact=True),
)
"""Methods for the k-subset problem, by the name used in reports."""
