"""Certificates that no k-subset is cheap, by positive semidefinite integer matrices.

Let c_i be what element i costs by itself, d_ij the distance of two, and let r of the n
elements be chosen; x is the choice, x_i in {0, 1}, sum x = r. For any integers q >= 0,
w, U_i and Z_ij = Z_ji >= 0 consider the symmetric integer matrix N with

    N_ij = 2^q d_ij - U_i - U_j - 2 Z_ij,            i != j,
    N_ii = 2^(q+1) c_i + 2 (r - 1) U_i - w.

1. Bound. As x_i^2 = x_i, the terms with U cancel: sum over i of 2 (r - 1) U_i x_i is
   what the pairs i != j of chosen elements take away. So
   x'Nx = 2^(q+1) cost(x) - w r - 2 sum over pairs of Z_ij x_i x_j over both orders,
   hence 2^(q+1) cost(x) >= w r + x'Nx, and >= w r if N is positive semidefinite.
   Triangles: for a, b, c and an integer T >= 0 add T to N_ab and N_ac, and take 2 T off
   N_aa and T off N_bc. This takes 2 T (x_a - x_a x_b - x_a x_c + x_b x_c) off x'Nx,
   which is never negative: x_a = 1 leaves (1 - x_b) (1 - x_c), x_a = 0 leaves x_b x_c.
2. Squares. For an integer p take integer columns v_n, ..., v_1, where v_i vanishes
   behind row i, and R = 4^p N - sum v_i v_i'. If every diagonal entry of R is at least
   the sum of the absolute values in its row, R is positive semidefinite (Gershgorin),
   and so is N. Any columns will do; those of a Cholesky factor leave little in R.
3. Elements left out. Let V have these columns, y be any integers, e the vector
   V y - 2^s e_i for an element i, and g = 2^s - r max |e|. If x_i = 1, then
   y'V'x = x'Vy >= g; if g > 0, |V'x|^2 >= g^2 / |y|^2 (Cauchy and Schwarz), and
   2^(q+1) cost(x) >= w r + g^2 / (4^p |y|^2).
4. Branches. A choice takes an element or does not. If it does, the cost of this element
   is a constant, and the distances to it are added to the costs of the others. What is
   required is taken at the root.
5. Orbits. Let a permutation keep all distances, and the sets of the elements that are
   chosen and left. A choice with j maps to one with the image of j that costs the same.
   So where no choice with i is cheap, none is with an element that such permutations,
   one after the other or backwards, move to i; the second branch does not take these.

The file gives q, U, Z, triangles, elements, permutations and branches. The checker
finds v and y itself: whatever they are, only the exact R and e count. Word for word,
rows of integers are packed into one, so that a column is taken off a row at once; no
sum reaches the next word, since |sum of v_ij v_il over i| <= largest diagonal entry, as
long as no diagonal entry gets negative, which is looked at (Cauchy and Schwarz again).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb, isqrt
from typing import Any

from ....instances.ksubset.instance import KSubset
from ....instances.reading import fields
from ..statements import Refused

Rows = list[list[int]]
"""Lower triangle of a symmetric matrix: row i has i + 1 entries."""
Squares = tuple[list[list[int]], int]
"""The columns v_i, each of i + 1 entries, and p."""
_Waiting = tuple[tuple[int, ...], tuple[int, ...], int]
"""What is chosen, what is left, and how many of these are to be chosen."""
MOST_BITS = 4096
MOST_ELEMENTS = 5000
MOST_PACKED = 2**31
"""Square of the number of rows of a matrix, times the bits of its largest number."""
MOST_LISTED = 10**7
"""Distances added up to price choices one by one, in the whole file."""


def squares_of(rows: Rows, pause: Callable[[], None] = lambda: None) -> Squares | None:
    """Return columns whose squares leave a dominant diagonal (2.); None if not found.

    Takes O(n^2) operations on integers of O(n) words.
    """
    n = len(rows)
    diagonal = [row[-1] for row in rows]
    if min(diagonal) < 0:
        return None
    most = max(max(map(abs, row)) for row in rows) + max(diagonal)
    p = max(12, (60 - most.bit_length()) // 2)
    width = (most.bit_length() + 2 * p + 9) // 8
    half, bits = 1 << (8 * width - 1), 8 * width
    _refuse_long(most, n)
    lift = sum(half << (bits * j) for j in range(n))
    packed = []
    for i, row in enumerate(rows):
        pause()
        lifted = (((x << (2 * p)) + half).to_bytes(width, "little") for x in row)
        words = b"".join(lifted)
        packed.append(int.from_bytes(words, "little") - (lift >> (bits * (n - 1 - i))))
    left = [value << (2 * p) for value in diagonal]
    owed = [0] * n
    columns: list[list[int]] = [[]] * n
    for i in range(n - 1, -1, -1):
        pause()
        taken = (1 << (bits * i)) - 1
        words = ((packed[i] + lift) & taken).to_bytes(width * i, "little")
        spare = left[i] - owed[i]
        root = max(0, (isqrt(16 * spare + i * i) - i) // 4) if spare > 0 else 0
        column, prefix, rest = [0] * i, 0, 0
        for j in range(i):
            if j % 64 == 0:
                pause()
            entry = int.from_bytes(words[j * width : (j + 1) * width], "little") - half
            v = (2 * entry + root) // (2 * root) if root else 0
            error = abs(entry - root * v)
            rest += error
            owed[j] += error
            if v:
                column[j] = v
                prefix += v << (bits * j)
                packed[j] -= v * prefix
                left[j] -= v * v
            if left[j] < owed[j]:
                return None
        if spare < root * root + rest:
            return None
        columns[i] = [*column, root]
    return columns, p


def _refuse_long(most: int, n: int) -> None:
    if n * n * most.bit_length() > MOST_PACKED:
        raise Refused(f"numbers of {most.bit_length()} bits are too long for {n} rows")


def weight_of(
    columns: Sequence[Sequence[int]], at: int, r: int
) -> tuple[int, int] | None:
    """Return g and |y|^2 for an element (3.); None where g is not positive."""
    shift = 2 * max(columns[i][i] for i in range(at + 1)).bit_length() + 20
    y, left, errors = 0, [0] * at + [1 << shift], 0
    for i in range(at, -1, -1):
        column = columns[i]
        root = column[i]
        v = (2 * left[i] + root) // (2 * root) if root else 0
        errors = max(errors, abs(left[i] - v * root))
        if v:
            y += v * v
            for j in range(i):
                left[j] -= v * column[j]
    g = (1 << shift) - r * errors
    return (g, y) if g > 0 else None


class BoundsChecker:
    """Follows the nodes of a certificate that no choice costs less than ``objective``.

    ``lines`` are the parsed lines of the file, without the header.
    """

    def __init__(
        self,
        instance: KSubset,
        objective: int,
        pause: Callable[[], None] = lambda: None,
        squares: Callable[..., Squares | None] = squares_of,
    ) -> None:
        self.objective, self.pause, self.squares = objective, pause, squares
        topology, free = instance.topology, instance.free
        self.distances = []
        for i in range(instance.n):
            pause()
            row = [topology.distance(free[i], free[j]) for j in range(i)]
            self.distances.append([*row, 0])
        must = instance.required_indices  # they are in every choice
        left = tuple(i for i in range(instance.n) if i not in set(must))
        self.waiting: list[_Waiting] = [(must, left, instance.k - len(must))]
        self.listed = 0

    def distance(self, i: int, j: int) -> int:
        """Distance of two elements, by index."""
        return self.distances[max(i, j)][min(i, j)]

    def follow(self, lines: Iterator[Any]) -> None:
        """Check one node and its steps; raises Refused where one does not follow."""
        chosen, left, r = self.waiting.pop()
        triangles: Sequence[int] = ()
        while True:
            self.pause()
            words = fields.lists(_next(lines), "step")
            word, values = words[:1], words[1:]
            if word == ["branch"]:
                (i,) = fields.row(fields.integer)(values, "branch")
                if i not in left or r == 0:
                    raise Refused(f"branch: {str(i)[:40]} cannot be chosen here")
                rest = tuple(j for j in left if j != i)
                self.waiting += [(chosen, rest, r), ((*chosen, i), rest, r - 1)]
                return
            if word == ["orbit"]:
                i, *moves = values or [None]
                if r == 0 or fields.integer(i, "orbit") not in left:
                    raise Refused(f"orbit: {str(i)[:40]} cannot be chosen here")
                orbit = self._orbit(i, moves, chosen, left)
                others = tuple(j for j in left if j not in orbit)
                rest = tuple(j for j in left if j != i)
                self.waiting += [(chosen, others, r), ((*chosen, i), rest, r - 1)]
                return
            if word == ["list"]:
                fields.row()(values, "list")
                self._price_all(chosen, left, r)
                return
            if word == ["triangles"]:
                triangles = fields.integers(values, "triangles")
                continue
            if word == ["bound"]:
                (q,) = fields.row(_SCALE)(values, "bound")
                target = (self.objective - 1 - self._cost(chosen)) << (q + 1)
                w = target // r + 1 if 0 < r <= len(left) else 0
                at = (chosen, left, r)
                if self._squares(lines, at, triangles, q, w) is None:
                    raise Refused("bound: the matrix is not shown to be semidefinite")
                return
            if word != ["out"]:
                raise Refused(f"no such step: {str(word)[:40]}")
            left = self._without(lines, values, (chosen, left, r), triangles)
            triangles = ()

    def _orbit(
        self, i: int, moves: list[Any], chosen: tuple[int, ...], left: tuple[int, ...]
    ) -> set[int]:
        """Return what permutations, as pairs of an element and its image, join to i."""
        ways: dict[int, set[int]] = {}
        both = (*chosen, *left)
        for move in moves:
            pairs = fields.integers(move, "orbit")
            image = dict(zip(pairs[::2], pairs[1::2], strict=False))
            whole = 2 * len(image) == len(pairs) and set(image) == {*image.values()}
            inside = all(
                (a in left and b in left) or (a in chosen and b in chosen)
                for a, b in image.items()
            )
            if not (whole and inside):
                raise Refused(f"orbit: no permutation: {str(move)[:40]}")
            for a, b in image.items():
                self.pause()
                for c in both:
                    if self.distance(a, c) != self.distance(b, image.get(c, c)):
                        raise Refused(f"orbit: the distance of {a} and {c} changes")
                ways.setdefault(a, set()).add(b)
                ways.setdefault(b, set()).add(a)
        orbit, waiting = {i}, [i]
        while waiting:
            more = ways.get(waiting.pop(), set()) - orbit
            orbit |= more
            waiting += more
        return orbit

    def _without(
        self,
        lines: Iterator[Any],
        values: list[Any],
        node: _Waiting,
        triangles: Sequence[int],
    ) -> tuple[int, ...]:
        """Return the elements but those that no choice below the objective takes."""
        chosen, left, r = node
        q, w, out = fields.row(_SCALE, _integer, fields.integers)(values, "out")
        found = self._squares(lines, node, triangles, q, w)
        if found is None:
            raise Refused("out: the matrix is not shown to be semidefinite")
        lacking = ((self.objective - 1 - self._cost(chosen)) << (q + 1)) - w * r
        places = {i: at for at, i in enumerate(left)}
        if len(out) > len(left):
            raise Refused("out: an element is listed twice")
        for i in out:
            self.pause()
            weight = weight_of(found[0], places[i], r) if i in places else None
            if weight is None or weight[0] ** 2 <= lacking * weight[1] << 2 * found[1]:
                raise Refused(f"out: a choice with {str(i)[:40]} may be cheap enough")
        gone = set(out)
        return tuple(i for i in left if i not in gone)

    def _squares(
        self,
        lines: Iterator[Any],
        node: _Waiting,
        triangles: Sequence[int],
        q: int,
        w: int,
    ) -> Squares | None:
        """Read U and Z, and find the squares of N."""
        chosen, left, r = node
        if not 0 < r <= len(left):
            raise Refused(f"{r} of {len(left)} elements are to be chosen")
        u = _row(_next(lines), len(left), -(1 << MOST_BITS))
        _refuse_long(max(map(abs, u)), len(left))
        rows: Rows = []
        for at, i in enumerate(left):
            self.pause()
            z = _row(_next(lines), at, 0) if at else []
            own = 2 ** (q + 1) * sum(self.distance(i, j) for j in chosen)
            rows.append(
                [
                    (self.distance(i, left[j]) << q) - u[at] - u[j] - 2 * z[j]
                    for j in range(at)
                ]
                + [own + 2 * (r - 1) * u[at] - w]
            )
        _take_off(rows, left, triangles)
        return self.squares(rows, self.pause)

    def _cost(self, chosen: Sequence[int]) -> int:
        total = 0
        for at, i in enumerate(chosen):
            self.pause()
            total += sum(self.distance(i, j) for j in chosen[:at])
        return total

    def _price_all(
        self, chosen: tuple[int, ...], left: tuple[int, ...], r: int
    ) -> None:
        self.listed += listing(len(chosen), len(left), r)
        if self.listed > MOST_LISTED:
            raise Refused("list: too many choices are priced one by one")
        own = {i: sum(self.distance(i, j) for j in chosen) for i in left}
        least = self.objective - self._cost(chosen)
        for more in combinations(left, r):
            self.pause()
            if sum(own[i] for i in more) + self._cost(more) < least:
                raise Refused("list: a choice costs less")


def listing(chosen: int, left: int, r: int) -> int:
    """Return how many distances are added up to price all choices of a node."""
    return comb(left, r) * (1 + r * (r + 1) // 2) + left * chosen


def _take_off(rows: Rows, left: Sequence[int], triangles: Sequence[int]) -> None:
    """Take triangles off N (1.): the elements a, b, c and T of each, in a row."""
    places = {i: at for at, i in enumerate(left)}
    if len(triangles) % 4:
        raise Refused("triangles: must be four integers each")
    for at in range(0, len(triangles), 4):
        found = [places.get(i, -1) for i in triangles[at : at + 3]]
        t = triangles[at + 3]
        if min(found) < 0 or len(set(found)) < 3 or not 0 <= t <= 1 << MOST_BITS:
            raise Refused(f"triangles: {triangles[at : at + 4]}"[:99])
        a, b, c = found
        for i, j, more in ((a, a, -2 * t), (a, b, t), (a, c, t), (b, c, -t)):
            rows[max(i, j)][min(i, j)] += more


_SCALE = fields.between(0, 64)
_integer = fields.between(-(1 << MOST_BITS), 1 << MOST_BITS)


def _next(lines: Iterator[Any]) -> Any:
    """Return the next line, of which there must be one."""
    for line in lines:
        return line
    raise Refused("branches are missing")


def _row(value: Any, length: int, least: int) -> Sequence[int]:
    """Return a line of integers of this length, none below ``least``."""
    found = fields.integers(value, "row")
    if len(found) != length:
        raise Refused(f"a line of {length} integers has {len(found)}")
    if min(found) < least or max(found) > 1 << MOST_BITS:
        raise Refused("an integer of a line is out of its range")
    return found
