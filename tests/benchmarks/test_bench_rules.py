"""What the table of rules compares with: the largest job that can be left."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ..modules import loaded
from ..paths import ROOT

bench_rules = loaded(ROOT / "benchmarks" / "bench_rules.py")


@pytest.mark.parametrize("at", [(4,), (3, 3), (5, 2, 1), (4, 4, 2), (6, 0, 5)])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_largest_job_left_is_that_of_all_choices(
    at: tuple[int, ...], size: int
) -> None:
    room = sum(own // size for own in at)
    for segments in range(1, room + 1):
        best = max(
            max(own - size * count for own, count in zip(at, taken, strict=True))
            for taken in product(*(range(own // size + 1) for own in at))
            if sum(taken) == segments
        )
        assert bench_rules.largest_left(np.array(at), segments * size, size) == best


def test_decisions_are_the_same_every_time() -> None:
    def rows() -> list[list[str]]:
        bench = bench_rules.Bench("made", bench_rules.tree([3, 4, 5, 2], 2))
        while len(bench.tallies[False]["slurm-tree"].hops) < 5:
            bench.decide()
        return [tally.cells() for tally in bench.tallies[False].values()]

    first = rows()
    assert first == rows()
    assert all(float(cells[0].split()[0]) >= 1 for cells in first if cells[0] != "–")
