"""Methods for the contention problem: annealing, the tree program, branch and bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...instances import InputError, IntArray
from ...instances.value import Value, as_tuple
from ...methods import KSUBSET
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.interrupt import OutOfTimeError
from ...solvers.running.limits import limits
from ..loads import LoadTable
from .annealing import Annealing
from .bounds import STARS, TREE, LoadTree, star_bound, tree_of
from .instance import Contention, cost
from .tree import BY, TreeProgram, fullest
from .tree_kernels import Rates

_STARRED = 400
"""Free processors up to which star bounds are computed."""
_ROUNDS = 8
"""Annealings, each from the best choice of those before, without other limits."""


def anneal(instance: Contention, /, settings: Settings = DEFAULT) -> Result:
    """Exchange processors, sometimes for worse ones, and keep the best choice.

    It starts from the choice of ``mm`` and from one that is drawn. The node limit
    counts rounds of 2500 exchanges; without one there are eight.

    Guarantee: none; the bound is that of stars, where all tasks send alike.
    Time: O(k ways) an exchange, for the links of the ways of a processor to k others.
    Ties: seeded random.
    Source: derived for closeknit, see docs/papers/hops-or-seconds.md.
    """
    start = clock.now()
    bound, proof = bound_of(instance)
    chosen, limit = annealed(instance, settings, start, bound)
    return answer(
        *(instance, chosen),
        start=start,
        bound=bound,
        proof=proof,
        limit=limit,
        seed=settings.seed,
    )


def bound_of(instance: Contention) -> tuple[Value | None, Proof | None]:
    """Return the bound of stars, if there is one that does not take long."""
    if not instance.alike or instance.n > _STARRED:
        return None, None
    return star_bound(instance), Proof(Grade.CHECKED, STARS)


def annealed(
    instance: Contention,
    settings: Settings,
    start: float,
    bound: Value | None = None,
    first: Sequence[int] = (),
    rounds: int = _ROUNDS,
) -> tuple[list[int], Limit | None]:
    """Return a good choice, and what ended the search early."""
    numbers = np.array(instance.numbers)
    index = {int(p): i for i, p in enumerate(numbers)}
    drawn = np.random.default_rng(settings.seed)
    if not first:
        first = KSUBSET["mm"](instance.job, settings).chosen or range(instance.k)
    best = sorted(first)
    least = as_tuple(cost(instance, best))
    if least == bound or instance.k in (1, instance.n):
        return best, None
    try:
        table = instance.load_table
    except KeyboardInterrupt as why:
        return best, limit_of(why)
    ports = instance.unit
    run = Annealing(table, [one.capacity / ports for one in instance.wires])
    units = None if instance.alike else instance.units()
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        for turn in range(rounds):
            if stopped := watch.reached(turn):
                return best, stopped
            other = drawn.choice(numbers, instance.k, replace=False)
            found = run.choose(
                [numbers[best], other],
                numbers,
                background=[one.busy / ports for one in instance.wires],
                power=instance.power,
                reserve=instance.reserve,
                traffic=units,
                seed=settings.seed + 31 * turn,
            )
            picked = sorted(index[int(p)] for p in found)
            value = as_tuple(cost(instance, picked))
            if value < least:
                best, least = picked, value
    return best, None


def limit_of(why: KeyboardInterrupt) -> Limit:
    """Return which limit ended a step that looks at none: the alarm, or Ctrl-C."""
    return Limit.TIME if isinstance(why, OutOfTimeError) else Limit.INTERRUPT


def refuses_no_tree(instance: Contention) -> str | None:
    """Return why the program for trees does not accept an instance."""
    tree = tree_of(instance)
    if instance.power not in (0, 2, 4):
        return "needs the power 2 or 4, or the busiest link"
    if tree is None:
        return "needs a tree, tasks alike, and loads that are not rounded"
    if any(
        instance.wires[a].capacity != instance.wires[b].capacity
        for a, b in zip(tree.up[1:], tree.down[1:], strict=True)
    ):
        return "needs links with the same capacity both ways"
    try:
        _program(instance, tree)
    except InputError as error:
        return error.problem
    return None


def link_dp(instance: Contention, /, settings: Settings = DEFAULT) -> Result:
    """Count processors below the links of a tree.

    Guarantee: exact.
    Time: O(n) a threshold, of which there are O(log), then O(n k); numbers of 120 bits.
    Ties: the first free processors at every switch.
    Source: derived for closeknit, see docs/papers/hops-or-seconds.md.
    """
    start = clock.now()
    tree = tree_of(instance)
    assert tree is not None
    program = _program(instance, tree)
    value, taken, limit = program.solve(start, settings)
    k = instance.k
    if isinstance(value, tuple):
        value = value[0], tree.host * k * (k - 1) + value[1] // 2
    chosen = [
        i
        for some, count in zip(
            tree.own, fullest(program.own, k) if taken is None else taken, strict=True
        )
        for i in some[:count]
    ]
    proof = Proof(Grade.ENUMERATED, BY) if limit else Proof(Grade.CHECKED, TREE)
    return answer(instance, chosen, start=start, bound=value, proof=proof, limit=limit)


def _program(instance: Contention, tree: LoadTree) -> TreeProgram:
    wires = instance.wires
    factor = [0, *(instance.common // wires[e].capacity for e in tree.up[1:])]
    ways = (tree.up, tree.down)
    busy = [[0, *(instance.before[e] for e in way[1:])] for way in ways]
    rates = Rates(
        *(instance.k, instance.power, 0, instance.unit // instance.busiest),
        *(np.array(factor), np.array(busy), 2 * np.array(tree.weight)),
    )
    own = np.array([len(some) for some in tree.own])
    below = own.copy()
    for v in range(len(own) - 1, 0, -1):
        below[tree.parent[v]] += below[v]
    return TreeProgram(np.array(tree.parent), own, below, rates)


def link_bb(
    instance: Contention,
    /,
    settings: Settings = DEFAULT,
    *,
    first: Sequence[int] | None = None,
    rounds: int = 1,
) -> Result:
    """Choose processors one after the other; the links so far are a bound.

    What tasks send to those placed before only adds to links, so a part of a choice
    costs no more than all of it. For small instances; elsewhere the choice of a round
    of annealing, from the one given first, and the bound of stars.

    Guarantee: exact.
    Time: O(n^k) at worst.
    Ties: the least in lexicographic order.
    Source: derived for closeknit, see docs/papers/hops-or-seconds.md.
    """
    start = clock.now()
    best, limit = annealed(instance, settings, start, first=first or (), rounds=rounds)
    if limit in (Limit.TIME, Limit.INTERRUPT):
        return answer(instance, best, start=start, limit=limit, seed=settings.seed)
    table = instance.load_table
    least = as_tuple(cost(instance, best))
    bound, proof = bound_of(instance)  # before time is over
    units = instance.units().tolist()
    numbers, n, k = instance.numbers, instance.n, instance.k
    rows = {
        (i, j): _row(table, numbers[i], numbers[j])
        for i in range(n)
        for j in range(n)
        if i != j
    }
    price = _Price(instance, table.whole)
    nodes = 0
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        stack: list[tuple[int, ...]] = [()]
        loads: dict[tuple[int, ...], dict[int, int]] = {(): {}}
        while stack and limit is None:
            picked = stack.pop()
            carried = loads.pop(picked)
            nodes += 1
            limit = watch.reached(nodes)
            t = len(picked)
            begin = picked[-1] + 1 if picked else 0
            for i in range(n - (k - t), begin - 1, -1):
                more = dict(carried)
                for s, j in enumerate(picked):
                    for amount, pair in ((units[s][t], (j, i)), (units[t][s], (i, j))):
                        for e, part in rows[pair] if amount else ():
                            more[e] = more.get(e, 0) + amount * part
                value = price.of(more)
                if t + 1 == k:
                    choice = [*picked, i]
                    if value <= least[0]:
                        whole = as_tuple(cost(instance, choice))
                        if (whole, choice) < (least, best):
                            least, best = whole, choice
                elif value <= least[0]:
                    stack.append((*picked, i))
                    loads[*picked, i] = more
    if limit is None:
        bound = least if len(least) > 1 else least[0]
        proof = Proof(Grade.ENUMERATED, "link-bb")
    return answer(
        *(instance, best),
        start=start,
        bound=bound,
        proof=proof,
        limit=limit,
        seed=settings.seed,
        nodes=nodes,
    )


def _row(table: LoadTable, p: int, q: int) -> list[tuple[int, int]]:
    row = table.row[p] + table.column[q]
    at = slice(int(table.first[row]), int(table.first[row + 1]))
    return list(zip(table.link[at].tolist(), table.amount[at].tolist(), strict=True))


class _Price:
    """The first number of a cost, from what links carry in parts of a whole."""

    def __init__(self, instance: Contention, whole: int) -> None:
        self.unit, self.parts = instance.unit, whole * instance.busiest
        self.power = instance.power
        self.factor = [instance.common // one.capacity for one in instance.wires]
        self.busy = instance.before

    def of(self, carried: dict[int, int]) -> int:
        most, total = 0, 0
        for e, amount in carried.items():
            load = -(-self.unit * amount // self.parts)
            before = self.factor[e] * self.busy[e]
            after = before + self.factor[e] * load
            most = max(most, after)
            if self.power:
                total += after**self.power - before**self.power
        return total if self.power else most


def improve_hops(
    instance: Contention, chosen: Sequence[int], hops: IntArray
) -> list[int]:
    """Exchange processors for fewer hops while the busiest link is used no more."""
    best = sorted(chosen)
    value = as_tuple(cost(instance, best))
    table = instance.load_table
    price, numbers = _Price(instance, table.whole), np.array(instance.numbers)
    units = instance.units()
    while True:
        inside = np.array(best)
        outside = np.setdiff1d(np.arange(instance.n), inside)
        far = hops[:, inside].sum(axis=1)
        gain = far[inside][:, None] - far[outside] + hops[np.ix_(inside, outside)]
        for at in np.argsort(-gain, axis=None)[: instance.k * 4]:
            i, j = np.unravel_index(at, gain.shape)
            if gain[i, j] <= 0:
                return best
            trial = sorted({*best} - {int(inside[i])} | {int(outside[j])})
            carried = table.of(numbers[trial].tolist(), units)
            used = np.flatnonzero(carried)
            now = price.of(
                dict(zip(used.tolist(), carried[used].tolist(), strict=True))
            )
            if now <= value[0]:
                best = trial
                break
        else:
            return best
