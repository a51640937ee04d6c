"""Means of a replay: paired, with intervals."""

from __future__ import annotations

import numpy as np

from closeknit.clusters.pages.whatif import as_rows, means, remark
from closeknit.clusters.placement import Objective
from closeknit.clusters.whatif.simulator import FIXED, ReplayOutcome

COLUMNS = (*FIXED, "largest_in_switch")


def outcomes() -> list[ReplayOutcome]:
    noise = np.random.default_rng(3).exponential(100, (200, len(COLUMNS)))
    noise[:, 3] = 0
    more = noise.copy()
    more[:, 0] += 5
    more[:, 1] *= 1.1
    more[:, 3] = 2
    return [
        ReplayOutcome("slurm-tree", COLUMNS, noise),
        ReplayOutcome("thrifty", COLUMNS, more),
    ]


def test_differences_are_between_the_same_jobs() -> None:
    found = {(one.measure, one.method): one for one in means(outcomes())}
    wait = found["wait_s", "thrifty"]
    assert wait.difference is not None
    assert np.allclose([wait.difference.low, wait.difference.high], 5)
    assert wait.own.high - wait.own.low > 5
    hops = found["hops", "thrifty"].relative_pct
    assert hops is not None
    assert np.allclose([hops.value, hops.low, hops.high], 10)
    assert found["regret_pct", "thrifty"].relative_pct is None
    assert found["wait_s", "slurm-tree"].difference is None
    same = found["switches", "thrifty"].difference
    assert same is not None
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_rows() -> None:
    measured = means(outcomes())
    rows = as_rows(measured, Objective.HOPS)
    assert len(rows) == 2 * len(COLUMNS)
    assert rows[1]["difference"] is not None
    assert remark(measured) == ""


def test_equal_waits_are_explained() -> None:
    first, _ = outcomes()
    measured = means([first, ReplayOutcome("optimum", COLUMNS, first.values)])
    assert "no choice of nodes changes a wait" in remark(measured)
    alone = means([first])
    assert remark(alone) == ""
