"""The formulas of docs/science/proofs.md, section "The formulas", written from the page.

To be read next to the page: each function names the paragraph that it writes down, and
keeps the page's letters. A literal is a name, or ``~`` and a name; where the page has
constants, True and False stand for them. Nothing here looks at how closeknit computes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import combinations, pairwise, permutations, product
from math import prod
from typing import Any, TypeVar

from closeknit.instances import Instance, KSubset, ProcSet, Submesh, Sukp

MOST = 20_000_000
Literal = str | bool
Cut = tuple[frozenset[int], int]  # its inside, and its weight
Distance = Callable[[int, int], int]
H = TypeVar("H", bound=Hashable)


def neg(x: Literal) -> Literal:
    """Return ~x."""
    if isinstance(x, bool):
        return not x
    return x[1:] if x[0] == "~" else "~" + x


class Sheet:
    """What all of them share: variables, rows, f, e and D, and the comments."""

    def __init__(self, *comments: str) -> None:
        self.names: list[str] = []
        self.rows: list[tuple[list[tuple[int, str]], int]] = []
        self.f: Counter[str] = Counter()
        self.e, self.D, self.w = 0, 1, [1]
        self.comments = list(comments)

    def new(self, name: str) -> str:
        self.names.append(name)
        return name

    def row(self, terms: Iterable[tuple[int, str]], least: int) -> None:
        self.rows.append((list(terms), least))

    def equation(self, terms: Iterable[tuple[int, str]], b: int) -> None:
        both = list(terms)
        self.row(both, b)
        self.row([(-a, x) for a, x in both], -b)

    def clause(self, *literals: Literal) -> None:
        """Constants that are false are left out, and a true one leaves no clause."""
        if True not in literals:
            self.row([(1, x) for x in literals if isinstance(x, str)], 1)

    def charge(self, c: int, x: str) -> None:
        if x[0] == "~":
            self.e += c
            self.f[x[1:]] -= c
        else:
            self.f[x] += c

    def levels(self, w: list[int]) -> None:
        self.w = w
        weights = ", ".join(map(str, w))
        self.comments.append(f"levels of the cost weigh {weights}")

    def whole(self) -> dict[str, Any]:
        if self.e or self.D != 1:
            sign = "-" if self.e < 0 else "+"
            cost = f"cost = (objective {sign} {abs(self.e)}) / {self.D}"
            self.comments.append(cost)
        return {
            "variables": self.names,
            "rows": self.rows,
            "objective": dict(self.f),
            "offset": self.e,
            "unit": self.D,
            "weights": self.w,
            "comments": self.comments,
        }


def encode(instance: Instance) -> dict[str, Any] | None:
    """Return the formula of an instance; None where it would be too large."""
    sheet = sheet_of(instance)
    return sheet and sheet.whole()


def sheet_of(instance: Instance) -> Sheet | None:
    if isinstance(instance, KSubset):
        return ksubset(instance)
    if isinstance(instance, ProcSet):
        return procset(instance)
    if isinstance(instance, Sukp):
        return knapsack(instance)
    assert isinstance(instance, Submesh)
    return on_torus(instance) if instance.torus else on_mesh(instance)


def proven_bound(instance: Instance, least: int) -> int | tuple[int, ...]:
    """Bounds: what is proved by "no assignment has f < l"."""
    sheet = sheet_of(instance)
    assert sheet is not None
    m = -(-(least + sheet.e) // sheet.D)
    if isinstance(instance, KSubset | Sukp):
        return m
    b, r = [], max(m, 0)
    for w in sheet.w:
        b.append(r // w)
        r %= w
    return tuple(b)


# k-subsets


def ksubset(instance: KSubset) -> Sheet | None:
    """k-subsets, 1 to 5."""
    network: Any = instance.topology
    free, k = instance.free, instance.k
    n = len(free)
    found = cuts_of(network, free)
    size = 2 * n * n if found is None else 2 * sum(len(c) for c, _ in found[1])
    if size > MOST:
        return None
    sheet = Sheet("x<i>: free processor i, by coordinates, is chosen")
    x = [sheet.new(f"x{i}") for i in range(n)]
    sheet.equation(((1, xi) for xi in x), k)
    wanted = Counter(instance.required)
    for i, site in enumerate(free):
        if wanted[site] > 0:
            wanted[site] -= 1
            sheet.clause(x[i])
    if found is not None:
        sheet.D, cuts = found
        sheet.comments.append(
            "u<h>_<j>: at least j chosen processors are inside of cut h"
        )
        for h, (inside, w) in enumerate(cuts):
            m = min(k, len(inside))
            u = [sheet.new(f"u{h}_{j}") for j in range(1, m + 1)]
            sum_of_u = [(1, uj) for uj in u]
            sheet.equation(sum_of_u + [(-1, x[i]) for i in sorted(inside)], 0)
            for uj, following in pairwise(u):
                sheet.clause(uj, neg(following))
            for j, uj in enumerate(u, 1):
                sheet.charge(w * (k - 2 * j + 1), uj)
        return sheet
    sheet.comments.append("y<i>_<j>: both i and j are chosen")
    d = distances(network)
    for i, j in combinations(range(n), 2):
        y = sheet.new(f"y{i}_{j}")
        sheet.clause(y, neg(x[i]), neg(x[j]))
        sheet.charge(d(free[i], free[j]), y)
    return sheet


def distances(network: Any) -> Callable[[Any, Any], int]:
    """Return the distance of two sites, as docs/internals/formats.md defines it."""
    kind = network.kind
    if kind.startswith("priced "):
        hops = distances(network.network)
        return lambda s, t: network.price[hops(s, t)]  # type: ignore[no-any-return]
    if kind == "table":
        return lambda s, t: network.rows[s[0]][t[0]]  # type: ignore[no-any-return]
    if kind in ("tree", "graph"):
        d = shortest(links_of(network))
        return lambda s, t: d(s[0], t[0])
    lengths = rings_of(network, 0)

    def by_axes(s: tuple[int, ...], t: tuple[int, ...]) -> int:
        steps = [abs(x - y) for x, y in zip(s, t, strict=True)]
        if lengths:
            ways = zip(steps, lengths, strict=True)
            steps = [min(step, C - step) if C else step for step, C in ways]
        return sum(steps)

    return by_axes


def rings_of(network: Any, dimensions: int) -> list[int]:
    """Return for each axis the length of the ring; 0 for lines."""
    if network.kind == "points":
        return [0] * dimensions
    shape, rings = network.shape, network.rings
    return [C if ring else 0 for C, ring in zip(shape, rings, strict=True)]


def links_of(network: Any) -> list[tuple[int, int, int]]:
    if network.kind == "graph":
        return list(network.edges)
    links = enumerate(zip(network.parent, network.weight, strict=True))
    return [(v, up, w) for v, (up, w) in links if up >= 0]


def shortest(links: Iterable[tuple[int, int, int]]) -> Distance:
    """Return the length of a shortest path between two nodes, by Dijkstra's method."""
    beyond: dict[int, list[tuple[int, int]]] = {}
    for u, v, w in links:
        beyond.setdefault(u, []).append((v, w))
        beyond.setdefault(v, []).append((u, w))
    known: dict[int, dict[int, int]] = {}

    def d(s: int, t: int) -> int:
        if s not in known:
            far, heap = {}, [(0, s)]
            while heap:
                length, u = heappop(heap)
                if u not in far:
                    far[u] = length
                    for v, w in beyond.get(u, ()):
                        heappush(heap, (length + w, v))
            known[s] = far
        return known[s][t]

    return d


# Cuts of a network


def cuts_of(network: Any, free: Any) -> tuple[int, list[Cut]] | None:
    """Return D and the cuts in order; None if the network has no cuts."""
    kind, n = network.kind, len(free)
    if kind == "table" or kind.startswith("priced "):
        return None
    if kind == "tree":
        place = [site[0] for site in free]
        return 1, tree_cuts(network.parent, network.weight, place)
    if kind != "graph":
        return grid_cuts(free, rings_of(network, len(free[0])))
    d = shortest(network.edges)
    p = sorted(network.processors)
    place = [site[0] for site in free]
    grown = tree_of(p, d)
    if grown is not None:
        parent, doubled, at = grown
        return in_units(tree_cuts(parent, doubled, [at[node] for node in place]))
    halves = halves_of(network, d, p)
    if halves is None:
        return None
    z = max(range(n), key=lambda i: (d(place[0], place[i]), -i))
    sides = [(half if place[z] in half else outer, w) for half, outer, w in halves]
    on_z = (({i for i in range(n) if place[i] in side}, w) for side, w in sides)
    return in_units(in_chains(merged(on_z, n)))


def merged(parts: Iterable[tuple[set[int], int]], n: int) -> list[Cut]:
    """Leave out what is no cut; the same inside is one cut, where it is met first."""
    cuts: dict[frozenset[int], int] = {}
    for inside, w in parts:
        if w > 0 and 0 < len(inside) < n:
            key = frozenset(inside)
            cuts[key] = cuts.get(key, 0) + w
    return list(cuts.items())


def in_units(doubled: list[Cut]) -> tuple[int, list[Cut]]:
    """Return D, and D times the weights, of cuts whose weights are doubled."""
    if any(w % 2 for _, w in doubled):
        return 2, doubled
    return 1, [(inside, w // 2) for inside, w in doubled]


def grid_cuts(free: Any, lengths: list[int]) -> tuple[int, list[Cut]]:
    """Grids and points; length 0 is a line."""
    D = 2 if any(C % 2 for C in lengths) else 1
    cuts: list[Cut] = []
    for axis, C in enumerate(lengths):
        at = [site[axis] for site in free]
        v, a = sorted(set(at)), C // 2

        def parts_of_ring(
            at: list[int] = at, v_0: int = v[0], C: int = C, a: int = a
        ) -> Iterator[tuple[set[int], int]]:
            for f in range(C if C % 2 else a):
                outer = (v_0 - f) % C < a  # whether v_0 is in the arc
                inside = {i for i, x in enumerate(at) if ((x - f) % C < a) != outer}
                yield inside, 1 if C % 2 else D

        gaps = (({i for i, x in enumerate(at) if x < t}, t - s) for s, t in pairwise(v))
        line = ((inside, D * gap) for inside, gap in gaps)
        cuts += merged(parts_of_ring() if C else line, len(free))
    return D, cuts


def tree_cuts(parent: Any, weight: Any, place: list[int]) -> list[Cut]:
    """Trees; two nodes of which neither is on the other's way up share no inside."""
    children: list[list[int]] = [[] for _ in parent]
    for v, up in enumerate(parent):
        if up >= 0:
            children[up].append(v)
    order = [v for v, up in enumerate(parent) if up < 0]
    for v in order:
        order += children[v]
    below: list[set[int]] = [set() for _ in parent]
    for i, v in enumerate(place):
        below[v].add(i)
    for v in reversed(order[1:]):
        below[parent[v]] |= below[v]
    return merged(((below[v], weight[v]) for v in order[1:]), len(place))


def tree_of(
    p: list[int], d: Distance
) -> tuple[list[int], list[int], dict[int, int]] | None:
    """First test: parents and doubled lengths of the tree, and where processors are.

    A place of the tree is (q, t), depth t on the path to processor q; it is the place
    (r, t) as well if g(q, r) >= t. All depths are doubled.
    """

    def g(q: int, r: int) -> int:
        return d(p[0], q) + d(p[0], r) - d(q, r)

    table = {(q, r): g(q, r) for q, r in product(p, p)}
    for q, r in combinations(p, 2):
        if any(table[q, r] < min(table[q, x], table[x, r]) for x in p):
            return None
    nodes = [(p[0], 0)]
    at = {p[0]: 0}

    def node_at(q: int, depth: int) -> int:
        for number, (r, t) in enumerate(nodes):
            if t == depth and table[q, r] >= t:
                return number
        nodes.append((q, depth))
        return len(nodes) - 1

    while len(at) < len(p):
        left = [q for q in p if q not in at]
        leaves = {q: max(table[q, r] for r in at) for q in left}
        q = max(left, key=lambda q: (leaves[q], -q))
        node_at(q, leaves[q])
        at[q] = node_at(q, table[q, q])
    parent, length = [-1], [0]
    for q, depth in nodes[1:]:
        above = [(t, r) for r, t in nodes if t < depth and table[q, r] >= t]
        t, r = max(above)
        parent.append(node_at(r, t))
        length.append(depth - t)
    return parent, length, at


Half = tuple[frozenset[int], frozenset[int], int]  # both sides, and twice the weight


def halves_of(network: Any, d: Distance, p: list[int]) -> list[Half] | None:
    """Second test: the halves of a partial cube in the order in which they are found."""
    nodes, links = range(network.nodes), network.edges
    halves: dict[frozenset[int], int] = {}  # the side of node 0, and twice the weight
    closed: set[tuple[int, int]] = set()
    for u, v, length in links:
        if (u, v) in closed:
            continue
        if d(u, v) < length:
            closed.add((u, v))
            continue
        a = [d(v, x) - d(u, x) for x in nodes]
        if len(halves) >= 512 or not {*a} <= {-length, 0, length}:
            return None
        across = [(s, t, other) for s, t, other in links if a[s] * a[t] < 0]
        if any((s, t) in closed or other != length for s, t, other in across):
            return None
        closed |= {(s, t) for s, t, _ in across}
        sides = [{x for x in nodes if a[x] > 0}, {x for x in nodes if a[x] >= 0}]
        for side in sides if 0 in a else sides[:1]:
            half = frozenset(side if 0 in side else {*nodes} - side)
            w = length if 0 in a else 2 * length
            if halves.setdefault(half, w) != w:
                return None
    for q, r in combinations(p, 2):
        apart = sum(w for half, w in halves.items() if (q in half) != (r in half))
        if apart != 2 * d(q, r):
            return None
    return [(half, frozenset(nodes) - half, w) for half, w in halves.items()]


def in_chains(cuts: list[Cut]) -> list[Cut]:
    """Put each cut at the end of the first chain whose last inside it contains."""
    chains: list[list[Cut]] = []
    for cut in sorted(cuts, key=lambda cut: len(cut[0])):
        for chain in chains:
            if chain[-1][0] <= cut[0]:
                chain.append(cut)
                break
        else:
            chains.append([cut])
    return [cut for chain in chains for cut in chain]


# Processor sets and knapsacks


def procset(instance: ProcSet) -> Sheet:
    """Processor sets, 1 to 4."""
    sheet = Sheet("x<p>: processor p is chosen; s<i>: set i is touched")
    T = [sum(level) for level in zip(*(s.cost for s in instance.sets), strict=True)]
    w = [1]
    for total in reversed(T[1:]):
        w.insert(0, w[0] * (total + 1))
    sheet.levels(w)
    x = {p: sheet.new(f"x{p}") for p in instance.available}
    sheet.equation(((1, xp) for xp in x.values()), instance.request)
    for p in instance.required:
        sheet.clause(x[p])
    for i, one in enumerate(instance.sets):
        s = sheet.new(f"s{i}")
        for p in sorted(one.members):
            if p in x:
                sheet.clause(s, neg(x[p]))
        sheet.charge(sum(a * c for a, c in zip(w, one.cost, strict=True)), s)
    return sheet


def knapsack(instance: Sukp) -> Sheet:
    """Knapsacks, 1 to 4."""
    sheet = Sheet("z<j>: item j is left out; y<e>: element e is used")
    z = [sheet.new(f"z{j}") for j in range(len(instance.items))]
    y = [sheet.new(f"y{e}") for e in range(len(instance.weights))]
    weights = zip(instance.weights, y, strict=True)
    sheet.row([(-weight, ye) for weight, ye in weights], -instance.capacity)
    for j in sorted(instance.required):
        sheet.clause(neg(z[j]))
    for j, needed in enumerate(instance.items):
        for e in sorted(needed):
            sheet.clause(z[j], y[e])
        sheet.charge(instance.profits[j], z[j])
    return sheet


# Placements


class Item:
    """Items: a resident, the request (without a place), or a blocked cell as a box."""

    def __init__(
        self, sides: Any, shape: Any, *, low: Any = None, fixed: bool, turns: bool
    ) -> None:
        self.sides, self.low, self.fixed = tuple(sides), low, fixed
        turned = permutations(sides) if turns and not fixed else [self.sides]
        self.ways = [
            way
            for way in dict.fromkeys(turned)
            if all(g <= S for g, S in zip(way, shape, strict=True))
        ]


def items_of(instance: Submesh) -> list[Item]:
    """Return the residents as listed, then the request."""
    items, d, shape = [], len(instance.shape), instance.shape
    for one in instance.residents:
        low, high = one.box[:d], one.box[d:]
        sides = [t - s + 1 for s, t in zip(low, high, strict=True)]
        fixed = one.fixed or not instance.migrate
        items.append(Item(sides, shape, low=low, fixed=fixed, turns=one.turns))
    request = Item(instance.request, shape, fixed=False, turns=instance.rotate)
    return [*items, request]


def level_weights(instance: Submesh) -> list[int]:
    """Return w_1, w_2 and w_3."""
    N, A = len(instance.residents), prod(instance.shape)
    s = N * sum(side - 1 for side in instance.shape)
    return [(s + 1) * (A + 1), s + 1, 1]


NOTHING = "nothing, since nothing is to be decided"


def on_mesh(instance: Submesh) -> Sheet | None:
    """On a mesh, 1 to 4."""
    shape, w = instance.shape, level_weights(instance)
    sheet = Sheet(
        "o<i>_<a>_<t>: box i (residents, request, blocked) begins at t or beyond "
        "on axis a",
        "r<i>_<w>: box i is turned in way w; b<i>_<j>_<a>: i ends before j begins",
        "m<i>: resident i is moved",
    )
    sheet.levels(w)
    boxes, axes = items_of(instance), range(len(shape))
    request = boxes[-1]
    unit = (1,) * len(shape)
    for cell in sorted(instance.blocked):
        boxes.append(Item(unit, shape, low=cell, fixed=True, turns=False))
    B = len(boxes)
    if request.ways and 3 * B * (B - 1) * sum(shape) > MOST:
        return None
    if not request.ways:
        sheet.row([], 1)
        return with_a_variable(sheet)

    def begins(i: int, a: int, t: int) -> Literal:
        """[i, a, t]: box i begins at t or beyond on axis a."""
        box = boxes[i]
        if box.fixed:
            return bool(t <= box.low[a])
        if t > shape[a] - min(way[a] for way in box.ways):
            return False
        return t == 0 or f"o{i}_{a}_{t}"

    r: list[list[str]] = []
    for i, box in enumerate(boxes):
        several = len(box.ways) if len(box.ways) > 1 else 0
        r.append([sheet.new(f"r{i}_{way}") for way in range(several)])

    def unless(i: int, way: int) -> Literal:
        """~r_w, or nothing if there is only one way."""
        return neg(r[i][way]) if r[i] else False

    for i, box in enumerate(boxes):
        if r[i]:
            sheet.equation(((1, way) for way in r[i]), 1)
        for a, S in enumerate(shape) if not box.fixed else ():
            o = [x for t in range(S + 1) if isinstance(x := begins(i, a, t), str)]
            for x in o:
                sheet.new(x)
            for x, following in pairwise(o):
                sheet.clause(x, neg(following))
            for way in range(len(r[i])):
                far = begins(i, a, S - box.ways[way][a] + 1)
                if isinstance(far, str):
                    sheet.clause(unless(i, way), neg(far))
    for i, j in combinations(range(B), 2):
        if boxes[i].fixed and boxes[j].fixed:
            continue
        before = []
        for a, (p, q) in product(axes, [(i, j), (j, i)]):
            b = sheet.new(f"b{p}_{q}_{a}")
            before.append(b)
            for way, sides in enumerate(boxes[p].ways):
                for t in range(shape[a]):
                    behind = begins(q, a, min(shape[a], t + sides[a]))
                    sheet.clause(neg(b), unless(p, way), neg(begins(p, a, t)), behind)
        sheet.clause(*before)
    for i, box in enumerate(boxes[: len(instance.residents)]):
        if box.fixed:
            continue
        m = sheet.new(f"m{i}")
        sheet.charge(w[0] + w[1] * prod(box.sides), m)
        for way in range(len(r[i])):
            if box.ways[way] != box.sides:
                sheet.clause(m, unless(i, way))
        for a, h in enumerate(box.low):
            for t in range(1, shape[a] + 1):
                if isinstance(x := begins(i, a, t), str):
                    step = x if t > h else f"~{x}"
                    sheet.charge(1, step)
                    if t in (h, h + 1):
                        sheet.clause(m, neg(step))
    return with_a_variable(sheet)


def with_a_variable(sheet: Sheet) -> Sheet:
    """If no variable is introduced, there is one all the same."""
    if not sheet.names:
        sheet.comments.append(f"{sheet.new('n0')}: {NOTHING}")
    return sheet


def on_torus(instance: Submesh) -> Sheet | None:
    """On a torus, 1 and 2."""
    shape, w, items = instance.shape, level_weights(instance), items_of(instance)
    if len(items) * prod(shape) * max(prod(item.sides) for item in items) > MOST:
        return None
    sheet = Sheet(
        "p<i>_<w>_<c>: box i (residents in order, then the request) lies in way w "
        "with its lowest corner at cell c, in row-major order"
    )
    sheet.levels(w)
    cells = list(product(*map(range, shape)))
    covering: dict[tuple[int, ...], list[str]] = {cell: [] for cell in cells}
    for i, item in enumerate(items):
        own = []
        for (way, sides), (c, cell) in product(enumerate(item.ways), enumerate(cells)):
            if item.fixed and cell != item.low:
                continue
            p = sheet.new(f"p{i}_{way}_{c}")
            own.append((1, p))
            if item.low is not None and (cell, sides) != (item.low, item.sides):
                ways_round = zip(cell, item.low, shape, strict=True)
                steps = sum(min((x - h) % S, (h - x) % S) for x, h, S in ways_round)
                sheet.charge(w[0] + w[1] * prod(item.sides) + steps, p)
            for offset in product(*map(range, sides)):
                at = zip(cell, offset, shape, strict=True)
                covering[tuple((x + y) % S for x, y, S in at)].append(p)
        sheet.equation(own, 1)
    for cell in cells:
        P, b = covering[cell], 0 if cell in instance.blocked else 1
        if len(P) > b:
            sheet.row([(-1, p) for p in P], -b)
    return with_a_variable(sheet)
