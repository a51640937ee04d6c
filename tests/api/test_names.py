"""Processors are called what their user calls them, going in and coming out."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas
import pytest

import closeknit as ck
from closeknit.api import frames
from closeknit.cli.app import run

api: Any = ck
RACKS = networkx.Graph(["fa", "ab", "bc", "cd", "de"])
"""A path whose nodes are not in the order of their names: f a b c d e."""
JOB = ck.ksubset(RACKS, k=3, busy=["b"], name="racks")
NUMBERED = networkx.Graph([(50, 3), (3, 10), (10, 2), (2, 1), (1, 0)])
"""A path of six nodes that are numbers, but not their own places."""


def refusal(call: Any) -> str:
    with pytest.raises(ck.InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Names


def test_names_come_out_and_go_in_again() -> None:
    solution = ck.solve(JOB)
    assert solution.selection == ["c", "d", "e"]
    assert solution.cost == 4
    assert ck.check(JOB, solution.selection) == []
    assert ck.cost(JOB, solution.selection) == ck.cost(JOB, solution) == 4
    assert ck.cost(JOB, ["e", "c"]) == 2
    assert JOB.names == ("f", "a", "c", "d", "e")
    assert "chosen  c d e" in str(solution)
    assert ck.draw(JOB, solution.selection).svg == ck.draw(JOB, [2, 3, 4]).svg


def test_the_command_line_prints_names_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ck.write_instance(JOB, tmp_path / "racks.json")
    assert run(["solve", str(tmp_path / "racks.json")]) == 0
    assert "chosen  c d e" in capsys.readouterr().out
    again = ck.read_instance(tmp_path / "racks.json")
    assert ck.solve(again).selection == ["c", "d", "e"]


@pytest.mark.parametrize(
    "answer",
    [
        lambda job: ["c", "d", "e"],
        lambda job: {"e", "d", "c"},
        lambda job: np.array(["c", "d", "e"]),
        lambda job: job.names[2:],
        lambda job: (name for name in "cde"),
        lambda job: [2, 3, 4],
        lambda job: job.free[2:],
    ],
)
def test_rules_return_names_or_indices_or_sites(answer: Any) -> None:
    row = ck.compare(JOB, [lambda job, settings: answer(job)])[0]
    assert (row["status"], row["cost"], row["error"]) == ("feasible", 4, "")
    assert row["selection"] == ["c", "d", "e"]
    assert row["chosen"] == (2, 3, 4)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["b", "c", "d"], "selection[0]: not a free processor: 'b'"),
        (["c", "c", "d"], "selection[1]: chosen twice: 'c'"),
        (["c", "x", "d"], "selection[1]: no such node: 'x'"),
        (["c", 1, "d"], "selection[1]: no such node: 1"),
        (["c", None, "d"], "selection[1]: no such node: None"),
    ],
)
def test_a_wrong_name_is_said_as_it_was_given(names: Any, problem: str) -> None:
    assert ck.check(JOB, names) == [problem]
    assert refusal(lambda: ck.cost(JOB, names)) == problem
    row = ck.compare(JOB, [lambda job, settings: names])[0]
    assert (row["status"], row["error"]) == ("failed", f"<lambda>: {problem}")


def test_nodes_that_are_tuples_are_names() -> None:
    job = ck.ksubset(networkx.hypercube_graph(3), k=4, busy=[(0, 0, 0)])
    selection = ck.solve(job).selection
    assert selection == [(0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)]
    assert ck.cost(job, selection) == 8


def test_nodes_that_are_numbers_are_never_taken_for_indices() -> None:
    job = ck.ksubset(NUMBERED, k=2, busy=[3])
    solution = ck.solve(job, "mm")
    assert job.names == (50, 10, 2, 1, 0)
    selection = solution.selection
    assert selection is not None
    assert NUMBERED.subgraph(selection).number_of_edges() == 1
    for same in (selection, sorted(selection), set(selection)):
        assert ck.check(job, same) == []
        assert ck.cost(job, same) == solution.cost == 1
    assert ck.cost(job, [50, 10]) == 2  # no indices: nodes
    assert ck.cost(job, [ck.Node(2), ck.Node(0)]) == 2


def test_numbers_that_may_be_both_are_indices_and_it_is_said() -> None:
    job = ck.ksubset(NUMBERED, k=2, busy=[3])
    with pytest.warns(UserWarning, match="read as indices") as told:
        assert ck.cost(job, [0, 2]) == 3  # nodes 50 and 2
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ck.cost(job, (0, 2)) == ck.cost(job, np.array([0, 2])) == 3


def test_nodes_of_a_tree_are_told_from_indices() -> None:
    tree = ck.Tree([-1, 0, 0, 1, 1, 2], [0, 2, 2, 1, 1, 1], [3, 4, 5])
    job = ck.ksubset(tree, k=2)
    solution = ck.solve(job)
    assert solution.selection == [3, 4]
    assert ck.check(job, solution.selection) == []
    assert ck.cost(job, solution.selection) == 2


def test_names_that_two_nodes_share_are_not_used() -> None:
    job = ck.ksubset(
        ck.Graph(3, ((0, 1, 1), (1, 2, 1)), (0, 1, 2), 1, ("a", "b", "a")), 2
    )
    assert job.names == (0, 1, 2)
    odd = networkx.Graph([(1, "1"), ("1", (1,))])  # (v,) is how sites are written
    said = refusal(lambda: ck.ksubset(odd, 2, busy=[1]))
    assert said.startswith("graph: a node must be no tuple of one")


def test_points_with_decimals_are_called_as_they_were_given() -> None:
    points = ck.Points([[0.5, 0], [5, 0], [5.5, 0], [9, 0]])
    job = ck.ksubset(points, 2, busy=[(9, 0)])
    assert job.names == ((Decimal("0.5"), 0), (5, 0), (5.5, 0))
    assert ck.cost(job, job.names[:2]) == ck.cost(job, [0, 1]) == 45
    table = ck.compare(job, [lambda job, settings: job.names[:2]])
    assert table[0]["cost"] == 45
    assert repr(job).endswith("k = 2, costs in units of 1/10>")


def test_a_length_of_none_is_not_one() -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=None)
    said = refusal(lambda: ck.ksubset(graph, 2))
    assert said == "topology.edges[0]: must be a number, not 'None'"


def test_instances_with_names_can_be_sent_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(JOB)).names == JOB.names


@pytest.mark.parametrize(
    ("busy", "problem"),
    [
        (["x"], "busy[0]: is no node of the graph: 'x'"),
        (["a", "a"], "busy[1]: listed twice: 'a'"),
        ([1], "busy[0]: is no node of the graph: 1"),
        ([None], "busy[0]: is no node of the graph: None"),
        ("a", "busy: must be a list, not 'a'"),
    ],
)
def test_who_is_busy_is_a_node(busy: Any, problem: str) -> None:
    assert refusal(lambda: api.ksubset(RACKS, 3, busy=busy)) == problem


def test_a_switch_is_no_processor() -> None:
    star = networkx.Graph(["sa", "sb", "sc"])
    networkx.set_node_attributes(star, {v: v != "s" for v in star}, "processor")
    assert ck.ksubset(star, 2, busy=["a"]).names == ("b", "c")
    said = refusal(lambda: ck.ksubset(star, 2, busy=["s"]))
    assert said == "busy[0]: no such processor: 's'"


# Networks


def test_a_network_is_solved_as_it_is() -> None:
    assert ck.solve(RACKS, k=3, busy=["b"]).selection == ["c", "d", "e"]
    assert ck.solve(ck.Mesh(4, 4), k=4).cost == 8
    assert ck.compare(RACKS, ["mm"], k=3)[0]["k"] == 3
    assert refusal(lambda: ck.solve(RACKS)).startswith("k: is missing")
    assert refusal(lambda: ck.solve(JOB, k=3)).startswith("k: is for a network")
    table: Any = pandas.DataFrame({"x": [0, 1]})
    for thing in (table, None, [1, 2]):
        said = refusal(lambda thing=thing: api.solve(thing, k=1))
        assert said.startswith("instance: must be an instance")
    found = ck.worst("mm", networkx.path_graph(6), k=3)
    assert found is not None
    assert found.proved
    assert refusal(lambda: api.worst("mm", 5)).startswith("network: must be a topology")


GRID = np.zeros((4, 4), bool)
GRID[0, 0] = GRID[2, 1] = True


@pytest.mark.parametrize("mask", [GRID, GRID.ravel(), GRID.tolist()], ids=type)
def test_truth_values_say_who_is_busy(mask: Any) -> None:
    job = ck.ksubset(ck.Mesh(4, 4), 3, busy=[(0, 0), (2, 1)])
    assert ck.ksubset(ck.Mesh(4, 4), 3, busy=mask) == job
    assert ck.ksubset(ck.Mesh(4, 4), 3, free=~np.array(mask)) == job


def test_truth_values_are_in_the_order_of_points_and_nodes() -> None:
    points = api.Points(np.array([[3, 1], [0, 0], [5, 5], [1, 1]]))
    job = ck.ksubset(points, 2, busy=[False, True, False, True])
    assert job.free == ((3, 1), (5, 5))
    job = ck.ksubset(RACKS, 3, busy=np.array([node == "b" for node in RACKS]))
    assert job.names == JOB.names
    two = networkx.Graph(
        [(0, 1), (1, 2)]
    )  # whose nodes 0 and 1 are equal to truth values
    assert ck.ksubset(two, 2, busy=np.array([False, False, True])).names == (0, 1)


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (GRID[1:], "of shape (4, 4) or (16,), not (3, 4)"),
        ([True, False], "of shape (4, 4) or (16,), not (2,)"),
        ([True, (0, 1)], "not 'mixed with others'"),
        ([[True], [True, False]], "not 'mixed with others'"),
    ],
)
def test_truth_values_of_another_shape_are_refused(mask: Any, said: str) -> None:
    text = refusal(lambda: ck.ksubset(ck.Mesh(4, 4), 3, busy=mask))
    assert text.startswith("busy: must be one truth value for each processor")
    assert text.endswith(said)


FLOATS = np.random.default_rng(1).random((20, 2))


def test_floats_of_an_array_are_points_once_they_are_rounded() -> None:
    advice = "write ck.Points(array, digits=3)"
    for call in (
        lambda: api.ksubset(FLOATS, 3),
        lambda: api.solve(FLOATS, k=3),
        lambda: api.Points(FLOATS),
        lambda: api.Points(1e4 * FLOATS),
        lambda: api.Points(1e-6 * FLOATS),
    ):
        assert advice in refusal(call)
    points = ck.Points(FLOATS, digits=3)
    assert points.scale == 1000
    assert {*points.coordinates} == {
        (round(1000 * x), round(1000 * y)) for x, y in FLOATS.tolist()
    }
    assert ck.solve(points, k=4).status is ck.Status.OPTIMAL
    for digits in (-1, 19, 2.5):
        assert refusal(lambda: api.Points(FLOATS, digits=digits)).startswith("digits: ")  # noqa: B023
    halves = ck.Points([[0.5, 1.5], [2.5, 3]], digits=0)
    assert halves.coordinates == ((0, 2), (2, 3))  # half to even


def test_sums_that_are_too_large_do_not_speak_of_overflow() -> None:
    fine = [[0.1234567890123456, 0.0], [900.0, 900.0]]
    text = refusal(lambda: ck.ksubset(ck.Points([*fine, *fine]), 4))
    assert text.endswith("ck.Points(array, digits=3)")
    assert "overflow" not in text


# None


@pytest.mark.parametrize(
    "call",
    [
        lambda: api.Mesh(None),
        lambda: api.Graph(None),
        lambda: api.Tree([None], [0], [0]),
        lambda: api.Points([[None, 1]]),
        lambda: api.Settings(time_limit=None),
        lambda: api.ksubset(None, 1),
        lambda: api.ksubset(RACKS, None),
        lambda: api.ksubset(ck.Mesh(4, 4), 1, busy=[None]),
        lambda: api.procset(["a", None], 1, []),
        lambda: api.sukp([1], [1], [[None]], 1),
        lambda: api.submesh((4, 4), None),
        lambda: api.solve(None),
        lambda: api.solve(JOB, None),
        lambda: api.draw(JOB, None),
    ],
)
def test_errors_of_python_speak_of_none(call: Any) -> None:
    text = refusal(call)
    assert "None" in text
    assert "null" not in text


def test_errors_of_files_speak_of_null(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    ck.write_instance(JOB, path)
    path.write_text(path.read_text().replace('"k": 3', '"k": null'))
    with pytest.raises(ck.InputError) as error:
        ck.read_instance(path)
    assert str(error.value) == f"{path}: k: must be an integer, not null"
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


# Frames


def test_frames_of_runs_are_indexed_by_instance_and_method() -> None:
    frame = ck.compare(JOB, ["mm"]).to_frame()
    assert list(frame.columns[:5]) == ["cost", "bound", "ratio", "grade", "seconds"]
    assert list(frame.index) == [("racks", "mm"), ("racks", "auto")]
    assert frame["grade"]["racks", "mm"] == "enumerated"
    assert frame["selection"]["racks", "auto"] == ["c", "d", "e"]


def test_the_columns_of_before_are_read_for_one_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "_told", set())
    frame = ck.compare(JOB, ["mm"]).to_frame()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert list(frame["method"]) == list(frame.method) == ["mm", "auto"]
        assert set(frame[["instance", "method"]]["instance"]) == {"racks"}
        assert list(frame.loc[frame["method"] == "auto", "cost"]) == [4]
        assert list(frame[frame["cost"] > 0]["method"]) == ["mm", "auto"]
        assert frame.set_index("method")["cost"]["auto"] == 4
        assert list(frame.groupby("method")["cost"].min()) == [4, 4]
    assert [one.category for one in told] == [DeprecationWarning]  # once
    assert told[0].filename == __file__
    assert "frame.reset_index()" in str(told[0].message)


def test_a_script_is_told_in_one_line_of_standard_error() -> None:
    script = (
        "import closeknit as ck\n"
        "frame = ck.compare(ck.Mesh(2, 2), ['hilbert/best-fit'], k=2).to_frame()\n"
        "for _ in range(3): print(*frame['method'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["hilbert/best-fit auto"] * 3
    said = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(said) == 1
    assert "DeprecationWarning: instance and method are the index" in said[0]


def test_an_instance_says_what_its_network_does_not_show() -> None:
    lengths = [("a", "b", {"weight": 3}), ("a", "b", {"weight": 1}), ("b", "c", {})]
    note = "1 parallel edge: of each pair the shortest counts"
    job = ck.ksubset(networkx.MultiGraph(lengths), k=2)
    assert job.source == note
    job = ck.ksubset(networkx.MultiGraph(lengths), k=2, source="mine")
    assert job.source == f"mine; {note}"
    assert ck.ksubset(RACKS, k=2).source == ""
