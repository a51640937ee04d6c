"""The exact program on jobs of parts, against all placements and CP-SAT."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closeknit.clusters.jobs.program import minimise
from closeknit.formulations.cluster.answer import by_model, decide
from closeknit.formulations.cluster.constraints import Slices
from closeknit.formulations.cluster.domains import NODE, NodeDevices
from closeknit.formulations.cluster.forest import PieceForest
from closeknit.formulations.cluster.job import GangJob, ObjectivePart, Role
from closeknit.formulations.cluster.tree import tree_job
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running.kernels import interpreted

from ...formulations.cluster.parts import (
    alike_job,
    best,
    even_tree,
    is_sound,
    random_machine,
    random_part,
)


def priced_job(
    chance: random.Random, devices: NodeDevices, pods: int, parts: int
) -> GangJob:
    """Draw a job whose pods are alike, with an objective, that is not refused."""
    while True:
        job = alike_job(chance, devices, pods)
        some = [random_part(chance, job, devices.tree) for _ in range(parts)]
        if is_sound(job := replace(job, objective=tuple(some)), devices.tree):
            return job


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=300)
def test_the_program_finds_the_optimum_of_all_placements(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(2, 6), 4)
    job = priced_job(chance, devices, 5, chance.randrange(1, 4))
    expected = best(job, devices)
    with interpreted():
        found = decide(job, devices, program=minimise)
    assert found.objective == expected, job
    assert found.bound == expected
    assert found.status is (Status.INFEASIBLE if expected is None else Status.OPTIMAL)


@given(st.integers(0, 2**32))
@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.filter_too_much],
)
def test_the_program_finds_the_optimum_of_a_model(seed: int) -> None:
    chance = random.Random(seed)
    devices = random_machine(chance, chance.randrange(8, 30), 4)
    job = priced_job(chance, devices, 30, 2)
    while not {part.kind for part in job.objective} <= {"domains", "balance"}:
        job = priced_job(chance, devices, 30, 2)
    with interpreted():
        found = decide(job, devices, program=minimise)
    assert found.objective == by_model(job, devices).objective


def test_the_program_serves_nearly_all_of_these_jobs() -> None:
    chance = random.Random(3)
    served = asked = 0
    while asked < 100:
        devices = random_machine(chance, chance.randrange(2, 6), 4)
        job = priced_job(chance, devices, 5, 2)
        if not decide(job, devices).fits:
            continue
        forest = PieceForest(job, devices.tree)
        ask = tree_job(job, devices, forest)
        assert ask is not None
        with interpreted():
            found = minimise(job, devices, forest, ask, Settings())
        served, asked = served + (found is not None), asked + 1
    assert served > 80


def test_a_limit_leaves_a_placement_and_no_more_than_a_bound() -> None:
    tree = even_tree(4, 4, 8)
    free = tree.at(NODE) * 0 + 1
    job = GangJob(
        (Role("a", 70),),
        (Slices("L0", ("a",), 4), Slices("L1", ("a",), 16)),
        (ObjectivePart("domains", "L0"), ObjectivePart("hops")),
    )
    devices = NodeDevices(tree, free, free)
    whole = decide(job, devices, program=minimise)
    assert whole.objective == (9, whole.objective[1]) if whole.objective else False
    from closeknit.clusters.placement import program

    work = program._WORK
    program._WORK = 1
    try:
        stopped = decide(job, devices, Settings(time_limit=0), minimise)
    finally:
        program._WORK = work
    assert stopped.limit is Limit.TIME
    assert stopped.status is Status.FEASIBLE
    assert stopped.placement is not None
    assert stopped.bound == (0, 0)
    assert not job.violations(stopped.placement, devices)
    assert np.all(np.bincount(stopped.placement["a"]) <= 1)
