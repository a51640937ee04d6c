"""Nested blocks and their placeholders, and what others' threads asked for."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.clusters.placement import NodeSelector, Request
from closeknit.clusters.rules.choosing import by_rule
from closeknit.clusters.topologies import parse_cluster, read_cluster
from closeknit.instances import InputError
from closeknit.solvers import Status
from closeknit.solvers.running.kernels import interpreted

from ...data import needs
from ...paths import ROOT
from ..asking import Ask
from ..clusters import hierarchy
from ..fabrics import FOLDER
from ..pods import grid_rows, pod_csv
from ..reports import sinfo

EXAMPLES = ROOT / "examples" / "blocks"


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Run a command on a topology, which is a file of an example or a text."""

    def command(words: str, topology: Path | str, **files: str) -> tuple[int, str, str]:
        if isinstance(topology, str):
            return ask(words, "--topology FILE", **files, FILE=topology)
        return ask(words, f"--topology {topology}", **files)

    return command


@given(st.integers(0, 2**32))
def test_aggregates_are_those_of_the_places_in_the_file(seed: int) -> None:
    """Placeholders are blocks without nodes, and nodes that do not exist."""
    chance = random.Random(seed)
    blocks: list[list[str]] = []
    absent: set[str] = set()
    for b in range(chance.randrange(2, 8)):
        nodes = [f"n{b}{i}" for i in range(chance.choice((0, 1, 2, 2)))]
        padding = [f"fake{b}{i}" for i in range(chance.choice((0, 0, 2 - len(nodes))))]
        absent |= {*padding}
        blocks.append(nodes + padding)
    text = "\n".join(
        [f"BlockName=b{b} Nodes={','.join(nodes)}" for b, nodes in enumerate(blocks)]
        + ["BlockSizes=2,4,8"]
    )
    at = {x: b for b, some in enumerate(blocks) for x in some if x not in absent}
    if not at:
        return
    cluster = parse_cluster(text, placeholders=absent)
    assert {*cluster.index} == {*at}
    assert {*cluster.placeholders} == absent
    levels = {"block": chance.choice((1, 2)), "group4": chance.choice((2, 4))}
    size = max(levels.values())
    k = size * chance.randrange(1, 3)
    selector = NodeSelector(cluster)
    busy = {name for name in at if chance.random() < 0.2}
    fabric = hierarchy(cluster)
    assert fabric.block_places == tuple(sorted({*at.values()}))
    if "group4" not in fabric.levels:
        assert len(blocks) <= 1 or len(fabric.domains) == 1
        return

    def is_whole(chosen: tuple[str, ...]) -> bool:
        own = Counter(at[name] for name in chosen)
        four = Counter(at[name] // 2 for name in chosen)
        return all(n % levels["block"] == 0 for n in own.values()) and all(
            n % levels["group4"] == 0 for n in four.values()
        )

    if levels["group4"] % levels["block"]:
        return
    with interpreted():
        found = selector.select(Request(k, levels=levels), selector.free(without=busy))
    possible = any(map(is_whole, combinations(sorted(at.keys() - busy), k)))
    assert (found.status is Status.OPTIMAL) == possible
    if possible:
        assert is_whole(tuple(fabric.nodes[i] for i in found.chosen))


def test_the_rule_of_slurm_sees_placeholders() -> None:
    """Two blocks are an aggregate by their places, not by which come after another."""
    text = "BlockName=a Nodes=a[1-4]\nBlockName=b\nBlockName=c Nodes=c[1-4]\n"
    selector = NodeSelector(
        parse_cluster(text + "BlockName=d Nodes=d[1-4]\nBlockSizes=4,8")
    )
    with interpreted():
        found = by_rule("slurm-block", selector, Request(8), selector.free())
    names = {selector.cluster.fabrics[0].nodes[i] for i in found.chosen}
    assert names == {f"{x}{i}" for x in "cd" for i in range(1, 5)}


FAKE = "BlockName=b1 Nodes=n[1-3],fake1\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=4,8"


def test_placeholders_are_never_chosen_and_never_free(ask: Ask) -> None:
    _, out, _ = ask("select -k 4 --placeholders fake1", FAKE)
    assert "7 nodes; 1 placeholder left out (fake1)" in out
    assert "free        7 of 7 nodes" in out
    status, out, _ = ask("why -k 8 --placeholders fake1", FAKE)
    assert (status, "it never fits" in out) == (3, True)
    past = json.dumps({"job": {"k": 4}, "busy": [], "chosen": "n[1-3],fake1"})
    _, out, _ = ask("grade PAST --placeholders fake1", FAKE, PAST=past)
    assert "fake1 is not in the topology" in out


def test_nodes_that_a_report_calls_future_are_placeholders(ask: Ask) -> None:
    """Without that, it would propose to wait until a node is free that is none."""
    report = json.dumps(sinfo("n[1-3] IDLE", "n[5-8] ALLOCATED", "fake1 FUTURE"))
    status, out, _ = ask("why -k 4 --segment 4 --state SINFO", FAKE, SINFO=report)
    assert status == 3
    assert "Fewest busy nodes that would have to be free: 4" in out
    assert "ignored" not in out


SHOWN = """\
BlockName=b1 BlockIndex=0 Nodes=n[01-04] BlockSize=4
BlockName=b2 BlockIndex=1 Nodes= BlockSize=4
BlockName=b3 BlockIndex=2 Nodes=n[09-12] BlockSize=4
AggregatedBlock=b[1-2] BlockIndex=3 Nodes=n[01-04] BlockSize=8
"""
MODEL = """\
switches:
  core: {switches: [s1, s2], annotations: {x/domain: d0}}
  s1: {annotations: {x/domain: d1, x/sub-domain: r1}}
blocks:
- {switch: s1, nodes: ["a[1-2]"]}
- {switch: s1, nodes: ["b[1-2]"], annotations: {x/sub-domain: r2}}
- {switch: s2, nodes: ["c[1-3]"]}
"""


def test_blocks_have_the_annotations_of_their_switches() -> None:
    """And a domain without sub-domains is a domain next to one with them."""
    cluster = parse_cluster(MODEL, name="block")
    fabric = hierarchy(cluster)
    assert fabric.levels == ("sub-domain", "domain", "machine")
    assert {*fabric.domains} == {
        *("all-domains", "d1", "d1/r1", "d1/r2", "d0", "d0 without sub-domain")
    }
    selector = NodeSelector(cluster)
    with interpreted():
        found = selector.select(Request(3, levels={"domain": 3}), selector.free())
    assert [fabric.nodes[i] for i in found.chosen] in (
        ["a1", "a2", "b1"],
        ["c1", "c2", "c3"],
    )
    assert found.objective is not None
    assert found.objective[0] == 1


def test_the_domain_of_a_block_comes_before_that_of_its_switch() -> None:
    """Whatever the families are called of which their annotations are."""
    own = MODEL.replace("x/sub-domain: r2", "y/domain: d9, y/sub-domain: r9")
    fabric = hierarchy(parse_cluster(own, name="block"))
    homes = zip(fabric.nodes, fabric.home, strict=True)
    where = {node: fabric.domains[v] for node, v in homes}
    assert (where["b1"], where["a1"]) == ("d9/r9", "d1/r1")


def test_blocks_need_no_switch_with_nodes() -> None:
    """The only block with a switch has a placeholder; and the switches are a tree."""
    text = "switches:\n  s0: {switches: [s1]}\nblocks:\n- {switch: s1, nodes: [fake]}\n"
    text += "- {nodes: [n1, n2], annotations: {x/domain: d1}}\n"
    cluster = parse_cluster(text, name="block", placeholders=["fake"])
    assert [fabric.nodes for fabric in cluster.fabrics] == [("n1", "n2")]
    for own in (text, text.replace("switch: s1, ", "")):
        with pytest.raises(InputError, match="is in a cycle"):
            parse_cluster(
                own.replace("[s1]}", "[s1]}\n  s1: {switches: [s0]}"), name="block"
            )


HOST = (2, 2, 1)
POD = pod_csv("torus 4x4x8", grid_rows((4, 4, 8), HOST), (4, 4, 4), HOST)


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (SHOWN.replace("b[1-2]", "b[2-3]"), "-k 1", "FILE:4: AggregatedBlock:"
         " is no aggregate of 8 nodes as BlockSizes make them: 'b[2-3]'"),
        (SHOWN + SHOWN.splitlines()[3].replace("[1-2]", "[2-3]"), "-k 1", "FILE"
         ":5: AggregatedBlock: is no aggregate of 8 nodes as BlockSizes make them: "
         "'b[2-3]'"),  # a block in two aggregates
        (SHOWN.replace("b[1-2]", "b[1-2],x"), "-k 1",
         "FILE:4: AggregatedBlock: no such block: 'x'"),
        (SHOWN.replace("BlockSize=8", ""), "-k 1",
         "FILE:4: BlockSizes: must be a positive integer, not ''"),
        (MODEL.replace("s2, nodes", "s9, nodes"), "-k 1",
         "FILE:7: switch: no such switch: 's9'"),
        (MODEL.replace("s1: {", "s1: {switches: [core], "),
         "-k 1 --topology-name block", "FILE:2: switch: is in a cycle: 'core'"),
        (MODEL.replace("[s1, s2]", "[s1, s2, s3]") + "- {switch: s3, nodes: [a1]}\n",
         "-k 1 --topology-name block",
         "FILE:2: nodes: node is at two switches: 'a1' (s1 and s3)"),
        (MODEL.replace("d1, x/sub-domain: r1", "d0/a, x/sub-domain: b")
         + "- {nodes: [e1], switch: s2, annotations: {x/sub-domain: a/b}}\n",
         "-k 1 --topology-name block",  # two sub-domains, and not one
         "FILE:8: switch: is defined twice: 'd0/a/b' (before in line 5)"),
        (FAKE, "-k 1 --placeholders x1",
         "--placeholders: is at no switch or block: 'x1'"),
        (POD, "-k 1 --placeholders h000",
         "--placeholders: is at no switch or block: 'h000'"),
        (FAKE, "--slice 4x4x4",
         "--slice: is for TPUs, of which nothing is known here, not '4x4x4'"),
        (POD.replace(" cubes 4x4x4 hosts 2x2x1", ""), "--slice 1",
         "--slice: is for TPUs, of which nothing is known here, not '1'"),
        (POD, "--slice 4x4x6",
         "--slice: is neither whole cubes of 4x4x4 nor part of one: '4x4x6'"),
        (POD, "--slice 4x4",
         "--slice: is neither whole cubes of 4x4x4 nor part of one: '4x4'"),
        (POD, "--slice 8x8x8", "--slice: is no box in a pod of 4x4x8 chips: '8x8x8'"),
        (POD, "--slice 3", "--slice: is no box in a pod of 4x4x8 chips: '3'"),
        (POD, "--slice 1x1x2", "--slice: takes parts of nodes of 2x2x1 chips"),
        (POD, "--slice 0x4x4", "--slice: must be such as 4x4x8, or a number of cubes"),
        (POD, "--slice 4x4x4 -k 16", "-k: cannot be given with --slice: 16"),
        (POD, "--slice 4x4x4 --segment 2", "--segment: cannot be given with a slice"),
        (POD, "--slice 4x4x4 --levels x=2", "--levels: cannot be given with a slice"),
        (POD, "--slice 4x4x4 --objective spread", "--objective: must be hops on this "
         "network (4x4x8 torus of cubes 4x4x4), not 'spread'"),
        (POD, "--slice 4x4x4 --method slurm-flat", "--method: knows no groups at"),
        (POD.replace("cubes 4x4x4", "cubes 4x4x3"), "-k 1",
         "FILE: cubes: must divide 4x4x8, not '4x4x3'"),
        (POD.replace("hosts 2x2x1", "hosts 2x2"), "-k 1",
         "FILE: hosts: must divide 4x4x4, not '2x2'"),
        (POD.replace(" hosts 2x2x1", ""), "-k 1",
         "FILE:1: network: must be such as # torus 8x8x4"),
        (POD.replace("h000,0,0,0", "h000,1,0,0"), "-k 1", "FILE:3: node: is no "
         "first chip of a node of 2x2x1: 'h000,1,0,0'"),
        (POD.replace("torus", "optical").replace(" cubes 4x4x4 hosts 2x2x1", ""),
         "-k 1", "FILE: needs cubes and hosts"),
        (POD.replace("torus", "optical"), "--slice 3",
         "--slice: is 3 cubes, more than the 2 of a pod: '3'"),
        (POD.replace("torus", "optical"), "--slice 2x2x4",
         "--slice: is no slice here: '2x2x4' (there are: 4x4x4)"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(ask: Ask, text: str, words: str, message: str) -> None:
    status, _, err = ask(f"select {words}", text)
    assert status == 2
    assert err.removeprefix("closeknit: ").startswith(message)
    assert err.count("\n") == 1


THREADS: list[tuple[str, str, int, tuple[str, ...]]] = [
    # racks of a domain; the placeholder does not let the next domain in
    ("topograph-415.conf", "select -k 27 --levels block=9,group36=27", 0,
     ("chosen      node[001-009,019-036]", "(domain_d1_b02, domain_d2_b04)")),
    ("topograph-415.conf", "select -k 36 --levels group36=36", 3, ("infeasible",)),
    ("topograph-415.conf", "why -k 54 --levels group36=27 --busy node[001-009]", 3,
     ("free: 9, proved", "busy: node[001-009]")),
    # three racks of one group; the phantoms of west keep its racks from those of east
    ("cluster-toolkit-5021.yaml", "select -k 54 --levels block=18,group72=54", 0,
     ("chosen      east0-[01-18],east1-[01-18],east2-[01-18]",)),
    ("cluster-toolkit-5021.yaml", "select -k 72 --levels group72=72", 3, ()),
    # the quota has 178 nodes, the racks ten slices of 16
    ("kueue-10815.conf", "why -k 176 --segment 16", 3,
     ("it never fits", "-k 160: the largest job")),
    ("kueue-10815.conf", "select -k 160 --segment 16", 0, ("switches    10",)),
    # a block for every clique of NVLink; one domain is split into two
    ("topograph-496.json", "select -k 36 --levels gpu.clique=18", 0,
     ("chosen      gpu0-[01-18],gpu1-[01-18]",)),
    ("topograph-496.json", "select -k 54 --levels gpu.clique=18", 3, ()),
    ("topograph-496.json", "select -k 54 --levels gpu.clique-domain=18", 0, ()),
    # any cubes of a block of Ironwood, and parts of a cube
    ("cluster-toolkit-5730.json", "select --slice 4x4x8", 0,
     ("cubes       block-0/00-4x4x4-0 block-0/01-4x4x4-0",)),
    ("cluster-toolkit-5730.json", "why --slice 4x4x8 --busy t00-03,t01-[04-05]", 3,
     ("cubes that would have to be free: 2, proved", "--slice 1: the largest")),
    ("cluster-toolkit-5730.json", "select --slice 2x2x4 --busy t00-[01-15]", 0,
     ("chosen      t01-[00-03]",)),
    # parts of a slice that has begun
    ("ray-64578.csv", "select --slice 2x4x4 --busy h000", 0,
     ("chosen      h[004-007,012-015]",)),
    ("ray-64578.csv", "why --slice 4x4x8 --busy h[000,004]", 3,
     ("cubes that would have to be free: 2", "busy: h[000,004]")),
    # cubes that are next to each other, over the ends of the pod, too
    ("ray-65404.csv", "select --slice 4x4x8 --busy "
     "h[004-007,016-019,024-047,052-055,064-067,072-191]", 0,
     ("cubes       0-0-0 0-0-8",)),
    ("ray-65404.csv", "why --slice 8x8x8 --busy h000,h006,h011", 3,
     ("cubes that would have to be free: 2, proved (enumerated: slices)",)),
]  # fmt: skip


@pytest.mark.parametrize(("file", "words", "status", "lines"), THREADS)
def test_the_cases_of_the_threads(
    ask: Ask, file: str, words: str, status: int, lines: tuple[str, ...]
) -> None:
    found, out, _ = ask(words, EXAMPLES / file)
    assert found == status
    for line in lines:
        assert line in out


def test_every_thread_has_its_case() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == {one[0] for one in THREADS}


def test_a_decision_on_nested_blocks_is_graded(ask: Ask) -> None:
    """27 nodes over a placeholder are no domain, if they look like one in the file."""
    lines: list[dict[str, object]] = [
        {"job": {"k": 27, "levels": {"group36": 27}}, "busy": [], "chosen": chosen}
        for chosen in ("node[001-009,019-036]", "node[019-045]")
    ]
    past = "\n".join(map(json.dumps, lines))
    _, out, _ = ask("grade PAST --json", EXAMPLES / "topograph-415.conf", PAST=past)
    first, second = (json.loads(line) for line in out.splitlines()[:2])
    assert (first.get("broken"), second.get("broken")) == (None, ["group36"])


@needs("data/topology")
@pytest.mark.parametrize(
    ("view", "level"), [("tree", "switch"), ("block", "block")], ids=str
)
def test_racks_of_nvl72_in_the_model_of_topograph(view: str, level: str) -> None:
    """Four racks of 18 nodes, each with four GPUs: 72 GPUs are a rack."""
    cluster = read_cluster(FOLDER / "topograph_models" / "nvl72.yaml", name=view)
    fabric = hierarchy(cluster)
    selector = NodeSelector(cluster)
    busy = ["node1101", "node2218"]
    free = selector.free(without=busy)
    with interpreted():
        two = selector.select(Request(36, levels={level: 18}), free)
        three = selector.select(Request(54, levels={level: 18}), free)
    names: set[Any] = {fabric.nodes[i][:6] for i in two.chosen}
    assert names == {"node12", "node21"}
    assert three.status is Status.INFEASIBLE
