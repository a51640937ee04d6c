"""Labels of Kubernetes nodes: known families, candidates, and several Topologies."""

from __future__ import annotations

import json
import time
from textwrap import indent
from typing import Any

import pytest

from closeknit.clusters.topologies import Cluster, parse_cluster
from closeknit.clusters.topologies.label_families import FAMILIES
from closeknit.instances import InputError
from closeknit.instances.reading.parsing import refuse_text_before_json

from ..asking import Ask
from ..clusters import hierarchy
from ..reports import ZONE, labelled


def topology(name: str, *levels: str) -> dict[str, Any]:
    listed = [{"nodeLabel": level} for level in levels]
    spec = {"levels": listed}
    return {"kind": "Topology", "metadata": {"name": name}, "spec": spec}


def levels(cluster: Cluster) -> tuple[str, ...]:
    return hierarchy(cluster).levels


@pytest.mark.parametrize("source", FAMILIES)
def test_every_label_of_a_known_family_is_a_level(source: str) -> None:
    """Twelve nodes, in turn on three domains of the lowest level, two of each other."""
    family = FAMILIES[source]
    own = [
        {label: f"{depth}-{i % 3 if label == family[-1] else i % 3 // 2}"
         for depth, label in enumerate(family)}
        for i in range(12)
    ]  # fmt: skip
    cluster = parse_cluster(labelled(*own))
    fabric = hierarchy(cluster)
    assert fabric.leaves() == 3
    assert len(levels(cluster)) >= len(family)
    at = {name: i for i, name in enumerate(fabric.nodes)}
    assert (
        fabric.distance(at["n1"], at["n4"]) == 2 < fabric.distance(at["n1"], at["n2"])
    )
    assert not cluster.partial
    assert source.startswith("https://")


def test_one_network_under_two_names_counts_once() -> None:
    aws, own = (
        next(family for source, family in FAMILIES.items() if part in source)
        for part in ("aws", "topograph/reference")
    )
    made = [
        {aws[0]: "top", aws[1]: f"m{i // 4}", aws[2]: f"l{i // 2}",
         own[2]: f"s{i // 4}", own[3]: f"t{i // 2}", own[5]: f"nvl{i % 4 // 3}"}
        for i in range(8)
    ]  # fmt: skip
    names = levels(parse_cluster(labelled(*made)))
    layers = [f"network-node-layer-{layer}" for layer in (3, 2, 1)]
    assert names == ("accelerator", *layers)


ROWS = [{ZONE: f"z{i // 4}", "x/row": f"r{i // 2}"} for i in range(8)]


def test_a_label_that_could_be_a_level_is_named_with_the_option_that_uses_it() -> None:
    said = f"x/row could be a level and is not used (--labels {ZONE},x/row)"
    assert said in parse_cluster(labelled(*ROWS)).summary()
    given = parse_cluster(labelled(*ROWS), labels=[ZONE, "x/row"])
    assert "could be" not in given.summary()
    assert not given.partial
    assert levels(given) == ("row", "zone", "cluster")


@pytest.mark.parametrize(
    ("label", "values", "chain"),
    [
        ("x/row", "aabbccdd", f"{ZONE},x/row"),  # within zones
        ("x/row", "aab.ccdd", f"{ZONE},x/row"),  # a node has no row
        ("x/hall", "aaaaaaaa", ""),  # one value
        ("x/node", "abcdefgh", ""),  # as many values as nodes
        ("x/alias", "xxxxyyyy", ""),  # the zone under another name
        ("x/pool", "abababab", ""),  # across the zones, and zones across it
        ("kubernetes.io/arch", "aabbccdd", ""),  # no place
        ("nvidia.com/gpu.product", "aabbccdd", ""),
        ("nvidia.com/gpu.clique", "aab.ccdd", f"{ZONE},nvidia.com/gpu.clique"),
    ],
)
def test_what_could_be_a_level(label: str, values: str, chain: str) -> None:
    made = [
        {ZONE: f"z{i // 4}"} | ({label: value} if value != "." else {})
        for i, value in enumerate(values)
    ]
    cluster = parse_cluster(labelled(*made))
    assert cluster.partial == (("zone",) if chain else ())
    assert ("could be a level" in cluster.summary()) == bool(chain)
    if chain:
        assert f"(--labels {chain})" in cluster.summary()


def test_candidates_above_between_and_across_the_levels_used() -> None:
    rack = "cloud.provider.com/topology-rack"
    made = [
        {ZONE: f"z{i // 4}", rack: f"r{i // 2}", "x/continent": f"c{i // 8}",
         "x/row": f"w{i // 4 if i % 8 else 9}", "x/pdu": f"p{i // 4}{i % 2}"}
        for i in range(16)
    ]  # fmt: skip
    summary = parse_cluster(labelled(*made)).summary()
    assert "x/continent, x/pdu" in summary
    assert f"(--labels x/continent,{ZONE},{rack})" in summary


def test_without_a_known_label_the_candidates_are_named() -> None:
    made = [{"x/row": f"r{i // 2}", "x/hall": f"h{i // 4}"} for i in range(8)]
    with pytest.raises(InputError) as raised:
        parse_cluster(labelled(*made), "t")
    assert str(raised.value) == (
        "t: labels: no node has a label of a level that is known: x/hall, x/row could "
        "be levels and are not used (--labels x/hall,x/row)"
    )


def test_of_several_topologies_one_must_be_named() -> None:
    two = (topology("a", ZONE), topology("b", ZONE, "x/row"))
    with pytest.raises(InputError, match="--topology-name: needs a name: a, b are"):
        parse_cluster(labelled(*ROWS, more=two))
    with pytest.raises(InputError, match=r"no such topology: 'c' \(there are: a, b\)"):
        parse_cluster(labelled(*ROWS, more=two), name="c")
    with pytest.raises(InputError, match="is listed twice: 'a'"):
        parse_cluster(labelled(*ROWS, more=(two[0], two[0])))
    with pytest.raises(InputError, match="is for files with several"):
        parse_cluster(labelled(*ROWS), name="a")
    assert levels(parse_cluster(labelled(*ROWS, more=two), name="b"))[0] == "row"
    other = {"kind": "HyperNode", "metadata": {"name": "h"}}
    assert (
        "1 HyperNode not read"
        in parse_cluster(labelled(*ROWS, more=(other,))).summary()
    )


def test_a_list_of_the_api_needs_no_kind_in_its_items() -> None:
    listed = json.loads(labelled(*ROWS))
    for item in listed["items"]:
        del item["kind"]
    with pytest.raises(InputError, match="is JSON, but no list of Kubernetes nodes"):
        parse_cluster(json.dumps(listed))
    listed["kind"] = "NodeList"
    assert len(parse_cluster(json.dumps(listed)).index) == 8


def test_the_bound_says_on_which_levels_it_holds(ask: Ask) -> None:
    def answer(more: str = "") -> str:
        _, out, _ = ask(f"select --topology NODES -k 4 {more}", NODES=labelled(*ROWS))
        return out

    assert "bound       1 switch, 12 hops on the levels used: zone" in answer()
    assert json.loads(answer("--format json"))["levels_used"] == ["zone"]
    assert "on the levels" not in answer(f"--labels {ZONE},x/row")


@pytest.mark.parametrize("shape", ["whole", "indented", "cut off"])
@pytest.mark.parametrize("option", ["--topology", "--free", "--busy", "--state"])
def test_text_before_the_json_is_named_as_such(
    option: str, shape: str, ask: Ask
) -> None:
    """A command that writes warnings into the file, too."""
    text = labelled(*ROWS)
    if shape == "indented":
        text = indent(json.dumps(json.loads(text), indent=2), "  ")
    text = text[:-9] if shape == "cut off" else text
    files = {"ALL": f"kubectl: warning {{x}}\n{text}", "GOOD": labelled(*ROWS)}
    at = "" if option in ("--topology", "--state") else "@"
    words = f"select -k 2 {option} {at}ALL"
    words += " --topology GOOD" * (option != "--topology")
    said = "has text before the JSON, in its first line: 'kubectl: warning {x}'"
    assert ask(words, **files) == (2, "", f"closeknit: ALL: {said}\n")


def test_objects_within_yaml_are_no_text_before_json() -> None:
    text = """- topology: t
  tree:
    {"switches": [
    {"switch": a, "nodes": "n[1-2]"},
    {"switch": b, "nodes": "n[3-4]"},
    {"switch": top, "children": "a,b"}]}
"""
    assert list(parse_cluster(text).index) == ["n1", "n2", "n3", "n4"]


def test_blank_lines_before_no_json_are_read_in_time() -> None:
    began = time.process_time()
    for line in ("\n", " ", "{ \t"):
        refuse_text_before_json("x" + line * 300_000 + "y")
    assert time.process_time() - began < 1


def test_thousands_of_candidates_are_named_in_time() -> None:
    made = [
        {ZONE: "z"} | {f"x/l{i // 5}-{j}": str(i % 5 // 2) for j in range(20)}
        for i in range(3000)
    ]
    assert "x/l0-0, x/l0-1, x/l0-10, x/l0-11, ... could be levels" in (
        parse_cluster(labelled(*made)).summary()
    )
