"""The lemmas behind the PTAS of Bender et al. 2008, section 4, one by one.

A choice of k points, m a divisor of k, is cut along each axis into m strips of k/m.
What the paper calls APX has as many points in every cell as another choice has, those
least in the direction of the cell's gradient. All sums are over unordered pairs. It is
written from the definitions, pair by pair; nothing is shared with the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, permutations, product
from random import Random

from ...instances import KSubset, Points, Site
from .claim import Claim, Outcome, Trial, held, refuted
from .shrink import broken

SAMPLES, QUICK_SAMPLES = 3000, 400

Cell = tuple[int, ...]
Ends = tuple[tuple[Fraction, ...], ...]
"""For each axis the m - 1 places at which one strip ends and the next begins."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Points, and where their strips begin and end.

    Parameters
    ----------
    points
        With different coordinates along every axis.
    ends
        Of the strips; none is the coordinate of a point.
    """

    points: tuple[Site, ...]
    ends: Ends

    def cell(self, point: Site) -> Cell:
        """Return the strips in which a point lies."""
        return tuple(
            sum(x > end for end in ends)
            for x, ends in zip(point, self.ends, strict=True)
        )

    def across(self, one: Site, other: Site) -> int:
        """Return the distance of two points along the axes whose strips differ."""
        cells = zip(self.cell(one), self.cell(other), strict=True)
        return sum(
            abs(a - b) for a, b, (i, j) in zip(one, other, cells, strict=True) if i != j
        )

    def crossing(self, chosen: Sequence[Site]) -> int:
        """Sum the distances between points of different strips."""
        return sum(self.across(p, q) for p, q in combinations(chosen, 2))

    def of_cell(self, chosen: Sequence[Site], cell: Cell) -> int:
        """Sum the distances from the points of a cell to those of other strips."""
        mine = [p for p in chosen if self.cell(p) == cell]
        return sum(self.across(p, q) for p in mine for q in chosen)

    def least(self, chosen: Sequence[Site]) -> tuple[list[Site], bool]:
        """Return APX for a choice, and whether no gradient left it open."""
        m = len(self.ends[0]) + 1
        members: dict[Cell, list[Site]] = {}
        for point in self.points:
            members.setdefault(self.cell(point), []).append(point)
        picked: list[Site] = []
        clear = True
        for cell, points in members.items():
            wanted = sum(self.cell(p) == cell for p in chosen)
            slope = [2 * i + 1 - m for i in cell]
            along = {
                p: sum(a * x for a, x in zip(slope, p, strict=True)) for p in points
            }
            order = sorted(points, key=lambda p: (along[p], p))
            picked += order[:wanted]
            if 0 < wanted < len(order):
                clear &= along[order[wanted - 1]] < along[order[wanted]]
        return picked, clear


def pair_sum(chosen: Sequence[Site]) -> int:
    """Sum the distances of all pairs."""
    return sum(
        abs(a - b)
        for p, q in combinations(chosen, 2)
        for a, b in zip(p, q, strict=True)
    )


def ends_of(chosen: Sequence[Site], m: int) -> Iterator[Ends]:
    """Give, for points with coordinates 0, 1, ..., all places where strips may end."""
    size = len(chosen) // m
    axes = []
    for values in (sorted(axis) for axis in zip(*chosen, strict=True)):
        gaps = [(values[i * size - 1], values[i * size]) for i in range(1, m)]
        axes.append(
            product(*([Fraction(2 * x + 1, 2) for x in range(*gap)] for gap in gaps))
        )
    yield from product(*axes)


LEMMA_2 = KSubset(
    "against-lemma-2",
    Points(((0, 7), (1, 8), (2, 6), (3, 0), (4, 5), (5, 1), (7, 4))),
    ((0, 7), (1, 8), (2, 6), (3, 0), (4, 5), (5, 1), (7, 4)),
    6,
    source="counterexample to Lemma 2 of Bender et al. 2008, m = 3",
)
"""In every cell the gradient decides; found by search."""


def against_lemma_2(
    points: tuple[Site, ...], k: int, m: int = 3, *, ties: bool = False
) -> str:
    """Describe where Lemma 2 as printed fails for an optimal choice; "" if nowhere.

    Every optimal choice, all places where its strips may end, and every cell is looked
    at. Where a gradient does not decide between two points nothing is concluded, or
    with ``ties`` the first is taken.

    Raises
    ------
    ArithmeticError
        When the sum over all cells grows too, which Corollary 1 excludes.
    """
    choices = [(pair_sum(chosen), chosen) for chosen in combinations(points, k)]
    least = min(choices)[0]
    for _, optimal in (pair for pair in choices if pair[0] == least):
        for ends in ends_of(optimal, m):
            cut = Cut(points, ends)
            picked, clear = cut.least(optimal)
            if not (clear or ties):
                continue
            if cut.crossing(picked) > cut.crossing(optimal):
                raise ArithmeticError(f"the sum over all cells grows: {points}")
            for cell in sorted({cut.cell(p) for p in optimal}):
                now, before = cut.of_cell(picked, cell), cut.of_cell(optimal, cell)
                if now > before:
                    places = ["/".join(f"{float(e):g}" for e in axis) for axis in ends]
                    return f"cell {cell}, ends {places}: {now} > {before}"
    return ""


def lemma_2(trial: Trial) -> Outcome:
    """Show where Lemma 2 fails as printed; all smaller cases are gone through."""
    try:
        return _lemma_2(trial)
    except ArithmeticError as error:
        return refuted(str(error), 1, LEMMA_2)


def _lemma_2(trial: Trial) -> Outcome:
    found = against_lemma_2(LEMMA_2.free, LEMMA_2.k)
    seen = 1
    if not found or trial.optimum(LEMMA_2) != min(
        pair_sum(chosen) for chosen in combinations(LEMMA_2.free, LEMMA_2.k)
    ):
        return refuted("no cell grows", 1, LEMMA_2)
    cases = [(4, 3), (5, 3)] if trial.quick else [(4, 3), (5, 3), (6, 3), (7, 6)]
    said = []
    for n, k in cases:
        clear = tied = 0
        for y in permutations(range(n)):
            points = tuple(enumerate(y))
            seen += 1
            clear += bool(against_lemma_2(points, k))
            tied += bool(against_lemma_2(points, k, ties=True))
        said.append(f"{clear} ({tied} with ties) of {n}! for n = {n}, k = {k}")
    return held(
        f"{found}, though not in the sum; permutations that fail: {', '.join(said)}",
        seen,
    )


Check = Callable[["Cut", Sequence[Site], int], str]
"""Describes what is wrong for a choice cut into m strips an axis; "" if nothing."""


def corollary_1(cut: Cut, chosen: Sequence[Site], m: int) -> str:
    """Compare what crosses strips in APX, in the choice it is made from, and w."""
    picked, _ = cut.least(chosen)
    apx, before, whole = cut.crossing(picked), cut.crossing(chosen), pair_sum(chosen)
    twice = sum(cut.of_cell(picked, cell) for cell in {cut.cell(p) for p in picked})
    if twice != 2 * apx:
        return f"the cells add up to {twice}, not twice {apx}"
    if not apx <= before <= whole:
        return f"{apx} across strips in APX, {before} before, of {whole} (m = {m})"
    return ""


def lemma_3(cut: Cut, chosen: Sequence[Site], m: int) -> str:
    """Bound the inner strips, with the products that the proof needs."""
    size = Fraction(len(chosen), m)
    for axis, ends in enumerate(cut.ends):
        hidden, whole = _strips([p[axis] for p in chosen], m)
        widths = [after - before for before, after in pairwise(ends)]
        for i, width in enumerate(widths, 1):
            if hidden[i] > size**2 * width:
                return f"strip {i} hides {hidden[i]}, more than {size**2 * width}"
        over = sum(
            (i * (m - i - 1) * size**2 * width for i, width in enumerate(widths, 1)),
            Fraction(0),
        )
        if over > whole:
            return f"{over} across inner strips, of {whole} in all (m = {m})"
        if sum(hidden[1:-1]) * (m - 2) > whole:
            return f"inner strips hide {sum(hidden[1:-1])} of {whole} (m = {m})"
    return ""


def lemma_4(cut: Cut, chosen: Sequence[Site], m: int) -> str:
    """Bound the strips at both ends."""
    for axis in range(len(cut.ends)):
        hidden, whole = _strips([p[axis] for p in chosen], m)
        for i in (0, m - 1):
            if hidden[i] * (m - 1) > whole:
                return f"strip {i} hides {hidden[i]} of {whole} (m = {m})"
    return ""


def printed_lemma_3(cut: Cut, chosen: Sequence[Site], m: int) -> bool:
    """Whether w_x is at least the sum of (ik) (m - i - 1) k/m delta_i, as printed."""
    k = len(chosen)
    for axis, ends in enumerate(cut.ends):
        widths = [after - before for before, after in pairwise(ends)]
        over = sum(
            Fraction(i * k * (m - i - 1) * k, m) * w for i, w in enumerate(widths, 1)
        )
        if over > _strips([p[axis] for p in chosen], m)[1]:
            return False
    return True


def _strips(along: Sequence[int], m: int) -> tuple[list[int], int]:
    """Sum the distances along an axis within each strip, and in all."""
    x = sorted(along)
    size = len(x) // m
    parts = [x[i * size : (i + 1) * size] for i in range(m)]
    sums = [sum(b - a for a, b in combinations(part, 2)) for part in [*parts, x]]
    return sums[:-1], sums[-1]


def _test(check: Check, trial: Trial) -> Outcome:
    """Hold one of them against random choices, cut at random places."""
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    random = Random(f"closeknit lemmas {trial.seed}")
    short = 0
    for seen in range(1, count + 1):
        m, d = random.randint(3, 6), random.randint(1, 3)
        k = m * random.randint(1, 4)
        n = k + random.randint(0, 8)
        axes = [
            random.sample(range(random.choice((2 * n, 40 * n))), n) for _ in range(d)
        ]
        points = tuple(zip(*axes, strict=True))
        instance = KSubset(f"lemma-{seen}", Points(points), points, k, seed=trial.seed)

        if _wrong(check, instance, m):
            return broken(instance, partial(_wrong, check), seen)
        if check is lemma_3:
            chosen, cut = _cut(instance, m)
            short += not printed_lemma_3(cut, chosen, m)
    printed = f"; without the square on m it would fail on {short}" if short else ""
    return held(f"holds on {count} choices, seed {trial.seed}{printed}", count)


def _wrong(check: Check, instance: KSubset, m: int | None = None) -> str:
    """Check an instance with m strips, or with 3 to 6 where these divide k."""
    for strips in range(3, 7) if m is None else (m,):
        if instance.k % strips == 0:
            chosen, cut = _cut(instance, strips)
            if wrong := check(cut, chosen, strips):
                return wrong
    return ""


def _cut(instance: KSubset, m: int) -> tuple[list[Site], Cut]:
    """Choose k points and the ends of their strips, the same ones every time."""
    random = Random(f"{instance.n} {instance.k}")
    chosen = random.sample(instance.free, instance.k)
    size = instance.k // m
    ends = []
    for values in (sorted(axis) for axis in zip(*chosen, strict=True)):
        gaps = [(values[i * size - 1], values[i * size]) for i in range(1, m)]
        ends.append(tuple(Fraction(2 * random.randrange(*gap) + 1, 2) for gap in gaps))
    return chosen, Cut(instance.free, tuple(ends))


_SAMPLED = (
    f"{SAMPLES} random choices ({QUICK_SAMPLES} if quick) of 3 to 24 points, 1 to 3 "
    "axes, m = 3..6, strips ending anywhere between their points; from the definitions"
)

LEMMA_CLAIMS = (
    Claim(
        name="bender-lemma-2",
        statement="Lemma 2 does not hold cell by cell, the complements differing: "
        "seven points are a counterexample. Summed over all cells it holds there.",
        source="Bender et al. 2008, Lemma 2; corrected in docs/theory.md",
        tested="the counterexample; every permutation of 4, 5, 6 (k = 3) and 7 (k = 6) "
        "points (4 and 5 if quick), m = 3, all optima, all ends of strips",
        test=lemma_2,
    ),
    Claim(
        name="bender-corollary-1",
        statement="What crosses the strips of APX is at most that of the choice with "
        "the same cell counts, and so at most the cost of that.",
        source="Bender et al. 2008, Corollary 1",
        tested=_SAMPLED,
        test=partial(_test, corollary_1),
    ),
    Claim(
        name="bender-lemma-3",
        statement="Along an axis the inner strips hide at most w/(m - 2): strip i lies "
        "across i (m - i - 1) k²/m² pairs.",
        source="Bender et al. 2008, Lemma 3; its products corrected in docs/theory.md",
        tested=_SAMPLED,
        test=partial(_test, lemma_3),
    ),
    Claim(
        name="bender-lemma-4",
        statement="Along an axis the first strip and the last hide at most w/(m - 1) "
        "each.",
        source="Bender et al. 2008, Lemma 4",
        tested=_SAMPLED,
        test=partial(_test, lemma_4),
    ),
)
