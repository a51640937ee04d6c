"""Lower bounds on what a choice costs, from the definition and in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isqrt
from time import monotonic
from typing import NamedTuple

from ...instances.errors import TooLong
from ...instances.value import Value
from .instance import Contention

STARS = "star bound of loads"
TREE = "thresholds of a tree"
_FAR = 2**200
"""More than any sum of hops: the cost of what a threshold forbids."""


def derive_bound(
    instance: Contention, by: str, *, seconds: float = inf, **how: object
) -> Value | None:
    """Derive the bound of a name: no choice costs less; None if there is none.

    Raises
    ------
    TooLong
        If it takes longer than ``seconds``.
    """
    until = monotonic() + seconds

    def look() -> None:
        if monotonic() > until:
            raise TooLong(f"takes more than {seconds:g} s to derive", "bound")

    if by == STARS:
        return star_bound(instance, look)
    if by == TREE and (tree := tree_of(instance)) is not None:
        return tree_bound(instance, tree, look)
    return None


def star_bound(
    instance: Contention, look: Callable[[], None] = lambda: None
) -> Value | None:
    """Return a bound from what each processor sends to those where that is cheapest.

    With powers above one, (b + x)^p - b^p is at least p b^(p-1) x + x^p for a use b by
    others and x by the job. The first sums up to lengths of ways, the second is least
    if all links carry the same. None unless all tasks send alike.
    """
    if not instance.alike:
        return None
    k, power = instance.k, instance.power
    unit = Fraction(instance.unit, instance.busiest)
    factor = [instance.common // one.capacity for one in instance.wires]
    price = [
        power * (f * before) ** (power - 1) * f if power else 0
        for before, f in zip(instance.before, factor, strict=True)
    ]
    use, dear = _stars(instance, factor, look), _stars(instance, price, look)
    links = max(1, len(factor))
    if power:
        spread = unit * use / links
        more = links * spread**power if power > 1 else 0
        return -(-(unit * dear + more) // 1)
    least = max(unit * use / links, ports_bound(instance))
    sites = instance.free
    rows = []
    for p in sites:
        look()
        far = sorted(instance.topology.distance(p, q) for q in sites)
        rows.append(sum(far[:k]))  # the first is of the processor itself
    return -(-least // 1), -(-sum(sorted(rows)[:k]) // 2)


def _stars(
    instance: Contention, price: list[int], look: Callable[[], None]
) -> Fraction:
    """Return at most what all pairs of a choice cost at prices of links, both ways."""
    rows = []
    for i, p in enumerate(instance.numbers):
        look()
        costs = []
        for j, q in enumerate(instance.numbers):
            if i != j:
                both = (instance.routes.pair(p, q), instance.routes.pair(q, p))
                costs.append(sum(price[e] * x for way in both for e, x in way.items()))
        rows.append(sum(sorted(costs)[: instance.k - 1]))
    return Fraction(sum(sorted(rows)[: instance.k])) / 2


def ports_bound(instance: Contention) -> Fraction:
    """Return how busy links must be that lead away from some switch of a choice.

    Of so many switches as a choice needs, each sends at least what one of its
    processors sends to all others.
    """
    k, routes = instance.k, instance.routes
    held: dict[int, int] = {}
    for p in instance.numbers:
        held[routes.stop[p]] = held.get(routes.stop[p], 0) + 1
    room = sorted(held.values(), reverse=True)
    needed = next(m for m in range(1, len(room) + 1) if sum(room[:m]) >= k)
    if needed == 1:
        return Fraction(0)
    out = dict.fromkeys(held, 0)
    for one in instance.wires:
        if one.a in out:
            out[one.a] += one.capacity
    load = Fraction(instance.unit * (k - 1) * instance.common, instance.busiest)
    least = sorted(load / capacity for capacity in out.values() if capacity)
    return least[needed - 1] if len(least) >= needed else Fraction(0)


class LoadTree(NamedTuple):
    """A tree of switches, parents first: the first one has no link above."""

    parent: tuple[int, ...]
    own: tuple[tuple[int, ...], ...]  # free processors at a switch, by index
    up: tuple[int, ...]  # number of the link to the parent, and of that back
    down: tuple[int, ...]
    weight: tuple[int, ...]  # hops of it
    host: int  # hops of a processor to its switch


def tree_of(instance: Contention) -> LoadTree | None:
    """Return the switches of an instance on a tree; None if costs need more than them.

    All tasks must send alike, loads must not be rounded, and processors be equally far
    from their switches.
    """
    tree = instance.topology.tree
    if tree is None or not instance.alike or instance.unit % instance.busiest:
        return None
    routes = instance.routes
    if routes.routing == "valiant":
        return None
    own: dict[int, list[int]] = {}
    hosts = set()
    for i, p in enumerate(instance.numbers):
        node = tree.processors[p]
        own.setdefault(routes.stop[p], []).append(i)
        hosts.add(tree.distance((node,), (routes.stop[p],)))
    if len(hosts) > 1:
        return None
    inner = {v for link in routes.links for v in link} | set(own)
    root = next(iter(inner))
    while tree.parent[root] in inner:
        root = tree.parent[root]
    order, place = [root], {root: 0}
    below: dict[int, list[int]] = {}
    for v in inner - {root}:
        below.setdefault(tree.parent[v], []).append(v)
    for v in order:
        for w in sorted(below.get(v, [])):
            place[w] = len(order)
            order.append(w)
    number = {ends: e for e, ends in enumerate(routes.links)}
    rest = order[1:]
    return LoadTree(
        (-1, *(place[tree.parent[v]] for v in rest)),
        tuple(tuple(own.get(v, ())) for v in order),
        (-1, *(number[v, tree.parent[v]] for v in rest)),
        (-1, *(number[tree.parent[v], v] for v in rest)),
        (0, *(tree.weight[v] for v in rest)),
        hosts.pop(),
    )


def tree_bound(
    instance: Contention, tree: LoadTree, look: Callable[[], None] = lambda: None
) -> Value:
    """Return the least cost on a tree, by counting below every link.

    A link with c of k processors below carries c (k - c) each way. For a threshold the
    most processors that fit are counted in O(n): below each link few, or nearly all,
    the latter at one of the domains next to each other. Costs of links are summed up
    in a table of counts, O(n k).
    """
    k = instance.k
    load = instance.unit // instance.busiest

    def after(v: int, c: int) -> int:
        ways = (instance.wires[e] for e in (tree.up[v], tree.down[v]))
        return max(
            instance.common // one.capacity * (one.busy + load * c * (k - c))
            for one in ways
        )

    def above(v: int, c: int, most: int) -> int:
        if c in (0, k):
            return 0
        if not instance.power:
            hops = tree.weight[v] * c * (k - c)
            return _FAR if after(v, c) > most else hops
        cost = 0
        for e in (tree.up[v], tree.down[v]):
            one = instance.wires[e]
            before = instance.before[e]
            change = (before + load * c * (k - c)) ** instance.power
            whole = (instance.common // one.capacity) ** instance.power
            cost += whole * (change - before**instance.power)
        return cost

    most = 0
    if not instance.power:
        limits = sorted(
            {0} | {after(v, c) for v in range(1, len(tree.parent)) for c in range(1, k)}
        )
        low, high = 0, len(limits) - 1
        while low < high:
            look()
            middle = (low + high) // 2
            if _most_that_fit(instance, tree, limits[middle]) >= k:
                high = middle
            else:
                low = middle + 1
        most = limits[low]
    tables = [[0] * (min(k, len(own)) + 1) for own in tree.own]
    for v in range(len(tree.parent) - 1, 0, -1):
        look()
        own = [x + above(v, c, most) for c, x in enumerate(tables[v])]
        up = tables[tree.parent[v]]
        tables[tree.parent[v]] = [
            min(
                own[c] + up[count - c]
                for c in range(max(0, count - len(up) + 1), min(count + 1, len(own)))
            )
            for count in range(min(k + 1, len(own) + len(up) - 1))
        ]
    least = tables[0][k]
    return least if instance.power else (most, least + tree.host * k * (k - 1))


def _most_that_fit(instance: Contention, tree: LoadTree, most: int) -> int:
    """Return how many processors fit if no used link is used beyond a threshold."""
    k, load = instance.k, instance.unit // instance.busiest
    light, gain = [min(k, len(own)) for own in tree.own], [-1] * len(tree.own)
    for v in range(len(tree.parent) - 1, 0, -1):
        room = min(
            (most * one.capacity // instance.common - one.busy) // load
            for one in (instance.wires[e] for e in (tree.up[v], tree.down[v]))
        )
        few = k // 2
        if few * (k - few) > room:  # the most c up to k / 2 with c (k - c) <= room
            few = max(0, (k - isqrt(max(0, k * k - 4 * room))) // 2)
            few -= few > 0 and few * (k - few) > room
        heavy, inside = -1, min(light[v], few)
        for total in (light[v], light[v] + gain[v]):
            if min(total, k) >= k - few:
                heavy = max(heavy, min(total, k))
        up = tree.parent[v]
        light[up] += inside
        if heavy >= 0:
            gain[up] = max(gain[up], heavy - inside)
    return min(k, light[0] + max(0, gain[0]))
