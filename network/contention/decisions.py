"""The busiest link, by decisions whether a threshold can be kept.

With one way for each pair, a link is crossed from some processors A to some others B,
perhaps by several such parts: it carries the sum of |A| |B|, counted over the chosen.
At a threshold that is at most a number m. For one part no product is needed: if at
least i of A are chosen, at most m / i of B are. Several parts are counted in unary.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...instances import arrays
from ...instances.value import as_tuple
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.later import by_cpsat, cp_model
from ...solvers.running import clock
from .bounds import STARS, ports_bound
from .instance import Contention, cost
from .search import annealed, improve_hops, limit_of

Part = tuple[frozenset[int], frozenset[int]]
_PARAMETERS = "cp_model_probing_level: 0"
"""Probing took three quarters of the time, and decided nothing."""
_LOW_SHARE = 0.25
"""Part of the time after which a bound is sought below, if the top is still open."""


def refuses_decisions(instance: Contention) -> str | None:
    """Return why decisions are not for an instance."""
    if instance.power or not instance.alike or not instance.routes.is_fixed:
        return "is for the busiest link, tasks alike, and one way for each pair"
    return None


@dataclass(frozen=True, eq=False)
class Crossings:
    """Who crosses which link.

    Parameters
    ----------
    classes
        Free processors, by index, that are alike for all links.
    parts
        For every link pairs of classes, of which all of the first send over it to all
        of the second.
    """

    classes: tuple[tuple[int, ...], ...]
    parts: Mapping[int, Sequence[Part]]


def crossings_of(instance: Contention) -> Crossings:
    """Return who crosses which link."""
    table = instance.load_table
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, p in enumerate(instance.numbers):
        alike[int(table.row[p]), int(table.column[p])].append(i)
    keys = list(alike)
    over: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for s, (row, _) in enumerate(keys):
        for t, (_, column) in enumerate(keys):
            at = slice(table.first[row + column], table.first[row + column + 1])
            for e in table.link[at].tolist():
                over[e][s].add(t)
    parts = {}
    for e, to in over.items():
        back: dict[int, set[int]] = defaultdict(set)
        for s, some in to.items():
            for t in some:
                back[t].add(s)
        ahead, behind = _grouped(to), [(b, a) for a, b in _grouped(back)]
        parts[e] = min(ahead, behind, key=len)
    return Crossings(tuple(tuple(alike[key]) for key in keys), parts)


def _grouped(to: Mapping[int, set[int]]) -> list[Part]:
    """Join the classes that send over a link to the same ones."""
    same: dict[frozenset[int], set[int]] = defaultdict(set)
    for s, some in to.items():
        same[frozenset(some)].add(s)
    return [(frozenset(some), goal) for goal, some in same.items()]


class Decisions:
    """Models that decide whether a threshold can be kept.

    Parameters
    ----------
    instance, crossings
        What is asked, and who crosses which link.
    """

    def __init__(self, instance: Contention, crossings: Crossings) -> None:
        self.instance, self.crossings = instance, crossings

    def room(self, e: int, most: int) -> int:
        """Return how many pairs may cross a link if it is used to a number at most."""
        instance, wire = self.instance, self.instance.wires[e]
        left = most * wire.capacity // instance.common - wire.busy
        return max(0, left * instance.busiest // instance.unit)

    def values(self, low: int, high: int) -> list[int]:
        """Return what the busiest link may be used to, above low and below high."""
        k, unit, busiest = self.instance.k, self.instance.unit, self.instance.busiest
        # by shortest ways no task sends and receives over the same link
        pairs = k * k // 4 if self.instance.table is None else k * (k - 1)
        loads = [-(-unit * c // busiest) for c in range(1, pairs + 1)]
        kinds = {self.instance.wires[e][2:] for e in self.crossings.parts}
        found = {
            x
            for capacity, busy in kinds
            for load in loads
            if low < (x := self.instance.common // capacity * (busy + load)) < high
        }
        return [0] * (low < 0 < high) + sorted(found)  # 0 if no link is used

    def model(self, most: int) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
        """Return the model of a threshold, and how many of each class are chosen."""
        k, classes = self.instance.k, self.crossings.classes
        model = cp_model.CpModel()
        model.name = f"links at {most}"
        count = [
            model.new_int_var(0, min(k, len(some)), f"x{c}")
            for c, some in enumerate(classes)
        ]
        model.add(sum(count) == k)
        least: dict[tuple[frozenset[int], int], cp_model.IntVar] = {}
        sums: dict[frozenset[int], cp_model.LinearExprT] = {}
        every = frozenset(range(len(classes)))

        def chosen(some: frozenset[int]) -> cp_model.LinearExprT:
            if some not in sums and 2 * len(some) > len(classes):
                sums[some] = k - chosen(every - some)
            if some not in sums:
                whole = model.new_int_var(0, min(k, self._most(some)), "")
                model.add(whole == sum(count[c] for c in some))
                sums[some] = whole
            return sums[some]

        def at_least(some: frozenset[int], i: int) -> cp_model.IntVar:
            """Return what is true if at least i of some are chosen."""
            if (some, i) not in least:
                flag = model.new_bool_var("")
                model.add(chosen(some) <= i - 1).only_enforce_if(~flag)
                if i > 1:
                    model.add_implication(flag, at_least(some, i - 1))
                least[some, i] = flag
            return least[some, i]

        for e, parts in self.crossings.parts.items():
            room = self.room(e, most)
            sizes = [(min(k, self._most(a)), min(k, self._most(b))) for a, b in parts]
            if sum(self._product(*one) for one in sizes) <= room:
                continue
            if len(parts) == 1:
                [(a, b)], [(some, other)] = parts, sizes
                if some > other:
                    a, b, some, other = b, a, other, some
                for i in range(1, some + 1):
                    if room // i < min(other, k - i):
                        model.add(chosen(b) <= room // i).only_enforce_if(
                            at_least(a, i)
                        )
                continue
            terms = []
            for (a, b), (some, other) in zip(parts, sizes, strict=True):
                if some > other:
                    a, b, some, other = b, a, other, some
                for i in range(1, some + 1):
                    part = model.new_int_var(0, min(other, room), "")
                    model.add(part >= chosen(b)).only_enforce_if(at_least(a, i))
                    terms.append(part)
            model.add(sum(terms) <= room)
        return model, count

    def _most(self, some: frozenset[int]) -> int:
        return sum(len(self.crossings.classes[c]) for c in some)

    def _product(self, some: int, other: int) -> int:
        k = self.instance.k
        return max((i * min(other, k - i) for i in range(some + 1)), default=0)

    def choice(self, values: Sequence[int]) -> list[int]:
        """Return the first processors of each class."""
        classes = zip(self.crossings.classes, values, strict=True)
        return sorted(i for some, count in classes for i in some[:count])


def decisions(instance: Contention, /, settings: Settings = DEFAULT) -> Result:
    """Refute, by CP-SAT, that the busiest link can be used less than by a choice.

    The choice is that of annealing; a better one that a decision finds takes its place.
    Then processors are exchanged for fewer hops. If the highest threshold stays open,
    lower ones give a bound. The node limit counts conflicts of each decision.

    Guarantee: exact for the busiest link, if the solver is right; a bound on the hops.
    Time: exponential at worst; measured in docs/papers/hops-or-seconds.md.
    Ties: seeded random.
    Source: derived for closeknit, see docs/papers/hops-or-seconds.md.
    """
    start = clock.now()
    sites = np.array(instance.free)
    hops = arrays.distances(instance.topology, sites[:, None], sites[None])
    k = instance.k
    rows = np.sort(np.sort(hops, axis=1)[:, :k].sum(axis=1))
    least = -(-ports_bound(instance) // 1), -(-int(rows[:k].sum()) // 2)
    best, limit = annealed(instance, settings, start, least, rounds=2)
    search = _Search(instance, settings, start, best)
    try:
        if limit is None and least[0] < search.high:
            limit = search.refute(least[0])
        best = search.best
        if clock.now() < start + settings.time_limit:
            best = improve_hops(instance, best, hops)
    except KeyboardInterrupt as why:  # while a model was built
        best, limit = search.best, limit_of(why)
    bound = max(least, (search.low, least[1]))
    return answer(
        *(instance, best),
        start=start,
        bound=bound,
        proof=Proof(Grade.CHECKED, STARS) if bound == least else search.PROOF,
        limit=limit,
        seed=settings.seed,
    )


class _Search:
    """Decisions until the best choice is proved, or time is over."""

    PROOF = Proof(Grade.SOLVER, by_cpsat())

    def __init__(
        self, instance: Contention, settings: Settings, start: float, best: list[int]
    ) -> None:
        self.instance, self.settings, self.start = instance, settings, start
        self.best, self.high = best, as_tuple(cost(instance, best))[0]
        self.low = 0
        """Below which the busiest link of no choice is used."""

    def refute(self, least: int) -> Limit | None:
        """Try numbers below that of the best choice; if stuck, lower ones for a bound.

        The first is the next one below; after a better choice twice as many are left
        out.
        """
        from ...solvers import cpsat  # which takes its time

        ways = Decisions(self.instance, crossings_of(self.instance))
        values = ways.values(least - 1, self.high)
        until = clock.now() + (1 - _LOW_SHARE) * self._left()
        at, jump, limit = len(values) - 1, 1, None
        while values and self._left() > 0:
            share = until - clock.now() if limit is None else self._left() / 2
            short = replace(self.settings, time_limit=max(0.0, share))
            found = cpsat.decide(
                *ways.model(values[at]), settings=short, parameters=_PARAMETERS
            )
            if found.values is not None:
                self.best = ways.choice(found.values)
                self.high = as_tuple(cost(self.instance, self.best))[0]
                values = values[: bisect_left(values, self.high)]
                jump *= 2
            elif found.impossible:
                self.low = values[at] + 1
                values = values[at + 1 :]
                jump = 1
            else:
                limit = found.limit
                values = values[:at]
                if limit is Limit.INTERRUPT:
                    return limit
            at = len(values) // 2 if limit else max(0, len(values) - jump)
        if limit is None and values:
            return Limit.TIME
        if limit is None:
            self.low = self.high
        return limit

    def _left(self) -> float:
        return self.settings.time_limit - (clock.now() - self.start)
