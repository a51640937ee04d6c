"""Rigid worms: closed form, routes, conservation, order, stops, deadlocks."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import prod

import numpy as np
import pytest

from closeknit.instances import Grid, InputError, Mesh, Points, Torus, arrays
from closeknit.network.engine import Deadlock
from closeknit.network.messages import Messages, messages
from closeknit.network.worm import mail as worm_mail
from closeknit.network.worm.engine import RigidWorms
from closeknit.network.worm.mail import Wormhole
from closeknit.network.worm.routes import Channels
from closeknit.solvers.running.kernels import interpreted

from .flits.engine import Flits
from .loads import deliver, drawn, plain, walk

TOPOLOGIES = (
    Mesh(8, 8),
    Torus(8, 8),
    Mesh(4, 3, 5),
    Torus(5, 2, 4),
    Torus(7),
    Mesh(1, 6),
)


@pytest.mark.parametrize(
    "topology",
    [Mesh(8, 8), Mesh(16, 23), Mesh(5, 4, 6), Torus(8, 8), Torus(7, 9), Torus(4, 5, 3)],
    ids=str,
)
def test_a_lone_packet_takes_the_closed_form_for_every_pair(
    topology: Grid,
) -> None:
    n = prod(topology.shape)
    source, target = np.divmod(np.arange(n * n), n)
    source, target = source[source != target], target[source != target]
    sites = np.array(list(topology.locations()))
    hops = arrays.distances(topology, sites[source], sites[target])
    for flits in (1, 2, 5, 16, 40):
        apart = int(hops.max()) + flits + 2
        engine = RigidWorms(topology)
        engine.add(plain(source, target, flits, apart * np.arange(len(source))))
        assert engine.run() == [0]
        late = engine.delivered - engine.sent - (hops + flits + 1)
        assert not late.any(), (flits, int(np.flatnonzero(late)[0]))


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
def test_routes_are_those_walked_by_hand(topology: Grid) -> None:
    d = len(topology.shape)
    for order in (tuple(range(d)), tuple(reversed(range(d)))):
        channels = Channels(topology, order)
        lower, ends = channels.links()
        lane_of = {
            int(c) + lane: (tuple(pair.tolist()), lane)
            for c, pair in zip(lower, ends, strict=True)
            for lane in range(channels.lanes)
        }
        n = prod(topology.shape)
        for source in range(n):
            for target in range(n):
                first, *links, last = channels.route(source, target)
                assert first == channels.entries + source
                assert channels.name(last) == f"ejection at {target}"
                taken = [lane_of[c] for c in links]
                assert [pair for pair, _ in taken] == walk(
                    topology, source, target, order
                )
                assert len(links) <= channels.longest - 2


@pytest.mark.parametrize("topology", [*TOPOLOGIES, Torus(3, 3), Torus(2, 2)], ids=str)
def test_channels_never_follow_each_other_in_a_circle(topology: Grid) -> None:
    assert acyclic(Channels(topology))


def test_without_datelines_they_do() -> None:
    assert not acyclic(Channels(Torus(5), datelines=False))


def acyclic(channels: Channels) -> bool:
    """Tell whether the channels can be ordered so that all routes ascend."""
    follow: dict[int, set[int]] = {}
    for source in range(channels.nodes):
        for target in range(channels.nodes):
            route = channels.route(source, target)
            for one, other in pairwise(route):
                follow.setdefault(one, set()).add(other)
    into = Counter(other for others in follow.values() for other in others)
    ready = [one for one in follow if not into[one]]
    while ready:
        for other in follow.pop(ready.pop(), ()):
            into[other] -= 1
            if not into[other]:
                ready.append(other)
    return not follow


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_flits_are_conserved(topology: Grid, kind: type[Wormhole]) -> None:
    load = drawn(topology, 0.3, 9, 150, seed=5)
    order = tuple(reversed(range(len(topology.shape))))
    engine = deliver(kind(topology, axes=order, packet=4), load)
    assert (engine.delivered >= engine.sent).all()
    assert (engine.sent >= load.release).all()
    by_hand: Counter[tuple[str, int, int]] = Counter()
    rows = zip(load.source, load.target, load.length, strict=True)
    for source, target, length in ((int(a), int(b), int(c)) for a, b, c in rows):
        if source == target:
            continue
        by_hand["injection", source, source] += length
        by_hand["ejection", target, target] += length
        for x, y in walk(topology, source, target, order):
            by_hand["link", x, y] += length
    found: Counter[tuple[str, int, int]] = Counter()
    ends = [(name, x, y) for name, some in engine.channels() for x, y in some.tolist()]
    for end, flits in zip(ends, engine.carried.tolist(), strict=True):
        found[end] += flits
    assert +found == by_hand


def test_worms_that_meet_by_hand() -> None:
    """On a line of four, both want the link 1 -> 2; message 1 is nearer to it."""
    engine = deliver(RigidWorms(Mesh(4)), [(0, 3, 3), (1, 2, 5), (1, 3, 1)])
    # Message 1 holds 1 -> 2 from cycle 1 to 6. The header of 0 asks for it in 2, takes
    # it in 6, the ejection channel in 8, and leaves 1 -> 2 in 9. Message 2 can leave
    # its source in 5, asks for 1 -> 2 in 6, behind 0, and takes it in 9.
    assert engine.delivered.tolist() == [8 + 3, 2 + 5, 9 + 2 + 1]


def test_a_tie_goes_to_the_lower_number() -> None:
    rows = [(1, 7, 4), (3, 7, 4)]  # both ask for the ejection channel in cycle 3
    for given in (rows, rows[::-1]):
        engine = deliver(RigidWorms(Mesh(3, 3)), given)
        assert engine.delivered.tolist() == [7, 7 + 4]


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
@pytest.mark.parametrize("topology", [Mesh(6, 6), Torus(5, 5)], ids=str)
def test_the_order_of_processing_does_not_matter(
    kind: type[Wormhole], topology: Grid
) -> None:
    """Messages are added in another order, but keep their numbers as ranks."""
    m, draw = 900, np.random.default_rng(3)
    source, target = (draw.integers(0, prod(topology.shape), m) for _ in range(2))
    release = draw.integers(0, 20, m) * 10
    given = plain(source, target, draw.integers(1, 9, m), release)
    engine = deliver(kind(topology), given)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(m)
        other = kind(topology)
        permuted = plain(
            given.source[order],
            given.target[order],
            given.length[order],
            given.release[order],
        )
        other.add_ranked(permuted, 0, order)
        other.finish()
        assert (other.delivered == engine.delivered[order]).all()
        assert (other.carried == engine.carried).all()
    assert engine.delivered.max() > 250  # they did wait for each other


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_stops_change_nothing(kind: type[Wormhole]) -> None:
    load = drawn(Mesh(5, 5), 0.5, 6, 300, seed=2)
    whole, parts = deliver(kind(Mesh(5, 5)), load), kind(Mesh(5, 5))
    parts.add(load)
    while (parts.delivered < 0).any():
        before = parts.time
        ended = parts.run(parts.time + 7)
        assert parts.time == before + 7 or ended
    assert (whole.delivered == parts.delivered).all()
    assert (whole.sent == parts.sent).all()
    assert parts.run() == []
    assert parts.run(10**9) == []
    assert parts.time == 10**9
    assert parts.run(5) == []
    assert parts.time == 10**9


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_jobs_end_and_begin_in_the_same_cycle(kind: type[Wormhole]) -> None:
    """A job that begins when another ends competes as if it had waited for it."""
    first = drawn(Mesh(4, 4), 0.4, 5, 100, seed=7)
    begins = kind(Mesh(4, 4))
    begins.add(first, job=4)
    assert begins.run() == [4]
    end = begins.time
    assert end == begins.delivered.max()
    second = [(0, 15, 3), (1, 15, 4), (2, 2, 9), (14, 13, 2)]
    begins.add(messages(second), job=2)
    begins.add(messages([]), job=9)
    assert begins.run() == [9]
    assert begins.time == end
    assert begins.run() == [2]
    # the same as one job, in which the second part waits for all of the first
    n = len(first)
    pairs = [(i, n + k) for i in range(n) for k in range(len(second))]
    before, after = np.array(pairs).T
    more = np.array(second).T
    waits = deliver(
        kind(Mesh(4, 4)),
        Messages(
            np.concatenate([first.source, more[0]]),
            np.concatenate([first.target, more[1]]),
            np.concatenate([first.length, more[2]]),
            np.concatenate([first.release, np.zeros(len(second))]),
            np.concatenate([first.before, before]),
            np.concatenate([first.after, after]),
        ),
    )
    assert (waits.delivered == begins.delivered).all()
    assert (begins.sent[len(first) :] == end).all()
    assert begins.delivered[len(first) + 2] == end  # its own processor


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_messages_wait_for_others(kind: type[Wormhole]) -> None:
    """A question, its answer, and one that waits for both and for its time."""
    load = messages(
        [(0, 5, 3), (5, 0, 2), (5, 5, 1), (5, 6, 1)],
        [(0, 1), (0, 2), (1, 3), (2, 3)],
        release=[10, 0, 0, 4],
    )
    engine = deliver(kind(Mesh(4, 4)), load)
    arrives = 10 + 2 + 3 + 1
    assert engine.sent.tolist() == [10, arrives, arrives, arrives + 5]
    assert engine.delivered.tolist() == [arrives, arrives + 5, arrives, arrives + 8]


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_a_node_sends_in_the_order_of_release(kind: type[Wormhole]) -> None:
    load = messages([(0, 1, 5)] * 4, release=[30, 0, 30, 0])
    engine = deliver(kind(Mesh(8)), load)
    assert engine.delivered.tolist() == [37, 7, 42, 12]


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
@pytest.mark.parametrize("packet", [1, 3, 7, None])
def test_packets_of_a_message_follow_each_other(
    kind: type[Wormhole], packet: int | None
) -> None:
    engine = deliver(kind(Mesh(6, 6), packet=packet), [(0, 35, 20)])
    assert engine.delivered.tolist() == [10 + 20 + 1]
    assert engine.carried.sum() == 12 * 20


def test_packets_let_others_pass() -> None:
    """A short message waits for a packet of a long one, not for all of it."""
    found = []
    for packet in (None, 10):
        load = messages([(0, 2, 1000), (1, 2, 1)], release=[0, 5])
        engine = deliver(RigidWorms(Mesh(3), packet=packet), load)
        found.append(int(engine.delivered[1]))
    assert found[0] > 1000
    assert found[1] < 20


def test_own_processors_may_use_the_router() -> None:
    assert deliver(RigidWorms(Mesh(2), local=True), [(0, 0, 16)]).time == 17


def test_a_message_longer_than_the_ring_of_events() -> None:
    load = messages([(0, 3, 20_000), (1, 3, 7)], release=[0, 3])
    engine = deliver(RigidWorms(Mesh(4)), load)
    # the first leaves 1 -> 2 two cycles before it has arrived
    assert engine.delivered.tolist() == [20_004, 20_002 + 2 + 7]


@pytest.mark.parametrize("kind", [RigidWorms, Flits])
def test_a_ring_without_datelines_deadlocks_and_says_so(kind: type[Wormhole]) -> None:
    load = messages([(i, (i + 2) % 5, 4) for i in range(5)])
    engine = kind(Torus(5), datelines=False)
    engine.add(load)
    with pytest.raises(
        Deadlock, match="packets wait for each other, 5 messages"
    ) as why:
        engine.run()
    for i in range(5):
        middle, end = (i + 1) % 5, (i + 2) % 5
        assert (
            f"message {i} ({i} to {end}) waits since cycle 2 for channel "
            f"{middle} -> {end}" in str(why.value)
        )
    engine = kind(Torus(5))
    engine.add(load)
    assert engine.run() == [0]


def test_the_watchdog_sees_a_deadlock_while_others_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worm_mail, "WATCH", 1000)
    ring = [(i, (i + 2) % 5, 4) for i in range(5)]
    others = [(5, 6, 2)] * 50
    engine = RigidWorms(Torus(2, 5), datelines=False, axes=(1, 0))
    engine.add(messages(ring + others, release=[0] * 5 + [100 * k for k in range(50)]))
    with pytest.raises(Deadlock, match="cycle 1000: packets wait for each other"):
        engine.run()


@pytest.mark.parametrize("packet", [None, 4])
def test_tori_never_deadlock_far_beyond_saturation(packet: int | None) -> None:
    for topology in (Torus(4, 4), Torus(5, 5), Torus(3, 4, 2)):
        n = prod(topology.shape)
        source, target = np.divmod(np.arange(n * n), n)
        engine = RigidWorms(topology, packet=packet)
        for _ in range(3):
            engine.add(plain(source, target, 17, 0))
        engine.finish()
        assert (engine.delivered >= 0).all()


def test_the_source_gives_the_same_as_machine_code() -> None:
    load = drawn(Torus(3, 4), 0.6, 5, 40, seed=9)
    found = []
    for kind in (RigidWorms, Flits):
        engine = deliver(kind(Torus(3, 4), packet=3), load)
        with interpreted():
            slow = deliver(kind(Torus(3, 4), packet=3), load)
        assert (slow.delivered == engine.delivered).all()
        assert (slow.carried == engine.carried).all()
        found.append(engine.delivered)
    assert (found[0] == found[1]).all()


def test_bad_input_gives_one_line() -> None:
    engine = RigidWorms(Mesh(2, 2))
    with pytest.raises(InputError, match=r"^target\[0\]: there are only 4 processors"):
        engine.add(messages([(0, 4, 1)]))
    with pytest.raises(InputError, match=r"^job: must be at least 0, not -1"):
        engine.add(messages([(0, 1, 1)]), job=-1)
    with pytest.raises(InputError, match=r"^packet: must be at least 1, not 0"):
        RigidWorms(Mesh(2, 2), packet=0)
    with pytest.raises(InputError, match=r"^axes: must name each of the 2 axes once"):
        RigidWorms(Mesh(2, 2), axes=(0, 0))
    with pytest.raises(InputError, match=r"^topology: must be a mesh or a torus"):
        RigidWorms(Points(((0, 0), (1, 1))))
    assert engine.finish() == 0
