"""Open-loop measurements: traffic at a load, latency, saturation."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import InputError, Mesh, Torus
from closeknit.network.open_loop import Phases, measure, saturation, uniform
from closeknit.network.worm.engine import RigidWorms

from .loads import deliver

SHORT = Phases(500, 1500, 1500)


@pytest.mark.parametrize("own", [False, True])
def test_uniform_traffic_is_bernoulli(own: bool) -> None:
    load = uniform(16, 0.5, 5, 20_000, seed=4, own=own)
    assert len(load) == pytest.approx(16 * 20_000 * 0.1, rel=0.02)
    pairs = np.bincount(16 * load.source + load.target, minlength=256).reshape(16, 16)
    expected = len(load) / (256 if own else 240)
    off = pairs[~np.eye(16, dtype=bool)]
    assert np.abs(off - expected).max() < 6 * expected**0.5
    within = 16 * expected if own else 0
    assert abs(pairs.trace() - within) <= 5 * within**0.5
    # a processor starts at most one message in a cycle
    starts = load.release * 16 + load.source
    assert (np.diff(starts) > 0).all()
    gaps = np.diff(load.release[load.source == 3])
    assert gaps.mean() == pytest.approx(10, rel=0.1)
    assert gaps.std() == pytest.approx(90**0.5, rel=0.1)


def test_traffic_is_drawn_to_the_last_cycle() -> None:
    for seed in range(30):
        load = uniform(2, 0.9, 1, 40, seed=seed, own=False)
        assert load.release[-1] >= 35
        assert load.release[-1] < 40
    every = uniform(3, 1.0, 1, 10, seed=0, own=False)
    assert len(every) == 30


def test_latency_near_zero_load_is_the_closed_form() -> None:
    point = measure(RigidWorms(Mesh(8, 8)), 0.002, 5, Phases(0, 60_000, 100), seed=2)
    assert point.latency == pytest.approx(16 / 3 + 5 + 1, rel=0.02)
    assert not point.saturated
    assert point.accepted == pytest.approx(0.002, rel=0.1)


def test_latency_grows_with_the_load_and_saturation_is_named() -> None:
    points = [
        measure(RigidWorms(Mesh(8, 8)), load, 5, Phases(3000, 10_000, 5000), seed=3)
        for load in (0.05, 0.1, 0.15, 0.2, 0.3)
    ]
    latencies = [point.latency for point in points]
    assert latencies == sorted(latencies)
    assert [point.saturated for point in points] == [False] * 4 + [True]


def test_measurements_are_repeated_exactly() -> None:
    first, again, other = (
        measure(RigidWorms(Torus(5, 5)), 0.3, 4, SHORT, seed=seed) for seed in (8, 8, 9)
    )
    assert first == again
    assert first != other


def test_bad_loads_give_one_line() -> None:
    for load in (0.0, -1.0, 5.5, float("nan")):
        with pytest.raises(InputError, match=r"^load: must be above 0 and at most 5"):
            measure(RigidWorms(Mesh(2, 2)), load, 5, SHORT, seed=1)
    with pytest.raises(InputError, match=r"^processors: needs at least two"):
        measure(RigidWorms(Mesh(1)), 0.1, 5, SHORT, seed=1)


def test_rigid_worms_saturate_near_the_prototype() -> None:
    found = saturation(lambda: RigidWorms(Mesh(8, 8)), 5, SHORT, seed=1)
    assert found == pytest.approx(0.233, abs=0.015)


def test_neighbours_across_a_cut_reach_its_limit() -> None:
    """Long messages across the middle use every link of it in nearly every cycle."""
    pairs = [(x, x + 4, 500) for x in range(4)] + [(x + 4, x, 500) for x in range(4)]
    engine = deliver(RigidWorms(Mesh(2, 4)), pairs)
    assert engine.carried[: len(engine.channels()[0][1])].sum() == 8 * 500
    assert engine.time == 1 + 500 + 1
