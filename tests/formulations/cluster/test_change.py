"""The least change of running jobs, against all changes of small machines."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.formulations.cluster.changes.change import (
    LeastChange,
    OngoingJob,
    RunningState,
    preempt,
)
from closeknit.formulations.cluster.changes.drain import drain
from closeknit.formulations.cluster.changes.repair import repair
from closeknit.formulations.cluster.constraints import Slices, within
from closeknit.formulations.cluster.domains import NodeDevices
from closeknit.formulations.cluster.job import (
    GangJob,
    ObjectivePart,
    Role,
)
from closeknit.instances import InputError
from closeknit.solvers import Status

from .parts import (
    CONSTRAINTS,
    even_tree,
    has_placement,
    place_and_fail,
    placements,
    random_job,
    random_state,
)

Numbers = tuple[int, ...]


def numbers_of(found: LeastChange) -> Numbers | None:
    """Return the numbers, which must be proved."""
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert found.proved
    if found.status is Status.INFEASIBLE:
        return None
    return tuple(stage.value for stage in found.stages if stage.value is not None)


def fewest_ends(job: GangJob, state: RunningState) -> Numbers | None:
    """Return the numbers of the least preemption, by trying all."""
    some = [x for x in state.jobs if x.endable]
    found: list[Numbers] = []
    for size in range(len(some) + 1):
        for gone in combinations(some, size):
            if has_placement(job, state.without(gone)):
                highest = max((x.priority for x in gone), default=0)
                devices = sum(sum(state.held(x).values()) for x in gone)
                found.append((highest, size, devices, sum(x.lost for x in gone)))
    return min(found, default=None)


@pytest.mark.parametrize("first", CONSTRAINTS)
@pytest.mark.parametrize("second", CONSTRAINTS)
def test_preemption_is_least(first: str, second: str) -> None:
    chance = random.Random(f"{first} {second}")
    for _ in range(4):
        state = random_state(chance, chance.randrange(2, 6), 3, 4)
        job = random_job(chance, state.devices, (first, second), 4)
        found = preempt(job, state)
        assert numbers_of(found) == fewest_ends(job, state)


@given(st.integers(0, 2**32))
def test_preemption_of_jobs_that_are_alike_is_least(seed: int) -> None:
    chance = random.Random(seed)
    tree = even_tree(2, 3)
    jobs = [
        OngoingJob(f"j{i}", {i: None}, chance.randrange(2), chance.randrange(2))
        for i in range(6)
        if chance.random() < 0.8
    ]
    free = np.full(6, 2)
    free[[i for job in jobs for i in job.nodes]] = 0
    state = RunningState(NodeDevices(tree, free, np.full(6, 2)), tuple(jobs))
    ask = chance.choice([None, 1, 2])
    job = GangJob((Role("a", chance.randrange(1, 6), ask),))
    size = chance.randrange(1, 4)
    job = replace(job, constraints=(Slices("L0", ("a",), size),))
    assert numbers_of(preempt(job, state)) == fewest_ends(job, state)


def domain_parts(state: RunningState) -> tuple[ObjectivePart, ...]:
    tree = state.devices.tree
    return tuple(ObjectivePart("domains", x) for x in tree.levels[: tree.height[0]])


def fewest_replacements(
    job: GangJob,
    placed: dict[str, tuple[int, ...]],
    now: NodeDevices,
    state: RunningState,
) -> Numbers | None:
    """Return the numbers of the least repair on free nodes, by trying all."""
    asked = replace(job, objective=domain_parts(state))
    return min(
        (
            (
                sum(
                    a != b or now.free[b] < 0
                    for x in placed
                    for a, b in zip(placed[x], one[x], strict=True)
                ),
                *asked.value(one, now),
            )
            for one in placements(job, now)
        ),
        default=None,
    )


@pytest.mark.parametrize("first", CONSTRAINTS)
@pytest.mark.parametrize("second", CONSTRAINTS)
def test_repair_is_least(first: str, second: str) -> None:
    chance = random.Random(f"{first} {second}")
    for _ in range(6):
        state = random_state(chance, chance.randrange(3, 6), 3, 1)
        frozen = tuple(replace(x, movable=False) for x in state.jobs)
        state = replace(state, jobs=frozen)
        job = random_job(chance, state.devices, (first, second), 4)
        check_repair(chance, job, state)


@given(st.integers(0, 2**32))
def test_repair_of_pods_that_are_alike_is_least(seed: int) -> None:
    chance = random.Random(seed)
    tree = even_tree(2, 2, 2)
    free = np.array([chance.choice([2, 2, 1, 0]) for _ in range(8)])
    state = RunningState(NodeDevices(tree, free, np.full(8, 2)), ())
    role = Role("a", chance.randrange(2, 5), chance.choice([None, 1, 2]))
    levels = chance.sample(["L0", "L1"], chance.randrange(3))
    sizes = {"L0": 2, "L1": 4}
    some = tuple(Slices(x, ("a",), sizes[x]) for x in levels)
    check_repair(chance, GangJob((role,), some), state)


def check_repair(chance: random.Random, job: GangJob, state: RunningState) -> None:
    """Place a job somewhere, take nodes away, and compare."""
    drawn = place_and_fail(chance, job, state)
    if drawn is None:
        return
    placed, failed, now, running = drawn
    found = repair(job, placed, failed, running)
    expected = fewest_replacements(job, placed, now, state)
    assert numbers_of(found) == expected
    if found.placement is not None:
        assert not job.violations(found.placement, now)


def fewest_moves(
    level: str, count: int, state: RunningState, until: int
) -> Numbers | None:
    """Return the numbers of the least drain, by trying all waits and arrangements."""
    tree = state.devices.tree
    number = tree.level_number(level)
    may_wait = [x for x in state.jobs if x.end is not None and x.end <= until]
    best: Numbers | None = None
    for size in range(len(may_wait) + 1):
        for waited in combinations(may_wait, size):
            movers = [x for x in state.jobs if x.movable and x not in waited]
            roles = tuple(
                Role(f"{x.name} {i}", 1, n) for x in movers for i, n in x.nodes.items()
            )
            fixed = [x for x in state.jobs if x not in movers and x not in waited]
            for one in placements(GangJob(roles), state.without(movers)):
                on = [i for x in fixed for i in x.nodes]
                on += [one[role.name][0] for role in roles]
                taken = {tree.climb(number, i) for i in on} - {None}
                if len(tree.of_level(number)) - len(taken) < count:
                    continue
                jobs = devices = 0
                for x in movers:
                    gone = [i for i in x.nodes if one[f"{x.name} {i}"][0] != i]
                    # pods of one size may change places, which is no move
                    after = {one[f"{x.name} {i}"][0] for i in x.nodes}
                    gone = [i for i in gone if i not in after]
                    jobs += bool(gone)
                    devices += sum(state.held(x)[i] for i in gone)
                ends = max((x.end or 0 for x in waited), default=0)
                value = (jobs, devices, ends)
                best = value if best is None else min(best, value)
    return best


@given(st.integers(0, 2**32))
def test_drain_is_least(seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(chance, chance.randrange(2, 5), 2, 3)
    same = chance.choice([None, 1])
    nodes = [{i: same for i in x.nodes} for x in state.jobs]
    jobs = tuple(replace(x, nodes=n) for x, n in zip(state.jobs, nodes, strict=True))
    free = state.devices.whole.copy()
    kept = []
    for job in jobs:
        held = RunningState(state.devices, ()).held(job)
        if all(free[i] >= n for i, n in held.items()):
            kept.append(job)
            for i, n in held.items():
                free[i] -= n
    state = RunningState(replace(state.devices, free=free), tuple(kept))
    tree = state.devices.tree
    level = chance.choice([*tree.levels, "node"])
    domains = len(tree.of_level(tree.level_number(level)))
    count = chance.randrange(1, domains + 1)
    until = chance.choice([-1, 5, 7])
    found = drain(level, count, state, until=until, spread=True)
    assert numbers_of(found) == fewest_moves(level, count, state, until)


def test_a_job_need_not_leave_a_node_that_is_out_of_use() -> None:
    """Only its node in the rack that gets free is exchanged for another."""
    stays = OngoingJob("y", {3: None, 4: None}, movable=False)
    jobs = (OngoingJob("x", {0: None, 2: None}), stays)
    free = np.array([0, 1, -1, 0, 0, 1])
    state = RunningState(NodeDevices(even_tree(3, 2), free, np.ones(6, int)), jobs)
    found = drain("L0", 1, state)
    assert numbers_of(found) == (1, 1, 0)
    assert [(m.sources, m.targets) for m in found.moves] == [((0,), (5,))]


def test_kueue_10497_the_jobs_of_one_rack_end_and_no_others() -> None:
    """Small jobs block each rack; one rack needs two ends, the other three."""
    tree = even_tree(2, 3)
    jobs = [OngoingJob(f"a{i}", {i: None}) for i in range(3)]
    jobs += [OngoingJob("b0", {3: None, 4: None}), OngoingJob("b1", {5: None})]
    free, whole = np.zeros(6, dtype=np.int64), np.full(6, 8)
    state = RunningState(NodeDevices(tree, free, whole), tuple(jobs))
    job = GangJob((Role("w", 3),), (within("L0", ("w",)),))
    found = preempt(job, state)
    assert found.ends == ("b0", "b1")
    assert numbers_of(found) == (0, 2, 24, 0)


def test_kueue_14244_failed_nodes_are_replaced_within_their_slices() -> None:
    """Two nodes of two nested slices fail; each is replaced in its own rack."""
    tree = even_tree(2, 2, 5)
    free = np.ones(20, dtype=np.int64)
    placed = {"w": tuple(5 * r + i for r in range(4) for i in range(4))}
    job = GangJob((Role("w", 16),), (Slices("L0", ("w",), 4), Slices("L1", ("w",), 8)))
    free[list(placed["w"])] = 0
    state = RunningState(NodeDevices(tree, free, np.ones(20, dtype=np.int64)), ())
    found = repair(job, placed, [0, 12], state)
    assert [stage.value for stage in found.stages] == [2, 4, 2]
    assert found.stages[0].by.startswith("enumerated")
    moves = found.moves[0]
    assert moves.targets == (4, 14)
    with pytest.raises(InputError, match="is no node of the job"):
        repair(job, placed, [4], state)


def test_repair_moves_another_job_where_free_nodes_do_not_do() -> None:
    """The only other node of the rack is held by a job that can go elsewhere."""
    tree = even_tree(2, 3)
    other = OngoingJob("other", {2: None})
    state = RunningState(
        NodeDevices(tree, np.array([0, 0, 0, -1, 1, -1]), np.ones(6, dtype=np.int64)),
        (other,),
    )
    job = GangJob((Role("w", 2),), (within("L0", ("w",)),))
    found = repair(job, {"w": (0, 1)}, [1], state)
    assert numbers_of(found) == (1, 1, 1, 1)
    assert [(m.job, m.targets) for m in found.moves] == [("other", (4,)), ("job", (2,))]
