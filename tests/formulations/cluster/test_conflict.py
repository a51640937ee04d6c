"""Sets of constraints that clash, against all subsets and all placements."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeknit.formulations.cluster.answer import decide
from closeknit.formulations.cluster.conflict import Clash, find_clash
from closeknit.formulations.cluster.constraints import (
    Apart,
    Groups,
    LeastDomains,
    MostPods,
    Slices,
    within,
)
from closeknit.formulations.cluster.domains import NodeDevices
from closeknit.formulations.cluster.job import GangJob, Role, RoleCount
from closeknit.solvers import Limit
from closeknit.solvers.running import clock

from .parts import (
    CONSTRAINTS,
    even_machine,
    has_placement,
    is_sound,
    random_job,
    random_machine,
)


def clash_on(devices: NodeDevices, job: GangJob) -> Clash:
    assert decide(job, devices).fits is False
    return find_clash(job, [devices.tree], lambda some: decide(some, devices).fits)


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_a_clash_is_irreducible_and_the_smallest_and_its_changes_help(
    seed: int,
) -> None:
    chance = random.Random(seed)
    while True:
        devices = random_machine(chance, chance.randrange(2, 5), 3)
        tree = devices.tree
        kinds = tuple(chance.sample(CONSTRAINTS, 2))
        job = random_job(chance, devices, kinds, 4)
        if not has_placement(job, devices):
            break
    found = clash_on(devices, job)
    members = found.members
    assert (found.irreducible and found.smallest) or not job.is_steady
    assume(found.irreducible and found.smallest)

    def keeps(some: tuple[object, ...]) -> bool:
        rest = [one for one in job.members if one not in some]
        return has_placement(job.without(*rest), devices)

    assert not keeps(members)
    for one in members:
        assert keeps(tuple(x for x in members if x != one))
    for smaller in combinations(job.members, len(members) - 1):
        assert keeps(smaller)
    for one in members:
        changes = dict(found.helps[one])
        alone = changes.pop("without", False)
        assert alone is has_placement(job.without(one), devices)
        for axis in one.axes(job, tree):
            fitting = [
                value
                for value in axis.values
                if is_sound(other := axis.with_value(value), tree)
                and has_placement(other, devices)
            ]
            assert changes.get(axis.what) == (fitting[0] if fitting else None)


def test_what_has_nothing_to_do_with_it_is_not_named() -> None:
    devices = even_machine(2, 2, 4)
    roles = (Role("a", 3), Role("b", 9))
    job = GangJob(
        roles,
        (
            within("L1", ("b",)),
            Apart("L0", ("a", "b")),
            LeastDomains("L0", ("a",), 2),
            Slices("L0", ("a",), 3),
        ),
    )
    found = clash_on(devices, job)
    assert found.members in (
        (RoleCount("b"), job.constraints[0]),
        (job.constraints[2], job.constraints[3]),
    )


def test_a_count_gives_way_as_little_as_helps() -> None:
    devices = even_machine(2, 2, 4, busy=(0, 4))
    job = GangJob((Role("a", 8),), (within("L1", ("a",)),))
    assert decide(job, devices).fits is True
    job = job.resize({"a": 9})
    found = clash_on(devices, job)
    assert found.helps[RoleCount("a")]["count"] == 8
    assert found.helps[job.constraints[0]] == {
        **{"size": 8, "level": "L2", "without": True}
    }


@pytest.mark.parametrize("known", range(12))
def test_what_was_not_decided_is_never_left_out_silently(
    known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first so many questions are answered; a limit ends the rest."""
    job = GangJob((Role("a", 9), Role("b", 2)), (Slices("L0", ("a",), 3),))
    devices = even_machine(2, 4)
    asked = 0

    def fits(some: GangJob) -> bool | None:
        nonlocal asked
        asked += 1
        return decide(some, devices).fits if asked <= known else None

    whole = clash_on(devices, job)
    assert whole.limit is None
    monkeypatch.setattr(clock, "now", lambda: float(asked > known))
    found = find_clash(job, [devices.tree], fits, deadline=0.5)
    assert asked <= known + 1
    if asked > known:
        assert found.limit is Limit.TIME
    else:
        assert found == whole


def test_what_is_not_decided_without_a_limit_is_not_blamed_on_one() -> None:
    job = GangJob((Role("a", 9),), (Slices("L0", ("a",), 3),))
    found = find_clash(job, [even_machine(2, 4).tree], lambda _: None)
    assert (found.limit, found.irreducible, found.smallest) == (None, False, False)


def test_values_that_a_job_refuses_do_not_hide_one_that_helps() -> None:
    roles = (Role("a", 6), Role("b", 6), Role("c", 2))
    groups = Groups("L0", ("a", "b"), (1, 1)), Groups("L1", ("b", "c"), (3, 1))
    found = clash_on(even_machine(3, 4), GangJob(roles, groups))
    assert found.helps[RoleCount("a")]["groups"] == 5
    limits = MostPods("L0", ("a",), 1), MostPods("L0", ("a",), 3)
    found = clash_on(even_machine(3, 4), GangJob((Role("a", 6),), limits))
    assert found.helps[limits[0]]["most"] == 2


def test_fewer_pods_of_slices_of_several_roles_are_tried_one_by_one() -> None:
    """With two of a the second pod of b is with the first, with one it is not."""
    for a in range(2, 6):
        job = GangJob(
            (Role("a", a), Role("b", 3)),
            (Slices("L0", ("a", "b"), 2), Apart("L0", ("a", "b"))),
        )
        devices = even_machine(4, 2)
        if decide(job, devices).fits is False:
            found = clash_on(devices, job)
            counts = [
                n for n in range(1, a) if decide(job.resize({"a": n}), devices).fits
            ]
            assert found.helps[RoleCount("a")].get("count") == max(counts, default=None)


def test_the_deadline_ends_the_search_for_a_smaller_set() -> None:
    """Of 60 constraints there are too many sets to look at, known or not."""
    roles = tuple(Role(f"r{i}", 1) for i in range(60))
    pairs = tuple(within("L0", (f"r{i}", f"r{i + 1}")) for i in range(59))
    job, devices = GangJob(roles, pairs), even_machine(2, 30)
    start = clock.now()
    found = find_clash(
        job,
        [devices.tree],
        lambda some: len(some.constraints) + len(some.roles) < 119,
        start + 0.2,
    )
    assert found.limit is Limit.TIME
    assert clock.now() - start < 60
