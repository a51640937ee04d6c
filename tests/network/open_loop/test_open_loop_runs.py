"""Runs at a steady load, and loads that are refused."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest

from closeknit.instances import InputError, Mesh, Torus
from closeknit.network.kary_tree import KaryTree
from closeknit.network.open_loop.runs import run_load
from closeknit.network.runs import Switching


@pytest.mark.parametrize("switching", Switching)
def test_a_light_load_passes(switching: Switching) -> None:
    run = run_load(Torus(4, 4), 0.1, cycles=4000, switching=switching, seed=3)
    found = run.summary
    assert found.accepted_load == pytest.approx(0.1, rel=0.15)
    assert len(run.latency) == found.messages
    # hops to 15 others: 32 of 16 flits each
    least = 32 / 15 + 16 + (switching is Switching.WORMHOLE)
    assert least - 0.3 <= found.mean_latency_cycles < 1.5 * least  # type: ignore[operator]
    assert found.flits_carried == pytest.approx(0.1 * 16 * 7200 * 32 / 15, rel=0.1)
    assert found.load_limit == 1.0
    again = run_load(
        Torus(4, 4), 0.1, cycles=4000, switching=switching, seed=3, filmed=True
    )
    assert asdict(again.summary) == asdict(found)
    assert again.film is not None
    assert again.film.counts.sum(axis=0).tolist() == run.carried.tolist()


@pytest.mark.parametrize("switching", Switching)
def test_a_load_that_is_watched_is_the_same(switching: Switching) -> None:
    seen: list[tuple[int, int, str]] = []
    plain = run_load(Torus(4, 4), 0.1, cycles=4000, switching=switching)
    watched = run_load(
        Torus(4, 4),
        0.1,
        cycles=4000,
        switching=switching,
        show=lambda *what: seen.append(what),
    )
    assert watched.summary == plain.summary
    assert seen[-1] == (7200, 7200, "cycles")
    assert len(seen) > 3


def test_saturation_is_found_and_named() -> None:
    with pytest.raises(InputError, match=r"^load: 0\.45 flits .* beyond sat") as raised:
        run_load(Mesh(8, 8), 0.45, cycles=3000, switching=Switching.WORMHOLE)
    found = re.search(r"between (\S+) and (\S+) \(", str(raised.value))
    assert found
    low, high = map(float, found.groups())
    assert high - low == pytest.approx(0.45 / 16, rel=0.1)
    run_load(Mesh(8, 8), low, cycles=3000, switching=Switching.WORMHOLE)
    with pytest.raises(InputError, match="beyond saturation"):
        run_load(Mesh(8, 8), high * 1.05, cycles=3000, switching=Switching.WORMHOLE)
    assert "the links of a cut would let 0.492 pass" in str(raised.value)


def test_what_no_routing_can_do_is_not_tried() -> None:
    told = (
        "load: 0.5 flits per processor and cycle are beyond saturation: the links of "
        "a cut let at most 0.492 pass"
    )
    with pytest.raises(InputError) as raised:
        run_load(Mesh(8, 8), 0.5, cycles=10**9)
    assert str(raised.value) == told


def test_padding_counts() -> None:
    """17 flits are two packets: a processor sends 17 in 32 cycles at most."""
    told = r"the way out of a processor let at most 0\.531 pass"
    with pytest.raises(InputError, match=told):
        run_load(KaryTree(2, 2), 0.6, flits=17, pattern="neighbour")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"load": 0.0}, "load: must be above 0 and at most 16, not 0.0"),
        ({"load": float("nan")}, "load: must be above 0 and at most 16, not nan"),
        ({"load": 17.0}, "load: must be above 0 and at most 16, not 17.0"),
        ({"load": 0.1, "cycles": 0}, "cycles: must be at least 1, not 0"),
        (
            {"load": 0.01, "cycles": 100},
            "cycles: 0.01 flits per processor and cycle are about 1 messages in 100 "
            "cycles, fewer than 100: measure for longer",
        ),
        (
            {"load": 0.1, "cycles": 2**31},
            "cycles: 0.1 flits per processor and cycle are about 2.15e+08 messages in ",
        ),
        (
            {"load": 0.1, "pattern": "storm"},
            "pattern: no such pattern: 'storm'",
        ),
    ],
)
def test_bad_loads_are_one_line(options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as raised:
        run_load(Torus(4, 4), **options)  # type: ignore[arg-type]
    assert str(raised.value).startswith(told)


def test_one_processor_has_nobody() -> None:
    with pytest.raises(InputError, match="topology: needs at least two processors"):
        run_load(Mesh(1), 0.1)
