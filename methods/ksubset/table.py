"""The table of methods for the k-subset problem."""

from __future__ import annotations

from functools import partial

from ...exact.ksubset import bruteforce, line
from ...exact.ksubset.cuts_bb import search as cuts_bb
from ...exact.ksubset.distances_bb import search as distances_bb
from ...exact.ksubset.dnn_bb import search as dnn_bb
from ...exact.ksubset.ring_dp import program as ring_dp
from ...exact.ksubset.tree_dp import program as tree_dp
from ...heuristics.ksubset import (
    baselines,
    guarantees,
    mc1x1,
    mm,
    mm_inc,
    one_axis,
    ring_window,
    town,
)
from ...heuristics.ksubset.ptas import published as ptas_published
from ...heuristics.ksubset.ptas import scheme as ptas
from ...instances import KSubset, arrays
from ...instances.support.networks import with_article
from ...instances.topologies.topology import NO_CUTS
from ...solvers.running.method import Method, table
from .. import models_exact
from ..allocators import as_method as allocator_as_method
from . import auto as auto_ksubset
from . import models as models_ksubset


def _needs_coordinates(instance: KSubset) -> str | None:
    if instance.topology.ring_lengths is None:
        return f"needs coordinates; {with_article(instance.topology)} has none"
    return None


def _needs_cuts(instance: KSubset) -> str | None:
    return None if arrays.has_cuts(instance) else NO_CUTS


def _needs_a_tree(instance: KSubset) -> str | None:
    if arrays.tree_of(instance):
        return None
    return "needs a tree, or a graph with the distances of one"


_on_metrics = partial(Method, needs_metric=True)

TABLE = table(
    "ksubset",
    _on_metrics("mm", mm.mm, guarantee=guarantees.manhattan_median, takes_ties=True),
    _on_metrics("mm-free", mm.mm_free, guarantee=guarantees.star),
    _on_metrics("mm-all", mm.mm_all, guarantee=guarantees.manhattan_median),
    _on_metrics(
        "mm-inc",
        mm_inc.mm_inc,
        guarantee=guarantees.manhattan_median,
        takes_required=True,
    ),
    _on_metrics(
        "mm-inc-first", mm_inc.mm_inc_first, guarantee=guarantees.manhattan_median
    ),
    _on_metrics("mm-inc-all", mm_inc.mm_inc_all, guarantee=guarantees.manhattan_median),
    Method(
        "mc1x1",
        mc1x1.mc1x1,
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    Method(
        "mc1x1-all",
        mc1x1.mc1x1_all,
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    *(
        Method(
            name,
            ptas.method(m),
            guarantee=partial(ptas.guarantee, m),
            refuses=partial(ptas.refusal, m),
        )
        for name, m in ptas.STRIPS.items()
    ),
    *(
        Method(
            name,
            ptas_published.method(m),
            guarantee=partial(ptas_published.guarantee, m),
            refuses=partial(ptas_published.refusal, m),
        )
        for name, m in ptas_published.STRIPS.items()
    ),
    Method("town", town.town, refuses=town.refusal),
    Method("random", baselines.random_choice, seeded=True),
    Method("row-major", baselines.row_major),
    *allocator_as_method.methods(),
    Method("bruteforce", bruteforce.bruteforce, exact=True),
    Method("cuts-bb", cuts_bb.cuts_bb, exact=True, refuses=_needs_cuts),
    Method(
        "distances-bb",
        distances_bb.distances_bb,
        exact=True,
        refuses=distances_bb.refusal,
    ),
    Method(
        "dnn-bb",
        dnn_bb.dnn_bb,
        exact=True,
        refuses=dnn_bb.refusal,
        takes_required=True,
    ),
    Method("tree-dp", tree_dp.tree_dp, exact=True, refuses=_needs_a_tree),
    Method("ring-dp", ring_dp.ring_dp, exact=True, refuses=one_axis.refuse_ring),
    _on_metrics(
        "ring-window",
        ring_window.ring_window,
        guarantee=guarantees.star,
        refuses=one_axis.refuse_ring,
    ),
    Method("line-window", line.line_window, exact=True, refuses=one_axis.refuse_line),
    *models_ksubset.methods(),
    models_exact.method(),
    Method(
        "auto",
        auto_ksubset.auto,
        exact=True,
        refuses=auto_ksubset.refusal,
        takes_required=True,
    ),
    quick=("mm", "mm-inc", "mc1x1", "town", "hilbert/best-fit", "mc"),
    variants={
        "mm": ("mm-all",),
        "mm-inc": ("mm-inc-first", "mm-inc-all"),
        "mc1x1": ("mc1x1-all",),
        "ptas": ("ptas/2",),
        "ptas-published": ("ptas-published/5", "ptas"),
        "hilbert/best-fit": (
            *("hilbert/first-fit", "hilbert/sorted-free"),
            *("snake/best-fit", "row/best-fit"),
        ),
        "snake/best-fit": ("snake/first-fit", "snake/sorted-free"),
        "row/best-fit": ("row/first-fit", "row/sorted-free"),
        "paging": ("paging-1",),
        "mc": ("mc/column-major",),
    },
)
"""Methods for the k-subset problem, by the name used in reports."""
