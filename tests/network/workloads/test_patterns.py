"""Patterns of traffic, by their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import Grid, InputError, Mesh, Torus
from closeknit.network.kary_tree import KaryTree
from closeknit.network.workloads.patterns import PATTERNS, partners


@pytest.mark.parametrize("pattern", sorted(set(PATTERNS) - {"uniform"}))
@pytest.mark.parametrize("network", [Mesh(4, 4), Torus(8, 8), KaryTree(2, 4)])
def test_everyone_receives_from_one(network: Grid, pattern: str) -> None:
    found = partners(network, pattern, 1)
    assert found is not None
    assert sorted(found.tolist()) == list(range(len(found)))
    assert found.dtype == np.int64


def test_uniform_has_no_partners() -> None:
    assert partners(Mesh(3), "uniform") is None


@pytest.mark.parametrize(
    ("network", "pattern", "told"),
    [
        (Mesh(5), "complement", [4, 3, 2, 1, 0]),
        (Mesh(3, 3), "transpose", [0, 3, 6, 1, 4, 7, 2, 5, 8]),
        (Mesh(8), "bit-reverse", [0, 4, 2, 6, 1, 5, 3, 7]),
        (Mesh(2, 4), "shuffle", [0, 2, 4, 6, 1, 3, 5, 7]),
        (Torus(2, 4), "tornado", [1, 2, 3, 0, 5, 6, 7, 4]),
        (Torus(2, 3), "neighbour", [4, 5, 3, 1, 2, 0]),
        (KaryTree(2, 2), "neighbour", [1, 2, 3, 0]),
    ],
)
def test_patterns_by_hand(network: Grid, pattern: str, told: list[int]) -> None:
    found = partners(network, pattern)
    assert found is not None
    assert found.tolist() == told


def test_permutations_are_drawn() -> None:
    one, again, other = (partners(Mesh(8, 8), "permutation", s) for s in (1, 1, 2))
    assert one is not None
    assert (one == again).all()
    assert (one != other).any()


@pytest.mark.parametrize(
    ("network", "pattern", "told"),
    [
        (Mesh(3, 4), "transpose", "needs a square number of processors, there are 12"),
        (Mesh(12), "bit-reverse", "needs a power of two, there are 12 processors"),
        (Mesh(6), "shuffle", "needs a power of two, there are 6 processors"),
        (Mesh(2, 2), "tornado", "has nobody to send to"),
        (Mesh(4), "tornados", "no such pattern: 'tornados' .did you mean tornado"),
    ],
)
def test_what_there_is_not(network: Grid, pattern: str, told: str) -> None:
    with pytest.raises(InputError, match=f"^pattern: {told}"):
        partners(network, pattern)
