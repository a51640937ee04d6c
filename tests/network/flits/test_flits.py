"""The flit-by-flit model: as rigid worms in its simplest form, and its options."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from closeknit.instances import Grid, InputError, Mesh, Torus, arrays
from closeknit.network.messages import messages
from closeknit.network.worm.engine import RigidWorms

from ..loads import deliver, drawn, plain
from .engine import Arbitration, Flits, Router

TOPOLOGIES = (
    *(Mesh(8, 8), Torus(8, 8), Mesh(5, 9), Torus(6, 3), Mesh(3, 4, 3), Torus(4, 3, 2)),
    *(Mesh(16), Torus(9)),
)
LOADS = (0.02, 0.1, 0.2, 0.3, 0.5, 1.0)


def same_as_worms(topology: Grid, seed: int, cycles: int) -> int:
    """Deliver a load by both engines; every message must arrive in the same cycle."""
    draw = np.random.default_rng(seed)
    load = drawn(
        topology,
        float(draw.choice(LOADS)),
        int(draw.choice([1, 2, 5, 16, 40])),
        cycles,
        seed,
    )
    packet = [None, None, 1, 4][seed % 4]
    axes = draw.permutation(len(topology.shape)).tolist()
    local = bool(seed % 3 == 0)
    fast, slow = (
        deliver(kind(topology, axes=axes, packet=packet, local=local), load)
        for kind in (RigidWorms, Flits)
    )
    assert (fast.delivered == slow.delivered).all(), (topology, seed)
    assert (fast.sent == slow.sent).all()
    assert (fast.carried == slow.carried).all()
    return len(load)


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
def test_rigid_worms_deliver_every_packet_in_the_same_cycle(
    topology: Grid,
) -> None:
    packets = sum(same_as_worms(topology, seed, 300) for seed in range(12))
    assert packets > 500


@pytest.mark.slow
@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
def test_so_they_do_on_hundreds_of_loads(topology: Grid) -> None:
    for seed in range(100, 200):
        same_as_worms(topology, seed, 2000)


def pairs(topology: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = prod(topology.shape)
    source, target = np.divmod(np.arange(n * n), n)
    sites = np.array(list(topology.locations()))
    return source, target, arrays.distances(topology, sites[source], sites[target])


@pytest.mark.parametrize(
    "router",
    [
        Router(),
        Router(buffer=3, stages=2, bubble=1, credit_delay=1),
        Router(buffer=8, stages=3, wire=2, bubble=2, credit_delay=2, entry=3),
        Router(buffer=8, stages=4, virtual=2, credit_delay=3, entry=2),
        Router(
            buffer=9,
            wire=3,
            virtual=4,
            credit_delay=1,
            arbitration=Arbitration.ROUND_ROBIN,
        ),
    ],
    ids=lambda router: "-".join(map(str, vars(router).values())),
)
@pytest.mark.parametrize("topology", [Mesh(4, 3), Torus(5, 3)], ids=str)
def test_a_lone_packet_takes_the_closed_form(router: Router, topology: Grid) -> None:
    source, target, hops = pairs(topology)
    for flits in (1, 2, 5, 16):
        load = plain(source, target, flits, 120 * np.arange(len(source)))
        engine = deliver(Flits(topology, router, local=True), load)
        late = engine.delivered - engine.sent
        assert late.tolist() == [router.latency(int(h), flits) for h in hops]


@pytest.mark.slow
def test_every_pair_of_an_8x8_mesh_takes_the_closed_form() -> None:
    source, target, hops = pairs(Mesh(8, 8))
    for flits in (1, 2, 5, 16, 40):
        load = plain(source, target, flits, 80 * np.arange(len(source)))
        engine = deliver(Flits(Mesh(8, 8), local=True), load)
        assert (engine.delivered - engine.sent == hops + flits + 1).all()


@pytest.mark.parametrize("buffer", [1, 2, 3, 4, 5, 6])
def test_few_credits_slow_a_long_packet_down(buffer: int) -> None:
    """A buffer's credit is used again after stages + delay cycles: 2 + 2."""
    engine = Flits(Mesh(4), Router(buffer=buffer, stages=2, credit_delay=2, entry=2))
    deliver(engine, [(0, 3, 401), (0, 3, 1)])
    gaps = max(1.0, 4 / buffer)
    assert engine.delivered[0] == pytest.approx(400 * gaps + 12, abs=6)


def test_a_virtual_channel_lets_others_pass() -> None:
    """Message 1 stands from node 1 to 3, where 0 arrives; 2 goes from 0 to 2."""
    arrivals = []
    for virtual in (1, 2):
        engine = Flits(Mesh(5), Router(buffer=2, virtual=virtual, credit_delay=1))
        load = messages([(4, 3, 60), (1, 3, 60), (0, 2, 2)], release=[0, 0, 9])
        deliver(engine, load)
        arrivals.append(engine.delivered.tolist())
    alone, shared = arrivals
    assert alone[2] > 60 + 60
    assert shared[2] < 9 + 2 + 2 + 10
    assert max(shared) >= 60 + 60  # the ejection channel of node 3 is shared


@pytest.mark.parametrize("arbitration", Arbitration)
@pytest.mark.parametrize("virtual", [1, 4])
def test_inputs_share_an_output_fairly(arbitration: Arbitration, virtual: int) -> None:
    """Four neighbours send to the node between them: a quarter of it is each one's."""
    router = Router(buffer=4, virtual=virtual, credit_delay=1, arbitration=arbitration)
    engine = Flits(Mesh(3, 3), router)
    rows = [(x, 4, 4) for _ in range(100) for x in (1, 3, 5, 7)]
    engine.add(messages(rows))
    engine.run(1000)
    arrived = np.bincount(np.array(rows)[engine.delivered >= 0, 0], minlength=9)[
        [1, 3, 5, 7]
    ]
    assert arrived.sum() > 150
    assert np.ptp(arrived) <= 4


@pytest.mark.parametrize("arbitration", Arbitration)
@pytest.mark.parametrize("topology", [Mesh(5, 4), Torus(5, 4), Torus(3, 3, 3)], ids=str)
@pytest.mark.parametrize("virtual", [1, 2, 4])
def test_all_is_delivered_far_beyond_saturation(
    topology: Grid, virtual: int, arbitration: Arbitration
) -> None:
    load = drawn(topology, 2.0, 8, 150, seed=virtual)
    router = Router(
        buffer=3,
        stages=2,
        bubble=1,
        virtual=virtual,
        credit_delay=2,
        arbitration=arbitration,
    )
    engine = deliver(Flits(topology, router), load)
    assert (engine.delivered >= 0).all()
    worms = deliver(RigidWorms(topology), load)
    assert (engine.carried == worms.carried).all()
    again = Flits(topology, router)
    again.add(load)
    while (again.delivered < 0).any():
        again.run(again.time + 11)
    assert (engine.delivered == again.delivered).all()


def test_shared_wires_carry_one_flit_a_cycle() -> None:
    """Lanes of a torus carry a flit each by themselves, and one together if shared."""
    rows = [(3, 0, 400), (2, 4, 400)]  # 3 -> 4 in the upper and in the lower lane
    ends = []
    for router in (Router(), Router(buffer=4, virtual=2, credit_delay=1)):
        engine = deliver(Flits(Torus(5), router), rows)
        ends.append(engine.time)
        links = engine.channels()[0][1]
        assert engine.carried[links.tolist().index([3, 4])] == 800
    assert ends[0] == 2 + 400 + 1
    assert 800 < ends[1] < 810


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("buffer", {"buffer": 0}),
        ("stages", {"stages": 0}),
        ("wire", {"wire": -1}),
        ("bubble", {"bubble": -1}),
        ("virtual", {"virtual": 0}),
        ("credit_delay", {"virtual": 2}),
        ("entry", {"entry": 0}),
    ],
)
def test_impossible_routers_are_refused(field: str, options: dict[str, int]) -> None:
    with pytest.raises(InputError, match=rf"^{field}: must be at least"):
        Router(**options)  # type: ignore[arg-type]


def test_virtual_channels_of_a_torus_come_in_pairs() -> None:
    with pytest.raises(InputError, match=r"^virtual: must be even on a torus, not 3"):
        Flits(Torus(4, 4), Router(virtual=3, credit_delay=1))
