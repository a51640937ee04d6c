"""Claims about networks in simulation: closed forms, conservation, cuts."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import numpy.typing as npt

from ...instances import Graph, Grid, Mesh, Torus
from ...instances.ksubset.graph_generators import dragonfly_network
from ...reports.claims.running.claim import Claim, Outcome, Trial, failed, passed
from ..cut_through.engine import PACKET, CutThrough
from ..engine import Engine, Network
from ..kary_tree import KaryTree
from ..messages import Messages
from ..worm.engine import RigidWorms
from ..worm.mail import Wormhole

_Ints = npt.NDArray[np.int64]
NONE = np.zeros(0, np.int64)
GRIDS = (Mesh(8, 8), Torus(8, 8), Mesh(4, 3, 5), Torus(5, 2, 4), Mesh(12), Torus(9))
QUICK_GRIDS = (Mesh(3, 4), Torus(4, 3))
LENGTHS, QUICK_LENGTHS = (1, 5, 16, 40), (1, 20)
ROUNDS, QUICK_ROUNDS = 10, 2


def _others(quick: bool) -> tuple[Network, ...]:
    """Return a k-ary tree and a dragonfly."""
    if quick:
        return KaryTree(2, 3), dragonfly_network(2, 1, 1)
    return KaryTree(4, 3), dragonfly_network(4, 2, 2)


def _hops(network: Network) -> _Ints:
    """Return the links between all processors, by the definition of the network."""
    sites = list(network.locations())
    far = [[network.distance(p, q) for q in sites] for p in sites]
    # the injection queue of a k-ary tree is no link
    return np.array(far, np.int64) - isinstance(network, KaryTree)


def _engines(network: Network) -> Iterator[Engine]:
    """Yield a new engine of every kind."""
    if grid := network.grid:
        yield RigidWorms(grid)
        yield CutThrough(network, routing="dimension-order")
    yield CutThrough(network)


def _alone(engine: Engine, hops: _Ints, flits: _Ints) -> _Ints:
    """Return the cycles of messages that meet no other."""
    if isinstance(engine, RigidWorms):
        return hops + flits + 1
    return hops + PACKET * -(-flits // PACKET)


def _name(engine: Engine, network: Network) -> str:
    shown = str(network) if not network.on_nodes else "a graph"
    return f"{type(engine).__name__} on {shown}"


def zero_load_latency(trial: Trial) -> Outcome:
    """Send a message between every two processors when no other is on its way."""
    seen = 0
    for network in (
        *QUICK_GRIDS,
        *(() if trial.quick else GRIDS),
        *_others(trial.quick),
    ):
        far = _hops(network)
        source, target = np.nonzero(~np.eye(len(far), dtype=np.bool_))
        hops = far[source, target]
        for flits in QUICK_LENGTHS if trial.quick else LENGTHS:
            length = np.full(len(hops), flits)
            for engine in _engines(network):
                alone = _alone(engine, hops, length)
                apart = int(alone.max()) + 2
                times = apart * np.arange(len(hops))
                engine.add(Messages(source, target, length, times, NONE, NONE))
                engine.finish()
                took = engine.delivered - engine.sent
                wrong = np.flatnonzero((took != alone) | (engine.sent != times))
                seen += len(hops)
                if len(wrong):
                    i = int(wrong[0])
                    return failed(
                        f"{_name(engine, network)}: {flits} flits from {source[i]} to "
                        f"{target[i]} take {took[i]} cycles, not {alone[i]}",
                        seen,
                    )
    return passed(f"{seen} messages took as long as their closed form says", seen)


def _drawn(count: int, cycles: int, draw: np.random.Generator) -> Messages:
    """Draw messages up to and beyond saturation; every fifth waits for another."""
    n = int(draw.integers(1, count * cycles // 6))
    after = np.flatnonzero(draw.random(n) < 0.2)
    after = after[after > 0]
    return Messages(
        draw.integers(0, count, n),
        draw.integers(0, count, n),
        draw.integers(1, int(draw.choice([2, 6, 30])), n),
        draw.integers(0, cycles, n),
        draw.integers(0, after),
        after,
    )


def conservation(trial: Trial) -> Outcome:
    """Count the flits of random loads at every node, and over all links."""
    draw = np.random.default_rng([trial.seed, 1])
    grids = QUICK_GRIDS if trial.quick else GRIDS
    seen = 0
    for _ in range(QUICK_ROUNDS if trial.quick else ROUNDS):
        for network in (*grids, *_others(trial.quick)):
            far = _hops(network)
            load = _drawn(len(far), 15 if trial.quick else 60, draw)
            for engine in _engines(network):
                engine.add(load)
                engine.finish()
                seen += len(load)
                if wrong := _lost(engine, network, load, far):
                    return failed(f"{_name(engine, network)}: {wrong}", seen)
    return passed(
        f"{seen} messages arrived, none before it could; at every node flits balance, "
        f"seed {trial.seed}",
        seen,
    )


def _lost(engine: Engine, network: Network, load: Messages, far: _Ints) -> str:
    """Say what does not add up; "" if everything does."""
    sent, delivered = engine.sent, engine.delivered
    if len(late := np.flatnonzero(delivered < 0)):
        return f"message {late[0]} has not arrived"
    hops = far[load.source, load.target]
    away = load.source != load.target
    least = np.where(away, _alone(engine, hops, load.length), 0)
    if len(early := np.flatnonzero(delivered - sent < least)):
        return f"message {early[0]} is faster than alone"
    if len(early := np.flatnonzero(sent < load.release)):
        return f"message {early[0]} is sent before its time"
    if (sent[load.after] < delivered[load.before]).any():
        return "a message is sent before one that it waits for has arrived"
    flits = load.length
    if not isinstance(engine, Wormhole):
        flits = PACKET * -(-flits // PACKET)
    flits = np.where(away, flits, 0)
    ends = np.concatenate([ends for _, ends in engine.channels()])
    real = ends[:, 0] != ends[:, 1]
    ends, carried = ends[real], engine.carried[real]
    if carried.sum() != (flits * np.where(away, hops, 0)).sum():
        return f"{carried.sum()} flits over links, not {(flits * hops).sum()}"
    source, target = load.source, load.target
    if network.on_nodes:
        home = np.array([v for (v,) in network.locations()], np.int64)
        source, target = home[source], home[target]
    elif isinstance(network, KaryTree):
        source = network.processors + source // network.k
    surplus = np.zeros(int(max(ends.max(), source.max(), target.max())) + 1, np.int64)
    for nodes, count in (
        (ends[:, 1], carried),
        (ends[:, 0], -carried),
        (source, flits),
        (target, -flits),
    ):
        np.add.at(surplus, nodes, count)
    if len(wrong := np.flatnonzero(surplus)):
        return f"at node {wrong[0]} {surplus[wrong[0]]} flits are left over"
    return ""


def bisection(trial: Trial) -> Outcome:
    """Send across the middle of grids, and over the one link between two switches."""
    slowest: dict[str, float] = {}
    seen = 0
    for network, source, target, links in _across(trial.quick):
        for flits in (20, 64):
            for engine in _engines(network):
                if isinstance(engine, RigidWorms) and any(network.ring_lengths or ()):
                    continue  # the two lanes of its links have wires of their own
                length = np.full(len(source), flits)
                rest = np.zeros(len(source), np.int64)
                engine.add(Messages(source, target, length, rest, NONE, NONE))
                time = engine.finish()
                seen += 1
                sent = flits
                if not isinstance(engine, Wormhole):
                    sent = PACKET * -(-flits // PACKET)
                least = sent * len(source) / links
                if time < least:
                    return failed(
                        f"{_name(engine, network)}: {len(source)} messages of {sent} "
                        f"flits cross {links} links in {time} cycles",
                        seen,
                    )
                name = type(engine).__name__
                slowest[name] = max(slowest.get(name, 0.0), time / least)
    told = ", ".join(f"{ratio:.2f} by {name}" for name, ratio in slowest.items())
    return passed(f"time over that least is at most {told}", seen)


def _across(quick: bool) -> Iterator[tuple[Network, _Ints, _Ints, int]]:
    """Yield networks, senders, receivers, and links that all must cross."""
    grids: tuple[Grid, ...] = (Mesh(8, 8), Torus(8, 8), Mesh(4, 4, 4), Torus(4, 12))
    for grid in (Mesh(4, 3), Torus(3, 4)) if quick else grids:
        axis = int(np.argmax(grid.shape))
        side = grid.shape[axis]
        cells = np.arange(prod(grid.shape)).reshape(grid.shape)
        low = np.take(cells, range(side // 2), axis).ravel()
        high = np.take(cells, range(side // 2, side), axis).ravel()
        links = cells.size // side * (2 if grid.rings[axis] else 1)
        yield grid, low, high, links
    hosts = 3 if quick else 10
    ends = [(0, 1, 1), *((v % 2, v, 1) for v in range(2, 2 * hosts + 2))]
    pair = Graph(2 * hosts + 2, tuple(ends), tuple(range(2, 2 * hosts + 2)))
    even = np.arange(0, 2 * hosts, 2)
    yield pair, even, even + 1, 1


NETWORK_CLAIMS = (
    Claim(
        name="network-zero-load-latency",
        statement="A message of L flits over D links that meets no other takes "
        "D + L + 1 cycles as a worm, and D + 16 m in m packets.",
        source="derived, docs/science/network.md",
        tested="all pairs of processors of meshes, tori, a 4-ary 3-tree and a "
        "dragonfly, 1 to 40 flits",
        test=zero_load_latency,
    ),
    Claim(
        name="network-conserves-flits",
        statement="All messages arrive, none faster than alone or before what it "
        "waits for; flits take minimal ways, and at every node as many go in as out.",
        source="by definition",
        tested="random loads up to and beyond saturation, by every engine",
        test=conservation,
    ),
    Claim(
        name="network-keeps-to-its-cuts",
        statement="Messages across a cut take no less time than its links need for "
        "their flits.",
        source="derived, docs/science/network.md",
        tested="all processors of one half of meshes and tori to the other, and from "
        "the hosts of a switch to those of another; worms of tori excepted",
        test=bisection,
    ),
)
