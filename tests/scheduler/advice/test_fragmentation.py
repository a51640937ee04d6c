"""What is free at each level, against counting by name."""

from __future__ import annotations

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.scheduler.advice.fragmentation import prometheus, rooms, usual_sizes
from closeknit.scheduler.placement import NodeSelector
from closeknit.scheduler.topologies import Hierarchy, parse_cluster

from ..clusters import random_jobs, small_tree


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_rooms_are_those_counted_by_name(seed: int, size: int) -> None:
    chance = random.Random(seed)
    selector = NodeSelector(parse_cluster(small_tree(chance)))
    [fabric] = selector.cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    held = random_jobs(chance, fabric.nodes, 0.4)
    found = rooms(selector, selector.free(without=held), [size])
    assert [one.level for one in found] == list(fabric.levels)
    for height, one in enumerate(found):
        below: dict[int, list[str]] = {}
        for name, home in zip(fabric.nodes, fabric.home.tolist(), strict=True):
            v = home
            while v >= 0 and fabric.level[v] != height:
                v = int(fabric.parent[v])
            if v >= 0:
                below.setdefault(v, []).append(name)
        free = [[n for n in names if n not in held] for names in below.values()]
        assert one.domains == len(below)
        assert one.whole == sum(
            len(a) == len(b) for a, b in zip(free, below.values(), strict=True)
        )
        assert one.largest == max(map(len, free))
        assert one.size == max(map(len, below.values()))
        every = len(fabric.nodes) - len(held)
        assert one.possible == min(every, one.size)
        assert one.groups == {size: sum(len(names) // size for names in free)}


def test_parts_without_a_connection_do_not_share_a_job() -> None:
    text = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[0-1]"
    selector = NodeSelector(parse_cluster(text))
    [found] = rooms(selector, selector.free(), [2])
    assert (found.domains, found.largest, found.possible) == (2, 4, 4)
    assert (found.groups, found.largest_in_groups) == ({2: 3}, {2: 4})
    assert usual_sizes([found]) == [2, 4]


def test_lines_for_prometheus_have_the_form_of_the_text_format() -> None:
    text = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=t Switches=s0"
    selector = NodeSelector(parse_cluster(text))
    free = selector.free(without=["a0"])
    lines = prometheus(rooms(selector, free, [2]), 3, 4).splitlines()
    sample = re.compile(r'closeknit_\w+\{\w+="\w+"(,\w+="\w+")?\} \d+')
    assert all(line.startswith("# ") or sample.fullmatch(line) for line in lines)
    assert 'closeknit_largest_job_nodes{level="switch"} 3' in lines
    assert 'closeknit_nodes{state="busy"} 1' in lines
    typed = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(typed) == len(set(typed)) == 6
