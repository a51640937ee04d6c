"""The flit-by-flit model beside figures of other simulators, and below cuts.

- BookSim 2 (Jiang et al. 2013): 8-ary 2-D mesh and torus, dimension order, uniform
  traffic with own targets, 5-flit packets, 8-flit buffers, iSLIP, credit delay 1,
  routing delay 0, allocation delays 1. There a header spends a cycle each on the
  virtual channel, the switch, the crossbar and the wire: ``stages=3, bubble=1``; wires
  of the torus are one cycle longer (``wire=1``); a packet takes a cycle more into the
  network (``entry=2``); credits travel a cycle and are delayed one
  (``credit_delay=2``).
- CAMINOS (Camarero et al. 2022): a message of 16 phits takes 16 + 2 cycles within a
  router and 16 + 3 across a link.

Latencies up to 90 % of saturation are to agree within 15 %; those closer to it depend
on details of the allocators.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from closeknit.instances import Grid, Mesh, Torus
from closeknit.network.open_loop import Phases, Point, measure

from ..loads import deliver
from .engine import Arbitration, Flits, Router

SHORT = Phases(500, 1500, 1500)
LONG = Phases(2000, 8000, 4000)
PACKET = 5


class Curve(NamedTuple):
    """Latencies that BookSim 2 gives at accepted loads, the first one near zero."""

    topology: Grid
    router: Router
    points: tuple[tuple[float, float], ...]


def router(virtual: int, wire: int) -> Router:
    return Router(
        buffer=8,
        stages=3,
        wire=wire,
        bubble=1,
        virtual=virtual,
        credit_delay=2,
        entry=2,
        arbitration=Arbitration.ROUND_ROBIN,
    )


CURVES = {
    "mesh, 1 virtual channel": Curve(
        Mesh(8, 8), router(1, 0), ((0.005, 31.4), (0.20, 42.3), (0.226, 50.1))
    ),
    "mesh, 4 virtual channels": Curve(
        Mesh(8, 8), router(4, 0), ((0.005, 31.4), (0.30, 44.3), (0.375, 65.9))
    ),
    "torus, 4 virtual channels": Curve(
        Torus(8, 8), router(4, 1), ((0.005, 30.3), (0.40, 40.6), (0.50, 51.0))
    ),
}


def point(curve: Curve, load: float, phases: Phases) -> Point:
    engine = Flits(curve.topology, curve.router, local=True)
    return measure(engine, load, PACKET, phases, seed=1, own=True)


def agrees(curve: Curve, phases: Phases) -> bool:
    return all(
        abs(point(curve, load, phases).latency - theirs) <= 0.15 * theirs
        for load, theirs in curve.points
    )


def test_caminos_exactly() -> None:
    for hops, cycles in ((0, 16 + 2), (1, 16 + 3)):
        engine = Flits(Mesh(2), Router(buffer=16, entry=2), local=True)
        assert deliver(engine, [(0, hops, 16)]).time == cycles


@pytest.mark.parametrize("name", CURVES)
def test_latencies_of_booksim(name: str) -> None:
    curve = CURVES[name]
    assert agrees(curve._replace(points=curve.points[:2]), SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
def test_latencies_of_booksim_up_to_saturation(name: str) -> None:
    assert agrees(CURVES[name], LONG)


def test_what_is_unstable_in_booksim_is_not_accepted() -> None:
    found = point(CURVES["mesh, 1 virtual channel"], 0.275, SHORT)
    assert found.accepted <= 0.95 * 0.275


@pytest.mark.parametrize("wrong", [{"bubble": 3}, {"stages": 1}, {"buffer": 1}])
def test_a_wrong_router_is_noticed(wrong: dict[str, int]) -> None:
    curve = CURVES["mesh, 1 virtual channel"]
    planted = replace(curve.router, **wrong)  # type: ignore[arg-type]
    assert not agrees(curve._replace(router=planted), SHORT)


@pytest.mark.parametrize("name", list(CURVES)[1:])
def test_no_more_than_a_cut_lets_pass_is_accepted(name: str) -> None:
    curve = CURVES[name]
    engine = Flits(curve.topology, curve.router)
    limit = (1 + any(curve.topology.rings)) * 4 * 63 / (64 * 8)
    assert 0.3 < measure(engine, 1.0, 1, SHORT, seed=1).accepted <= limit
