"""What the page asks for, without a browser: answers, limits, one-line errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError, KSubset, Mesh, Points, read_instance
from closeknit.instances.ksubset.generators import full
from closeknit.instances.ksubset.graph_generators import hypercube
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.methods import KSUBSET
from closeknit.reports.explorer.application import MOST_BYTES, application
from closeknit.reports.explorer.board import board_of, of_instance
from closeknit.reports.explorer.cases import ledger
from closeknit.reports.explorer.explorer import Explorer
from closeknit.solvers.running.kernels import interpreted

from ...oracles import optimum
from ...serving.asgi import Answer, ask
from ...strategies import graphs, ksubsets, topologies

RACKS = """\
SwitchName=r1 Nodes=a[01-05]
SwitchName=r2 Nodes=b[01-04]
SwitchName=top Switches=r[1-2]
"""
TORUS = "# torus 3x3\nnode,x,y\n" + "".join(
    f"t{x}{y},{x},{y}\n" for x in range(3) for y in range(3) if (x, y) != (1, 1)
)


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def explorer() -> Explorer:
    return Explorer()


def mesh(*shape: int, k: int = 3, busy: tuple[int, ...] = ()) -> dict[str, Any]:
    topology = {"kind": "mesh", "shape": list(shape)}
    return {"topology": topology, "busy": list(busy), "k": k, "name": "painted"}


def test_the_page_begins_with_lists_and_an_example(explorer: Explorer) -> None:
    start = explorer.answer("start", {})
    names = [one["name"] for one in start["methods"]]
    assert {"mm", "mm-inc", "cuts-bb"} <= set(names)
    assert not any(KSUBSET[name].runs_solver for name in names)
    assert start["first"]["topology"]["kind"] == "mesh"
    assert len(start["first"]["labels"]) == 144
    assert len(start["first"]["busy"]) == 144 - 86
    assert len(start["ledger"]) > 300


def test_methods_side_by_side(explorer: Explorer) -> None:
    board = mesh(4, 4, k=4, busy=(5, 6, 9))
    found = explorer.answer("compare", {"board": board, "methods": ["mm", "row-major"]})
    assert [one["method"] for one in found["rows"]] == ["mm", "row-major", "auto"]
    best = optimum(board_of(board).instance)
    place = list(Mesh((4, 4)).locations())
    for one in found["rows"]:
        assert not set(one["chosen"]) & {5, 6, 9}
        pairs = combinations([place[i] for i in one["chosen"]], 2)
        assert one["cost"] == sum(Mesh((4, 4)).distance(p, q) for p, q in pairs)
        assert one["optimal"] == (one["cost"] == best)
    assert found["rows"][-1]["cost"] == best
    assert f"The optimum is {best} " in found["finding"]
    command = "closeknit compare painted.json --methods mm,row-major --time-limit 2"
    assert found["command"] == command


def test_a_method_that_refuses_is_a_row(explorer: Explorer) -> None:
    found = explorer.answer("compare", {"board": mesh(3, 3), "methods": ["tree-dp"]})
    row = found["rows"][0]
    assert (row["status"], row["chosen"], row["cost"]) == ("refused", [], None)
    assert "needs a tree" in row["error"]
    made = of_instance(full("tree", (2, 3), 4))
    assert set(made["refused"]) == {"mc1x1", "hilbert/best-fit"}
    board = {name: made[name] for name in ("topology", "busy", "k", "name")}
    found = explorer.answer("compare", {"board": board, "methods": ["mc1x1"]})
    assert found["rows"][0]["guarantee"] == "–"
    assert explorer.answer("start", {})["first"]["refused"] == {}


def test_repeated_points_keep_their_numbers(explorer: Explorer) -> None:
    topology = {"kind": "points", "coordinates": [[0, 0], [0, 0], [0.5, 0], [9, 9]]}
    board = {"topology": topology, "busy": [0], "k": 2, "name": "points"}
    found = explorer.answer("compare", {"board": board, "methods": ["mm"]})
    assert found["rows"][-1]["chosen"] == [1, 2]
    assert found["rows"][-1]["shown"] == "0.5"


@pytest.mark.parametrize(
    "name", ["centres", "family", "picture", "plan", "search", "stream"]
)
def test_what_the_page_no_longer_has_is_no_request(
    explorer: Explorer, name: str
) -> None:
    with pytest.raises(InputError, match="no such request"):
        explorer.answer(name, {})


def test_an_exported_file_is_read_again(explorer: Explorer, tmp_path: Any) -> None:
    board = mesh(4, 5, k=6, busy=(0, 19))
    found = explorer.answer("export", {"board": board})
    path = tmp_path / found["name"]
    path.write_text(found["text"], encoding="utf-8")
    assert read_instance(path) == board_of(board).instance
    again = explorer.answer("load", {"name": found["name"], "text": found["text"]})
    assert {name: again[name] for name in board} == board


@settings(max_examples=25)
@given(instance=ksubsets(st.one_of(topologies(), graphs())))
def test_any_network_comes_back_from_the_page(instance: KSubset) -> None:
    """As JSON, through what JavaScript makes of numbers; drawn without overlaps."""
    loaded = json.loads(dumps(of_instance(instance)))
    board = {name: loaded[name] for name in ("topology", "busy", "k", "name")}
    again = board_of(parse_json(json.dumps(board)))
    assert again.instance.free == instance.free
    assert sorted(again.numbers) == sorted(
        set(range(len(loaded["labels"]))) - set(loaded["busy"])
    )
    places = list(instance.topology.locations())
    for i, number in enumerate(again.numbers):
        assert places[number] == instance.free[i]
    assert again.shown(range(instance.k)) == sorted(again.numbers[: instance.k])
    for view in loaded["views"].values():
        assert len(view["spots"]) == len(places)
        if instance.topology.kind != "points":
            assert len(set(map(tuple, view["spots"]))) == len(places)
        for x, y in view["spots"]:
            assert 0 <= x <= view["width"]
            assert 0 <= y <= view["height"]


def test_racks_of_a_cluster(explorer: Explorer) -> None:
    found = explorer.answer("load", {"name": "topology.conf", "text": RACKS})
    assert found["view"] == "racks"
    assert [text for *_, text in found["views"]["racks"]["texts"]] == ["r1", "r2"]
    board = {name: found[name] for name in ("topology", "busy", "k", "name")} | {"k": 6}
    rows = explorer.answer("compare", {"board": board, "methods": ["mm"]})["rows"]
    chosen = {found["labels"][i] for i in rows[-1]["chosen"]}
    assert {f"a0{i}" for i in range(1, 6)} < chosen
    named = {"file": "a file.conf", "busy": ["a01", "a02", "b04"]}
    asked = {"board": board, "methods": ["mm"], "cluster": named}
    command = explorer.answer("compare", asked)["selection"]
    start = "closeknit select --topology 'a file.conf' -k 6 --objective hops --busy "
    assert command == start + "'a[01-02],b04'"
    assert rows[-1]["cost"] == 2 * 10 + 4 * 5  # within a rack, and to the other one


def test_places_without_a_node_are_busy(explorer: Explorer) -> None:
    found = explorer.answer("load", {"name": "nodes.csv", "text": TORUS})
    assert found["busy"] == [4]
    assert found["labels"][3:6] == ["t10", "no node", "t12"]


def test_nodes_that_their_file_calls_unusable_are_busy(explorer: Explorer) -> None:
    items = [
        {
            "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}},
            "spec": {"unschedulable": True} if name == "n2" else {},
            "status": {"conditions": [{"type": "Ready", "status": str(name != "n4")}]},
        }
        for name, zone in (("n1", "z"), ("n2", "z"), ("n3", "y"), ("n4", "y"))
    ]
    text = json.dumps({"kind": "NodeList", "items": items})
    found = explorer.answer("load", {"name": "nodes.json", "text": text})
    assert [found["labels"][i] for i in found["busy"]] == ["n2", "n4"]


def test_trees_and_graphs_have_views() -> None:
    found = of_instance(full("tree", (2, 3), 4))
    assert set(found["views"]) == {"tree", "racks"}
    for view in found["views"].values():
        assert len(view["spots"]) == len(found["labels"]) == 6
    found = of_instance(full("tree", (3, 4, 20), 4))
    for view in found["views"].values():
        assert len(set(map(tuple, view["spots"]))) == 240
        assert view["width"] < 1000
    found = of_instance(hypercube(3, 4))
    assert len(found["views"]["graph"]["links"]) == 12


def test_errors_are_one_line(explorer: Explorer) -> None:
    board = mesh(3, 3)

    def refused(name: str, body: dict[str, Any]) -> str:
        with pytest.raises(InputError) as caught:
            explorer.answer(name, body)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def compare(**changed: Any) -> str:
        return refused("compare", {"board": board, "methods": ["mm"], **changed})

    assert "k: must be at most" in compare(board={**board, "k": 10})
    assert "board.busy[0]: is no number" in compare(board={**board, "busy": [9]})
    assert "board.busy[0]: must be an integer" in compare(
        board={**board, "busy": ["a"]}
    )
    assert "no processor is free" in compare(board={**board, "busy": [*range(9)]})
    assert "board.x: unknown field" in compare(board={**board, "x": 1})
    assert "did you mean mm" in compare(methods=["mmm"])
    assert "no such method" in compare(methods=["os:system"])
    assert "methods: must be from 1 to" in compare(methods=[])
    assert "at most 10, not 11" in compare(time_limit=11)
    assert "at most 4096 processors" in compare(board=mesh(65, 64))
    assert "at most 4096 processors" in compare(board=mesh(*[2] * 5000))
    assert "topology.kind" in compare(board={**board, "topology": {"kind": "x"}})
    assert "must be an object" in compare(board={**board, "topology": 3})
    assert "a.txt" in refused("load", {"name": "a.txt", "text": "what is this"})
    procset = '{"format": "closeknit/procset", "version": 1}'
    assert "p.json" in refused("load", {"name": "p.json", "text": procset})


def send(body: Any = None, name: str = "start", **more: Any) -> Answer:
    headers = {"host": "127.0.0.1:8788", **more.pop("headers", {})}
    app = application(Explorer())
    return ask(app, "POST", f"/api/{name}", body, headers=headers, **more)


def test_over_http() -> None:
    found = send({})
    assert (found.status, found.headers["cache-control"]) == (200, "no-store")
    assert "'self'" in found.headers["content-security-policy"]
    assert found.json["first"]["view"] == "mesh"
    page = ask(application(Explorer()), "GET", "/", headers={"host": "localhost"})
    assert (page.status, page.headers["content-type"][:9]) == (200, "text/html")
    assert b"http" not in page.content  # nothing of another host


@pytest.mark.parametrize(
    ("sent", "status", "detail"),
    [
        ({"name": "passwd", "body": {}}, 404, "no such request"),
        ({"body": {}, "headers": {"content-type": "text/plain"}}, 415, "content-type"),
        ({"parts": [b"{"]}, 400, "not JSON"),
        ({"parts": [b"[" * 100]}, 400, "nested too deeply"),
        ({"parts": [b"x" * 2**20] * (MOST_BYTES // 2**20 + 1)}, 413, "more than"),
        ({"body": {"x": 1}}, 422, "unknown field"),
    ],
)
def test_bad_requests(sent: dict[str, Any], status: int, detail: str) -> None:
    found = send(**sent)
    assert found.status == found.json["status"] == status
    assert detail in found.json["detail"]


def test_other_hosts_and_paths_are_refused() -> None:
    assert send({}, headers={"host": "evil.example"}).status == 400
    assert send({}, headers={"origin": "http://evil.example"}).status == 403
    for path in ("/../page.py", "/%2e%2e/board.py", "/api/start/more"):
        found = ask(application(Explorer()), "GET", path, headers={"host": "localhost"})
        assert found.status == 404
    found = ask(
        application(Explorer()), "GET", "/api/compare", headers={"host": "localhost"}
    )
    assert (found.status, found.headers["allow"]) == (405, "POST")


def test_answers_are_json(explorer: Explorer) -> None:
    topology = {"kind": "points", "coordinates": [[0, 0], [0.25, 1], [3, 3]]}
    board = {"topology": topology, "busy": [], "k": 2, "name": "p"}
    found = send({"board": board}, "export")
    assert json.loads(found.json["text"])["topology"]["coordinates"][1] == [0.25, 1]


def test_a_large_coordinate_keeps_its_digits() -> None:
    large = Points(((1234567, 0), (7654321, 2)))
    shown = of_instance(KSubset("large", large, large.coordinates, 1))
    assert shown["labels"] == ["1234567, 0", "7654321, 2"]
    parts = Points(((50, 100), (200, 125)), 100)
    shown = of_instance(KSubset("parts", parts, parts.coordinates, 1))
    assert shown["labels"] == ["0.5, 1", "2, 1.25"]


def test_the_worst_instances_known(explorer: Explorer) -> None:
    index, entry = next(
        (i, one) for i, one in enumerate(ledger()) if one["method"] == "mm"
    )
    found = explorer.answer("worst", {"index": index})
    assert (found["k"], found["case"]["ratio"]) == (entry["k"], entry["ratio"])
    assert found["case"]["agrees"]
    assert len(found["labels"]) - len(found["busy"]) >= found["k"]


def test_no_entry_of_the_ledger(explorer: Explorer) -> None:
    with pytest.raises(InputError, match="index: must be below"):
        explorer.answer("worst", {"index": len(ledger())})
