"""What every method for the set-union knapsack must hold to, besides what all must."""

from __future__ import annotations

from dataclasses import replace

from closeknit.instances import Sukp
from closeknit.solvers import Settings

from .suite import SUBJECTS

ALL = SUBJECTS["sukp"]


def test_room_for_nothing_and_for_all() -> None:
    full = Sukp("full", (5, 4), (3, 2), ((0,), (0, 1)), 5)
    for name, method in ALL.methods.items():
        few = Settings() if method.exact else Settings(node_limit=2000)
        if ALL.accepts(name, full):
            assert method(full, few).chosen == (0, 1), name
            assert method(replace(full, capacity=0), few).objective == 9, name
