"""The words of Slurm's files: read as Slurm reads them, or refused by name."""

from __future__ import annotations

import pytest

from closeknit.clusters.topologies import Cluster, parse_cluster
from closeknit.instances import InputError

from ..fabrics import refusal

TREE = "SwitchName=top Switches=a,b\nSwitchName=a Nodes=n[1-2]\n"
TORUS = """\
- topology: cube
  torus3d:
    toruses:
      - {{name: pod, dims: {{x: 2, y: 1, z: 1}}, {nodes}}}
      - {{name: full, dims: {{x: 2, y: 1, z: 1}}, nodes: "n[1-2]"}}
"""


def shape(cluster: Cluster) -> list[tuple[str, ...]]:
    """The nodes of every part."""
    return [fabric.nodes for fabric in cluster.fabrics]


@pytest.mark.parametrize(
    ("text", "nodes", "empty"),
    [
        (TREE + "SwitchName=b", 2, "b"),
        (TREE + "SwitchName=b Nodes=", 2, "b"),
        (TREE + "SwitchName=b Level=0 LinkSpeed=1 Nodes=", 2, "b"),
        (TREE + "SwitchName=b Nodes= LinkSpeed=1", 2, "b"),
        (TREE + 'SwitchName=b Nodes=""', 2, "b"),
        (TREE + "SwitchName=b Switches=c Nodes= \nSwitchName=c", 2, "b, c"),
        ("BlockName=a Nodes=n[1-2]\nBlockName=b\nBlockSizes=2,4", 2, "b"),
        ("BlockName=a Nodes= BlockSize=2\nBlockName=b Nodes=n1", 1, "a"),
        ("RingName=r Nodes=\nRingName=s Nodes=n[1-3]", 3, "r"),
        ("- topology: t\n  tree: {switches: [{switch: a, nodes: n1}, "
         "{switch: b}]}", 1, "b"),
        ("- topology: t\n  tree: {switches: [{switch: a, nodes: n1}, "
         "{switch: b, nodes: }]}", 1, "b"),
        ("- topology: t\n  tree: {switches: [{switch: a, nodes: n1}, "
         "{switch: b, nodes: ~}]}", 1, "b"),
        ("- topology: t\n  block: {blocks: [{block: a, nodes: n1}, "
         "{block: b, nodes: null}]}", 1, "b"),
        ("- topology: t\n  ring: {rings: [{ring: a, nodes: n1}, "
         "{ring: b, nodes: []}]}", 1, "b"),
        (TORUS.format(nodes="nodes: "), 2, "pod"),
        (TORUS.format(nodes="regions: []"), 2, "pod"),
        ("switches: {t: {switches: [a, b]}}\nblocks: [{switch: a, nodes: [n1]}, "
         "{switch: b}]", 1, "b"),
    ],
)  # fmt: skip
def test_an_empty_part_is_named_and_left_out(text: str, nodes: int, empty: str) -> None:
    cluster = parse_cluster(text)
    assert sum(map(len, shape(cluster))) == nodes
    count = empty.count(",") + 1
    assert f"{count} without nodes left out ({empty})" in cluster.summary()


def test_empty_blocks_keep_their_place_in_the_aggregates() -> None:
    """Blocks 1 and 2 form a group, so that 3 lies in another one than 1."""
    text = "BlockName=b1 Nodes=n1\nBlockName=b2\nBlockName=b3 Nodes=n3\nBlockSizes=1,2"
    [fabric] = parse_cluster(text).fabrics
    assert fabric.distance(0, 1) == 6


@pytest.mark.parametrize(
    "line",
    [
        'SwitchName=a Nodes="n1, n2"',
        'SwitchName = a Nodes = "n[1-2]"',
        "SwitchName=a Nodes=n1,\\\nn2",
        "SwitchName=a Nodes=n[1\\\n-2]",
        "SwitchName=\\\na Nodes=n[1-2] \\\n LinkSpeed=2",
        "SwitchName=a Nodes=n1,\\  \nn2 # a comment \\",
        "SwitchName=a Nodes=\\n[1-2] # not continued \\",
    ],
)
def test_quotes_escapes_and_continued_lines_are_those_of_slurm(line: str) -> None:
    assert shape(parse_cluster(line)) == [("n1", "n2")]


def test_a_hash_that_is_escaped_begins_no_comment() -> None:
    assert shape(parse_cluster("SwitchName=a Nodes=n\\#1")) == [("n#1",)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SwitchName=a Nodes=ALL", "t:1: Nodes: must be names, without ALL, not 'ALL'"),
        ("BlockName=a Nodes=n1,all", "t:1: Nodes: must be names, without all"),
        ("SwitchName=a Nodes=feature{x}", "t:1: Nodes: must be names, without feature"),
        ("SwitchName=a Nodes=BlockSize=4", "t:1: line: must be Key=Value"),
        ('SwitchName=a Nodes="n1', "t:1: line: must be Key=Value"),
        ('SwitchName=a Nodes="n1"n2', "t:1: line: must be Key=Value"),
        ("SwitchName=a Nodes=n1 n2", "t:1: line: must be Key=Value, not 'n2'"),
        ("SwitchName=a Nodes+=n1", "t:1: line: must be Key=Value"),
        ("SwitchName=DEFAULT Nodes=n1", "t:1: SwitchName: must be one name, not 'DEF"),
        ("BlockName=default Nodes=n1", "t:1: BlockName: must be one name"),
        ("RingName=r[1-2] Nodes=n1", "t:1: RingName: must be one name"),
        ("SwitchName= Nodes=n1", "t:1: SwitchName: must be one name, not ''"),
        ("Include racks.conf", "t:1: Include: is not read: put the lines of that file"),
        (TREE + "include  /etc/x", "t:3: Include: is not read"),
        (
            "SwitchName=a Nodes=n1\nSwitchName=t Switches=a Nodes=n1",
            "t:2: SwitchName: has both Switches and Nodes: 't'",
        ),
        (
            "SwitchName=a Nodes=n1\nSwitchName=t Level=1 Switches=a Nodes=n[1-2]",
            "t:2: Nodes: is at no switch without Switches: 'n2'",
        ),
        ("- topology: t\n  tree: {switches: [{switch: a, nodes: ALL}]}", "t:2: nodes:"),
        (
            "- topology: a\n  flat: true\n- topology: b\n  flat: true",
            "t: --topology-name: needs a name: a, b are there, none is cluster_default",
        ),
    ],
)
def test_other_words_are_refused_by_name(text: str, complaint: str) -> None:
    assert refusal(text).startswith(complaint)


def test_placements_of_a_torus_are_said_to_be_unused() -> None:
    text = TORUS.format(
        nodes='nodes: "n[3-4]", placements: [{dims: {x: 1, y: 1, z: 1}}]'
    )
    assert "placements are not used" in parse_cluster(text).summary()


@pytest.mark.parametrize(
    "line",
    ["a" * 2**18 + "{", "\\" * 2**18, " " * 2**18 + "x y", '"' + "n1 " * 2**16],
)
def test_long_lines_are_refused_in_time(line: str) -> None:
    """A search that is quadratic in the line would take many minutes."""
    with pytest.raises(InputError):
        parse_cluster(f"SwitchName=a Nodes={line}")
