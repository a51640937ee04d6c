"""The formulas of docs/science/proofs.md, section "The formulas", from the page alone.

To be read next to the page: each function is headed by the paragraph that it writes
down, and letters are those of the page. Literals are text: a name, or ``~`` and a name;
where the page has constants, ``1`` and ``0`` stand for them. Clauses are written as on
the page, with ``or``. Nothing here looks at how closeknit itself computes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import combinations, pairwise, permutations, product
from math import prod
from typing import Any

from closeknit.instances import Instance, KSubset, ProcSet, Submesh, Sukp

MOST = 20_000_000
Cut = tuple[frozenset[int], int]  # its inside and its weight
Distance = Callable[[int, int], int]  # of nodes
Half = tuple[frozenset[int], int]  # the side of node 0, and twice the weight


class Sheet:
    """What all of them share."""

    def __init__(self, *comments: str, w: list[int] | None = None) -> None:
        self.variables: list[str] = []
        self.rows: list[tuple[list[tuple[int, str]], int]] = []
        self.f: Counter[str] = Counter()
        self.e, self.D, self.w, self.comments = 0, 1, w or [1], [*comments]
        if w is not None:
            weights = ", ".join(map(str, w))
            self.comments.append(f"levels of the cost weigh {weights}")

    def new(self, name: str) -> str:
        self.variables.append(name)
        return name

    def equation(self, plus: Iterable[str], minus: Iterable[str], b: int) -> None:
        terms = [(1, x) for x in plus] + [(-1, x) for x in minus]
        self.rows += [(terms, b), ([(-a, x) for a, x in terms], -b)]

    def clause(self, text: str) -> None:
        literals = text.replace("~~", "").split(" or ")
        if "1" not in literals and "~0" not in literals:
            terms = [(1, x) for x in literals if x not in ("0", "~1")]
            self.rows.append((terms, 1))

    def charge(self, c: int, literal: str) -> None:
        if literal[0] == "~":
            self.e += c
            c, literal = -c, literal[1:]
        self.f[literal] += c


def encode(instance: Instance) -> dict[str, Any] | None:
    """Return the formula; None where there is none because of its size."""
    sheet = WRITERS[type(instance)](instance)
    if sheet is None:
        return None
    comments, sign = sheet.comments, "-" if sheet.e < 0 else "+"
    if sheet.e or sheet.D != 1:
        comments.append(f"cost = (objective {sign} {abs(sheet.e)}) / {sheet.D}")
    formula = {"variables": sheet.variables, "rows": sheet.rows, "objective": sheet.f}
    own = {"offset": sheet.e, "unit": sheet.D, "weights": sheet.w}
    return {**formula, **own, "comments": comments}


def proven_bound(instance: Instance, least: int) -> int | tuple[int, ...]:
    """Bounds: what is proved of costs where no assignment has f < ``least``."""
    sheet = WRITERS[type(instance)](instance)
    assert sheet is not None
    m = -(-(least + sheet.e) // sheet.D)
    if isinstance(instance, KSubset | Sukp):
        return m
    b, r = [], max(m, 0)
    for w_i in sheet.w:
        b.append(r // w_i)
        r %= w_i
    return tuple(b)


def ksubset(instance: Any) -> Sheet | None:
    """k-subsets, 1 to 5."""
    network, free, k, n = (
        instance.topology,
        instance.free,
        instance.k,
        len(instance.free),
    )
    found = cuts_of(network, free)
    if (2 * n * n if found is None else 2 * sum(len(c) for c, _ in found[1])) > MOST:
        return None
    sheet = Sheet("x<i>: free processor i, by coordinates, is chosen")
    sheet.equation([sheet.new(f"x{i}") for i in range(n)], [], k)
    required = Counter(instance.required)
    for i, site in enumerate(free):
        if required[site] > 0:
            required[site] -= 1
            sheet.clause(f"x{i}")
    if found is None:
        sheet.comments.append("y<i>_<j>: both i and j are chosen")
        d = distances(network)
        for i, j in combinations(range(n), 2):
            y = sheet.new(f"y{i}_{j}")
            sheet.clause(f"{y} or ~x{i} or ~x{j}")
            sheet.charge(d(free[i], free[j]), y)
        return sheet
    inside_of = "u<h>_<j>: at least j chosen processors are inside of cut h"
    sheet.comments.append(inside_of)
    sheet.D, cuts = found
    for h, (inside, w) in enumerate(cuts):
        u = [sheet.new(f"u{h}_{j + 1}") for j in range(min(k, len(inside)))]
        sheet.equation(u, [f"x{i}" for i in inside], 0)
        for u_j, u_next in pairwise(u):
            sheet.clause(f"{u_j} or ~{u_next}")
        for j, u_j in enumerate(u, 1):
            sheet.charge(w * (k - 2 * j + 1), u_j)
    return sheet


# Distances, as docs/internals/formats.md has them


def distances(network: Any) -> Callable[[Any, Any], int]:
    """Return the distance of two sites."""
    if network.kind.startswith("priced "):
        hops, price = distances(network.network), network.price
        return lambda s, t: int(price[hops(s, t)])
    if network.kind == "table":
        return lambda s, t: int(network.rows[s[0]][t[0]])
    if network.kind in ("tree", "graph"):
        d = shortest(network)
        return lambda s, t: d(s[0], t[0])
    rings = rings_of(network)

    def hops_along_axes(s: Any, t: Any) -> int:
        steps = [(abs(x - y), C) for x, y, C in zip(s, t, rings, strict=True)]
        return sum(min(step, C - step) if C else step for step, C in steps)

    return hops_along_axes


def rings_of(network: Any) -> list[int]:
    """Return for each axis its length if it is a ring, and 0 if it is a line."""
    if network.kind == "points":
        return [0 for _ in network.coordinates[0]]
    pairs = zip(network.shape, network.rings, strict=True)
    return [C if ring else 0 for C, ring in pairs]


def shortest(network: Any) -> Distance:
    """Return the length of a shortest path between two nodes, by Dijkstra's method."""
    if network.kind == "graph":
        links = network.edges
    else:
        links = zip(range(network.nodes), network.parent, network.weight, strict=True)
    beyond: dict[int, list[tuple[int, int]]] = {}
    for u, v, w in links:
        beyond.setdefault(u, []).append((v, w))
        beyond.setdefault(v, []).append((u, w))
    known: dict[int, dict[int, int]] = {}

    def d(s: int, t: int) -> int:
        if s not in known:
            known[s], waiting = {}, [(0, s)]
            while waiting:
                far, u = heappop(waiting)
                if u not in known[s]:
                    known[s][u] = far
                    for v, w in beyond.get(u, []):
                        heappush(waiting, (far + w, v))
        return known[s][t]

    return d


# Cuts of a network


def cuts_of(network: Any, free: Any) -> tuple[int, list[Cut]] | None:
    """Return D and the cuts; None if the network has none."""
    if network.kind == "table" or network.kind.startswith("priced "):
        return None
    if network.kind not in ("tree", "graph"):
        return grid_cuts(free, rings_of(network))
    place = [v for (v,) in free]
    if network.kind == "tree":
        return 1, tree_cuts(network.parent, network.weight, place)
    d, p = shortest(network), sorted(network.processors)
    if tree := tree_of(p, d):
        parent, weight, at = tree
        return in_units(tree_cuts(parent, weight, [at[v] for v in place]))
    if (halves := halves_of(network, p, d)) is None:
        return None
    z = max(place, key=lambda v: (d(place[0], v), -v))
    insides = [
        ([i for i, v in enumerate(place) if (v in half) == (z in half)], w)
        for half, w in halves
    ]
    return in_units(in_chains(merged(insides, len(free))))


def merged(parts: Iterable[tuple[Iterable[int], int]], n: int) -> list[Cut]:
    """Parts with the same inside are one cut, at the place of the first."""
    cuts: Counter[frozenset[int]] = Counter()
    for part, w in parts:
        inside = frozenset(part)
        if w > 0 and 0 < len(inside) < n:
            cuts[inside] += w
    return list(cuts.items())


def in_units(doubled: list[Cut]) -> tuple[int, list[Cut]]:
    """Return D, and D times the weights that are given twice their size."""
    D = 2 if any(w % 2 for _, w in doubled) else 1
    return D, [(inside, w * D // 2) for inside, w in doubled]


def grid_cuts(free: Any, rings: list[int]) -> tuple[int, list[Cut]]:
    """Grids and points."""
    D = 2 if any(C % 2 for C in rings) else 1
    cuts: list[Cut] = []
    for axis, C in zip(zip(*free, strict=True), rings, strict=True):
        parts = arcs(axis, C, D) if C else gaps(axis, D)
        cuts += merged(parts, len(free))
    return D, cuts


def gaps(axis: Any, D: int) -> Iterator[tuple[list[int], int]]:
    """If the axis is a line: between two neighbouring coordinates."""
    for v, v_j in pairwise(sorted(set(axis))):
        yield [i for i, x in enumerate(axis) if x < v_j], D * (v_j - v)


def arcs(axis: Any, C: int, D: int) -> Iterator[tuple[list[int], int]]:
    """If it is a ring of length C: the part without v_0."""
    a, v_0 = C // 2, min(axis)
    for f in range(C if C % 2 else a):
        in_arc = [(x - f) % C < a for x in axis]
        outside = (v_0 - f) % C < a
        yield [i for i, x in enumerate(in_arc) if x != outside], 1 if C % 2 else D


def tree_cuts(parent: Any, weight: Any, place: list[int]) -> list[Cut]:
    """Trees. (Only nodes on the same way up can have the same inside.)"""
    children: dict[int, list[int]] = {v: [] for v in range(-1, len(parent))}
    for v, up in enumerate(parent):
        children[up].append(v)
    listed = children[-1][:]
    for v in listed:
        listed += children[v]
    below = [{i for i, at in enumerate(place) if at == v} for v in range(len(parent))]
    for v in reversed(listed[1:]):
        below[parent[v]] |= below[v]
    return merged([(below[v], weight[v]) for v in listed[1:]], len(place))


Tree = tuple[list[int], list[int], dict[int, int]]


def tree_of(p: list[int], d: Distance) -> Tree | None:
    """First test: parents, doubled lengths, and the node of each processor.

    (q, t) is the place at depth t on the path to processor q, and the same place as
    (r, t) if g(q, r) >= t. Depths and g are doubled.
    """
    g = {(q, r): d(p[0], q) + d(p[0], r) - d(q, r) for q, r in product(p, p)}
    for q, r in combinations(p, 2):
        if any(g[q, r] < min(g[q, x], g[x, r]) for x in p):
            return None
    tree, at = [(p[0], 0)], {p[0]: 0}

    def node(q: int, t: int) -> int:
        for number, (r, depth) in enumerate(tree):
            if depth == t <= g[q, r]:
                return number
        tree.append((q, t))
        return len(tree) - 1

    while len(at) < len(p):
        leaves = {q: max(g[q, r] for r in at) for q in p if q not in at}
        q = max(leaves, key=lambda q: (leaves[q], -q))
        node(q, leaves[q])
        at[q] = node(q, g[q, q])
    parent, weight = [-1], [0]
    for q, t in tree[1:]:
        up, r = max((depth, r) for r, depth in tree if depth < t and depth <= g[q, r])
        parent.append(node(r, up))
        weight.append(t - up)
    return parent, weight, at


def halves_of(network: Any, p: list[int], d: Distance) -> list[Half] | None:
    """Second test: the halves, in the order in which they were found."""
    nodes, links = frozenset(range(network.nodes)), network.edges
    halves: dict[frozenset[int], int] = {}
    closed: set[tuple[int, int]] = set()
    for u, v, length in links:
        if (u, v) in closed:
            continue
        if d(u, v) < length:
            closed.add((u, v))
            continue
        a = [d(v, x) - d(u, x) for x in range(network.nodes)]
        if len(halves) >= 512 or not {*a} <= {-length, 0, length}:
            return None
        for s, t, other in links:
            if a[s] * a[t] < 0:
                if (s, t) in closed or other != length:
                    return None
                closed.add((s, t))
        sides = [{x for x in nodes if a[x] > 0}, {x for x in nodes if a[x] >= 0}]
        w = 2 * length // len({*map(frozenset, sides)})
        for side in sides:
            half = frozenset(side) if 0 in side else nodes - side
            if halves.setdefault(half, w) != w:
                return None
    for q, r in combinations(p, 2):
        apart = sum(w for half, w in halves.items() if (q in half) != (r in half))
        if apart != 2 * d(q, r):
            return None
    return list(halves.items())


def in_chains(cuts: list[Cut]) -> list[Cut]:
    """Put each cut, by size, at the end of the first chain that it continues."""
    chains: list[list[Cut]] = []
    for cut in sorted(cuts, key=lambda cut: len(cut[0])):
        fits = [chain for chain in chains if chain[-1][0] <= cut[0]]
        if not fits:
            chains.append([])
        (fits or chains[-1:])[0].append(cut)
    return [cut for chain in chains for cut in chain]


# Processor sets and knapsacks


def procset(instance: Any) -> Sheet:
    """Processor sets, 1 to 4."""
    T = [sum(level) for level in zip(*(s.cost for s in instance.sets), strict=True)]
    w = [1]
    for total in reversed(T[1:]):
        w.insert(0, w[0] * (total + 1))
    sheet = Sheet("x<p>: processor p is chosen; s<i>: set i is touched", w=w)
    x = {p: sheet.new(f"x{p}") for p in instance.available}
    sheet.equation(x.values(), [], instance.request)
    for p in instance.required:
        sheet.clause(x[p])
    for i, one in enumerate(instance.sets):
        s = sheet.new(f"s{i}")
        for p in sorted(x.keys() & {*one.members}):
            sheet.clause(f"{s} or ~{x[p]}")
        sheet.charge(sum(a * c for a, c in zip(w, one.cost, strict=True)), s)
    return sheet


def knapsack(instance: Any) -> Sheet:
    """Knapsacks, 1 to 4."""
    sheet = Sheet("z<j>: item j is left out; y<e>: element e is used")
    z = [sheet.new(f"z{j}") for j in range(len(instance.items))]
    weights = enumerate(instance.weights)
    terms = [(-weight, sheet.new(f"y{e}")) for e, weight in weights]
    sheet.rows.append((terms, -instance.capacity))
    for j in sorted(instance.required):
        sheet.clause(f"~{z[j]}")
    for j, needed in enumerate(instance.items):
        for e in sorted(needed):
            sheet.clause(f"{z[j]} or y{e}")
        sheet.charge(instance.profits[j], z[j])
    return sheet


# Placements


class Box:
    """An item, or on a mesh a blocked cell; without a lowest corner, the request."""

    def __init__(
        self, i: int, shape: Any, sides: Any, turns: bool, fixed: bool, low: Any = None
    ) -> None:
        self.i, self.S, self.sides, self.fixed, self.low = i, shape, sides, fixed, low
        ways = dict.fromkeys(permutations(sides) if turns and not fixed else [sides])
        fits = [[g <= S for g, S in zip(way, shape, strict=True)] for way in ways]
        self.ways = [way for way, fit in zip(ways, fits, strict=True) if all(fit)]
        self.least = [min(lengths) for lengths in zip(*self.ways, strict=True)]

    def begins(self, a: int, t: int) -> str:
        """[i, a, t]: the box begins at t or beyond on axis a."""
        if self.fixed:
            return "1" if t <= self.low[a] else "0"
        if t > self.S[a] - self.least[a]:
            return "0"
        return f"o{self.i}_{a}_{t}" if t else "1"

    def variables(self, a: int) -> dict[int, str]:
        """Return those [i, a, t] that are variables, by t."""
        found = {t: self.begins(a, t) for t in range(1, self.S[a] + 1)}
        return {t: o for t, o in found.items() if o[0] == "o"}

    def turned(self, w: int) -> str:
        """r_w, which is true if there is only one way."""
        return f"r{self.i}_{w}" if len(self.ways) > 1 else "1"


def placement(instance: Any) -> Sheet | None:
    """Placements: items, levels, and what is without a variable."""
    shape, N = instance.shape, len(instance.residents)
    items, d, s = [], len(shape), N * sum(side - 1 for side in shape)
    for i, one in enumerate(instance.residents):
        low, high = one.box[:d], one.box[d:]
        sides = tuple(y - x + 1 for x, y in zip(low, high, strict=True))
        fixed = one.fixed or not instance.migrate
        items.append(Box(i, shape, sides, one.turns, fixed, low))
    items.append(Box(N, shape, tuple(instance.request), instance.rotate, False))
    w = [(s + 1) * (prod(shape) + 1), s + 1, 1]
    sheet = (on_torus if instance.torus else on_mesh)(instance, items, w)
    if sheet and not sheet.variables:
        sheet.new("n0")
        sheet.comments.append("n0: nothing, since nothing is to be decided")
    return sheet


def on_mesh(instance: Any, items: list[Box], w: list[int]) -> Sheet | None:
    """On a mesh, 1 to 4."""
    sheet = Sheet(
        "o<i>_<a>_<t>: box i (residents, request, blocked) begins at t or beyond "
        "on axis a",
        "r<i>_<w>: box i is turned in way w; b<i>_<j>_<a>: i ends before j begins",
        "m<i>: resident i is moved",
        w=w,
    )
    if not items[-1].ways:
        sheet.rows.append(([], 1))
        return sheet
    shape, unit = instance.shape, tuple(1 for _ in instance.shape)
    cells = enumerate(sorted(instance.blocked), len(items))
    boxes = items + [Box(i, shape, unit, False, True, cell) for i, cell in cells]
    if 3 * len(boxes) * (len(boxes) - 1) * sum(shape) > MOST:
        return None
    turns = {box: [*enumerate(box.ways)] for box in boxes if len(box.ways) > 1}
    for box, ways in turns.items():
        for way, _ in ways:
            sheet.new(box.turned(way))
    for box in boxes:
        if box in turns:
            sheet.equation([box.turned(way) for way, _ in turns[box]], [], 1)
        for a, S in enumerate(shape):
            o = box.variables(a)  # none if the box is not movable
            for o_t in o.values():
                sheet.new(o_t)
            for o_t, o_next in pairwise(o.values()):
                sheet.clause(f"{o_t} or ~{o_next}")
            for way, g in turns.get(box, []):
                if S - g[a] + 1 in o:
                    sheet.clause(f"~{box.turned(way)} or ~{o[S - g[a] + 1]}")
    for one, other in combinations(boxes, 2):
        if not (one.fixed and other.fixed):
            disjoint(sheet, one, other)
    for box in items[:-1]:
        if not box.fixed:
            moves(sheet, box, w)
    return sheet


def disjoint(sheet: Sheet, one: Box, other: Box) -> None:
    """On a mesh, 3, of one pair."""
    b = []
    for a, S in enumerate(one.S):
        for p, q in [(one, other), (other, one)]:
            b.append(sheet.new(f"b{p.i}_{q.i}_{a}"))
            for way, g in enumerate(p.ways):
                for t in range(S):
                    begun, behind = p.begins(a, t), q.begins(a, min(S, t + g[a]))
                    sheet.clause(
                        f"~{b[-1]} or ~{p.turned(way)} or ~{begun} or {behind}"
                    )
    sheet.clause(" or ".join(b))


def moves(sheet: Sheet, box: Box, w: list[int]) -> None:
    """On a mesh, 4, of one resident."""
    m = sheet.new(f"m{box.i}")
    sheet.charge(w[0] + w[1] * prod(box.sides), m)
    for way, sides in enumerate(box.ways):
        if sides != box.sides:
            sheet.clause(f"{m} or ~{box.turned(way)}")
    for a, h in enumerate(box.low):
        for t, o in box.variables(a).items():
            x = o if t > h else f"~{o}"
            sheet.charge(1, x)
            if t in (h, h + 1):
                sheet.clause(f"{m} or ~{x}")


def on_torus(instance: Any, items: list[Box], w: list[int]) -> Sheet | None:
    """On a torus, 1 and 2."""
    shape, A = instance.shape, prod(instance.shape)
    if len(items) * A * max(prod(item.sides) for item in items) > MOST:
        return None
    sheet = Sheet(
        "p<i>_<w>_<c>: box i (residents in order, then the request) lies in way w "
        "with its lowest corner at cell c, in row-major order",
        w=w,
    )
    cells = list(product(*map(range, shape)))
    covering: dict[Any, list[str]] = {cell: [] for cell in cells}
    for item in items:
        own = []
        for (way, g), (c, corner) in product(enumerate(item.ways), enumerate(cells)):
            if item.fixed and corner != item.low:
                continue
            p = sheet.new(f"p{item.i}_{way}_{c}")
            own.append(p)
            if item.low is not None and (corner, g) != (item.low, item.sides):
                axes = zip(corner, item.low, shape, strict=True)
                steps = sum(min((x - h) % S, (h - x) % S) for x, h, S in axes)
                sheet.charge(w[0] + w[1] * prod(g) + steps, p)
            runs = [range(x, x + length) for x, length in zip(corner, g, strict=True)]
            for at in product(*runs):
                covering[tuple(x % S for x, S in zip(at, shape, strict=True))].append(p)
        sheet.equation(own, [], 1)
    for cell in cells:
        P, b = covering[cell], 0 if cell in instance.blocked else 1
        if len(P) > b:
            sheet.rows.append(([(-1, p) for p in P], -b))
    return sheet


WRITERS: dict[type, Callable[[Any], Sheet | None]] = {
    KSubset: ksubset,
    ProcSet: procset,
    Sukp: knapsack,
    Submesh: placement,
}
