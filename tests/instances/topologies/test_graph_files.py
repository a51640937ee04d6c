"""Graphs of other programs: what is read, what is dropped and said, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.instances import Graph, InputError
from closeknit.instances.ksubset.json import read_ksubset
from closeknit.instances.topologies.graph_files import (
    parse_graphml,
    parse_node_link,
)

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="w" for="edge" attr.name="weight" attr.type="double"/>\n'
    '<key id="p" for="node" attr.name="processor" attr.type="boolean"/>\n'
)
NODES = '<node id="a"/><node id="b"/><node id="c"/>\n'
AB = '<edge source="a" target="b"><data key="w">{}</data></edge>\n'
BC = '<edge source="b" target="c"/>\n'


def graphml(inside: str, head: str = HEAD) -> str:
    return f'{head}<graph edgedefault="undirected">\n{inside}</graph>\n</graphml>'


def node_link(*edges: dict[str, object]) -> str:
    nodes = [{"id": name} for name in "abc"]
    return json.dumps({"multigraph": False, "nodes": nodes, "edges": edges})


PARALLEL = {
    "graphml": (
        parse_graphml,
        graphml(NODES + AB.format(5) + AB.format(2) + AB.format(7) + BC),
    ),
    "json": (
        parse_node_link,
        node_link(
            {"source": "a", "target": "b", "weight": 5},
            {"source": "b", "target": "a", "weight": 2},
            {"source": "a", "target": "b", "weight": 7},
            {"source": "b", "target": "c"},
        ),
    ),
}


@pytest.mark.parametrize("name", PARALLEL)
def test_of_parallel_edges_the_shortest_counts_declared_or_not(name: str) -> None:
    parse, text = PARALLEL[name]
    graph = parse(text)
    assert graph.edges == ((0, 1, 2), (1, 2, 1))
    assert graph.notes == ("2 parallel edges: of each pair the shortest counts",)


def test_what_was_dropped_stands_in_the_answer_and_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.graphml").write_text(graphml(NODES + AB.format(1) * 2 + BC))
    ask = ["generate", "graph", "--file", str(tmp_path / "a.graphml"), "--k", "2"]
    assert run([*ask, "--out", str(tmp_path)]) == 0
    assert "a-full-k2.json: 1 parallel edge: of each" in capsys.readouterr().err
    assert "1 parallel edge" in read_ksubset(tmp_path / "a-full-k2.json").source
    loop = parse_graphml(
        graphml(NODES + AB.format(1) + BC + '<edge source="b" target="b"/>')
    )
    assert loop.notes == ("1 edge from a node to itself left out",)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            NODES + '<node id="g"><graph edgedefault="undirected"/></node>',
            "line 7: graph: is nested in another one",
        ),
        (
            NODES + BC + '</graph><graph edgedefault="undirected">',
            "line 8: graph: is the second one",
        ),
        (NODES + '<node id="a"/>', "line 7: node.id: listed twice: 'a'"),
        (
            NODES + '<edge id="e" source="a" target="b"/>\n'
            '<edge id="e" source="a" target="b"/>',
            "line 8: edge.id: listed twice: 'e'",
        ),
        (NODES + BC + '<edge source="c" target="d"/>', "line 8: edge.target: no such"),
        (NODES + '<edge source="c"/>', "line 7: edge: needs a target"),
        ("<default>1</default>", "line 6: default: is not directly in a key"),
        ("<node/>", "line 6: node: needs an id"),
        ('<node id="a"><node id="b"/></node>', "line 6: node: is not directly in a"),
        (NODES + '<hyperedge id="h"/>', "line 7: hyperedge: hyperedges are not read"),
        (NODES + '<edge source="a" target="b" directed="true"/>', "line 7: edge: must"),
        ('<node id="a"><data key="x">1</data></node>', "line 6: data: no such key"),
        ('<node id="a"><data key="p">no</data></node>', "line 6: node.processor: must"),
        (NODES + BC + AB.format("far"), "line 8: edge: must be a number, not 'far'"),
        (NODES + BC + AB.format(-1), "line 8: edge: must be positive"),
        (NODES + BC + AB.format("nan"), "line 8: edge: must be positive"),
        (
            NODES + '<edge source="a" target="b"><data key="w">1</data>'
            '<data key="w">2</data></edge>',
            "line 7: data: is given twice",
        ),
    ],
)
def test_what_graphml_may_have_and_a_graph_has_not_is_refused(
    text: str, complaint: str
) -> None:
    with pytest.raises(InputError) as raised:
        parse_graphml(graphml(text))
    assert str(raised.value).startswith(complaint)
    assert "\n" not in str(raised.value)


def test_defaults_of_graphml_hold_where_an_edge_says_nothing() -> None:
    """networkx reads them and does not apply them."""
    head = HEAD.replace(
        'attr.type="double"/>', 'attr.type="double"><default>3</default></key>'
    )
    assert parse_graphml(graphml(NODES + AB.format(2) + BC, head)).edges == (
        (0, 1, 2),
        (1, 2, 3),
    )


def test_data_of_other_programs_is_passed_over() -> None:
    head = HEAD + '<key id="g" for="node" yfiles.type="nodegraphics"/>\n'
    inside = (
        '<node id="a"><data key="g"><y:Shape xmlns:y="y"><node id="a"/>'
        "<data>1</data></y:Shape></data><port name='n'/></node>"
        '<desc>text</desc><node id="b"><data key="p">true</data></node>'
        '<edge source="a" target="b"/>'
    )
    graph = parse_graphml(graphml(inside, head))
    assert (graph.names, graph.processors) == (("a", "b"), (1,))


@pytest.mark.parametrize(
    "text",
    [
        "132.60086260053723",
        "0.1",
        "1e-05",
        "1.2345678901234567e-05",
        "0.30000000000000004",
        "4503599627370495.5",
        "132.60086260053722547",
    ],
)
def test_lengths_as_python_writes_them_are_read_in_every_format(text: str) -> None:
    found = [
        parse_graphml(graphml(NODES + AB.format(text) + BC)),
        parse_node_link(node_link({"source": "a", "target": "b", "weight": 0}).replace(
            '"weight": 0', f'"weight": {text}').replace("}]}", "}, "
            '{"source": "b", "target": "c"}]}')),
    ]  # fmt: skip
    made = nx.Graph([("a", "b", {"weight": float(text)}), ("b", "c")])
    for graph in [*found, Graph.from_networkx(made)]:
        read = dict(((u, v), w) for u, v, w in graph.edges)[0, 1]
        exact = Fraction(text)
        assert abs(Fraction(read, graph.scale) - exact) <= Fraction(1, 2 * graph.scale)
        if Fraction(read, graph.scale) != exact:
            assert graph.notes[0].startswith("lengths rounded to ")
            assert graph.scale * (exact + 1) < 2**40 or graph.scale == 1


def test_short_lengths_are_exact_and_long_ones_all_rounded_alike() -> None:
    def path(*lengths: str) -> Graph:
        made = nx.Graph()
        for i, length in enumerate(lengths):
            made.add_edge(i, i + 1, weight=Decimal(length))
        return Graph.from_networkx(made)

    assert path("0.1234567890123456", "0.5").scale == 10**16 // 1
    assert path("0.1234567890123456", "0.5").notes == ()
    long = path("0.12345678901234565", "0.5", "0.000000000005")
    assert long.scale == 10**11 or long.scale == 10**12
    assert long.notes == ("lengths rounded to 12 decimals",)
    assert long.edges[:2] == ((0, 1, 123456789012), (1, 2, 500000000000))
    with pytest.raises(InputError, match="is 0 when all lengths are rounded to"):
        path("0.12345678901234565", "1e-17")
    with pytest.raises(InputError, match="has more than 40 digits"):
        path("0." + "1" * 41)
    with pytest.raises(InputError, match="must sum to less than 2"):
        path(str(2**52), str(2**52))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_graphs_that_networkx_writes_are_read_as_they_are(seed: int) -> None:
    chance = Random(seed)
    made = nx.gnm_random_graph(chance.randrange(2, 9), 12, seed=seed)
    nx.add_path(made, range(len(made)))
    for u, v in made.edges:
        made.edges[u, v]["weight"] = chance.choice((1, 2.5, 0.125, 7))
    wanted = Graph.from_networkx(made)
    assert parse_graphml("\n".join(nx.generate_graphml(made))) == wanted


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    parse: Callable[[str], Graph]
    parse, text = data.draw(st.sampled_from(list(PARALLEL.values())))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        until = min(len(text), at + data.draw(st.integers(0, 30)))
        fresh = data.draw(st.text('<>/"[]{}=:,x1 \n\tdata', max_size=4))
        text = text[:at] + fresh + text[until:]
    complaint = ""
    try:
        parse(text)
    except InputError as error:
        complaint = str(error)
    assert "\n" not in complaint


def test_text_before_the_json_is_named_as_such() -> None:
    text = "warning: {old}\n\n" + node_link({"source": "a", "target": "b"})
    with pytest.raises(InputError) as raised:
        parse_node_link(text)
    said = "has text before the JSON, in its first line: 'warning: {old}'"
    assert str(raised.value) == said
    for other in ("x", "warning: {old}", "{]", "[\n{}"):
        with pytest.raises(InputError, match=r"^not JSON: "):
            parse_node_link(other)
