"""Every constraint and objective, and all pairs of them, against all placements."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest

from closeknit.formulations.cluster.answer import by_model
from closeknit.formulations.cluster.job import KINDS, GangJob, ObjectivePart
from closeknit.solvers import Status

from .parts import (
    CONSTRAINTS,
    best,
    has_placement,
    random_job,
    random_machine,
    random_part,
)


@pytest.mark.parametrize(
    "kinds", [*combinations_with_replacement(CONSTRAINTS, 2)], ids=" ".join
)
def test_a_pair_of_constraints(kinds: tuple[str, str]) -> None:
    chance = random.Random(str(kinds))
    fitting, draws = 0, 0
    while draws < 12 or not 0 < fitting < draws:
        devices = random_machine(chance, chance.randrange(2, 6), 4)
        job = random_job(chance, devices, kinds, 4)
        expected = has_placement(job, devices)
        fitting, draws = fitting + expected, draws + 1
        found = by_model(job, devices)
        assert found.fits is expected, job


@pytest.mark.parametrize("kind", CONSTRAINTS)
@pytest.mark.parametrize("part", KINDS)
def test_a_constraint_with_an_objective(kind: str, part: str) -> None:
    chance = random.Random(kind + part)
    for _ in range(8):
        devices = random_machine(chance, chance.randrange(2, 6), 4)
        job = random_job(chance, devices, (kind,), 4)
        parts: list[ObjectivePart] = []
        while len(parts) < 2:
            one = random_part(chance, job, devices.tree)
            if one.kind == part or parts:
                parts.append(one)
        job = GangJob(job.roles, job.constraints, tuple(parts))
        expected = best(job, devices)
        found = by_model(job, devices)
        assert found.objective == expected, job
        done = Status.INFEASIBLE if expected is None else Status.OPTIMAL
        assert found.status is done
        assert expected is None or found.bound == expected


def test_what_is_left_out_only_makes_more_placements_possible() -> None:
    chance = random.Random(5)
    for _ in range(60):
        devices = random_machine(chance, chance.randrange(2, 6), 4)
        kinds = tuple(chance.sample(CONSTRAINTS, 2))
        job = random_job(chance, devices, kinds, 4)
        for member in job.members:
            relaxed = job.without(member)
            expected = has_placement(relaxed, devices)
            assert expected or not has_placement(job, devices)
            assert by_model(relaxed, devices).fits in (expected, None), relaxed
