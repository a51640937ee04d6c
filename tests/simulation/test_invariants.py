"""After every event: boxes of the right size, no overlap, no leak, everywhere."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import Mesh
from closeknit.instances.submesh import Box, sides
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation import dispatch as dispatching
from closeknit.simulation.invariants import (
    SWITCH,
    BoxWatch,
    BrokenInvariantError,
    checking,
)
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import simulate
from closeknit.simulation.submesh.migration import Migrating
from closeknit.simulation.submesh.policies import Policy, serve
from closeknit.simulation.submesh.simulator import Fixed, first_come
from closeknit.simulation.submesh.stream import BoxRequest
from closeknit.simulation.week import Submission

from .boxes import SHAPE, Rows, asked, forgetful, queues


def test_a_budget_leaves_everybody_a_box_of_their_size() -> None:
    occupancy = Migrating((3, 4), budget=1)
    sizes = [(1, 2), (2, 2), (1, 3), (1, 3), (2, 3), (2, 1)]
    done = [occupancy.place(BoxRequest(n, size, 1.0)) for n, size in enumerate(sizes)]
    assert done == [True, True, True, False, False, True]
    assert {n: sides(box) for n, box in occupancy.where.items()} == {
        n: size for n, size in enumerate(sizes) if done[n]
    }
    # resident 0 for request 2, resident 0 again for request 5: one each time
    assert occupancy.moved == 2


CROWD = st.lists(
    st.tuples(
        st.tuples(st.integers(1, 3), st.integers(1, 3)), st.integers(1, 6).map(float)
    ),
    min_size=12,
    max_size=25,
)
"""Small boxes, many of them at a time: what a budget is there for."""


@given(CROWD, st.integers(0, 6), st.booleans(), st.sampled_from(Policy))
@settings(max_examples=60, deadline=None)
def test_budgets(rows: Rows, budget: int, rotate: bool, policy: Policy) -> None:
    occupancy = Migrating((5, 5), rotate=rotate, budget=budget)
    before = 0

    def look(request: BoxRequest, clock: float) -> None:
        nonlocal before
        assert occupancy.moved - before <= budget
        before = occupancy.moved

    serve(asked(rows), occupancy, policy, on_start=look)
    assert occupancy.find((5, 5)) == (0, 0, 4, 4)


@given(queues(*SHAPE, most=14), st.booleans(), st.booleans(), st.sampled_from(Policy))
@settings(max_examples=60, deadline=None)
def test_migration_without_a_budget(
    rows: Rows, rotate: bool, generous: bool, policy: Policy
) -> None:
    decider = forgetful if generous else None
    occupancy = Migrating(SHAPE, rotate=rotate, generous=generous, decider=decider)
    if generous:  # others than the first need to know where everybody is
        policy = Policy.FCFS
    serve(asked(rows), occupancy, policy)
    assert occupancy.known or generous
    assert occupancy.find(SHAPE) == (0, 0, 3, 4)


WORLDS = [
    *((name, (4, 4), False) for name in ALLOCATORS),
    *((name, SHAPE, True) for name, maker in ALLOCATORS.items() if maker.wraps),
    *((name, (3, 3, 3), False) for name, maker in ALLOCATORS.items() if maker.three),
]


@pytest.mark.parametrize(("name", "shape", "torus"), WORLDS)
@given(st.data(), st.booleans(), st.sampled_from(Policy))
@settings(max_examples=25, deadline=None)
def test_nobody_moved(
    name: str,
    shape: tuple[int, ...],
    torus: bool,
    data: st.DataObject,
    rotate: bool,
    policy: Policy,
) -> None:
    occupancy = Fixed(ALLOCATORS[name](shape, torus=torus, rotate=rotate))
    if shape != (4, 4):
        policy = Policy.FCFS
    serve(asked(data.draw(queues(*shape, most=14))), occupancy, policy)
    assert occupancy.find(shape) == (*(0 for _ in shape), *(side - 1 for side in shape))


# What is watched for is found, one fault at a time.


def test_it_is_switched_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ[SWITCH] == "1"
    assert checking()
    monkeypatch.setenv(SWITCH, "0")
    assert not checking()


class Faulty(Fixed):
    """A house that changes what it says once two are there."""

    def __init__(self, fault: Callable[[Faulty], None], rotate: bool = False) -> None:
        super().__init__(ALLOCATORS["fs-f"]((4, 4), rotate=rotate))
        self.fault = fault

    def place(self, request: BoxRequest) -> bool:
        done = super().place(request)
        if len(self.where) == 2:
            self.fault(self)
        return done

    def swap(self) -> None:
        self.where[0], self.where[1] = self.where[1], self.where[0]

    def give(self, number: int, box: Box) -> None:
        self.allocator.release(self.where[number])
        self.where[number] = box
        self.allocator.hold(box)

    def lose(self) -> None:
        del self.where[0]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Faulty.swap, "which is not"),
        (lambda occupancy: occupancy.give(0, (0, 0, 1, 0)), "which is not"),
        (lambda occupancy: occupancy.give(0, (1, 1, 1, 2)), "overlaps"),
        (lambda occupancy: occupancy.give(0, (3, 3, 3, 4)), "is not in the mesh"),
        (Faulty.lose, "are held by"),
        (
            lambda occupancy: occupancy.where.update({0: (3, 2, 3, 3)}),
            "holds other boxes",
        ),
        (lambda occupancy: occupancy.allocator.hold((3, 3, 3, 3)), "holds other boxes"),
    ],
)
def test_faults_of_a_mesh_are_found(fault: Callable[[Faulty], None], said: str) -> None:
    rows: Rows = [((1, 2), 2), ((2, 2), 3), ((1, 1), 1)]
    with pytest.raises(BrokenInvariantError, match=said):
        first_come(asked(rows), Faulty(fault))


def test_a_resident_is_not_turned_later() -> None:
    rows: Rows = [((1, 2), 2), ((2, 2), 3), ((1, 1), 1)]
    turned = Faulty(lambda occupancy: occupancy.give(0, (2, 3, 3, 3)), rotate=True)
    with pytest.raises(BrokenInvariantError, match=r"which is not \(\(1, 2\),\)"):
        first_come(asked(rows), turned)


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fixed, "free", property(lambda occupancy: 15))
    with pytest.raises(BrokenInvariantError, match="15 processors free and 0 held"):
        first_come(asked([((1, 1), 1)]), Fixed(ALLOCATORS["iss"]((4, 4))))


def test_who_comes_and_goes_is_followed() -> None:
    occupancy = Fixed(ALLOCATORS["iss"]((4, 4)))
    watch = BoxWatch(occupancy)
    assert occupancy.place(BoxRequest(7, (1, 1), 1.0))
    watch.started(7, (1, 1))
    with pytest.raises(BrokenInvariantError, match="served twice"):
        watch.started(7, (1, 1))
    with pytest.raises(BrokenInvariantError, match="was not placed"):
        watch.left(8)
    with pytest.raises(BrokenInvariantError, match="have not left"):
        watch.over()


class Wrong(Allocator):
    """Gives the first processors that are idle, and then makes a mistake."""

    def __init__(self, fault: str) -> None:
        super().__init__(Mesh((8,)))
        self.fault = fault
        self.seen = 0

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        self.seen += 1
        first = np.flatnonzero(self.idle)[:k]
        spoil = (
            SPOILT.get(self.fault, Allocation.of) if self.seen > 1 else Allocation.of
        )
        return spoil(first)

    def _give(self, numbers: np.ndarray) -> None:
        if self.fault == "idle is not what no job holds":
            self.idle[numbers[0]] = False
        if self.fault == "free is not what is idle":
            self.free -= 1

    def state(self) -> object:
        return self.seen if self.fault == "not in its initial state" else None


SPOILT: dict[str, Callable[[np.ndarray], Allocation]] = {
    "is given 2, not 3": lambda first: Allocation.of(first[1:]),
    "what another holds": lambda first: Allocation.of(np.arange(len(first))),
    "one is given twice": lambda first: Allocation(first, np.append(first, first[0])),
    "one is used twice": lambda first: Allocation(0 * first + first[0], first),
    "runs on what it lacks": lambda first: Allocation(first, first[1:]),
}


@pytest.mark.parametrize(
    "said",
    [
        *SPOILT,
        "idle is not what no job holds",
        "free is not what is idle",
        "not in its initial state",
    ],
)
def test_faults_of_an_allocator_are_found(said: str) -> None:
    jobs = [StreamJob(0, 0, 2, 5, 5), StreamJob(1, 1, 3, 5, 5)]
    with pytest.raises(BrokenInvariantError, match=said):
        list(simulate(jobs, Wrong(said)))


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (np.array([0, 1]), "what another holds"),
        (np.array([4]), "is given 1, not 2"),
        (np.array([4, 4]), "one is given twice"),
    ],
)
def test_faults_of_a_choice_are_found(chosen: np.ndarray, said: str) -> None:
    jobs = [Submission(0, 2, 5, 0), Submission(1, 2, 5, 0)]
    choices = iter([np.array([0, 1]), chosen])
    with pytest.raises(BrokenInvariantError, match=said):
        list(dispatching.dispatch(jobs, 8, lambda free, job: next(choices)))
