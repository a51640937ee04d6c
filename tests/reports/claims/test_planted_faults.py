"""Faults planted one by one: each turns claims red, which are green without it.

In three ways: something else in the place of a method or a formula (`FAULTS`); other
text in the source of a function (`EDITS`); the same in a kernel, which is interpreted
meanwhile (`KERNELS`). What no claim can see turns a test red (`TESTED`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from closeknit.cli import app, verify
from closeknit.formulations.ksubset.bounds import bounds
from closeknit.formulations.ksubset.bounds.bounds import star_bound
from closeknit.formulations.ksubset.bounds.city import city
from closeknit.formulations.ksubset.bounds.towns import town
from closeknit.heuristics.allocation import curves
from closeknit.heuristics.ksubset import guarantees
from closeknit.heuristics.ksubset.ptas import scheme as ptas
from closeknit.heuristics.ksubset.strips import factor
from closeknit.heuristics.submesh.bitmap import Bitmap
from closeknit.instances import (
    Grid,
    IntArray,
    KSubset,
    Points,
    ProcSet,
    Site,
    Submesh,
    Sukp,
    arrays,
    cost,
    problem_of,
    read_instance,
)
from closeknit.instances.ksubset.worst_cases import (
    WorstCase,
    hilbert_gap,
    mm_blocks,
    theorem1,
)
from closeknit.instances.submesh import Box, Resident, overlap
from closeknit.instances.sukp.reduction import sukp_of
from closeknit.methods import KSUBSET, METHODS
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.reports.claims import processor_sets, submeshes
from closeknit.reports.claims.catalogue import CLAIMS
from closeknit.reports.claims.ksubset import exhaustive, families, lemmas, towns
from closeknit.reports.claims.running import claim as claim_module
from closeknit.reports.claims.running.claim import Trial
from closeknit.reports.claims.verify import verify as tried
from closeknit.solvers import DEFAULT, Grade, Proof, Result, Settings, Status, answer
from closeknit.solvers.running import clock
from closeknit.solvers.running.kernels import interpreted
from closeknit.solvers.running.method import Run

from ...faults.planting import Edit, verdict_of_tests
from ...forging.certificate_edits import CERTIFICATE_EDITS

Patch = pytest.MonkeyPatch
PLANTED = Proof(Grade.ENUMERATED, "planted")


# Methods that are wrong


def median_of_low_corner(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take the least coordinates for the median."""
    start = clock.now()
    away = abs(arrays.points(instance) - arrays.points(instance).min(axis=0)).sum(
        axis=1
    )
    order = np.argsort(away, kind="stable")
    return answer(instance, order[: instance.k].tolist(), start=start)


def worsening(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Exchange one of mm's processors for the farthest."""
    found = KSUBSET["mm"](instance, settings)
    assert found.chosen is not None
    chosen = list(found.chosen)
    left = [i for i in range(instance.n) if i not in found.chosen]
    if not left:
        return found
    far = max(left, key=lambda i: int(arrays.hops(instance)[i][chosen].sum()))
    return answer(instance, (*found.chosen[1:], far), start=clock.now())


def shell_too_few(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Number shells from the second on: the first lies in shell 0."""
    if instance.topology.kind == "tree":
        return KSUBSET["mc1x1"](instance, settings)
    points = arrays.points(instance)
    shells = np.maximum(abs(points[:, None] - points[None]).max(axis=2) - 1, 0)
    order = np.argsort(shells, axis=1, kind="stable")[:, : instance.k]
    sums = np.take_along_axis(shells, order, axis=1).sum(axis=1)
    return answer(instance, order[int(sums.argmin())].tolist(), start=clock.now())


def one_too_few(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose k - 1."""
    chosen = tuple(range(instance.k - 1))
    return Result(
        status=Status.FEASIBLE, chosen=chosen, objective=cost(instance, chosen)
    )


def busy(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose a processor that is not free."""
    chosen = (*range(instance.k - 1), instance.n)
    return Result(status=Status.FEASIBLE, chosen=chosen, objective=0)


def twice(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose one processor again and again."""
    return Result(status=Status.FEASIBLE, chosen=(0,) * instance.k, objective=0)


def one_less(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Report one hop less than the choice costs."""
    found = KSUBSET["mm"](instance, settings)
    assert isinstance(found.objective, int)
    return replace(found, objective=max(found.objective - 1, 0))


def proved(found: Result) -> Result:
    """Call a result optimal."""
    return replace(
        found, status=Status.OPTIMAL, bound=found.objective, proof=PLANTED, limit=None
    )


def windows_for_dp(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take the best window of a ring for its optimum."""
    return proved(KSUBSET["ring-window"](instance, settings))


def without_last_window(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Stop one window too early on a line."""
    if not KSUBSET["line-window"].refuses or KSUBSET["line-window"].refuses(instance):
        return KSUBSET["line-window"](instance, settings)
    windows = [
        tuple(range(first, first + instance.k))
        for first in range(max(instance.n - instance.k, 1))
    ]
    best = min(windows, key=lambda chosen: cost(instance, chosen))
    return proved(answer(instance, best, start=clock.now()))


def greedy_proof(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take mm's answer for the optimum."""
    return proved(KSUBSET["mm"](instance, settings))


def bound_too_high(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Give the PTAS' cost for its bound."""
    return proved(KSUBSET["ptas"](instance, settings))


def coordinates_apart(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Shift points so that none share a coordinate, and solve those."""
    n = instance.n
    rank = np.argsort(
        np.argsort(arrays.points(instance), axis=0, kind="stable"), axis=0
    )
    shifted = tuple(map(tuple, (n * arrays.points(instance) + rank).tolist()))
    number = {site: i for i, site in enumerate(shifted)}
    apart = KSubset(instance.name, Points(shifted), shifted, instance.k)
    found = KSUBSET["ptas"](apart, settings)
    assert found.chosen is not None
    assert isinstance(found.bound, int)
    chosen = [number[apart.free[i]] for i in found.chosen]
    bound = min(-(-found.bound // n), cost(instance, chosen))
    return answer(instance, chosen, start=clock.now(), bound=bound, proof=found.proof)


def cheap_machine(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Take the first processors for the best."""
    chosen = instance.available[: instance.request]
    return proved(answer(instance, chosen, start=clock.now()))


def empty_knapsack(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Leave everything out."""
    return proved(answer(instance, (), start=clock.now()))


def first_proof(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Take the first free processors for the best."""
    return proved(KSUBSET["row-major"](instance, settings))


def no_room(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Call every request infeasible."""
    return Result(status=Status.INFEASIBLE, proof=PLANTED)


def if_small(problem: str, name: str, wrong: Callable[..., Result]) -> Any:
    """Solve what has up to nine items or available processors, and no more."""

    def run(instance: Any, /, settings: Settings = DEFAULT) -> Result:
        return (METHODS[problem][name] if instance.n <= 9 else wrong)(
            instance, settings
        )

    return run


# Definitions and formulas that are wrong


def chebyshev(self: Grid, p: Site, q: Site) -> int:
    if self.kind != "mesh":
        return right_distance(self, p, q)
    return max(abs(a - b) for a, b in zip(p, q, strict=True))


def euclid(self: Points, p: Site, q: Site) -> int:
    return int(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) ** 0.5)


def unwrapped(self: Grid, p: Site, q: Site) -> int:
    return sum(abs(a - b) for a, b in zip(p, q, strict=True))


def wrong_town(k: int) -> int:
    return town(k) + (k == 12)


def wrong_extension(k: int, d: int) -> int:
    return 10**6 * k


def gap_in_curve(order: str, shape: tuple[int, ...]) -> IntArray:
    walk = right_order(order, shape).copy()
    if len(walk) > 4:
        walk[[1, 3]] = walk[[3, 1]]
    return walk


def most_instead(self: lemmas.Cut, chosen: Sequence[Site]) -> tuple[list[Site], bool]:
    """Pick what lies farthest in the direction of the gradient."""
    m = len(self.ends[0]) + 1

    def along(p: Site) -> int:
        slopes = zip(self.cell(p), p, strict=True)
        return sum((2 * i + 1 - m) * x for i, x in slopes)

    picked: list[Site] = []
    for cell in {self.cell(p) for p in chosen}:
        count = sum(self.cell(p) == cell for p in chosen)
        mine = [p for p in self.points if self.cell(p) == cell]
        picked += sorted(mine, key=along)[len(mine) - count :]
    return picked, True


def more_hidden(along: Sequence[int], m: int) -> tuple[list[int], int]:
    """Count the pairs of a strip m² times."""
    hidden, whole = right_strips(along, m)
    return [m * m * h for h in hidden], whole


def capacity_too_large(instance: ProcSet) -> Sukp:
    right = sukp_of(instance)
    return replace(right, capacity=right.capacity + 1)


class ColumnFirst(Bitmap):
    """Search columns before rows."""

    def find(self, size: Sequence[int]) -> Box | None:
        state = Submesh(
            "state",
            self.shape,
            tuple(Resident(box) for box in self.held),
            tuple(size),
            migrate=False,
        )
        boxes = [
            (x, y, x + size[0] - 1, y + size[1] - 1)
            for x in range(self.shape[0] - size[0] + 1)
            for y in range(self.shape[1] - size[1] + 1)
        ]
        free = [
            box
            for box in boxes
            if not any(overlap(state, box, one.box) for one in state.residents)
        ]
        return free[0] if free else super().find(size)


right_distance = Grid.distance
right_order = curves.processors_along
right_strips = lemmas._strips


@dataclass(frozen=True)
class Fault:
    """What is planted, and which claims it breaks.

    Parameters
    ----------
    claims
        They turn red.
    methods
        In the place of registered ones.
    plant
        Plants anything else.
    largest
        Number of free processors (sets, items, residents) that the counterexample has
        at most; None where there is no instance to show.
    """

    claims: tuple[str, ...]
    methods: Mapping[str, Run] = field(default_factory=dict)
    plant: Callable[[Patch], None] = lambda patch: None
    largest: int | None = None


def other(problem: str, name: str, run: Any) -> Callable[[Patch], None]:
    table = {**METHODS, problem: {**METHODS[problem], name: run}}
    return lambda patch: patch.setattr(claim_module, "METHODS", table)


FAULTS: dict[str, Fault] = {
    "mm with a wrong median": Fault(
        ("mm-upper-bound", "rho-exhaustively", "bender-theorem-1"),
        {"mm": median_of_low_corner},
        largest=32,
    ),
    "mm-inc makes it worse": Fault(
        ("mm-inc-upper-bound",), {"mm-inc": worsening}, largest=4
    ),
    "mm-inc stops at once": Fault(
        ("mm-inc-is-a-local-minimum",), {"mm-inc": KSUBSET["mm"]}, largest=8
    ),
    "stars rounded up too far": Fault(
        ("star-bound-is-below",),
        plant=lambda patch: patch.setattr(
            bounds, "star_bound", lambda one: star_bound(one) + 1
        ),
        largest=2,
    ),
    "a town where points repeat": Fault(
        ("town-bound-is-below",),
        plant=lambda patch: patch.setattr(bounds, "_repeats", lambda one: False),
        largest=3,
    ),
    "mc1x1 off by one shell": Fault(
        ("mc1x1-minimises-shells",), {"mc1x1": shell_too_few}, largest=6
    ),
    "Chebyshev's metric": Fault(
        ("cuts-are-distances",),
        plant=lambda patch: patch.setattr(Grid, "distance", chebyshev),
        largest=2,
    ),
    "Euclid's metric": Fault(
        ("cuts-are-distances",),
        plant=lambda patch: patch.setattr(Points, "distance", euclid),
        largest=2,
    ),
    "a torus that does not wrap": Fault(
        ("cuts-are-distances",),
        plant=lambda patch: patch.setattr(Grid, "distance", unwrapped),
        largest=2,
    ),
    "k off by one": Fault(
        ("mm-upper-bound", "rho-exhaustively"), {"mm": one_too_few}, largest=3
    ),
    "a busy processor": Fault(("mm-upper-bound",), {"mm": busy}, largest=1),
    "a processor twice": Fault(("genalg-upper-bound",), {"mm-free": twice}, largest=3),
    "an objective misreported": Fault(
        ("mm-upper-bound", "mm-reaches-1.74"), {"mm": one_less}, largest=32
    ),
    "a wrong town": Fault(
        ("bender-figure-2", "published-towns", "optimal-towns"),
        plant=lambda patch: patch.setattr(towns, "town", wrong_town),
        largest=81,
    ),
    "a table continued too high": Fault(
        ("town-extension",),
        plant=lambda patch: patch.setattr(towns, "town_bound_value", wrong_extension),
    ),
    "rho too small": Fault(
        ("mm-upper-bound",),
        plant=lambda patch: patch.setattr(
            guarantees, "rho", lambda k, d: Fraction(11, 10)
        ),
        largest=12,
    ),
    "the factor of the PTAS too small": Fault(
        ("ptas-upper-bound",),
        plant=lambda patch: patch.setattr(
            ptas, "factor", lambda sizes: (factor(sizes) or 2) * Fraction(9, 10)
        ),
        largest=12,
    ),
    "auto is not exact": Fault(
        ("auto-is-exact", "rho-exhaustively"), {"auto": greedy_proof}, largest=20
    ),
    "line-window stops early": Fault(
        ("line-window-is-exact", "windows-are-optimal"),
        {"line-window": without_last_window},
        largest=12,
    ),
    "windows instead of ring-dp": Fault(
        ("ring-window-fails",), {"ring-dp": windows_for_dp}, largest=12
    ),
    "a wrong closed form": Fault(
        ("mm-blocks", "hilbert-gap", "bender-theorem-1"),
        plant=lambda patch: wrong_forms(patch),
        largest=32,
    ),
    "a bound of ptas above the optimum": Fault(
        ("ptas-bound",), {"ptas": bound_too_high}, largest=6
    ),
    "a flow that ignores shared coordinates": Fault(
        ("ptas-bound",), {"ptas": coordinates_apart}, largest=9
    ),
    "a curve with a gap": Fault(
        ("curves-have-no-gaps",),
        plant=lambda patch: patch.setattr(curves, "processors_along", gap_in_curve),
        largest=6,
    ),
    "cells that take the farthest": Fault(
        ("bender-corollary-1", "bender-lemma-2"),
        plant=lambda patch: patch.setattr(lemmas.Cut, "least", most_instead),
        largest=16,
    ),
    "strips that hide m² times as much": Fault(
        ("bender-lemma-3", "bender-lemma-4"),
        plant=lambda patch: patch.setattr(lemmas, "_strips", more_hidden),
        largest=32,
    ),
    "psi wrong in the tenth digit": Fault(
        ("bender-figure-3",),
        plant=lambda patch: patch.setattr(
            towns, "city", lambda: replace(city(), psi=city().psi + 1e-10)
        ),
    ),
    "a knapsack too large": Fault(
        ("drakenberg-theorem-1",),
        plant=lambda patch: patch.setattr(
            processor_sets, "sukp_of", capacity_too_large
        ),
        largest=2,
    ),
    "processors that are not the best": Fault(
        ("procset-frontier-dp-is-exact",),
        plant=other("procset", "frontier-dp", cheap_machine),
        largest=2,
    ),
    "an empty knapsack": Fault(
        ("sukp-bb-is-exact",),
        plant=other("sukp", "sukp-bb", empty_knapsack),
        largest=1,
    ),
    "more than nine processors are too many": Fault(
        ("procset-set-opening-bb-is-exact",),
        plant=other(
            *("procset", "set-opening-bb"),
            if_small("procset", "set-opening-bb", cheap_machine),
        ),
        largest=2,
    ),
    "more than nine items are too many": Fault(
        ("sukp-auto-is-exact",),
        plant=other("sukp", "auto", if_small("sukp", "auto", empty_knapsack)),
        largest=10,
    ),
    "a model of k-subsets that takes the first": Fault(
        ("ksubset-models-are-exact",), {"pairs/cpsat": first_proof}, largest=16
    ),
    **{
        f"a model for {problem} that is content too early": Fault(
            (f"{problem}-models-are-exact",),
            plant=other(problem, name, wrong),
            largest=2,
        )
        for problem, name, wrong in (
            ("procset", "classes/cpsat", cheap_machine),
            ("sukp", "union/cpsat", empty_knapsack),
            ("submesh", "moves/cpsat", no_room),
        )
    },
    "a first fit by columns": Fault(
        ("first-fits-agree",),
        plant=lambda patch: patch.setattr(
            submeshes,
            "ALLOCATORS",
            {**ALLOCATORS, "bitmap": ColumnFirst},
        ),
        largest=3,
    ),
}


INFEASIBILITY = "instances.submesh.infeasibility"
SOUND, PACKS = "certificate-steps-are-sound", "no-proof-refutes-what-packs"
COSTS, CUTS = "costs-are-pair-sums", "cuts-are-distances"

EDITS: dict[str, tuple[str, Edit]] = {
    # semidefinite matrices
    "a bound that trusts its multipliers": (
        "dnn-bound-is-valid",
        Edit(
            "exact.ksubset.dnn_bb.relaxation",
            "value = self.r * (self._y + least) * self._scale",
            "value = self.r * self._y * self._scale",
        ),
    ),
    "a checker that asks for less than the bound": (
        "dnn-certificates-are-exact",
        Edit(
            "proofs.checking.dnn.matrices",
            "// r + 1",
            "// r - 99",
        ),
    ),
    # tables, and hops with prices
    "factors on tables of any distances": (
        "needs-metric-holds",
        Edit(
            "heuristics.ksubset.guarantees",
            "if not arrays.is_metric(instance.topology):",
            "if instance.topology.prices and not arrays.is_metric(instance.topology):",
        ),
    ),
    # costs
    "trees beyond 256 nodes: the edges of the root are left out": (
        COSTS,
        Edit(
            "instances.topologies.tree",
            "for v in reversed(self.order):",
            "for v in reversed([u for u in self.order if self.parent[u] != 0]):",
        ),
    ),
    "more than eight on a ring: half a ring and more is near": (
        COSTS,
        Edit(
            "instances.topologies.topology",
            "2 * (b - x[far]) > side",
            "2 * (b - x[far]) > side + 2",
        ),
    ),
    "more than eight on an axis: one rank too many": (
        COSTS,
        Edit(
            "instances.topologies.topology",
            "last = len(values) - 1",
            "last = len(values)",
        ),
    ),
    "residents that come home count their area": (
        "submesh-migrate-is-exact",
        Edit("instances.submesh.placement", "area += prod(sides(box))", "area += 1"),
    ),
    "a mesh of residents is a torus for their steps": (
        "submesh-migrate-is-exact",
        Edit(
            "instances.submesh.placement",
            "min(step, side - step) if instance.torus else step",
            "min(step, side - step)",
        ),
    ),
    # distances
    "the longer way round": (
        COSTS,
        Edit(
            "instances.topologies.topology",
            "ring - step if 2 * step > ring > 0 else step",
            "ring - step if 0 < 2 * step < ring else step",
        ),
    ),
    "a ring is one longer": (
        COSTS,
        Edit(
            "instances.topologies.topology",
            "ring - step if 2 * step > ring > 0 else step",
            "ring + 1 - step if 2 * step > ring > 0 else step",
        ),
    ),
    "a tree is climbed on one side only": (
        CUTS,
        Edit(
            "instances.topologies.tree",
            "return climbed + above[v]",
            "return above[v]",
        ),
    ),
    "arrays of a torus do not wrap": (
        CUTS,
        Edit("instances.arrays", "np.minimum(s, n - s) if n", "s if n"),
    ),
    # cuts
    "odd rings weigh as even ones": (
        CUTS,
        Edit(
            "instances.topologies.cuts",
            "weight = denominator if length % 2 == 0 else 1",
            "weight = denominator",
        ),
    ),
    "half rings that coincide count once": (
        CUTS,
        Edit(
            "instances.topologies.cuts",
            "found.get((start, stop), 0) + weight",
            "weight",
        ),
    ),
    "edges above the same processors count once": (
        CUTS,
        Edit("instances.topologies.cuts", "rows[up][0] + weight[v]", "rows[up][0]"),
    ),
    "every gap is one wide": (
        CUTS,
        Edit(
            "instances.topologies.cuts",
            "rows.append(((y - x) *",
            "rows.append((1 *",
        ),
    ),
    # bounds
    "stars that leave out half of them no more": (
        "star-bound-is-below",
        Edit(
            "formulations.ksubset.bounds.bounds",
            "// 2)\n\n\ndef town_bound",
            "// 1)\n\n\ndef town_bound",
        ),
    ),
    "the first coordinates of an axis for the cheapest": (
        "axis-bound-is-below",
        Edit(
            "formulations.ksubset.bounds.bounds",
            "best = min(best, cost)",
            "best = max(best, cost)",
        ),
    ),
    # guarantees
    "shells 64 times too loose": (
        "guarantees-are-as-published",
        Edit(
            "heuristics.ksubset.guarantees",
            "factor * instance.topology.dimension",
            "64 * factor * instance.topology.dimension",
        ),
    ),
    "stars too loose by half": (
        "guarantees-are-as-published",
        Edit(
            "heuristics.ksubset.guarantees",
            "max(Fraction(1), 2 - Fraction(2, instance.k))",
            "max(Fraction(1), 2 - Fraction(1, instance.k))",
        ),
    ),
    "rho divides by one more": (
        "guarantees-are-as-published",
        Edit("heuristics.ksubset.guarantees", "m * (k - m))", "m * (k - m + 1))"),
    ),
    # checkers of certificates
    **{name: (SOUND, edit) for name, edit in CERTIFICATE_EDITS.items()},
    # checkers of packing proofs
    "two that just fit side by side": (
        PACKS,
        Edit(INFEASIBILITY, "+ other[a] <= side", "+ other[a] < side"),
    ),
    "a stack as long as the mesh": (
        PACKS,
        Edit(INFEASIBILITY, "if total > shape[axis]", "if total >= shape[axis]"),
    ),
    "rescaled boxes that just fill the mesh": (
        PACKS,
        Edit(INFEASIBILITY, "if total > room", "if total >= room"),
    ),
    "a dual feasible function with a threshold too low": (
        PACKS,
        Edit(INFEASIBILITY, "if x > room:", "if x > room + 1:"),
    ),
    "a box is looked for in one place too few": (
        PACKS,
        Edit(
            INFEASIBILITY,
            "else [side - s + 1 for",
            "else [side - s for",
        ),
    ),
    # curves
    "Hilbert's curve along the shorter axis": (
        "curves-have-no-gaps",
        Edit(
            "heuristics.allocation.curves_hilbert",
            "key=lambda axis: -shape[axis])",
            "key=lambda axis: shape[axis])",
        ),
    ),
    "a snake that turns planes only": (
        "curves-have-no-gaps",
        Edit(
            "heuristics.allocation.curves", "slices[:, 1::2, ::-1]", "slices[:, 1::2]"
        ),
    ),
    "rows for Hilbert's curve": (
        "curve-factor-of-points",
        Edit("heuristics.allocation.curves", 'order == "hilbert"', 'order == "Hilb"'),
    ),
    "parts of Hilbert's curve are not turned": (
        "curve-factor-of-shapes",
        Edit(
            "heuristics.allocation.curves_hilbert",
            "np.where(at_end, farthest - cells, cells)",
            "np.where(at_end & False, farthest - cells, cells)",
        ),
    ),
    "half of the optimal city's distance": (
        "curve-factor-of-shapes",
        Edit(
            "formulations.ksubset.bounds.city",
            "psi=float(states[2, -1])",
            "psi=float(states[2, -1]) / 2",
        ),
    ),
    "Hilbert's curve from the other end": (
        "curve-parts-are-near-the-city",
        Edit(
            "heuristics.allocation.curves",
            "numbers = numbers.astype(np.int64)",
            "numbers = np.roll(numbers, len(numbers) // 3).astype(np.int64)",
        ),
    ),
    "the optimal city's distance is a tenth less": (
        "curve-parts-are-near-the-city",
        Edit(
            "formulations.ksubset.bounds.city",
            "psi=float(states[2, -1])",
            "psi=float(states[2, -1]) * 0.9",
        ),
    ),
    # boxes, residents, plans
    "frames that overlap on a torus": (
        "boxes-overlap-by-processors",
        Edit(
            "instances.submesh.instance",
            "behind > other[d + a] - other[a]",
            "behind >= other[d + a] - other[a]",
        ),
    ),
    "frames that touch overlap": (
        "boxes-overlap-by-processors",
        Edit(
            "instances.submesh.instance",
            "elif other[a] > one[d + a]",
            "elif other[a] > one[d + a] + 1",
        ),
    ),
    "the least way is not kept": (
        "submesh-migrate-is-exact",
        Edit(
            "exact.submesh.migrate",
            "self._offer(placement_of(self.instance, result.chosen))",
            "pass",
        ),
    ),
    "sets of residents of the same area are not looked at": (
        "submesh-migrate-is-exact",
        Edit("exact.submesh.migrate", "area > least:", "area >= least:"),
    ),
    # simulators
    "backfilled jobs do not use up what is to spare": (
        "policies-are-as-defined",
        Edit(
            "simulation.stream.simulator",
            "spare -= len(start.grant.held)",
            "spare -= 0",
        ),
    ),
    "one more is to spare": (
        "policies-are-as-defined",
        Edit(
            "simulation.stream.simulator",
            "0 if refused else idle - wanted",
            "0 if refused else idle - wanted + 1",
        ),
    ),
    "a reservation needs one more": (
        "policies-are-as-defined",
        Edit(
            "simulation.stream.simulator",
            "if idle >= wanted and 0",
            "if idle > wanted and 0",
        ),
    ),
    "jobs that just end in time are not gone": (
        "policies-are-as-defined",
        Edit(
            "simulation.stream.simulator",
            "job.estimate <= moment",
            "job.estimate < moment",
        ),
    ),
    # the configuration language, lookahead
    "floor towards zero": (
        "expressions-are-exact",
        Edit("scheduler.config.expression", "_each(floor, of", "_each(int, of"),
    ),
    "vectors are equal where some component is": (
        "expressions-are-exact",
        Edit(
            "scheduler.config.expression",
            "return all(map(ORDERS",
            "return any(map(ORDERS",
        ),
    ),
    "components are counted from 0": (
        "expressions-are-exact",
        Edit(
            "scheduler.config.expression",
            "[int(node.value) - 1]",
            "[int(node.value) - 2]",
        ),
    ),
    "lookahead counts members that are not available": (
        "lookahead-keeps-sets-whole",
        Edit(
            "exact.procset.lookahead",
            "len(available.intersection(one.members)) if",
            "len(one.members) if",
        ),
    ),
    "lookahead counts sets that cost nothing": (
        "lookahead-keeps-sets-whole",
        Edit("exact.procset.lookahead", "if any(top) else 0", ""),
    ),
    "equal processors count once where sets of two families meet": (
        "procset-families-are-exact",
        Edit(
            "exact.procset.set_opening_bb.system",
            "bulk[tuple(sets)] for sets",
            "1 for sets",
        ),
    ),
    "the first bound of the dynamic program is one too high": (
        "procset-families-are-exact",
        Edit(
            "exact.procset.frontier_dp.program",
            "self._base = self._lower\n",
            "self._lower += self._bounded\n        self._base = self._lower\n",
        ),
    ),
    # choices by links
    "links may carry one node more than they do": (
        "tree-links-exact",
        Edit(
            "clusters.contention.definition",
            "self.load * pairs)",
            "self.load * (pairs - 1))",
        ),
    ),
    "what others send down does not count": (
        "tree-contention-exact",
        Edit("clusters.contention.definition", "in self.busy:", "in self.busy[:1]:"),
    ),
    "stars of loads have the hops of one processor more": (
        "lexicographic-exact",
        Edit("network.contention.bounds", "sum(far[:k])", "sum(far[: k + 1])"),
    ),
    "a threshold of a tree forbids what fits": (
        "lexicographic-exact",
        Edit(
            "network.contention.bounds",
            "few -= few > 0 and few * (k - few) > room",
            "few -= few > 0",
        ),
    ),
    # networks in simulation
    "the last, shorter packet of a message is forgotten": (
        "network-zero-load-latency",
        Edit(
            "network.cut_through.engine",
            "packets = -(-messages.length // self._packet_phits)",
            "packets = np.maximum(1, messages.length // self._packet_phits)",
        ),
    ),
    "flits of the upper lane are not counted": (
        "network-conserves-flits",
        Edit(
            "network.worm.routes",
            "carried[lower + lane] for lane in range(self.lanes)",
            "carried[lower + lane] for lane in range(1)",
        ),
    ),
    "messages are sent before those that they wait for": (
        "network-conserves-flits",
        Edit(
            "network.cut_through.engine",
            "= messages.waits",
            "= 0 * messages.waits",
        ),
    ),
    # task mapping
    "the search of mappings ends one unit early": (
        "mapping-search-is-exact",
        Edit(
            "network.mapping.exact.search",
            "tally[kernels.BEST] = 2 * self.best",
            "tally[kernels.BEST] = 2 * self.best - 2 * mapping.unit",
        ),
    ),
    "bounds of mappings are rounded up by one too many": (
        "mapping-bound-is-a-bound",
        Edit(
            "network.mapping.models.gilmore_lawler",
            "return -(-twice // (2 * unit)) * unit",
            "return (twice // (2 * unit) + 1) * unit",
        ),
    ),
    # searches
    "searches are content with one more than least": (
        "searches-improve-by-one",
        Edit(
            "exact.search", "= self.bound < self.best", "= self.bound < self.best - 1"
        ),
    ),
    "sukp-bb drops nodes that are better by one": (
        "searches-improve-by-one",
        Edit(
            "exact.sukp.sukp_bb.search",
            "if least >= self.best:",
            "if least >= self.best - 1:",
        ),
    ),
}

KERNELS: dict[str, tuple[str, Edit]] = {
    "ring-dp drops a relaxation": (
        "programmes-are-exact-when-large",
        Edit(
            "exact.ksubset.ring_dp.kernels",
            "row[j] = min(row[j], row[j - 1])",
            "row[j] = min(row[j], row[j - 1] + (e > 9))",
        ),
    ),
    "tree-dp ignores edges with 13 or more below": (
        "programmes-are-exact-when-large",
        Edit(
            "exact.ksubset.tree_dp.kernels",
            "new[t] += weight * (least + t) * (k - least - t)",
            "new[t] += weight * (least + t) * (k - least - t) * (least + t < 13)",
        ),
    ),
    "first fit leaves the first three idle": (
        "curve-factor-of-points",
        Edit(
            "heuristics.allocation.curves_kernels",
            "if run == k and not best:",
            "if run == k + 3 and not best:",
        ),
    ),
    "channels of a worm are free too early": (
        "network-keeps-to-its-cuts",
        Edit(
            "network.worm.kernels",
            "            when = t + flits\n            worm[w + DUE] = when",
            "            when = t + 1 + flits // 2\n            worm[w + DUE] = when",
        ),
    ),
    "ranks without a processor pay for both ends": (
        "mapping-bound-is-a-bound",
        Edit(
            "network.mapping.models.gilmore_lawler_kernels",
            "total += room.flows[x, t] * room.ways[y, t]",
            "total += 2 * room.flows[x, t] * room.ways[y, t]",
        ),
    ),
    "the greatest flows go the longest ways": (
        "mapping-bound-is-a-bound",
        Edit(
            "network.mapping.models.gilmore_lawler_kernels",
            "* room.ways[y, t]",
            "* room.ways[y, count - 2 - t]",
        ),
    ),
    "mapping-bb cuts off children too early": (
        "mapping-search-is-exact",
        Edit(
            "network.mapping.exact.kernels",
            "        if value < best:",
            "        if value < best - step:",
        ),
    ),
    "mapping-bb takes children for equivalent that are not": (
        "mapping-search-is-exact",
        Edit(
            "network.mapping.exact.kernels",
            "if matrix[p, points[m]] != matrix[q, image[points[m]]]:",
            "if m < fixed and matrix[p, points[m]] != matrix[q, image[points[m]]]:",
        ),
    ),
    "cuts-bb cuts off one too early": (
        "searches-improve-by-one",
        Edit(
            "exact.ksubset.cuts_bb.kernels",
            "threshold = (best - 1) * problem.denominator + 1",
            "threshold = (best - 2) * problem.denominator + 1",
        ),
    ),
    "distances-bb writes over candidates that are still to be bounded": (
        "distances-bb-is-exact",
        Edit(
            "exact.ksubset.distances_bb.kernels",
            """            bound[i] = -(-value // (2 * unit))
        for i in range(m):  # not before: the loop above needs all places unchanged
            if bound[i] < best:
                some[kept], bound[kept] = some[i], bound[i]
""",
            """            value = -(-value // (2 * unit))
            if value < best:
                some[kept], bound[kept] = v, value
""",
        ),
    ),
}

TESTED: dict[str, tuple[str, Edit]] = {
    "a processor set costs once for each of its processors": (
        "tests/instances/sukp/test_reduction.py",
        Edit(
            "instances.procset.instance",
            "total[level] += price",
            "total[level] += price + 1",
        ),
    ),
    "an element of a knapsack weighs for each item": (
        "tests/formulations/sukp/test_models.py",
        Edit(
            "instances.sukp.instance",
            "{e for i in chosen for e in",
            "[e for i in chosen for e in",
        ),
    ),
}


def dearer(k: int, L: int) -> WorstCase:
    case = mm_blocks(k, L)
    return replace(case, cost=case.cost + 1)


def wrong_forms(patch: Patch) -> None:
    patch.setattr(families, "mm_blocks", dearer)
    patch.setattr(families, "hilbert_gap", lambda N: hilbert_gap(2 * N))
    patch.setattr(families, "theorem1", lambda d, k, eps: theorem1(d, k, eps / 2))


def size_of(instance: Any) -> int:
    if isinstance(instance, Submesh):
        return len(instance.residents)
    return len(instance.sets) if isinstance(instance, ProcSet) else int(instance.n)


def run(names: Sequence[str], methods: Mapping[str, Run], *words: str) -> int:
    args, _ = app.parse(["verify", *names, "--quick", *words])
    return verify.run(args, MappingProxyType({**KSUBSET, **methods}))


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Tables and curves are made again: a fault may lie in what they rest on."""
    for kept in (exhaustive.network, right_order, city):
        kept.cache_clear()
    yield
    right_order.cache_clear()
    city.cache_clear()


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_turns_claims_red(
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = FAULTS[name]
    fault.plant(monkeypatch)
    assert run(fault.claims, fault.methods, "--out", str(tmp_path)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"0 of {len(fault.claims)} claims hold" in lines
    for claim in fault.claims:
        [line] = [one for one in lines if one.startswith(f"{claim}: broken: ")]
        path = tmp_path / f"{claim}.json"
        if fault.largest is None:
            assert not path.exists()
            continue
        assert line.endswith(f"(instance: {path})")
        monkeypatch.undo()  # a broken definition must not read the file
        instance = read_instance(path)
        assert f"counterexample to {claim}" in instance.source
        assert size_of(instance) <= fault.largest
        fault.plant(monkeypatch)


@pytest.mark.parametrize("name", EDITS)
def test_edited_source_turns_a_claim_red(
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim, edit = EDITS[name]
    edit.plant(monkeypatch)
    assert run([claim], {}, "--out", str(tmp_path)) == 1
    out = capsys.readouterr().out
    assert f"{claim}: " in out  # broken, or an answer that contradicts itself
    assert "0 of 1 claims hold" in out


@pytest.mark.parametrize("name", KERNELS)
def test_edited_kernel_turns_a_claim_red(
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim, edit = KERNELS[name]
    edit.plant(monkeypatch)
    with interpreted():
        assert run([claim], {}, "--out", str(tmp_path)) == 1
    out = capsys.readouterr().out
    assert f"{claim}: " in out  # broken, or an answer that contradicts itself
    assert "0 of 1 claims hold" in out


@pytest.mark.parametrize("name", TESTED)
def test_edited_source_turns_a_test_red(name: str) -> None:
    file, edit = TESTED[name]
    assert verdict_of_tests(edit, file) == pytest.ExitCode.TESTS_FAILED


def test_there_are_faults_of_every_class() -> None:
    assert len(FAULTS) + len(EDITS) + len(KERNELS) + len(TESTED) >= 60


@pytest.mark.slow  # test_verify runs all claims
def test_without_faults_the_same_claims_are_green(tmp_path: Path) -> None:
    names = sorted({claim for fault in FAULTS.values() for claim in fault.claims})
    assert run(names, {}, "--out", str(tmp_path)) == 0
    assert list(tmp_path.iterdir()) == []


def test_counterexamples_can_be_solved(
    monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is written beside a broken claim is an instance like any other."""
    table = {
        **METHODS,
        "procset": {**METHODS["procset"], "frontier-dp": cheap_machine},
    }
    monkeypatch.setattr(claim_module, "METHODS", table)
    names = ("mm-upper-bound", "procset-frontier-dp-is-exact")
    assert run(names, {"mm": median_of_low_corner}, "--out", str(tmp_path)) == 1
    monkeypatch.undo()
    capsys.readouterr()
    files = [str(tmp_path / f"{name}.json") for name in names]
    assert app.run(["solve", *files, "--json", "-"]) == 0
    assert capsys.readouterr().out.count('"optimal"') == 2


def test_shrinking_is_deterministic_and_leads_nowhere_smaller() -> None:
    trial = Trial(
        quick=True, methods=MappingProxyType({**KSUBSET, "mm": median_of_low_corner})
    )
    [one] = tried([CLAIMS["mm-upper-bound"]], trial)
    [two] = tried([CLAIMS["mm-upper-bound"]], trial)
    assert one.outcome is not None
    assert two.outcome is not None
    small = one.outcome.counterexample
    assert small == two.outcome.counterexample
    assert isinstance(small, KSubset)
    promise = KSUBSET["mm"].guarantee
    assert promise is not None
    for i in range(small.n):
        less = replace(small, free=small.free[:i] + small.free[i + 1 :])
        limit = promise(less)
        assert limit is not None
        best = min(cost(less, s) for s in combinations(range(less.n), less.k))
        assert trial.pay("mm", less) <= limit * best
    assert problem_of(small).name == "ksubset"
