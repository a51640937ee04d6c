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

from ...faults.planting import Edit, edits_in, verdict_of_tests
from ...forging.certificate_edits import CERTIFICATE_EDITS
from .saboteurs import farthest, overconfident, proved, twice, with_saboteur

Patch = pytest.MonkeyPatch
Capture = pytest.CaptureFixture[str]


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


def one_less(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Report one hop less than the choice costs."""
    found = KSUBSET["mm"](instance, settings)
    assert isinstance(found.objective, int)
    return replace(found, objective=max(found.objective - 1, 0))


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
    return Result(status=Status.INFEASIBLE, proof=Proof(Grade.ENUMERATED, "planted"))


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


def dearer(k: int, L: int) -> WorstCase:
    case = mm_blocks(k, L)
    return replace(case, cost=case.cost + 1)


def wrong_forms(patch: Patch) -> None:
    patch.setattr(families, "mm_blocks", dearer)
    patch.setattr(families, "hilbert_gap", lambda N: hilbert_gap(2 * N))
    patch.setattr(families, "theorem1", lambda d, k, eps: theorem1(d, k, eps / 2))


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
    largest
        Number of free processors (sets, items, residents) that the counterexample has
        at most; None where there is no instance to show.
    plant
        Plants the fault.
    methods
        For k-subsets, in the place of registered ones.
    """

    claims: tuple[str, ...]
    largest: int | None
    plant: Callable[[Patch], None] = lambda patch: None
    methods: Mapping[str, Run] = field(default_factory=dict)


def method(claims: str, largest: int, name: str, run: Run) -> Fault:
    """Put another method for k-subsets in the place of a registered one."""
    return Fault(tuple(claims.split()), largest, methods={name: run})


def other(claim: str, largest: int, problem: str, name: str, run: Any) -> Fault:
    """Put another method of any problem in the place of a registered one."""
    table = {**METHODS, problem: {**METHODS[problem], name: run}}
    return put(claim, largest, claim_module, "METHODS", table)


def put(claims: str, largest: int | None, owner: Any, name: str, value: Any) -> Fault:
    """Put another value in the place of an attribute."""
    return Fault(
        tuple(claims.split()),
        largest,
        lambda patch: patch.setattr(owner, name, value),
    )


FAULTS: dict[str, Fault] = {
    "mm with a wrong median": method(
        "mm-upper-bound rho-exhaustively bender-theorem-1",
        *(32, "mm", median_of_low_corner),
    ),
    "mm-inc makes it worse": method("mm-inc-upper-bound", 4, "mm-inc", worsening),
    "mm-inc stops at once": method(
        "mm-inc-is-a-local-minimum", 8, "mm-inc", KSUBSET["mm"]
    ),
    "mc1x1 off by one shell": method(
        "mc1x1-minimises-shells", 6, "mc1x1", shell_too_few
    ),
    "mc1x1 chooses what is farthest": method(
        "mc1x1-upper-bound mc1x1-bound-is-tight", 8, "mc1x1", farthest
    ),
    "mm-free chooses what is farthest": method(
        "genalg-upper-bound", 3, "mm-free", farthest
    ),
    "k off by one": method("mm-upper-bound rho-exhaustively", 3, "mm", one_too_few),
    "a busy processor": method("mm-upper-bound", 1, "mm", busy),
    "a processor twice": method("genalg-upper-bound", 3, "mm-free", twice),
    "an objective misreported": method(
        "mm-upper-bound mm-reaches-1.74", 32, "mm", one_less
    ),
    "auto is not exact": method(
        "auto-is-exact rho-exhaustively", 20, "auto", greedy_proof
    ),
    "auto proves what is not so": method(
        "auto-is-exact bender-figure-2 mm-upper-bound mm-reaches-1.74",
        *(81, "auto", overconfident),
    ),
    "cuts-bb proves what is not so": method(
        "cuts-bb-is-exact bender-figure-2 optimal-towns",
        *(81, "cuts-bb", overconfident),
    ),
    "line-window stops early": method(
        "line-window-is-exact windows-are-optimal",
        *(12, "line-window", without_last_window),
    ),
    "windows instead of ring-dp": method(
        "ring-window-fails", 12, "ring-dp", windows_for_dp
    ),
    "a bound of ptas above the optimum": method(
        "ptas-bound", 6, "ptas", bound_too_high
    ),
    "a flow that ignores shared coordinates": method(
        "ptas-bound", 9, "ptas", coordinates_apart
    ),
    "a model of k-subsets that takes the first": method(
        "ksubset-models-are-exact", 16, "pairs/cpsat", first_proof
    ),
    "processors that are not the best": other(
        "procset-frontier-dp-is-exact", 2, "procset", "frontier-dp", cheap_machine
    ),
    "an empty knapsack": other(
        "sukp-bb-is-exact", 1, "sukp", "sukp-bb", empty_knapsack
    ),
    "more than nine processors are too many": other(
        *("procset-set-opening-bb-is-exact", 2, "procset", "set-opening-bb"),
        if_small("procset", "set-opening-bb", cheap_machine),
    ),
    "more than nine items are too many": other(
        *("sukp-auto-is-exact", 10, "sukp", "auto"),
        if_small("sukp", "auto", empty_knapsack),
    ),
    **{
        f"a model for {problem} that is content too early": other(
            f"{problem}-models-are-exact", 2, problem, name, wrong
        )
        for problem, name, wrong in (
            ("procset", "classes/cpsat", cheap_machine),
            ("sukp", "union/cpsat", empty_knapsack),
            ("submesh", "moves/cpsat", no_room),
        )
    },
    "a first fit by columns": put(
        *("first-fits-agree", 3, submeshes, "ALLOCATORS"),
        {**ALLOCATORS, "bitmap": ColumnFirst},
    ),
    "stars rounded up too far": put(
        *("star-bound-is-below", 2, bounds, "star_bound"),
        lambda one: star_bound(one) + 1,
    ),
    "a town where points repeat": put(
        "town-bound-is-below", 3, bounds, "_repeats", lambda one: False
    ),
    "Chebyshev's metric": put("cuts-are-distances", 2, Grid, "distance", chebyshev),
    "Euclid's metric": put("cuts-are-distances", 2, Points, "distance", euclid),
    "a torus that does not wrap": put(
        "cuts-are-distances", 2, Grid, "distance", unwrapped
    ),
    "a wrong town": put(
        "bender-figure-2 published-towns optimal-towns", 81, towns, "town", wrong_town
    ),
    "a table continued too high": put(
        "town-extension", None, towns, "town_bound_value", lambda k, d: 10**6 * k
    ),
    "rho too small": put(
        "mm-upper-bound", 12, guarantees, "rho", lambda k, d: Fraction(11, 10)
    ),
    "the factor of the PTAS too small": put(
        *("ptas-upper-bound", 12, ptas, "factor"),
        lambda sizes: (factor(sizes) or 2) * Fraction(9, 10),
    ),
    "a wrong closed form": Fault(
        ("mm-blocks", "hilbert-gap", "bender-theorem-1"), 32, wrong_forms
    ),
    "a curve with a gap": put(
        "curves-have-no-gaps", 6, curves, "processors_along", gap_in_curve
    ),
    "cells that take the farthest": put(
        "bender-corollary-1 bender-lemma-2", 16, lemmas.Cut, "least", most_instead
    ),
    "strips that hide m² times as much": put(
        "bender-lemma-3 bender-lemma-4", 32, lemmas, "_strips", more_hidden
    ),
    "psi wrong in the tenth digit": put(
        *("bender-figure-3", None, towns, "city"),
        lambda: replace(city(), psi=city().psi + 1e-10),
    ),
    "a knapsack too large": put(
        "drakenberg-theorem-1", 2, processor_sets, "sukp_of", capacity_too_large
    ),
}

EDITS = edits_in("""
@@ dnn-bound-is-valid exact.ksubset.dnn_bb.relaxation
# a bound that trusts its multipliers
-value = self.r * (self._y + least) * self._scale
+value = self.r * self._y * self._scale

@@ dnn-certificates-are-exact proofs.checking.dnn.matrices
# a checker that asks for less than the bound
-// r + 1
+// r - 99

@@ needs-metric-holds heuristics.ksubset.guarantees
# factors on tables of any distances
-if not arrays.is_metric(instance.topology):
+if instance.topology.prices and not arrays.is_metric(instance.topology):

@@ costs-are-pair-sums instances.topologies.tree
# trees beyond 256 nodes: the edges of the root are left out
-for v in reversed(self.order):
+for v in reversed([u for u in self.order if self.parent[u] != 0]):

@@ costs-are-pair-sums instances.topologies.topology
# more than eight on a ring: half a ring and more is near
-2 * (b - x[far]) > side
+2 * (b - x[far]) > side + 2
# more than eight on an axis: one rank too many
-last = len(values) - 1
+last = len(values)
# the longer way round
-ring - step if 2 * step > ring > 0 else step
+ring - step if 0 < 2 * step < ring else step
# a ring is one longer
-ring - step if 2 * step > ring > 0 else step
+ring + 1 - step if 2 * step > ring > 0 else step

@@ submesh-migrate-is-exact instances.submesh.placement
# residents that come home count their area
-area += prod(sides(box))
+area += 1
# a mesh of residents is a torus for their steps
-min(step, side - step) if instance.torus else step
+min(step, side - step)

@@ cuts-are-distances instances.topologies.tree
# a tree is climbed on one side only
-return climbed + above[v]
+return above[v]

@@ cuts-are-distances instances.arrays
# arrays of a torus do not wrap
-np.minimum(s, n - s) if n
+s if n

@@ cuts-are-distances instances.topologies.cuts
# odd rings weigh as even ones
-weight = denominator if length % 2 == 0 else 1
+weight = denominator
# half rings that coincide count once
-found.get((start, stop), 0) + weight
+weight
# edges above the same processors count once
-rows[up][0] + weight[v]
+rows[up][0]
# every gap is one wide
-rows.append(((y - x) *
+rows.append((1 *

@@ star-bound-is-below formulations.ksubset.bounds.bounds
# stars that leave out half of them no more
-// 2)
-
-
-def town_bound
+// 1)
+
+
+def town_bound

@@ axis-bound-is-below formulations.ksubset.bounds.bounds
# the first coordinates of an axis for the cheapest
-best = min(best, cost)
+best = max(best, cost)

@@ guarantees-are-as-published heuristics.ksubset.guarantees
# shells 64 times too loose
-factor * instance.topology.dimension
+64 * factor * instance.topology.dimension
# stars too loose by half
-max(Fraction(1), 2 - Fraction(2, instance.k))
+max(Fraction(1), 2 - Fraction(1, instance.k))
# rho divides by one more
-m * (k - m))
+m * (k - m + 1))

@@ no-proof-refutes-what-packs instances.submesh.infeasibility
# two that just fit side by side
-+ other[a] <= side
++ other[a] < side
# a stack as long as the mesh
-if total > shape[axis]
+if total >= shape[axis]
# rescaled boxes that just fill the mesh
-if total > room
+if total >= room
# a dual feasible function with a threshold too low
-if x > room:
+if x > room + 1:
# a box is looked for in one place too few
-else [side - s + 1 for
+else [side - s for

@@ curves-have-no-gaps heuristics.allocation.curves_hilbert
# Hilbert's curve along the shorter axis
-key=lambda axis: -shape[axis])
+key=lambda axis: shape[axis])

@@ curves-have-no-gaps heuristics.allocation.curves
# a snake that turns planes only
-slices[:, 1::2, ::-1]
+slices[:, 1::2]

@@ curve-factor-of-points heuristics.allocation.curves
# rows for Hilbert's curve
-order == "hilbert"
+order == "Hilb"

@@ curve-factor-of-shapes heuristics.allocation.curves_hilbert
# parts of Hilbert's curve are not turned
-np.where(at_end, farthest - cells, cells)
+np.where(at_end & False, farthest - cells, cells)

@@ curve-factor-of-shapes formulations.ksubset.bounds.city
# half of the optimal city's distance
-psi=float(states[2, -1])
+psi=float(states[2, -1]) / 2

@@ curve-parts-are-near-the-city heuristics.allocation.curves
# Hilbert's curve from the other end
-numbers = numbers.astype(np.int64)
+numbers = np.roll(numbers, len(numbers) // 3).astype(np.int64)

@@ curve-parts-are-near-the-city formulations.ksubset.bounds.city
# the optimal city's distance is a tenth less
-psi=float(states[2, -1])
+psi=float(states[2, -1]) * 0.9

@@ boxes-overlap-by-processors instances.submesh.instance
# frames that overlap on a torus
-behind > other[d + a] - other[a]
+behind >= other[d + a] - other[a]
# frames that touch overlap
-elif other[a] > one[d + a]
+elif other[a] > one[d + a] + 1

@@ submesh-migrate-is-exact exact.submesh.migrate
# the least way is not kept
-self._offer(placement_of(self.instance, result.chosen))
+pass
# sets of residents of the same area are not looked at
-area > least:
+area >= least:

@@ policies-are-as-defined simulation.stream.simulator
# backfilled jobs do not use up what is to spare
-spare -= len(start.grant.held)
+spare -= 0
# one more is to spare
-0 if refused else idle - wanted
+0 if refused else idle - wanted + 1
# a reservation needs one more
-if idle >= wanted and 0
+if idle > wanted and 0
# jobs that just end in time are not gone
-job.estimate <= moment
+job.estimate < moment

@@ expressions-are-exact scheduler.config.expression
# floor towards zero
-_each(floor, of
+_each(int, of
# vectors are equal where some component is
-return all(map(ORDERS
+return any(map(ORDERS
# components are counted from 0
-[int(node.value) - 1]
+[int(node.value) - 2]

@@ lookahead-keeps-sets-whole exact.procset.lookahead
# lookahead counts members that are not available
-len(available.intersection(one.members)) if
+len(one.members) if
# lookahead counts sets that cost nothing
-if any(top) else 0

@@ procset-families-are-exact exact.procset.set_opening_bb.system
# equal processors count once where sets of two families meet
-bulk[tuple(sets)] for sets
+1 for sets

@@ procset-families-are-exact exact.procset.frontier_dp.program
# the first bound of the dynamic program is one too high
-        self._base = self._lower
-
+        self._lower += self._bounded
+        self._base = self._lower
+

@@ tree-links-exact clusters.contention.definition
# links may carry one node more than they do
-self.load * pairs)
+self.load * (pairs - 1))

@@ tree-contention-exact clusters.contention.definition
# what others send down does not count
-in self.busy:
+in self.busy[:1]:

@@ lexicographic-exact network.contention.bounds
# stars of loads have the hops of one processor more
-sum(far[:k])
+sum(far[: k + 1])
# a threshold of a tree forbids what fits
-few -= few > 0 and few * (k - few) > room
+few -= few > 0

@@ network-zero-load-latency network.cut_through.engine
# the last, shorter packet of a message is forgotten
-packets = -(-messages.length // self._packet_phits)
+packets = np.maximum(1, messages.length // self._packet_phits)

@@ network-conserves-flits network.worm.routes
# flits of the upper lane are not counted
-carried[lower + lane] for lane in range(self.lanes)
+carried[lower + lane] for lane in range(1)

@@ network-conserves-flits network.cut_through.engine
# messages are sent before those that they wait for
-= messages.waits
+= 0 * messages.waits

@@ mapping-search-is-exact network.mapping.exact.search
# the search of mappings ends one unit early
-tally[kernels.BEST] = 2 * self.best
+tally[kernels.BEST] = 2 * self.best - 2 * mapping.unit

@@ mapping-bound-is-a-bound network.mapping.models.gilmore_lawler
# bounds of mappings are rounded up by one too many
-return -(-twice // (2 * unit)) * unit
+return (twice // (2 * unit) + 1) * unit

@@ searches-improve-by-one exact.search
# searches are content with one more than least
-= self.bound < self.best
+= self.bound < self.best - 1

@@ searches-improve-by-one exact.sukp.sukp_bb.search
# sukp-bb drops nodes that are better by one
-if least >= self.best:
+if least >= self.best - 1:
""")
EDITS |= {
    name: ("certificate-steps-are-sound", edit)
    for name, edit in CERTIFICATE_EDITS.items()
}

KERNELS = edits_in("""
@@ programmes-are-exact-when-large exact.ksubset.ring_dp.kernels
# ring-dp drops a relaxation
-row[j] = min(row[j], row[j - 1])
+row[j] = min(row[j], row[j - 1] + (e > 9))

@@ programmes-are-exact-when-large exact.ksubset.tree_dp.kernels
# tree-dp ignores edges with 13 or more below
-new[t] += weight * (least + t) * (k - least - t)
+new[t] += weight * (least + t) * (k - least - t) * (least + t < 13)

@@ curve-factor-of-points heuristics.allocation.curves_kernels
# first fit leaves the first three idle
-if run == k and not best:
+if run == k + 3 and not best:

@@ network-keeps-to-its-cuts network.worm.kernels
# channels of a worm are free too early
-            when = t + flits
-            worm[w + DUE] = when
+            when = t + 1 + flits // 2
+            worm[w + DUE] = when

@@ mapping-bound-is-a-bound network.mapping.models.gilmore_lawler_kernels
# ranks without a processor pay for both ends
-total += room.flows[x, t] * room.ways[y, t]
+total += 2 * room.flows[x, t] * room.ways[y, t]
# the greatest flows go the longest ways
-* room.ways[y, t]
+* room.ways[y, count - 2 - t]

@@ mapping-search-is-exact network.mapping.exact.kernels
# mapping-bb cuts off children too early
-        if value < best:
+        if value < best - step:
# mapping-bb takes children for equivalent that are not
-if matrix[p, points[m]] != matrix[q, image[points[m]]]:
+if m < fixed and matrix[p, points[m]] != matrix[q, image[points[m]]]:

@@ searches-improve-by-one exact.ksubset.cuts_bb.kernels
# cuts-bb cuts off one too early
-threshold = (best - 1) * problem.denominator + 1
+threshold = (best - 2) * problem.denominator + 1

@@ distances-bb-is-exact exact.ksubset.distances_bb.kernels
# distances-bb writes over candidates that are still to be bounded
-            bound[i] = -(-value // (2 * unit))
-        for i in range(m):  # not before: the loop above needs all places unchanged
-            if bound[i] < best:
-                some[kept], bound[kept] = some[i], bound[i]
+            value = -(-value // (2 * unit))
+            if value < best:
+                some[kept], bound[kept] = v, value
""")

TESTED = edits_in("""
@@ tests/instances/sukp/test_reduction.py instances.procset.instance
# a processor set costs once for each of its processors
-total[level] += price
+total[level] += price + 1

@@ tests/formulations/sukp/test_models.py instances.sukp.instance
# an element of a knapsack weighs for each item
-{e for i in chosen for e in
+[e for i in chosen for e in
""")


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
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: Capture
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


def turns_red(
    fault: tuple[str, Edit], patch: Patch, where: Path, capsys: Capture
) -> None:
    claim, edit = fault
    edit.plant(patch)
    assert run([claim], {}, "--out", str(where)) == 1
    out = capsys.readouterr().out
    assert f"{claim}: " in out  # broken, or an answer that contradicts itself
    assert "0 of 1 claims hold" in out


@pytest.mark.parametrize("name", EDITS)
def test_edited_source_turns_a_claim_red(
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    turns_red(EDITS[name], monkeypatch, tmp_path, capsys)


@pytest.mark.parametrize("name", KERNELS)
def test_edited_kernel_turns_a_claim_red(
    name: str, monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    with interpreted():
        turns_red(KERNELS[name], monkeypatch, tmp_path, capsys)


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
    monkeypatch: Patch, tmp_path: Path, capsys: Capture
) -> None:
    """What is written beside a broken claim is an instance like any other."""
    FAULTS["processors that are not the best"].plant(monkeypatch)
    names = ("mm-upper-bound", "procset-frontier-dp-is-exact")
    assert run(names, {"mm": median_of_low_corner}, "--out", str(tmp_path)) == 1
    monkeypatch.undo()
    capsys.readouterr()
    files = [str(tmp_path / f"{name}.json") for name in names]
    assert app.run(["solve", *files, "--json", "-"]) == 0
    assert capsys.readouterr().out.count('"optimal"') == 2


def test_shrinking_is_deterministic_and_leads_nowhere_smaller() -> None:
    trial = Trial(quick=True, methods=with_saboteur("mm", median_of_low_corner))
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
