"""The least that has to change, against all subsets of nodes, jobs and constraints."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.advice.obstacle import JobsToEnd
from closeknit.clusters.advice.why import explain
from closeknit.clusters.placement import NodeSelector, Request
from closeknit.clusters.topologies import Hierarchy, parse_cluster
from closeknit.instances import InputError
from closeknit.solvers import Limit, Settings
from closeknit.solvers.running.kernels import interpreted

from ..clusters import (
    Held,
    fits,
    grid,
    rails,
    random_fabric,
    random_jobs,
    small_tree,
    smallest,
)

BLOCKS = """\
BlockName=b1 Nodes=p[01-18]
BlockName=b2 Nodes=q[01-18]
BlockName=b3 Nodes=r[01-12]
BlockSizes=12
"""


def relaxed(request: Request, dropped: tuple[str, ...]) -> Request:
    return Request(
        request.k,
        request.objective,
        1 if "segment" in dropped else request.segment,
        {n: s for n, s in request.levels.items() if n not in dropped},
        frozenset() if "require" in dropped else request.require,
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.data())
def test_the_least_changes_are_those_of_all_subsets(
    seed: int, k: int, data: st.DataObject
) -> None:
    chance = random.Random(seed)
    selector = NodeSelector(parse_cluster(small_tree(chance)))
    if data.draw(st.booleans(), "no tree"):
        selector, _ = random_fabric(chance, most=8)
    [fabric] = selector.cluster.fabrics
    names = fabric.levels if isinstance(fabric, Hierarchy) else ()
    level = names[1] if len(names) > 1 else "switch"
    nodes = list(fabric.nodes)
    held = random_jobs(chance, nodes, data.draw(st.sampled_from([0.3, 0.7])))
    segment = data.draw(st.sampled_from([s for s in (1, 2, 3, 4) if k % s == 0]))
    levels = {}
    if k % 2 == 0 and segment < 3 and data.draw(st.booleans()):
        levels = {level: data.draw(st.sampled_from([2, k]))}
    if level == "switch" and segment != levels.get(level, segment):
        segment = 1
    require = frozenset(n for n in nodes if chance.random() < 0.1)
    if len(require) > k:
        require = frozenset()
    out = {n for n in nodes if chance.random() < 0.1}
    request = Request(k, segment=segment, levels=levels, require=require)
    free = selector.free(without=held)
    excluded = [~one for one in selector.free(without=out)]
    with interpreted():
        found = explain(selector, request, free, {"exclude": excluded}, held)
        usable = {n for n in nodes if n not in out}
        now = usable - set(held)
        busy = [{n} for n in sorted(usable & set(held))]
        few = smallest(busy, lambda some: fits(selector, request, now.union(*some)))
        least = len(few[0]) if few else None
        assert found.never == (least is None)
        assert found.fits == (least == 0)
        if least is not None:
            assert found.placement.objective == found.placement.bound == (least,)
        if least == 0:
            return
        state = set(nodes) if found.never else set(nodes) - set(held)
        check_changes(selector, request, state, out, found.changes)
        most = max(
            (
                smaller
                for smaller in range(1, len(nodes) + 1)
                if smaller % max(segment, *levels.values(), 1) == 0
                and fits(selector, replace(request, k=smaller), state - out)
            ),
            default=0,
        )
        assert found.most == most
        if least is None or not held:
            return
        assert len(found.busy) == least
        assert fits(selector, request, now | set(found.busy))
        check_jobs(selector, request, now, held, out, found.jobs)


def check_changes(
    selector: NodeSelector,
    request: Request,
    state: set[str],
    out: set[str],
    changes: tuple[tuple[str, ...], ...],
) -> None:
    names = [
        *["segment"] * (request.segment > 1),
        *[name for name, size in request.levels.items() if size > 1],
        *["require"] * bool(request.require),
        *["exclude"] * bool(out),
    ]

    def suffice(dropped: tuple[str, ...]) -> bool:
        left = state if "exclude" in dropped else state - out
        return fits(selector, relaxed(request, dropped), left)

    assert [*changes] == smallest(names, suffice)


def check_jobs(
    selector: NodeSelector,
    request: Request,
    now: set[str],
    held: Held,
    out: set[str],
    jobs: object,
) -> None:
    assert isinstance(jobs, JobsToEnd)
    names = sorted({job for some in held.values() for job in some})

    def suffice(some: tuple[str, ...]) -> bool:
        ended = {n for n, by in held.items() if set(by) <= set(some)}
        return fits(selector, request, now | ended - out)

    enough = smallest(names, suffice)
    assert jobs.bound == len(enough[0])
    assert jobs.jobs in enough


def test_slurm_segments_name_the_job_in_the_way() -> None:
    selector = NodeSelector(parse_cluster(BLOCKS))
    held: Held = {"r12": {"7": None}, "p01": {"8": None}}
    request = Request(36, segment=12)
    with interpreted():
        found = explain(selector, request, selector.free(without=held), {}, held)
    assert (found.busy, found.most, found.changes) == (("r12",), 24, (("segment",),))
    assert found.jobs is not None
    assert (found.jobs.jobs, found.jobs.nodes) == (("7",), 1)
    assert found.values == {"segment": 9}


def test_networks_without_switches_have_no_groups() -> None:
    selector = NodeSelector(parse_cluster(grid("mesh 5")))
    free = selector.free(without=["n1", "n3"])
    with interpreted():
        found = explain(selector, Request(4), free, {}, {"n1": {"a": None}})
    assert found.placement.objective == (1,)
    with pytest.raises(InputError, match=r"segment: must be 1 where there are no leaf"):
        explain(selector, Request(4, segment=2), free, {})
    with pytest.raises(InputError, match=r"levels: is for networks with switches"):
        explain(selector, Request(4, levels={"switch": 2}), free, {})
    with pytest.raises(InputError, match="require: is not in the topology: 'zz'"):
        explain(selector, Request(1, require=frozenset(["zz"])), free, {})


def test_hosts_on_two_rails_count_at_both() -> None:
    selector = rails()  # g0-3 at a and b, h0-3 at b and c, i0-3 at c and d
    held: Held = {name: {name[0]: None} for name in ("g0", "h0", "i0", "i1")}
    with interpreted():
        request = Request(8, segment=8)
        found = explain(selector, request, selector.free(without=held), {}, held)
        levels = Request(8, levels={"switch": 8})
        again = explain(selector, levels, selector.free(without=held), {}, held)
    assert found.busy == again.busy == ("g0", "h0")  # a switch has 8 hosts
    assert found.jobs is not None
    assert (found.jobs.jobs, found.jobs.bound) == (("g", "h"), 2)
    assert (found.most, found.values) == (0, {"segment": 4})
    assert again.changes == (("switch",),)


def test_a_limit_is_reported() -> None:
    selector = NodeSelector(parse_cluster(BLOCKS))
    busy = selector.free(without=["r12"])
    with interpreted():
        request = Request(36, segment=12)
        found = explain(selector, request, busy, {}, {}, Settings(time_limit=0.0))
    assert found.limit is Limit.TIME
    assert found.changes == ()
