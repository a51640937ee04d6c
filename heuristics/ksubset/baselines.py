"""Baselines: a random choice, and the first processors by coordinates."""

from __future__ import annotations

import numpy as np

from ...instances import KSubset
from ...solvers import DEFAULT, Result, Settings, answer
from ...solvers.running import clock


def random_choice(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose k free processors at random, every subset being equally likely.

    Guarantee: none.
    Time: O(n).
    Ties: none; the seed decides.
    Source: a baseline.
    """
    start = clock.now()
    generator = np.random.default_rng(settings.seed)
    chosen = generator.choice(instance.n, instance.k, replace=False)
    return answer(instance, chosen, start=start, seed=settings.seed)


def row_major(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose the first k free processors in order of coordinates.

    Guarantee: none.
    Time: O(k).
    Ties: coordinates.
    Source: a baseline.
    """
    return answer(instance, range(instance.k), start=clock.now())
