"""The improved PTAS: a transportation problem for every pair of cut vectors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np

from ....instances import IntArray, KSubset, arrays
from ....solvers import Grade, Limit, Proof, Result, Settings, answer
from ....solvers.running import clock
from ....solvers.running.limits import limits
from ....solvers.running.method import Variant
from ..strips import arcsine_sizes, factor, slopes
from .axis import MOST_CUTS, Axis
from .kernels import Cells, Flow, scan

STRIPS = {"ptas": 3, "ptas/2": 2}
"""Number of strips per axis, by the name of the method."""
_WORK = 2**25
"""Sites and coordinates processed between two checks of the clock, about 0.05 s."""


def refusal(m: int, instance: KSubset) -> str | None:
    """Return why an instance cannot be solved with m strips; None if it can."""
    if not instance.topology.is_flat:
        return "needs a mesh or points"
    if instance.topology.dimension > 2:
        return "needs at most two axes"
    cuts = [
        comb(len(set(axis.tolist())) + m - 2, m - 1)
        for axis in arrays.points(instance).T
    ]
    if max(cuts) > MOST_CUTS:
        return f"an axis would have {max(cuts)} cut vectors; at most {MOST_CUTS}"
    return None


def guarantee(m: int, instance: KSubset) -> Fraction | None:
    """Return the factor of m strips, exact for their integer sizes."""
    return factor(arcsine_sizes(instance.k, m))


def crossing(points: IntArray, sizes: Sequence[int]) -> int:
    """Return the sum of distances between points of different strips, when filled.

    >>> crossing(np.array([[0], [1], [2], [9]]), (2, 2))
    20
    """
    weight = np.repeat(np.array(slopes(sizes), dtype=np.int64), sizes)
    return int(sum(int((weight * np.sort(axis)).sum()) for axis in points.T))


def method(m: int) -> Variant[KSubset]:
    """Return the method that cuts each axis into m strips."""
    limit = {2: "2", 3: "4/3"}[m]
    doc = f"""Cut each axis into {m} strips in every way, and fill them best.

    Of an optimal set, strip i of every axis holds k sin²((i + 1) pi / {2 * m}) - k
    sin²(i pi / {2 * m}) points, rounded. For given cuts, the distances between points
    of different strips are a linear cost, and the cheapest choice is a transportation
    problem. Pairs of cut vectors are solved in the order of the axes' own costs, and
    skipped when these reach the least flow so far. The least flow of all is a lower
    bound; its choice is the answer.

    Guarantee: 1/(1 - phi), phi the largest share of the pairs across a gap that a strip
        hides: exact for the integer sizes, 1/cos²(pi/{2 * m}) = {limit} as k grows.
    Time: O(X^{m - 1} Y^{m - 1}) transportation problems of O(k (X + Y + n)) or so, X
        and Y the numbers of distinct coordinates; most are left out.
    Ties: the first cut vectors by what they cost, then in lexicographic order.
    Source: Bender et al. 2008, section 4; strips, transportation and the bound are
        derived, see docs/science/theory.md.
    """
    return Variant(run, (m,), doc)


def run(m: int, instance: KSubset, settings: Settings) -> Result:
    """Cut the axes into m strips."""
    start = clock.now()
    sizes = arcsine_sizes(instance.k, m)
    first: IntArray = np.arange(instance.k)
    try:
        first = _first(instance, settings)
        known = crossing(arrays.points(instance)[first], sizes)
        search = Plane(instance, sizes, known)
    except KeyboardInterrupt:
        return answer(instance, first, start=start, limit=Limit.INTERRUPT)
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        ended = watch.search(
            search.step,
            unfinished=lambda: search.unfinished,
            nodes=lambda: search.flows,
        )
    chosen = first if search.chosen is None else search.chosen
    proof = Proof(Grade.ENUMERATED, f"strips, m = {m}")
    bound = max(search.bound, 0)
    return answer(instance, chosen, start=start, bound=bound, proof=proof, limit=ended)


def _first(instance: KSubset, settings: Settings) -> IntArray:
    """Return a good choice; its cost between strips is no less than the least flow."""
    from ..mm_inc import mm_inc

    chosen = mm_inc(instance, settings).chosen
    assert chosen is not None
    return np.array(chosen, dtype=np.int64)


class Plane:
    """Pairs of cut vectors of one or two axes, solved one by one.

    ``known`` is the cost of some choice between strips; the least flow costs no more.
    ``flows`` is the number of transportation problems solved.
    """

    def __init__(self, instance: KSubset, sizes: Sequence[int], known: int) -> None:
        points = arrays.points(instance)
        if points.shape[1] == 1:  # a second axis without extent costs nothing
            points = np.column_stack([points, np.zeros(len(points), dtype=np.int64)])
        size = np.array(sizes, dtype=np.int64)
        slope = np.array(slopes(sizes), dtype=np.int64)
        x, y = (Axis.of(a, size, slope) for a in points.T)
        places = np.column_stack([x.place, y.place])
        site, self.site, room = np.unique(
            places, axis=0, return_inverse=True, return_counts=True
        )
        tail, head = site.T.copy()
        self._cells = Cells(
            xs=x.value,
            ys=y.value,
            tail=tail,
            head=head,
            room=room,
            sizes=size,
            slope=slope,
            cuts_x=x.cuts,
            bounds_x=x.bounds,
            cuts_y=y.cuts,
            bounds_y=y.bounds,
        )
        self.best = known + 1
        self.at = np.zeros(2, dtype=np.int64)
        self.flows = 0
        self._state = Flow(
            sent=np.zeros((len(x.value), len(sizes)), dtype=np.int64),
            got=np.zeros((len(y.value), len(sizes)), dtype=np.int64),
            supply=np.zeros(len(sizes), dtype=np.int64),
            demand=np.zeros(len(sizes), dtype=np.int64),
            used=np.zeros(len(site), dtype=np.int64),
            tally=np.zeros(2, dtype=np.int64),
        )
        self._chosen = np.zeros(len(site), dtype=np.int64)

    @property
    def unfinished(self) -> bool:
        """Whether pairs are left that may cost less."""
        return bool(self.at[0] < len(self._cells.bounds_x))

    @property
    def bound(self) -> int:
        """The least cost proved for any choice of k."""
        if not self.unfinished:
            return int(self.best)
        i, j = (int(index) for index in self.at)
        x, y = self._cells.bounds_x, self._cells.bounds_y
        rest = [self.best, x[i] + y[min(j, len(y) - 1)]]
        if i + 1 < len(x):
            rest.append(x[i + 1] + y[0])
        return int(min(rest))

    @property
    def chosen(self) -> IntArray | None:
        """Processors of the least flow so far, the first of each site; None before."""
        if not self._chosen.any():
            return None
        left = self._chosen.copy()
        picked = []
        for number, site in enumerate(self.site.ravel()):
            if left[site]:
                left[site] -= 1
                picked.append(number)
        return np.array(picked, dtype=np.int64)

    def step(self, flows: int) -> None:
        """Solve at most the given number of transportation problems."""
        best, solved = scan(
            self._cells, self.best, self.at, flows, self._state, self._chosen, _WORK
        )
        self.best = int(best)
        self.flows += int(solved)
