"""Counting on trees against all placements, and against CP-SAT on larger ones."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.formulations.cluster.answer import by_model, decide
from closeknit.formulations.cluster.constraints import (
    Groups,
    Slices,
)
from closeknit.formulations.cluster.domains import NODE, NodeDevices
from closeknit.formulations.cluster.forest import PieceForest
from closeknit.formulations.cluster.job import GangJob, Role
from closeknit.formulations.cluster.tree import Counting, tree_job

from .parts import alike_job, even_tree, has_placement, is_sound, random_machine


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_counting_is_right_where_all_placements_are_tried(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(2, 7), 4)
    job = alike_job(chance, devices, 6)
    if not is_sound(job, devices.tree):
        return
    forest = PieceForest(job, devices.tree)
    assert tree_job(job, devices, forest) is not None
    assert decide(job, devices).fits is has_placement(job, devices), job


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_counting_is_right_where_a_model_decides(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(5, 40), 8)
    job = alike_job(chance, devices, 60)
    if is_sound(job, devices.tree):
        assert decide(job, devices).fits is by_model(job, devices).fits


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_the_most_pods_are_those_that_fit(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(5, 40), 8)
    job = alike_job(chance, devices, 60)
    if not is_sound(job, devices.tree):
        return
    fitting = []
    for k in range(1, 61):
        small = job.resize({"a": k})
        if is_sound(small, devices.tree) and decide(small, devices).fits:
            fitting.append(k)
    assert fitting == [*range(1, len(fitting) + 1)]


def test_leaders_and_their_workers_count_as_one_kind_where_they_are_alike() -> None:
    tree = even_tree(2, 2, 5)
    full = NodeDevices(tree, *[tree.at(NODE) * 0 + 1] * 2)
    roles = (Role("leader", 4), Role("worker", 16))
    job = GangJob(roles, (Groups("L0", ("leader", "worker"), (1, 4)),))
    assert tree_job(job, full, PieceForest(job, tree)) is not None
    found = decide(job, full).placement
    assert found is not None
    for g in range(4):
        group = {
            found["leader"][g] // 5,
            *(n // 5 for n in found["worker"][4 * g :][:4]),
        }
        assert len(group) == 1


def test_ranks_of_a_domain_follow_each_other() -> None:
    """Also where the last slice is smaller, and the fullest domain comes first."""
    tree = even_tree(3, 3, 4)
    free = tree.at(NODE) * 0 + 1
    free[[0, 13, 14]] = -1
    devices = NodeDevices(tree, free, free * 0 + 1)
    slices = (Slices("L0", ("a",), 2), Slices("L1", ("a",), 8))
    job = GangJob((Role("a", 27),), slices)
    found = decide(job, devices).placement
    assert found is not None
    for level in range(2):
        domains = tree.at(level)[list(found["a"])].tolist()
        changes = sum(a != b for a, b in pairwise(domains))
        assert changes == len(set(domains)) - 1


def test_a_hundred_thousand_nodes_are_counted() -> None:
    tree = even_tree(20, 20, 16, 16)
    free = tree.at(NODE) * 0 + 1
    job = GangJob(
        (Role("a", 50_001),), (Slices("L0", ("a",), 16), Slices("L1", ("a",), 64))
    )
    forest = PieceForest(job, tree)
    ask = tree_job(job, NodeDevices(tree, free, free), forest)
    assert ask is not None
    assert Counting(tree, ask).fits
