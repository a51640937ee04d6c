"""Networks next to figures of other simulators, and below their cuts.

- BookSim 2 (Jiang et al. 2013): rigid worms on a mesh saturate where its routers of one
  virtual channel do.
- Karol, Hluchyj and Morgan 1987: switches of many inputs with one queue each let pass
  2 - √2 packets per output and cycle if the heads of the queues want random outputs.
  Packets of permutations meet so on their way down a k-ary n-tree.
- Bisection: uniform traffic cannot load the links between two halves by more than one
  flit per cycle and direction.
"""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from closeknit.instances import Grid, Mesh
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import messages
from closeknit.network.open_loop import Phases, measure, saturation
from closeknit.network.worm.engine import RigidWorms

SHORT = Phases(500, 1500, 1500)
CLOSE = 0.15
"""Relative difference up to which two simulators agree."""


def test_permutations_of_a_tree_pass_as_theory_says() -> None:
    tree, draw, rounds, phits = KaryTree(4, 3), np.random.default_rng(1), 10, 4096
    cycles = 0
    for _ in range(rounds):
        target = draw.permutation(tree.processors).tolist()
        engine = CutThrough(tree)
        engine.add(messages((p, q, phits) for p, q in enumerate(target) if p != q))
        cycles += engine.finish()
    ours, theirs = rounds * phits / cycles, 2 - 2**0.5
    assert ours == pytest.approx(0.557, abs=5e-4)  # as docs/science/network.md says
    assert (1 - CLOSE) * theirs <= ours < theirs


def test_worms_saturate_where_booksim_does() -> None:
    def worms() -> RigidWorms:
        return RigidWorms(Mesh(8, 8), local=True)

    found = saturation(worms, 5, SHORT, seed=1, own=True)
    assert found == pytest.approx(0.25, rel=CLOSE)


@pytest.mark.parametrize("mesh", [Mesh(8, 8), Mesh(4, 4, 4)], ids=str)
def test_worms_keep_to_bisections(mesh: Grid) -> None:
    accepted = measure(RigidWorms(mesh), 1.0, 1, SHORT, seed=1).accepted
    n, side = prod(mesh.shape), max(mesh.shape)
    limit = 4 * (n - 1) / (n * side)  # n / side links, n² / 4 of n (n - 1) pairs
    assert 0.3 * limit < accepted <= limit
