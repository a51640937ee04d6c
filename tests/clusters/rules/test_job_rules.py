"""Rules for jobs of parts: the cases of their documents, and what none may do."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.rules.jobs import JOB_RULES, preempt_by_rule
from closeknit.formulations.cluster.changes.change import (
    OngoingJob,
    RunningState,
    preempt,
)
from closeknit.formulations.cluster.constraints import (
    Apart,
    ApartFrom,
    Avoid,
    Groups,
    LeastDomains,
    MostPods,
    Slices,
    within,
)
from closeknit.formulations.cluster.domains import NodeDevices
from closeknit.formulations.cluster.job import (
    GangJob,
    JobConstraint,
    ObjectivePart,
    Role,
)
from closeknit.instances import InputError
from closeknit.solvers import Status
from tests.formulations.cluster.parts import (
    CONSTRAINTS,
    best,
    random_job,
    random_machine,
    tree_of,
)

KUEUE = [name for name in JOB_RULES if name.startswith("kueue")]
TIERS = ["kubernetes-5732", "volcano-hard", "kai"]


def hosts(*free: int) -> NodeDevices:
    """Nodes of nine devices in one rack, of which so many are free."""
    tree = tree_of([-1, 0], [1] * len(free))
    return NodeDevices(tree, np.array(free), np.full(len(free), 9))


def racks(*blocks: tuple[int, ...]) -> NodeDevices:
    """Racks in blocks, each with so many free nodes, and two that are not."""
    parent, home, free = [-1, *[0] * len(blocks)], [], []
    for block, sizes in enumerate(blocks, 1):
        for size in sizes:
            home += [len(parent)] * (size + 2)
            free += [1] * size + [-1] * 2
            parent.append(block)
    return NodeDevices(tree_of(parent, home), np.array(free), np.ones(len(free), int))


def workers(n: int, *constraints: JobConstraint, devices: int | None = None) -> GangJob:
    return GangJob((Role("w", n, devices),), constraints)


def slices(level: str, size: int) -> Slices:
    return Slices(level, ("w",), size)


def job_of(text: str) -> GangJob:
    """Return so many workers, such as 8 in slices of 4: ``8 L0=4``, or ``8 in L0``."""
    count, *words = text.removesuffix(" devices").split()
    devices = 1 if text.endswith(" devices") else None
    if words[:1] == ["in"]:
        return workers(int(count), within(words[1], ("w",)), devices=devices)
    pairs = [word.split("=") for word in words]
    found = [slices(level, int(size)) for level, size in pairs]
    return workers(int(count), *found, devices=devices)


def numbers(text: str) -> list[int]:
    return [*map(int, text.split())]


def on(name: str, job: GangJob, devices: NodeDevices, level: str) -> list[int] | None:
    """How many pods of all roles are in each domain of a level, in order."""
    placed = JOB_RULES[name](job, devices)
    if placed is None:
        return None
    tree = devices.tree
    at = tree.at(tree.level_number(level))
    inside = Counter(int(at[i]) for nodes in placed.values() for i in nodes)
    return [inside[v] for v in tree.of_level(tree.level_number(level)).tolist()]


@pytest.mark.parametrize(
    ("name", "free", "job", "expected"),
    [
        ("kueue-best-fit", "3 3 2 1", "7", "3 3 0 1"),
        ("kueue-least-free", "3 3 2 1", "7", "3 1 2 1"),
        ("kueue-best-fit", "6 5 4 3 2", "12 node=2", "6 0 4 0 2"),
        ("kueue-least-free", "6 5 4 3 2", "10 node=2", "0 2 4 2 2"),
        ("kueue-best-fit", "1 2 3", "2 in node", "0 2 0"),
        # pods of kube-scheduler go to the emptiest node, of KAI to the fullest
        ("kubernetes-5732", "9 4 9", "3", "2 0 1"),
        ("kai", "9 4 9", "5", "1 4 0"),
        ("volcano-hard", "2 4 9", "3", "2 1 0"),
    ],
)
def test_pods_on_hosts(name: str, free: str, job: str, expected: str) -> None:
    devices = hosts(*numbers(free))
    assert on(name, job_of(f"{job} devices"), devices, "node") == numbers(expected)


TWENTY = "3 4 5 2" + "; 5 5 5 5" * 4


@pytest.mark.parametrize(
    ("name", "blocks", "job", "expected"),
    [
        ("kueue-best-fit", "19 10 10", "20", "19 1 0"),
        ("kueue-balanced", "19 10 10", "20", "0 10 10"),
        # nodes with one pod each are even, whichever racks they are in
        ("kueue-balanced", "20 10; 15 15", "22", "20 2 0 0"),
        ("kueue-balanced", "20 10; 15 15", "30", "20 10 0 0"),
        # slices are shared by the racks of as few blocks as needed
        ("kueue-balanced", "16 12; 12 12", "20 L0=4", "0 0 12 8"),
        # within slices Kueue begins with the least room: racks of two before four
        ("kueue-best-fit", "4 2; 4 2", "8 L1=4 L0=2", "2 2 2 2"),
        # the profile mixed: slices from the highest level down, the tightest first
        ("kueue-least-free", "2 2; 6", "6 L0=2", "2 2 2"),
        # and best fit for what requires a level
        ("kueue-least-free", "4 2", "4 in L1", "4 0"),
        ("kueue-balanced", "20 10; 15 15", "20", "20 0 0 0"),
        ("kueue-balanced", "15; 15; 15 15", "25 L0=5", "0 0 15 10"),
        # a required level is filled by best fit, balanced or not
        ("kueue-balanced", "19 10 10", "20 in L1", "19 1 0"),
        ("kueue-best-fit", "4 2; 3 3", "10", "4 0 3 3"),
        ("kueue-best-fit", "6 4; 8", "8 in L0", "0 0 8"),
        ("kueue-best-fit", "6 4; 7", "8 in L0", None),
        # KAI's document: zone A with 2, 1, 1, 1 free, zone B with 2, 2, 2
        ("kai", "2 1 1 1; 2 2 2", "3 in L1", "2 0 0 1 0 0 0"),
        # of 20 racks KAI tells tenths apart, so that those with 3 and 4 are equal
        ("kai", TWENTY, "8 in L1", "3 0 5 0" + " 0" * 16),
        # it fills the block with most room, though racks of others have more
        ("kai", "6 1 1; 4 4 4", "13", "1 0 0 4 4 4"),
        # the rack with four is in the fuller block
        ("kai", "2 3; 4", "2 in L0", "0 0 2"),
        # Volcano compares blocks by the racks of the slices: it fills three
        ("volcano-hard", "2 2 2 5; 4 4", "6 L0=2", "2 2 2 0 0 0"),
        # Volcano: the lowest tier with room, the domain that is fullest with the job
        ("volcano-hard", "4 2; 3 2", "3", "0 0 3 0"),
        ("volcano-hard", "4 2; 3 2", "5", "0 0 3 2"),
        ("volcano-hard", "4 2; 3 2", "5 in L0", None),
        # KEP-5732: of the racks with room the one that is fullest then
        ("kubernetes-5732", "4 2; 3 2", "2 in L0", "0 2 0 0"),
        # Slurm: segments in the tightest blocks, wherever these are
        ("slurm-segment", "17 17 12", "36 L0=12", "12 12 12"),
        ("slurm-segment", "9 5 7", "4 L0=2", "0 4 0"),
    ],
)
def test_pods_in_racks(name: str, blocks: str, job: str, expected: str | None) -> None:
    devices = racks(*(tuple(numbers(block)) for block in blocks.split(";")))
    wanted = None if expected is None else numbers(expected)
    assert on(name, job_of(job), devices, "L0") == wanted


def test_slurm_sees_groups_of_blocks_where_these_are_powers_of_two() -> None:
    free = np.zeros(16, dtype=np.int64)
    for block, n in enumerate((2, 4, 3, 3)):
        free[4 * block : 4 * block + n] = 1
    even = tree_of([-1, 0, 0, 1, 1, 2, 2], [v for v in range(3, 7) for _ in range(4)])
    flat = tree_of([-1, *[0] * 4], [v for v in range(1, 5) for _ in range(4)])
    for tree, expected in ((even, [0, 0, 3, 3]), (flat, [2, 4, 0, 0])):
        devices = NodeDevices(tree, free.copy(), np.ones(16, int))
        assert on("slurm-segment", workers(6), devices, "L0") == expected


def test_slices_at_two_levels_as_in_kueues_document() -> None:
    tree = tree_of([-1, 0, 0, 1, 1, 2, 2], [v for v in range(3, 7) for _ in range(4)])
    devices = NodeDevices(tree, np.full(16, 8), np.full(16, 8))
    job = workers(64, slices("L1", 32), slices("L0", 16), devices=1)
    for name in ("kueue-best-fit", "kai"):
        assert on(name, job, devices, "L1") == [64, 0]
        placed = JOB_RULES[name](job, devices)
        assert placed
        assert not job.violations(placed, devices)


def test_a_leader_is_placed_with_its_group() -> None:
    job = GangJob(
        (Role("l", 2, 1), Role("w", 4, 4)), (Groups("L0", ("l", "w"), (1, 2)),)
    )
    tree = tree_of([-1, 0, 0], [1, 1, 2, 2])
    devices = NodeDevices(tree, np.array([9, 4, 9, 9]), np.full(4, 9))
    for name in (*KUEUE, "volcano-hard"):
        placed = JOB_RULES[name](job, devices)
        assert placed, name
        assert not job.violations(placed, devices)


def test_kueue_puts_a_leader_where_it_leaves_enough_room_issue_7446() -> None:
    """The leader costs the first host one worker, the second none."""
    job = GangJob((Role("l", 1, 1), Role("w", 7, 2)), (within("L0", ("l", "w")),))
    devices = NodeDevices(tree_of([-1], [0, 0]), np.array([10, 5]), np.full(2, 10))
    assert JOB_RULES["volcano-hard"](job, devices) is None  # it fills the first host
    for name in KUEUE:
        placed = JOB_RULES[name](job, devices)
        assert placed, name
        assert placed["l"] == [1]
    # a host less is asked for: then the first one will do, which has most room
    placed = JOB_RULES["kueue-best-fit"](job.resize({"w": 6}), devices)
    assert placed
    assert placed["l"] == [0]


def test_the_leader_of_kueues_pull_request_13383() -> None:
    job = GangJob((Role("l", 1, 1), Role("w", 4, 2)), (within("L0", ("l", "w")),))
    devices = NodeDevices(tree_of([-1], [0] * 3), np.array([2, 4, 3]), np.full(3, 4))
    placed = JOB_RULES["kueue-best-fit"](job, devices)
    assert placed
    assert placed["l"] == [2]
    assert Counter(placed["w"]) == {0: 1, 1: 2, 2: 1}


def test_nothing_is_near_for_volcano_once_a_group_is_in_two_blocks() -> None:
    """Large pods are in the second block and the third, the small one in the first."""
    tree = tree_of([-1, 0, 0, 0, 1, 2, 3], [4, 5, 6, 6])
    devices = NodeDevices(tree, np.array([1, 4, 4, 1]), np.full(4, 4))
    job = GangJob((Role("a", 2, 4), Role("b", 1, 1)))
    placed = JOB_RULES["volcano-hard"](job, devices)
    assert placed == {"a": [1, 2], "b": [3]}  # a rack with pods of it comes first
    tree = tree_of([-1, 0, 0, 0, 1, 2, 3, 3], [4, 5, 6, 7])
    placed = JOB_RULES["volcano-hard"](job, replace(devices, tree=tree))
    assert placed == {"a": [1, 2], "b": [0]}


def test_kai_takes_all_pods_for_as_large_as_the_largest() -> None:
    job = GangJob((Role("l", 1, 1), Role("w", 2, 4)), (within("L0", ("l", "w")),))
    devices = NodeDevices(tree_of([-1], [0] * 3), np.array([4, 4, 2]), np.full(3, 4))
    assert JOB_RULES["kai"](job, devices) is None
    assert JOB_RULES["kai"](job.resize({"w": 1}), devices) is not None


@pytest.mark.parametrize(
    ("job", "refusing"),
    [
        # kueue issue 15640: a last slice that is smaller
        (workers(7, slices("L0", 3)), [*KUEUE, "volcano-hard", "kai", "slurm-segment"]),
        (workers(2, devices=1), ["slurm-segment"]),
        (
            GangJob((Role("a", 2), Role("b", 2)), (Slices("L0", ("a", "b"), 2),)),
            KUEUE,
        ),
        (
            GangJob((Role("a", 2), Role("b", 4)), (Groups("L0", ("a", "b"), (2, 4)),)),
            KUEUE,
        ),
    ],
)
def test_what_schedulers_refuse(job: GangJob, refusing: list[str]) -> None:
    for name, rule in JOB_RULES.items():
        if name in refusing:
            with pytest.raises(InputError):
                rule(job, racks((6, 6), (6,)))
        else:
            assert rule(job, racks((6, 6), (6,))) is not None, name


@pytest.mark.parametrize("name", TIERS)
def test_anti_affinity_is_known_to_rules_of_kubernetes(name: str) -> None:
    roles = (Role("a", 1), Role("b", 2))
    busy = ApartFrom("L0", ("a", "b"), {"other": frozenset({"n0"})})
    job = GangJob(roles, (Apart("L0", ("a", "b")), MostPods("L0", ("b",), 1), busy))
    devices = racks((5, 1, 1), (1,))
    placed = JOB_RULES[name](job, devices)
    assert placed
    assert not job.violations(placed, devices)
    ignoring = JOB_RULES["kueue-best-fit"](job, devices)
    assert ignoring
    assert len(job.violations(ignoring, devices)) == 2


def test_spreading_is_ignored_and_excluded_nodes_are_not() -> None:
    job = workers(2, LeastDomains("L0", ("w",), 2), Avoid(frozenset({"n0"}), ("w",)))
    devices = racks((4, 4))
    for name, rule in JOB_RULES.items():
        placed = rule(job, devices)
        assert placed, name
        assert 0 not in placed["w"]
        assert job.violations(placed, devices) == [job.constraints[0].text]


def test_a_share_of_the_domains_is_looked_at() -> None:
    tree = tree_of([-1, *[0] * 1000], [v for v in range(1, 1001) for _ in range(5)])
    free = np.full(5000, 2)
    free[[5 * 99, 5 * 500]] = 1  # the 100th domain is fuller, the 501st is not tried
    free[5 * 500 + 1] = 1
    found = JOB_RULES["kubernetes-5732"](
        workers(5, within("L0", ("w",)), devices=1),
        NodeDevices(tree, free, free * 0 + 2),
    )
    assert found
    assert {i // 5 for i in found["w"]} == {99}


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_no_rule_breaks_devices_beats_the_optimum_or_draws_lots(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(2, 6), 3)
    kinds = tuple(chance.choice(CONSTRAINTS) for _ in range(chance.randrange(3)))
    job = random_job(chance, devices, kinds, 4)
    levels = devices.tree.levels[::-1]
    job = GangJob(
        job.roles, job.constraints, tuple(ObjectivePart("domains", x) for x in levels)
    )
    least = best(job, devices)
    bare = GangJob(job.roles)
    for name, rule in JOB_RULES.items():
        try:
            placed = rule(job, devices)
        except InputError:
            continue
        assert rule(job, devices) == placed
        if placed is None:
            continue
        assert not bare.violations(placed, devices), name
        if not job.violations(placed, devices):
            assert least is not None
            assert job.value(placed, devices) >= least


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_preemption_by_a_rule_is_at_least_the_least(seed: int) -> None:
    chance = random.Random(seed)
    nodes = chance.randrange(3, 7)
    tree = tree_of([-1, 0, 0], sorted(chance.choice([1, 2]) for _ in range(nodes)))
    held = {
        i: OngoingJob(f"j{i}", {i: None}, lost=chance.randrange(3))
        for i in range(nodes)
        if chance.random() < 0.7
    }
    free = np.array([0 if i in held else 1 for i in range(nodes)])
    state = RunningState(
        NodeDevices(tree, free, np.ones(nodes, int)), tuple(held.values())
    )
    job = workers(chance.randrange(1, 4), within(chance.choice(["L0", "L1"]), ("w",)))
    least = preempt(job, state)
    for rule in JOB_RULES.values():
        gone = preempt_by_rule(rule, job, state)
        if gone is None:
            continue
        placed = rule(job, state.without(gone))
        assert placed
        assert not GangJob(job.roles).violations(placed, state.without(gone))
        if not job.violations(placed, state.without(gone)):
            assert least.status is Status.OPTIMAL
            assert len(gone) >= len(least.ends)
