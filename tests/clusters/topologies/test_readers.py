"""Readers of topologies: what they recognise, and one line for every fault."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.topologies import (
    FabricKind,
    Hierarchy,
    parse_cluster,
    read_cluster,
    read_name_map,
)
from closeknit.instances import InputError
from closeknit.instances.reading import parsing

from ...data import needs
from ..clusters import hierarchy, space_of
from ..fabrics import DUMP, FOLDER, dgx_map, refusal
from ..reports import ZONE, labelled, node

TREE = """\
# two racks of different sizes below one switch
SwitchName=s0 Nodes=n[1-3]   # a comment
switchname=s1 nodes=n[4-8] LinkSpeed=100
SwitchName=top \\
    Switches=s[0-1]
"""
SCONTROL = """\
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-8]
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[0-1]
"""
BLOCKS = """\
BlockName=b1 Nodes=n[01-04]
BlockName=b2 Nodes=n[05-08]
BlockName=b3 Nodes=n[09-12]
BlockSizes=4,8
"""
YAML = """\
---
- topology: racks
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - {switch: s1, nodes: "n[1-2]"}
      - {switch: s2, nodes: "n[3-4]"}
- topology: pods
  cluster_default: true
  block:
    block_sizes: [2, 4]
    blocks:
      - {block: b1, nodes: "n[1-2]"}
      - {block: b2, nodes: "n[3-4]"}
- topology: loops
  ring:
    rings:
      - {ring: r0, nodes: "n[1-4]"}
      - {ring: r1, nodes: "n[5-8]"}
- topology: cube
  torus3d:
    toruses:
      - name: pod
        dims: {x: 2, y: 2, z: 2}
        nodes: n[1-8]
- topology: parts
  torus3d:
    toruses:
      - name: pod
        dims: {x: 4, y: 1, z: 1}
        regions:
          - {anchor: {x: 2, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: "n[1-2]"}
          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: "n[3-4]"}
- topology: plain
  flat: true
"""
MODEL = """\
switches:
  core: {switches: [left, right]}
  left:
    labels: {topology.kubernetes.io/zone: z1}
    switches: [l1, l2]
blocks:
- {switch: l1, nodes: ["a[1-2]", a5], annotations: {accelerator.x/domain: d1}}
- {switch: l2, nodes: ["b[1-2]"], annotations: {accelerator.x/domain: d1}}
- {switch: right, nodes: ["c[1-3]"], annotations: {accelerator.x/domain: d2}}
"""
IBNET = """\
Switch\t4 "S-01"\t\t# "leaf one" enhanced port 0 lid 7 lmc 0
[1]\t"H-0a"[1](0a) \t\t# "alpha mlx5_0" lid 1 4xNDR
[2]\t"H-0b"[1](0b) \t\t# "alpha mlx5_1" lid 2 4xNDR
[3]\t"H-0c"[1](0c) \t\t# "beta HCA-1" lid 3 4xNDR
[4]\t"S-02"[1]\t\t# "leaf two" lid 8 4xNDR

Switch\t4 "S-02"\t\t# "leaf two" enhanced port 0 lid 8 lmc 0
[1]\t"S-01"[4]\t\t# "leaf one" lid 7 4xNDR
[2]\t"H-0d"[1](0d) \t\t# "gamma" lid 4 4xNDR
[3]\t"H-0e"[1](0e) \t\t# "Mellanox Technologies Aggregation Node" lid 5 4xNDR

Ca\t1 "H-0a"\t\t# "alpha mlx5_0"
[1](0a) \t"S-01"[1]\t\t# lid 1 lmc 0 "leaf one" lid 7 4xNDR
Ca\t1 "H-0b"\t\t# "alpha mlx5_1"
[1](0b) \t"S-01"[2]\t\t# lid 2 lmc 0 "leaf one" lid 7 4xNDR
Ca\t1 "H-0c"\t\t# "beta HCA-1"
[1](0c) \t"S-01"[3]\t\t# lid 3 lmc 0 "leaf one" lid 7 4xNDR
Ca\t1 "H-0d"\t\t# "gamma"
[1](0d) \t"S-02"[2]\t\t# lid 4 lmc 0 "leaf two" lid 8 4xNDR
Ca\t1 "H-0e"\t\t# "Mellanox Technologies Aggregation Node"
[1](0e) \t"S-02"[3]\t\t# lid 5 lmc 0 "leaf two" lid 8 4xNDR
"""
EDGES = "a,b,links\nS-1,h1,1\nS-1,h2,1\nS-2,h3,2\nS-1,S-2,4\n"


RACK = "cloud.provider.com/topology-rack"
KUBERNETES = labelled(
    {ZONE: "z1", RACK: "r1"},
    {ZONE: "z1", RACK: "r2"},
    {ZONE: "z2", RACK: "r1"},
    {ZONE: "z2"},
)


def members(fabric: Hierarchy) -> dict[str, set[str]]:
    """The nodes at each domain itself."""
    found: dict[str, set[str]] = {}
    for name, home in zip(fabric.nodes, fabric.home.tolist(), strict=True):
        found.setdefault(fabric.domains[home], set()).add(name)
    return found


RECOGNISED = [
    (TREE, "Slurm topology.conf: 2-level tree, 2 leaf switches, 8 nodes"),
    (SCONTROL, "Slurm topology.conf: 2-level tree, 2 leaf switches, 8 nodes"),
    (BLOCKS, "Slurm topology.conf: 3 blocks, 12 nodes"),
    ("RingName=r Nodes=n[1-8]", "Slurm topology.conf: ring r, 8 nodes"),
    (YAML, "Slurm topology.yaml (pods): 2 blocks, 4 nodes"),
    (MODEL, "topograph model: 3-level tree, 3 leaf switches, 8 nodes"),
    (IBNET, "ibnetdiscover: 2-level tree, 2 leaf switches, 3 nodes"),
    (EDGES, "list of cables: 2-level tree, 2 leaf switches, 3 nodes"),
    (
        KUBERNETES,
        "Kubernetes nodes: 3-level tree, 3 racks, 3 nodes; "
        "1 node without these labels left out",
    ),
    (
        "node,x,y\na,0,0\nb,3,4\n",
        "nodes with coordinates: points in 2-D, 2 nodes",
    ),
    (
        "# torus 4x4\nnode,coordinates\na,0x0\nb,(3 3)\n",
        "nodes with coordinates: 4x4 torus, 2 nodes",
    ),
]


@pytest.mark.parametrize(("text", "summary"), RECOGNISED)
def test_what_is_recognised_is_said_in_one_line(text: str, summary: str) -> None:
    assert parse_cluster(text).summary() == summary
    assert parse_cluster("\n" + text.replace("\n", "\r\n")).summary() == summary


def test_the_nodes_of_switches_and_their_hops() -> None:
    for text in (TREE, SCONTROL):
        fabric = hierarchy(parse_cluster(text))
        assert fabric.domains == ("top", "s0", "s1")
        assert members(fabric) == {
            "s0": {"n1", "n2", "n3"},
            "s1": {"n4", "n5", "n6", "n7", "n8"},
        }
        assert [fabric.distance(0, i) for i in range(8)] == [0, 2, 2, 4, 4, 4, 4, 4]
        assert fabric.distance(1, 3) == 4


def test_block_sizes_make_levels_above_the_blocks() -> None:
    fabric = hierarchy(parse_cluster(BLOCKS))
    assert fabric.kind is FabricKind.BLOCKS
    assert fabric.levels == ("block", "group8", "machine")
    assert [fabric.distance(0, i) for i in (1, 4, 8)] == [2, 4, 6]
    shown = """\
BlockName=b1 BlockIndex=0 Nodes=n[01-04] BlockSize=4
BlockName=b2 BlockIndex=1 Nodes=n[05-08] BlockSize=4
BlockName=b3 BlockIndex=2 Nodes=n[09-12] BlockSize=4
AggregatedBlock=b[1-2] BlockIndex=3 Nodes=n[01-08] BlockSize=8
"""
    assert hierarchy(parse_cluster(shown)).levels == fabric.levels


def test_each_topology_of_a_yaml_file_can_be_named() -> None:
    assert hierarchy(parse_cluster(YAML, name="racks")).kind is FabricKind.TREE
    first, second = parse_cluster(YAML, name="loops").fabrics
    assert (first.distance(0, 3), first.distance(0, 2)) == (1, 2)
    assert second.nodes == ("n5", "n6", "n7", "n8")
    cube = space_of(parse_cluster(YAML, name="cube"))
    assert cube.sites[:3] == ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    parts = space_of(parse_cluster(YAML, name="parts"))
    assert dict(zip(parts.nodes, parts.sites, strict=True))["n1"] == (2, 0, 0)
    flat = hierarchy(parse_cluster(YAML, name="plain", nodes=["x", "y"]))
    assert flat.distance(0, 1) == 2


def test_a_model_is_a_tree_or_blocks() -> None:
    tree = hierarchy(parse_cluster(MODEL))
    assert members(tree)["l1"] == {"a1", "a2", "a5"}
    blocks = hierarchy(parse_cluster(MODEL, name="block"))
    assert blocks.kind is FabricKind.BLOCKS
    assert {len(nodes) for nodes in members(blocks).values()} == {5, 3}


def test_adapters_of_a_host_are_one_node_and_aggregation_nodes_none() -> None:
    fabric = hierarchy(parse_cluster(IBNET))
    assert members(fabric) == {"S-01": {"alpha", "beta"}, "S-02": {"gamma"}}


def test_levels_of_kubernetes_are_labels_or_those_of_kueue() -> None:
    fabric = hierarchy(parse_cluster(KUBERNETES))
    assert fabric.levels == ("rack", "zone", "cluster")
    assert members(fabric) == {"z1/r1": {"n1"}, "z1/r2": {"n2"}, "z2/r1": {"n3"}}
    labels = [{"nodeLabel": "x/hall"}, {"nodeLabel": "kubernetes.io/hostname"}]
    topology = {"kind": "Topology", "spec": {"levels": labels}}
    text = labelled({"x/hall": "a"}, {"x/hall": "b"}, more=[topology])
    assert hierarchy(parse_cluster(text)).levels == ("hall", "cluster")
    fabric = hierarchy(parse_cluster(KUBERNETES, labels=[ZONE]))
    assert members(fabric) == {"z1": {"n1", "n2"}, "z2": {"n3", "n4"}}


FAULTS = [
    ("", "t: is empty"),
    ("what is this", "t: is none of: Slurm topology.conf"),
    ("SwitchName=a Switches=b\nSwitchName=b Switches=a", "t:1: switch: is in a cycle"),
    ("SwitchName=a Switches=a", "t:1: switch: is in a cycle: 'a'"),
    (
        "SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a",
        "t:3: switches: switch has two parents: 'a' (b and c)",
    ),
    ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "t:2: nodes: node is at two"),
    ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "t:2: switch: is defined twice"),
    ("SwitchName=a Nodes=n[1-3,2]", "t:1: Nodes: is listed twice: 'n2'"),
    ("SwitchName=a Nodes=n[]", "t:1: Nodes: must be numbers and ranges"),
    ("SwitchName=a Nodes=n[1-1000000000]", "t:1: Nodes: has more than 1048576 names"),
    ("SwitchName=a Nodes=n[1-", "t:1: Nodes: brackets do not match"),
    ("SwitchName=a Nodes=", "t: has no nodes"),
    ("SwitchName=a", "t: has no nodes"),
    ("SwitchName=a Nodes=n1 \\", "t:1: ends within a continued line"),
    ("SwitchName=a Switches=zz", "t:1: switches: no such switch: 'zz'"),
    ("SwitchName=a Nodes=n1 Colour=red", "t:1: Colour: unknown key"),
    ("SwitchName=a Nodes=n1\nrubbish", "t:2: line: must be Key=Value"),
    (
        "SwitchName=a Nodes=n1\nBlockName=b Nodes=n2",
        "t:1: switchname: cannot stand beside",
    ),
    ("BlockName=a Nodes=n1\nBlockSizes=4,6", "must be a power of two times 4"),
    ("BlockName=a Nodes=n1\nBlockSizes=4,x", "t:2: BlockSizes: must be a positive"),
    ("- topology: a\n  tree: {switches: []}", "t: has no nodes"),
    ("- topology: a", "t:1: topology: must have exactly one of"),
    ("- topology: a\n  tree: {colour: 1}", "t:2: colour: unknown key"),
    ("- topology: a\n  tree: [", "t:3: not YAML:"),
    ("- topology: a\n  flat: true", "lists no nodes: name them with --free"),
    ("- topology: &x a\n  flat: true", "t:1: anchors and aliases are not read"),
    ("- topology: " + "[" * 100, "is nested too deeply"),
    ("switches: {}\nblocks: [{nodes: [a]}]", "t:2: block: needs switch"),
    ('Switch\t4 "S-01"\n[1]\t"H-0a"[1]', "t:2: port: ends at a device that is not"),
    ('Switch\t4 "S-01"\n[x]', "t:2: line: is not a port: '[x]'"),
    ("- topology: [a]\n  flat: true", "t:1: topology: must be text"),
    (EDGES + "S-1,S-1,1", "t:6: cable: joins a node to itself: 'S-1'"),
    (EDGES + "h1,S-1,1", "t:6: cable: is listed twice: 'h1,S-1'"),
    (EDGES + "S-1", "t:6: cable: needs two names"),
    ('a,b\n"x', "t:2: not CSV"),
    ("node,x\na,1\na,2", "t:3: node: is listed twice: 'a'"),
    ("node,x\na,b", "t:2: node: must have integer coordinates"),
    ("node,x,y\na,1,2\nb,1", "t:3: node: must have 2 coordinates"),
    ("# torus 2x2\nnode,x,y\na,1,2", "t:3: node: lies outside the network"),
    ("{}", "t: is JSON, but no list of Kubernetes nodes"),
    ('{"items": [', "t: not JSON"),
    (labelled({}), "t: labels: no node has a label of a level"),
    ("<BG><PartitionList></PartitionList></BG>", "t: is none of: Slurm topology"),
]


@pytest.mark.parametrize(("text", "complaint"), FAULTS)
def test_every_fault_is_one_line_with_the_place(text: str, complaint: str) -> None:
    said = refusal(text)
    assert complaint in said
    assert said.startswith("t")


def test_options_for_other_formats_are_refused() -> None:
    with pytest.raises(InputError, match="--topology-name"):
        parse_cluster(TREE, name="x")
    with pytest.raises(InputError, match="no such topology"):
        parse_cluster(YAML, name="x")
    with pytest.raises(InputError, match="--labels"):
        parse_cluster(TREE, labels=["x"])


def test_deep_trees_are_refused_and_not_recursed_into() -> None:
    lines = [f"SwitchName=s{i} Switches=s{i + 1}" for i in range(5000)]
    with pytest.raises(InputError, match="more than 64 levels deep"):
        parse_cluster("\n".join([*lines, "SwitchName=s5000 Nodes=n1"]))


def test_without_pyyaml_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(InputError, match=r"needs PyYAML \(pip install pyyaml\)"):
        parse_cluster(YAML)


SEEDS = [text for text, _ in RECOGNISED]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        until = min(len(text), at + data.draw(st.integers(0, 30)))
        drawn = data.draw(st.text('S=[]{}-:,x1 \n\t\\"<', max_size=4))
        text = text[:at] + drawn + text[until:]
    complaint = ""
    try:
        parse_cluster(text).summary()
    except InputError as error:
        complaint = str(error)
    assert "\n" not in complaint


@needs("data/topology")
@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("avakas.edges.csv.xz", "2-level tree, 16 leaf switches, 281 nodes"),
        ("plafrim.edges.csv.xz", "with the same switches, 125 nodes"),  # a graph
        ("topograph_dgx_ndr_2025.edges.csv.xz", "194 nodes"),
        ("topograph_models/large.yaml", "3-level tree, 12 leaf switches, 96 nodes"),
        ("topograph_models/nvl72.yaml", "3-level tree, 4 leaf switches, 72 nodes"),
    ],
)
def test_real_machines(name: str, summary: str) -> None:
    assert summary in read_cluster(FOLDER / name).summary()


@needs("data/topology")
def test_a_dump_and_the_cables_taken_from_it_are_one_machine(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2036: Ca: names no host: .*74 have none"):
        read_cluster(DUMP)
    dump = read_cluster(DUMP, host_names=read_name_map(dgx_map(tmp_path)))
    assert "194 nodes" in dump.summary()
    cables = read_cluster(FOLDER / "topograph_dgx_ndr_2025.edges.csv.xz")
    assert set(dump.index) == set(cables.index)
    [a], [b] = dump.fabrics, cables.fabrics
    number = {name: i for i, name in enumerate(b.nodes)}
    for i in range(0, len(a.nodes), 7):
        for j in range(len(a.nodes)):
            other = b.distance(number[a.nodes[i]], number[a.nodes[j]])
            assert a.distance(i, j) == other


def test_long_reports_are_read_element_by_element(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More values than a document may have that is parsed at once; packed, too."""
    monkeypatch.setattr(parsing, "MOST_VALUES", 1000)
    images = [{"names": [f"image{i}"], "sizeBytes": i} for i in range(5)]
    nodes = [node(f"n{i}", labels={ZONE: f"z{i % 3}"}) for i in range(60)]
    for one in nodes:
        one["status"] = {"images": images}
    text = json.dumps({"kind": "List", "items": nodes})
    with pytest.raises(InputError, match="has more than"):
        parse_cluster(text)
    for name, content in (
        ("nodes.json", text.encode()),
        ("nodes.json.xz", lzma.compress(text.encode(), preset=0)),
    ):
        (tmp_path / name).write_bytes(content)
        cluster = read_cluster(tmp_path / name)
        assert cluster.summary() == "Kubernetes nodes: 2-level tree, 3 zones, 60 nodes"
    cut = tmp_path / "cut.json.xz"
    cut.write_bytes(lzma.compress(text.encode(), preset=0)[:-20])
    with pytest.raises(InputError, match="is cut off"):
        read_cluster(cut)
