"""Parts of a file that a reader does not know are refused or named, never dropped."""

from __future__ import annotations

from typing import Any

import pytest

from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.instances.topologies.graph_files import parse_node_link

from ..fabrics import dump, refusal
from ..reports import ZONE, node

TREE = "- topology: t\n  tree: {{switches: [{{switch: a, nodes: n1}}, {}]}}"
MODEL = """\
switches: {core: {switches: [a, b]}, a: {labels: {x: y}}}
blocks: [{switch: a, nodes: [n1]}, {switch: b, nodes: [n2], labels: {x: y}}]
"""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SwitchName=a Nodes='n1'", "t:1: Nodes: must be names, without '"),
        ("SwitchName=a Nodes=^/etc/x", "t:1: Nodes: must be names, without ^"),
        ("SwitchName=a Nodes=n*", "t:1: Nodes: must be names, without n*"),
        ("SwitchName=a Nodes=(none)", "t:1: Nodes: must be names, without ("),
        (
            "BlockName=a Nodes=n[1-2]\nBlockSizes=2\nBlockSizes=2,4",
            "t:3: BlockSizes: is given twice",
        ),
        (
            TREE.format("{switch: b, children: a, nodes: n2}"),
            "t:2: switch: has both children and nodes: 'b'",
        ),
        (TREE.format("{switch: b, nodes: !x n2}"), "t:2: tag: tags are not read: '!x'"),
        ("- topology: t\n  flat: false", "t:2: flat: must be true, not 'false'"),
        (
            MODEL.replace("{labels: {x: y}}", "{nodes: [n3]}", 1),
            "t:1: switch: has nodes, not its block: 'a'",
        ),
        (dump("n1 mlx5_0", "mlx5_1"), "t:8: Ca: names no host: 'mlx5_1'"),
        (dump("n1 mlx5_0", "N1 mlx5_1"), "t:8: Ca: may be the host n1"),
        (dump("n1.x mlx5_0", "n1 mlx5_1"), "t:8: Ca: may be the host n1.x"),
        (
            "ibwarn: [7] mad_rpc: timed out\n" + dump("n1", "n2"),
            "t:1: line: is no line of ibnetdiscover: 'ibwarn: [7] mad_rpc: timed out'",
        ),
        (
            dump("n1", "n2").replace("Ca\t1", "CA\t1"),
            "t:5: line: is no line of ibnetdiscover",
        ),
        ("a,b\nS-1,n1,n2\nS-1,n3", "t:2: cable: has more than 2 cells: 'S-1,n1,n2'"),
        ("a,b,links\nS-1,n1,0\nS-1,n3,2", "t:2: links: must be a positive integer"),
        ('a,b\nS-1,"n1,n2"\nS-1,n3', "t:2: cable: must be one name, not 'n1,n2'"),
        ("node,x\nn[1-2],1\nn3,2", "t:2: node: must be one name, not 'n[1-2]'"),
        ("node,x\n,1\nn3,2", "t:2: node: must be one name, not ''"),
        (
            "#\n# torus: 4x4\nnode,x,y\nn1,1,1",
            "t:2: network: must be such as # torus 8x8x4, not '# torus: 4x4'",
        ),
        ("# mesh 4\n# mesh 8\nnode,x\nn1,7", "t:2: network: is the second one"),
    ],
)
def test_what_is_not_read_is_refused_with_its_line(text: str, complaint: str) -> None:
    assert refusal(text).startswith(complaint)


def test_what_c_prints_of_a_missing_list_is_an_empty_one() -> None:
    text = "SwitchName=a Nodes=(null)\nSwitchName=b Nodes=n1 Switches=(null)"
    assert "1 without nodes left out (a)" in parse_cluster(text).summary()


def test_chassis_in_the_output_of_ibnetdiscover_are_read_over() -> None:
    text = "Chassis 1 (guid 0x1)\nHostname: n1\n\n# Spine Nodes\n\nNon-Chassis Nodes\n"
    assert len(parse_cluster(text + dump("n1", "n2")).index) == 2


def test_hosts_with_numbers_for_names_are_not_mixed_up() -> None:
    cluster = parse_cluster(dump("10.0.0.1 mlx5_0", "10.0.0.2 mlx5_0"))
    assert list(cluster.index) == ["10.0.0.1", "10.0.0.2"]
    cluster = parse_cluster(dump("n1.x mlx5_0", "n1.x mlx5_1"))
    assert list(cluster.index) == ["n1.x"]


def test_a_comment_in_words_gives_no_network() -> None:
    text = "# mesh of 2 racks\n# torus 4x4\nnode,x,y\nn1,0,0\nn2,3,0"
    [fabric] = parse_cluster(text).fabrics
    assert fabric.distance(0, 1) == 1


def test_keys_of_a_model_that_are_not_read_are_named() -> None:
    assert parse_cluster(MODEL).notes == ()
    text = MODEL.replace("nodes: [n1]", "nodes: [n1], spares: [n9]") + "racks: {}\n"
    assert parse_cluster(text).notes == ("racks, spares not read",)


def kubernetes(*levels: str) -> dict[str, Any]:
    spec = {"levels": [{"nodeLabel": level} for level in levels]}
    topology = {"kind": "Topology", "metadata": {"name": "t"}, "spec": spec}
    one = node("n1", labels={ZONE: "z", "x/rack": "r"})
    return {"kind": "List", "items": [one, topology]}


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        (("kubernetes.io/hostname",), "Topology: has no level above the nodes: 't'"),
        ((), "Topology: has no level above the nodes: 't'"),
        ((ZONE, ZONE), f"labels: is given twice: '{ZONE}'"),
    ],
)
def test_the_levels_of_a_topology_are_its_own(
    levels: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_cluster(kubernetes(*levels))
    assert len(parse_cluster(kubernetes(*levels), labels=[ZONE, "x/rack"]).index) == 1


def test_of_two_lists_of_edges_none_is_dropped() -> None:
    ends = '[{"source": 1, "target": 2}]'
    text = f'{{"nodes": [{{"id": 1}}, {{"id": 2}}], "edges": {ends}, "links": {ends}}}'
    with pytest.raises(InputError, match="links: cannot be given with edges"):
        parse_node_link(text)
