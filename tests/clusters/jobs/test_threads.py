"""What operators ask for in threads, as jobs of parts; each test is named after its."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from closeknit.clusters.jobs.placing import JobOutcome
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.solvers import Status

from ..asking import Ask
from .placed import placed

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "jobs"


def racks(*sizes: int, blocks: int = 1) -> NodeSelector:
    """Make a cluster of blocks of racks with so many nodes each."""
    lines, tops = [], []
    for b in range(blocks):
        names = []
        for r, size in enumerate(sizes):
            lines.append(f"SwitchName=r{b}.{r} Nodes=n{b}-{r}-[1-{size}]")
            names.append(f"r{b}.{r}")
        lines.append(f"SwitchName=b{b} Switches={','.join(names)}")
        tops.append(f"b{b}")
    if blocks > 1:
        lines.append(f"SwitchName=all Switches={','.join(tops)}")
    return NodeSelector(parse_cluster("\n".join(lines)))


def inside(found: JobOutcome, level: str, *roles: str) -> Counter[int]:
    """Count the pods of roles by domain of a level."""
    assert found.answer.placement is not None
    tree = found.devices.tree
    at = tree.at(tree.level_number(level))
    return Counter(
        int(at[node]) for name in roles for node in found.answer.placement[name]
    )


def test_kueue_15640_a_last_slice_that_is_smaller() -> None:
    found = placed(racks(4, 4, 4, 3), {"worker": 15}, {"slices": {"switch": 4}})
    assert sorted(inside(found, "switch", "worker").values()) == [3, 4, 4, 4]


@pytest.mark.parametrize("busy", [0, 1])
def test_kueue_9046_several_levels_at_once(busy: int) -> None:
    """96 in a datacenter, 48 in a block, 16 in a rack; also kueue#6554."""
    selector = racks(*[16 + busy] * 3, blocks=2)
    levels = {"switch": 16, "level2": 48}
    taken = tuple(f"n{b}-{r}-1" for b in range(2) for r in range(3)) * busy
    found = placed(
        selector, {"w": 96}, {"slices": levels}, {"within": "level3"}, busy=taken
    )
    assert found.answer.status is Status.OPTIMAL
    assert [*inside(found, "switch", "w").values()] == [16] * 6
    assert [*inside(found, "level2", "w").values()] == [48, 48]
    more = placed(selector, {"w": 96}, {"slices": levels}, busy=(*taken, "n1-2-5"))
    assert more.answer.status is Status.INFEASIBLE


def test_kueue_3533_ranks_in_order() -> None:
    """The ranks of a rack follow each other, whichever racks have room."""
    found = placed(racks(3, 5, 4, blocks=2), {"w": 15}, {"slices": {"switch": 3}})
    assert found.answer.placement is not None
    tree = found.devices.tree
    racks_of = tree.home[list(found.answer.placement["w"])].tolist()
    runs = 1 + sum(a != b for a, b in pairwise(racks_of))
    assert runs == len(set(racks_of))


def test_kai_2077_groups_without_indices() -> None:
    """Any pod may be in any group of four: the same question as slices of four."""
    selector = racks(4, 5, 7)
    as_slices = placed(selector, {"w": 12}, {"slices": {"switch": 4}})
    groups = placed(selector, {"w": 12}, {"groups": {"w": 4}, "level": "switch"})
    assert as_slices.answer.fits is groups.answer.fits is True
    assert as_slices.answer.placement == groups.answer.placement


def test_grove_756_roles_with_constraints_of_their_own() -> None:
    """Prefill and decode in one block, each instance in a rack, routers spread."""
    found = placed(
        racks(4, 4, 4, 4, blocks=3),
        {"prefill": 4, "decode": 8, "router": 3},
        {"within": "level2", "roles": ["prefill", "decode"]},
        {"slices": {"switch": 2}, "roles": ["prefill"]},
        {"slices": {"switch": 4}, "roles": ["decode"]},
        {"spread": "level2", "most_pods": 1, "roles": ["router"]},
        {"apart": "switch", "roles": ["prefill", "decode"]},
    )
    assert found.answer.fits
    assert len(inside(found, "level2", "prefill", "decode")) == 1
    assert set(inside(found, "level2", "router").values()) == {1}
    assert set(inside(found, "switch", "decode").values()) == {4}
    both = inside(found, "switch", "prefill").keys() & inside(found, "switch", "decode")
    assert not both


def test_ray_enhancements_66_replicas_over_fault_domains() -> None:
    """Also volcano#5430 and sgl-project/rbg#473: leaders with theirs, then spread."""
    found = placed(
        racks(5, 5, 5, 5, blocks=2),
        {"leader": 4, "worker": 16},
        {"groups": {"leader": 1, "worker": 4}, "level": "switch"},
        {"spread": "level2", "most_pods": 2, "least_domains": 2, "roles": ["leader"]},
    )
    assert found.answer.fits
    assert [*inside(found, "level2", "leader").values()] == [2, 2]
    assert set(inside(found, "switch", "leader", "worker").values()) == {5}


COMMANDS = {
    "kueue-10497": ("preempt", 0, ["jobs to end: b1, b2", "nodes of worker: b[1-3]"]),
    "kueue-10574": ("select", 0, ["worker b[01-10],c[01-10]"]),
    "kueue-10815": (
        "select",
        3,
        ["smallest set", "with count 162", "with size 9", "with level level2"],
    ),
    "kueue-14244": ("repair", 0, ["failed -> a5,d5", "domains switch 4, proved"]),
    "kueue-15640": ("select", 0, ["leader a1", "worker a[2-4],b[1-4],c[1-4],d[1-4]"]),
    "kueue-9046": ("select", 0, ["domains level3 2 (proved)", "domains switch 11"]),
    "grove-756": ("select", 0, ["domains switch 6 (proved)"]),
    "kai-2077": ("select", 0, ["domains switch 3 (proved)"]),
    "volcano-5430": ("select", 0, ["domains level2 3 (proved)", "domains switch 5"]),
}
"""By thread: the question of its example, the exit status, and what is printed."""


@pytest.mark.parametrize("thread", COMMANDS)
def test_the_example_of_a_thread_is_answered(thread: str, ask: Ask) -> None:
    question, status, lines = COMMANDS[thread]
    base = str(EXAMPLES / thread)
    words = question if question == "select" else f"change {question}"
    words += f" --topology {base}.conf"
    if question == "repair":
        words += " --placed a[1-4],b[1-4],c[1-4],d[1-4] --failed a2,d3"
        words += " --segment 4 --levels level2=8"
    else:
        words += f" --job {base}.json"
    if question != "select":
        words += f" --running {base}-running.json"
    found, out, _ = ask(words)
    assert found == status
    for line in lines:
        assert line in " ".join(out.split())


def test_every_example_is_of_a_thread_that_is_answered() -> None:
    ends = (".conf", "-running.json", ".json")
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    names -= {"kueue-workload.yaml", "slurm-225.sh"}  # test_request reads them
    assert names <= {f"{thread}{end}" for thread in COMMANDS for end in ends}
