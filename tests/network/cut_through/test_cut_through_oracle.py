"""The cut-through engine against the same network cycle by cycle, packet for packet."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import Mesh, Torus
from closeknit.instances.ksubset.graph_generators import (
    dragonfly_network,
    hypercube_network,
    random_regular_network,
)
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import Messages

from ..loads import deliver
from ..stepped import PHITS, Stepped

CASES: list[tuple[Network, str]] = [
    (Torus(4, 4), ""),
    (Torus(5, 3), ""),
    (Torus(6), "dimension-order"),
    (Torus(4, 4), "dimension-order"),
    (Torus(3, 2, 4), ""),
    (Mesh(4, 3), ""),
    (Mesh(4, 3), "dimension-order"),
    (KaryTree(2, 3), ""),
    (KaryTree(3, 2), ""),
    (KaryTree(4, 1), ""),
    (dragonfly_network(2, 2, 1), ""),
    (dragonfly_network(2, 2, 1), "drawn"),
    (dragonfly_network(3, 1, 1), "valiant"),
    (hypercube_network(3), "drawn"),
    (hypercube_network(3), "valiant"),
    (random_regular_network(8, 3, seed=2), "valiant"),
]


def load(processors: int, count: int, span: int, seed: int) -> Messages:
    """Draw messages, a third of which wait for others."""
    draw = np.random.default_rng(seed)
    after = draw.integers(1, count, count // 3)
    return Messages(
        draw.integers(0, processors, count),
        draw.integers(0, processors, count),
        draw.integers(1, 80, count),
        draw.integers(0, span, count),
        (after * draw.random(len(after))).astype(np.int64),
        after,
    )


@pytest.mark.parametrize("span", [1, 400])
@pytest.mark.parametrize(("network", "routing"), CASES)
def test_every_packet_moves_as_defined(
    network: Network, routing: str, span: int
) -> None:
    for seed in range(2):
        engine = CutThrough(network, routing=routing, seed=seed)
        given = load(engine.processors, 10 * engine.processors, span, seed)
        deliver(engine, given)
        delivered, carried = Stepped(engine, seed, routing).deliver(given)
        assert engine.delivered.tolist() == delivered
        links = np.concatenate([ends for _, ends in engine.channels()]).tolist()
        assert engine.carried.tolist() == [carried[u, v] * PHITS for u, v in links]


@pytest.mark.parametrize("network", [Torus((2,) * 8), KaryTree(16, 2)])
def test_switches_whose_channels_share_bits(network: Network) -> None:
    """32 channels lead out of a switch, one more than there are bits."""
    engine = CutThrough(network, seed=3)
    given = load(engine.processors, engine.processors, 1, seed=4)
    deliver(engine, given)
    delivered, _ = Stepped(engine, 3).deliver(given)
    assert engine.delivered.tolist() == delivered
