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
   Backwards is forwards often enough: a permutation that is repeated leads back.

The file gives q, U, Z, triangles, elements, permutations and branches. The checker
finds v and y itself: whatever they are, only the exact R and e count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, isqrt
from operator import mul
from typing import Any

from ....instances.errors import RefusedStep
from ....instances.ksubset.instance import KSubset
from ....instances.reading import fields
from ..statements import MOST_BITS

Look = Callable[[], None]
"""Looks at the clock, and raises an error when the time is over."""
Ints = tuple[int, ...]
Node = tuple[Ints, Ints]
"""What is chosen, and what is left."""
Costs = dict[int, int]
"""What each element that is left costs by itself, and with those chosen."""
Rows = list[list[int]]
Squares = tuple[Rows, int]
"""The matrix V, of which row i has the entries in the columns v_n, ..., v_i; and p."""
MOST_PACKED = 2**31
"""Square of the number of rows of a matrix, times the bits of its largest number."""
MOST_LISTED = 10**7
"""Distances added up to price choices one by one, in the whole file."""
_scale = fields.between(0, 64)
_integer = fields.between(-(1 << MOST_BITS), 1 << MOST_BITS)


def squares_of(rows: Rows, look: Look = lambda: None) -> Squares | None:
    """Return columns that leave a dominant diagonal (2.); None if not found.

    Row i of the symmetric matrix has i + 1 entries. Takes O(n^3) multiplications.
    """
    most = max(max(map(abs, row)) for row in rows) + max(row[-1] for row in rows)
    bits = most.bit_length()
    if len(rows) ** 2 * bits > MOST_PACKED:
        raise RefusedStep(f"numbers of {bits} bits are too long for {len(rows)} rows")
    p = max(12, (60 - bits) // 2)
    factor: Rows = [[] for _ in rows]
    spare = [row[-1] << 2 * p for row in rows]  # R_ii less sum of |R_ij|, as yet known
    for i in reversed(range(len(rows))):
        if min(spare) < 0:  # nor do numbers get long: each v^2 was taken off a R_jj
            return None
        root = (isqrt(16 * spare[i] + i * i) - i) // 4
        factor[i].append(root)
        spare[i] -= root * root
        for j in range(i):
            error = _append(factor[j], rows[i][j] << 2 * p, factor[i], look)
            spare[i] -= error
            spare[j] -= error + factor[j][-1] ** 2
    return None if min(spare) < 0 else (factor, p)


def weighs(squares: Squares, at: int, r: int, lacking: int, look: Look) -> bool:
    """Whether choices with an element cost more than ``lacking`` beyond w r (3.)."""
    factor, p = squares
    shift = 2 * max(row[-1] for row in factor[: at + 1]).bit_length() + 20
    y: list[int] = []
    parts = (factor[i][i - at - 1 :] for i in reversed(range(at + 1)))
    errors = max(_append(y, 0 if y else 1 << shift, part, look) for part in parts)
    g = (1 << shift) - r * errors
    return g > 0 and g * g > lacking * sum(v * v for v in y) << 2 * p


def _append(row: list[int], entry: int, other: list[int], look: Look) -> int:
    """Lengthen a row so that its product with another is near an entry; return how far.

    The other one is longer by one.
    """
    look()
    entry -= sum(map(mul, row, other))
    root = other[-1]
    row.append((2 * entry + root) // (2 * root) if root else 0)
    return abs(entry - row[-1] * root)


def listing(chosen: int, left: int, r: int) -> int:
    """Return how many distances are added up to price all choices of a node."""
    return comb(left, r) * (1 + r * (r + 1) // 2) + left * chosen


@dataclass
class BoundsChecker:
    """Follows a certificate that no choice costs less than ``objective``.

    ``lines`` are its parsed lines, without the header.
    """

    instance: KSubset
    objective: int
    lines: Iterator[Any]
    look: Look = lambda: None
    squares: Callable[..., Squares | None] = squares_of
    listed: int = 0

    def follow(self) -> None:
        """Check all nodes; raises RefusedStep or InputError where one does not hold."""
        free, topology = self.instance.free, self.instance.topology
        self.far: Rows = []  # all distances
        for site in free:
            self.look()
            self.far.append(topology.distances_from(site, free))
        must = self.instance.required_indices  # they are in every choice
        waiting = [(must, tuple(i for i in range(len(free)) if i not in must))]
        while waiting:
            waiting += self._node(*waiting.pop())

    def _node(self, chosen: Ints, left: Ints) -> list[Node]:
        """Follow the steps of a node; return the nodes below it."""
        r, triangles = self.instance.k - len(chosen), Ints()
        gap = self.objective - 1 - self._pairs(chosen)
        own = {i: sum(self.far[i][j] for j in chosen) for i in left}
        while True:
            match step := next(self.lines):
                case ["branch", i] | ["orbit", i, *_] if r > 0 and i in left:
                    return self._branch(fields.integer(i, "i"), step[2:], chosen, left)
                case ["list"]:
                    self.listed += listing(len(chosen), len(left), r)
                    if self.listed > MOST_LISTED:
                        raise RefusedStep("list: too many choices to price one by one")
                    for some in combinations(left, r):
                        self.look()
                        if sum(own[i] for i in some) + self._pairs(some) <= gap:
                            raise RefusedStep("list: a choice costs less")
                    return []
                case ["triangles", *values]:
                    triangles = fields.integers(values, "triangles")
                case ["bound", q] if 0 < r <= len(left):
                    w = (gap << _scale(q, "bound") + 1) // r + 1
                    self._squares(own, r, q, w, triangles)
                    return []
                case ["out", q, w, out] if 0 < r <= len(left):
                    lacking = (gap << _scale(q, "out") + 1) - _integer(w, "out") * r
                    found = self._squares(own, r, q, w, triangles)
                    for i in fields.integers(out, "out"):
                        if i not in own or not weighs(
                            found, left.index(i), r, lacking, self.look
                        ):
                            raise RefusedStep(f"out: {i} cannot be left out")
                        del own[i]
                    left, triangles = tuple(own), ()
                case _:
                    raise RefusedStep(f"no such step here: {str(step)[:40]}")

    def _branch(self, i: int, moves: list[Any], chosen: Ints, left: Ints) -> list[Node]:
        """Return the node without what permutations join to i, and that with i (5.)."""
        images = []
        for move in moves:
            self.look()
            pairs = fields.integers(move, "orbit")
            images.append(dict(zip(pairs[::2], pairs[1::2], strict=False)))
            whole = {j: images[-1].get(j, j) for j in chosen + left}
            kept = all({whole[j] for j in some} == {*some} for some in (chosen, left))
            if not kept or len(pairs) != 2 * len(whole.keys() & images[-1]):
                raise RefusedStep(f"orbit: no permutation: {str(move)[:40]}")
            for a in images[-1]:
                if any(self.far[a][b] != self.far[whole[a]][whole[b]] for b in whole):
                    raise RefusedStep(f"orbit: the distances of {a} change")
        orbit = [i]
        for a in orbit:  # it grows
            self.look()
            orbit += {image.get(a, a) for image in images} - {*orbit}
        others = tuple(j for j in left if j not in orbit)
        return [(chosen, others), ((*chosen, i), tuple(j for j in left if j != i))]

    def _squares(self, own: Costs, r: int, q: int, w: int, triangles: Ints) -> Squares:
        """Read U and Z, take triangles off N (1.), and return its squares."""
        n, places = len(own), {i: at for at, i in enumerate(own)}
        most = 1 << min(MOST_BITS, MOST_PACKED // n**2 - 1)  # before N fills the memory
        u = fields.exactly(n, -most, most)(next(self.lines), "U")
        rows: Rows = []
        for i, at in places.items():
            z = fields.exactly(at, 0, most)(next(self.lines), "Z") if at else ()
            terms = zip(own, u, z, strict=False)
            row = [(self.far[i][j] << q) - u[at] - v - 2 * x for j, v, x in terms]
            rows.append([*row, (own[i] << q + 1) + 2 * (r - 1) * u[at] - w])
        for at in range(0, len(triangles), 4):
            *corners, t = triangles[at : at + 4]
            if len(places.keys() & corners) < 3 or not 0 <= t <= most:
                raise RefusedStep(f"triangles: {triangles[at : at + 4]}"[:99])
            a, b, c = (places[i] for i in corners)
            for i, j, more in ((a, a, -2 * t), (a, b, t), (a, c, t), (b, c, -t)):
                rows[max(i, j)][min(i, j)] += more
        if (found := self.squares(rows, self.look)) is None:
            raise RefusedStep("the matrix is not shown to be semidefinite")
        return found

    def _pairs(self, some: Ints) -> int:
        return sum(self.far[i][j] for i, j in combinations(some, 2))
