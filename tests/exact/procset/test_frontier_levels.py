"""Large requests, level by level: the same least cost as the program in one piece."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from closeknit.exact.procset.frontier_dp import (
    kernels_level_bounds,
)
from closeknit.exact.procset.frontier_dp import levels as frontier_levels
from closeknit.exact.procset.machine import RequestSolver
from closeknit.instances import ProcSet, cost
from closeknit.instances.procset.generators import random_sets, system

from ...oracles import cheapest
from ...strategies import procsets

Flags = npt.NDArray[np.bool_]


def by_level(
    machine: RequestSolver, free: Flags, request: int
) -> tuple[int, ...] | None:
    """Cost of what is found level by level, checked to be a choice of that cost."""
    found = machine._level_by_level(machine._folding(request)[1], free, request)
    if found is None:
        return None
    chosen = found.chosen.tolist()
    assert chosen == sorted(set(chosen))
    assert len(chosen) == request
    assert free[chosen].all()
    assert found.exact
    assert found.cost == machine._cost(chosen)
    return found.cost


def agrees(machine: RequestSolver, free: Flags, request: int) -> bool:
    """Whether it was found level by level; then it costs as much as in one piece."""
    found = by_level(machine, free, request)
    program = machine.program(free, request)
    assert program.run(lambda: None) is None
    least = machine.unfold(program.bound, request)
    assert found is None or found == least
    return found is not None


def some_states(n: int, count: int, seed: int) -> Iterator[tuple[Flags, int]]:
    """Free processors of any density, at times all, and requests of any size."""
    rng = random.Random(seed)
    for _ in range(count):
        density = rng.choice([1.0, rng.random(), rng.random()])
        free = np.array([rng.random() < density for _ in range(n)])
        free[rng.randrange(n)] = True
        yield free, rng.randint(1, int(free.sum()))


@pytest.mark.parametrize("grain", ["node", "core"])
@pytest.mark.parametrize("costs", ["uniform", "realistic"])
@pytest.mark.parametrize(("racks", "lookahead"), [(1, None), (6, 1), (6, None)])
def test_it_agrees_with_the_programme_in_one_piece(
    grain: str, costs: str, racks: int, lookahead: int | None
) -> None:
    made = system(grain, costs, racks=racks, centre=9)
    machine = RequestSolver(len(made.processors), made.sets, lookahead=lookahead)
    found = [
        agrees(machine, free, request)
        for free, request in some_states(machine.n_processors, 25, racks)
    ]
    assert sum(found) > len(found) / 3


@pytest.mark.parametrize("costs", ["uniform", "realistic"])
def test_it_agrees_on_twenty_racks(costs: str) -> None:
    made = system("node", costs, racks=20, centre=9)
    machine = RequestSolver(len(made.processors), made.sets)
    found = []
    for free, request in some_states(machine.n_processors, 20, 7):
        found.append(agrees(machine, free, min(request, 64)))
    assert sum(found) > len(found) / 2


@settings(max_examples=200, deadline=None)
@given(instance=procsets())
def test_what_it_finds_is_as_good_as_every_choice(instance: ProcSet) -> None:
    free = np.zeros(len(instance.processors), dtype=np.bool_)
    free[list(instance.available)] = True
    machine = RequestSolver(len(instance.processors), instance.sets)
    found = by_level(machine, free, instance.request)
    assert found in (None, cheapest(instance))


def test_it_agrees_on_sets_without_a_layout() -> None:
    found = []
    for seed in range(150):
        instance = random_sets(
            24, 10, Fraction(1, 4), 1 + seed % 20, levels=1 + seed % 4, seed=seed
        )
        machine = RequestSolver(24, instance.sets)
        found.append(agrees(machine, np.ones(24, dtype=np.bool_), instance.request))
    assert any(found)


@pytest.mark.parametrize("room", [1 << 21, 1])
def test_machines_take_this_route_for_large_requests(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other one where tables do not fit."""
    made = system("node", racks=12, centre=3)
    machine = RequestSolver(len(made.processors), made.sets)
    free, request = np.ones(machine.n_processors, dtype=np.bool_), 60
    plain = machine.select(free, request)
    assert machine._levels_apart is None
    monkeypatch.setattr(frontier_levels, "LARGE", 0)
    monkeypatch.setattr(frontier_levels, "ROOM", room)
    found = machine.select(free, request)
    assert machine._levels_apart is not None
    assert found.exact
    assert found.cost == plain.cost
    assert cost(made.ask(request), found.chosen.tolist()) == plain.cost
    again = machine.select(free, request)
    assert again.chosen.tolist() == found.chosen.tolist()


def test_the_simplex_method_finds_the_highest_of_the_lowest_lines() -> None:
    fixed = np.array([10.0, 0.0, 3.0])
    slope = np.array([[-8.0, 4.0, 1.0]])
    value, weights = kernels_level_bounds._master(fixed, slope, 3, np.array([9.0]))
    # 10 - 8 m and 4 m meet at 10 / 12, where 3 + m is higher
    assert value == pytest.approx(10 / 3)
    assert weights.tolist() == pytest.approx([10 / 12])
