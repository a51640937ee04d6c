"""Steps of docs/science/theory.md that are arithmetic: held by exhaustion."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest

from closeknit.formulations.ksubset.bounds.diagrams import pos
from closeknit.heuristics.ksubset.guarantees import rho


def partitions(n: int, parts: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Give the partitions of n into at most so many parts of at most that size."""
    if n == 0:
        yield ()
    elif parts:
        for first in range(min(n, largest), 0, -1):
            for rest in partitions(n - first, parts - 1, first):
                yield (first, *rest)


def corners(split: tuple[int, ...]) -> int:
    """Cost of points in corners of a cross-polytope: 2 for every pair of corners."""
    return 2 * sum(a * b for a, b in combinations(split, 2))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", range(2, 19))
def test_rho_solves_the_integer_program(k: int, d: int) -> None:
    """Section 6: the worst of all numbers at the origin and in the corners."""
    worst = Fraction(1)
    for b in range(k):
        n = k - b
        dearest = max(corners(x) for x in partitions(n, 2 * d, n))
        cheapest = min(
            (corners(z) for z in partitions(n, 2 * d, k // 2)),
            default=None,  # more points than 2d corners may hold
        )
        if cheapest is not None:
            worst = max(worst, Fraction(b * n + dearest, b * n + cheapest))
    assert rho(k, d) == worst


def test_rho_stays_below_its_limit() -> None:
    for d in range(1, 5):
        for k in range(1, 200):
            assert 1 <= rho(k, d) <= 2 - Fraction(1, 2 * d)
        for k in range(2, 4 * d + 1, 2):
            assert rho(k, d) == 2 - Fraction(2, k)


@pytest.mark.parametrize("n", range(1, 9))
def test_centred_tails_add_up_as_claimed(n: int) -> None:
    """Section 5: the first m of pos are m rows without a gap."""
    rows = sorted(pos(i) for i in range(n))
    assert rows == list(range(rows[0], rows[0] + n))
    assert 0 <= rows[0] + rows[-1] <= 1
