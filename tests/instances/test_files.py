"""Files that cannot be used are refused in one line; the schemas say the same."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    KSubset,
    Points,
    mesh,
    read_ksubset,
    write_ksubset,
)
from closeknit.instances.ksubset.json import sha256
from closeknit.instances.problems import parse_instance
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support import support_of
from closeknit.instances.support.ksubset import document_of
from closeknit.instances.writing.files import folder, write_text
from closeknit.methods import KSUBSET
from closeknit.reports.frontier.entries import parse_entry
from closeknit.solvers import (
    Grade,
    Limit,
    Proof,
    Result,
    Status,
    read_solution,
    solution_errors,
    solution_of,
    write_solution,
)

from ..paths import ROOT
from ..strategies import larger_ksubsets
from .schemas import obeys

MESH = {"kind": "mesh", "shape": [3, 3]}
TREE = {
    "kind": "tree",
    "parent": [-1, 0, 0],
    "weight": [0, 1, 2],
    "processors": [1, 2],
}


def _net(kind: Any, **fields: Any) -> dict[str, Any]:
    """Put another network into GOOD, all of it free."""
    return {"topology": {"kind": kind, **fields}, "busy": None}


def _points(*rows: Any) -> dict[str, Any]:
    return _net("points", coordinates=list(rows))


def _tree(**changed: Any) -> dict[str, Any]:
    return {"topology": TREE | changed, "busy": []}


GOOD = {
    "format": "closeknit/ksubset",
    "version": 1,
    "name": "good",
    "topology": MESH,
    "busy": [[0, 0], [2, 1]],
    "k": 2,
}
KINDS = "topology.kind: must be graph, grid, mesh, points, table, torus or tree, not "
EXACTLY_ONE = "topology.parent: must have exactly one root (-1), not "
TWO_RINGS = "topology.rings: must have 2 entries, one per axis, not "

# what is changed in GOOD (None: taken out), what the message says after the file
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"colour": "red"}, "colour: unknown field (known: format, "),
    "no format": ({"format": None}, "format: is missing"),
    "other format": (
        {"format": "closeknit/procset"},
        "format: must be 'closeknit/ksubset', not 'closeknit/procset'",
    ),
    "version 2": ({"version": 2}, "version: must be 1, not 2"),
    "version text": ({"version": "1"}, "version: must be an integer, not '1'"),
    "version true": ({"version": True}, "version: must be an integer, not True"),
    "no k": ({"k": None}, "k: is missing"),
    "k 0": ({"k": 0}, "k: must be at least 1, not 0"),
    "k boolean": ({"k": True}, "k: must be an integer, not True"),
    "k decimal": ({"k": 2.5}, "k: must be an integer, not 2.5"),
    "name empty": ({"name": ""}, "name: must not be empty"),
    "name number": ({"name": 7}, "name: must be a string, not 7"),
    "name of two lines": ({"name": "a\nb"}, "name: must be text on one line"),
    "source control": ({"source": "\x1b[31m"}, "source: must be text on one line"),
    "seed text": ({"seed": "7"}, "seed: must be an integer, not '7'"),
    "busy and free": ({"free": [[1, 1]]}, "busy: give busy or free, not both"),
    "busy no list": ({"busy": {}}, "busy: must be a list, not {}"),
    "busy no site": ({"busy": [7]}, "busy[0]: must be a list, not 7"),
    "busy twice": ({"busy": [[0, 1], [0, 1]]}, "busy[1]: listed twice: [0, 1]"),
    "busy negative": ({"busy": [[0, -1]]}, "busy[0]: no such processor: [0, -1]"),
    "free twice": (
        {"busy": None, "free": [[0, 1], [1, 1], [0, 1]]},
        "free[1]: listed twice: [0, 1]",
    ),
    "free none": ({"busy": None, "free": []}, "topology: no processor is free"),
    "no topology": ({"topology": None}, "topology: is missing"),
    "topology text": ({"topology": "mesh"}, "topology: must be an object, not 'mesh'"),
    "kind unknown": (_net("ring", shape=[9]), f"{KINDS}'ring'"),
    "kind missing": ({"topology": {"shape": [9]}}, "topology.kind: must be graph, "),
    "kind decimal": (_net(1.5), "topology.kind: must be graph, grid"),
    "shape empty": (_net("mesh", shape=[]), "topology.shape: needs at least one side"),
    "shape zero": (
        _net("torus", shape=[4, 0]),
        "topology.shape[1]: must be at least 1, not 0",
    ),
    "shape true": (
        _net("mesh", shape=[4, True]),
        "topology.shape[1]: must be an integer, not True",
    ),
    "shape huge": (
        _net("mesh", shape=[10**40]),
        "topology.shape: must have at most 2^24 processors, not [1000000",
    ),
    "shape missing": (_net("grid", rings=[True]), "topology.shape: is missing"),
    "shape unknown": (
        _net("mesh", shape=[3, 3], wrap=True),
        "topology.wrap: unknown field (known: kind, shape)",
    ),
    "rings missing": (_net("grid", shape=[3, 3]), "topology.rings: is missing"),
    "rings of a torus": (
        _net("torus", shape=[3, 3], rings=[True, True]),
        "topology.rings: unknown field (known: kind, shape)",
    ),
    "rings in numbers": (
        _net("grid", shape=[3, 3], rings=[True, 0]),
        "topology.rings[1]: must be true or false, not 0",
    ),
    "rings in one": (
        _net("grid", shape=[3, 3], rings=True),
        "topology.rings: must be a list, not True",
    ),
    "no point": (_points(), "topology.coordinates: needs at least one point"),
    "no axis": (_points([]), "topology.coordinates[0]: needs at least one axis"),
    "coordinate near 2^62": (
        _points([0, 2**62]),
        "topology.coordinates[0][1]: must be smaller than 2^62, not '4611686018427387",
    ),
    "coordinate text": (
        _points([0, "1"]),
        "topology.coordinates[0][1]: must be a number, not '1'",
    ),
    "coordinate true": (
        _points([True, 1]),
        "topology.coordinates[0][0]: must be a number, not True",
    ),
    "two roots": (_tree(parent=[-1, 0, -1]), f"{EXACTLY_ONE}[0, 2]"),
    "no root": (_tree(parent=[1, 2, 0]), f"{EXACTLY_ONE}[]"),
    "parent below -1": (_tree(parent=[-1, -2, 0]), "topology.parent[1]: no such node"),
    "weight negative": (
        _tree(weight=[0, 1, -1]),
        "topology.weight[2]: must lie between 0 and 2^62, not -1",
    ),
    "weight decimal": (
        _tree(weight=[0, 1.5, 1]),
        "topology.weight[1]: must be an integer, not 1.5",
    ),
    "processor twice": (
        _tree(processors=[1, 1]),
        "topology.processors[1]: listed twice: 1",
    ),
    "no processor": (
        _tree(processors=[]),
        "topology.processors: needs at least one node",
    ),
    "tree without weight": (
        _net("tree", parent=[-1, 0, 0], processors=[1, 2]),
        "topology.weight: is missing",
    ),
}

# wrong, but not so that a schema could say it
WRONG_IN_SUM: dict[str, tuple[dict[str, Any], str]] = {
    "k above free": (
        {"k": 8},
        "k: must be at most the number of free processors (7), not 8",
    ),
    "version 1.0": ({"version": 1.0}, "version: must be an integer, not 1.0"),
    "busy outside": ({"busy": [[0, 3]]}, "busy[0]: no such processor: [0, 3]"),
    "busy of three axes": ({"busy": [[0, 1, 1]]}, "busy[0]: no such processor: [0, 1,"),
    "free outside": (
        {"busy": None, "free": [[0, 1], [3, 0]]},
        "free[1]: lies outside the mesh: [3, 0]",
    ),
    "free of one axis": (
        {"busy": None, "free": [[0]]},
        "free[0]: must have 2 coordinates, not [0]",
    ),
    "all busy": (
        {"busy": [[i, j] for i in range(3) for j in range(3)]},
        "topology: no processor is free",
    ),
    "mesh too large": (
        _net("mesh", shape=[5000, 5000]),
        "topology.shape: must have at most 2^24 processors, not [5000, 5000]",
    ),
    "rings too few": (_net("grid", shape=[3, 3], rings=[True]), f"{TWO_RINGS}1"),
    "rings too many": (_net("grid", shape=[3, 3], rings=[True] * 3), f"{TWO_RINGS}3"),
    "mixed dimensions": (
        _points([0, 1], [1, 2, 3]),
        "topology.coordinates[1]: must have 2 coordinates like the first point",
    ),
    "pair sums near 2^62": (
        _points([0, 0], [2**60, 0], [3, 3]),
        "topology: sums of distances need more than 62 bits (k = 2, largest distance "
        "up to 1152921504606846979)",
    ),
    "point busy too often": (
        {**_points([0.5, 1], [0.5, 1], [2, 2]), "busy": [[0.5, 1]] * 3, "k": 1},
        "busy[2]: listed twice: [5, 10]",
    ),
    "point free too often": (
        {**_points([1, 1], [2, 2]), "free": [[1, 1], [1, 1]]},
        "free[0]: listed too often: [1, 1]",
    ),
    "point between points": (
        {**_points([0, 1], [1, 2]), "busy": [[0.5, 1]]},
        "busy[0]: no such processor: ['0.5', '1']",
    ),
    "weights missing": (
        _tree(weight=[0, 1]),
        "topology.weight: must have 3 entries like parent, not 2",
    ),
    "parent outside": (_tree(parent=[-1, 0, 3]), "topology.parent[2]: no such node: 3"),
    "circle": (
        _tree(parent=[-1, 2, 1]),
        "topology.parent: nodes not connected to the root: [1, 2]",
    ),
    "processor outside": (
        _tree(processors=[1, 3]),
        "topology.processors[1]: no such node: 3",
    ),
    "busy switch": (
        {"topology": TREE, "busy": [0], "k": 1},
        "busy[0]: no such processor: [0]",
    ),
}

_TEXT = json.dumps(GOOD)
_POINT = (
    '{"format": "closeknit/ksubset", "version": 1, "k": 1, '
    '"topology": {"kind": "points", "coordinates": [[0, %s], [1, 1]]}}'
)

# files that are no JSON, or whose trouble JSON libraries hide
BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not JSON: Expecting value (line 1, column 1)"),
    "truncated": (_TEXT[:60].encode(), "not JSON: "),
    "a list": (b"[1, 2]", "document: must be an object, not [1, 2]"),
    "two documents": (2 * _TEXT.encode(), "not JSON: Extra data (line 1, column "),
    "prose": (b"k = 3", "not JSON: Expecting value (line 1, column 1)"),
    "key twice": (_TEXT.replace('"name"', '"k": 1, "name"').encode(), "k: given twice"),
    "not UTF-8": (b'{"name": "\xff"}', "is not UTF-8 text (byte 10)"),
    "half a character": (
        _TEXT.replace("good", "\\ud800").encode(),
        "name: must be text on one line, without control characters",
    ),
    "deep": (b"[" * 100_000, "not usable JSON: nested too deeply"),
}
NUMBERS = {
    "NaN": "NaN is not a number that can be used (line 1)",
    "-Infinity": "-Infinity is not a number that can be used",
    "1e400": "topology.coordinates[0][1]: must be smaller than 2^62, not '1E+400'",
    "4611686018427387903.5": (
        "topology.coordinates[0]: coordinates must stay below 2^62 once scaled"
    ),
    "1e99999999999999999999": "not a number that can be used: '1e9999999999999999999",
    "1e-99999999999999999999": "not a number that can be used: '1e-99999999999999999",
    "0.1234567890123456789": (
        "topology.coordinates[0][1]: more than 18 decimals: '0.12345678901234567"
    ),
    "9" * 4000: "topology.coordinates[0][1]: must be smaller than 2^62, not '999999",
    "9" * 5000: "not usable JSON: an integer has more",
}
BROKEN |= {f"{n[:9]}, {len(n)}": ((_POINT % n).encode(), NUMBERS[n]) for n in NUMBERS}


def _changed(change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**GOOD, **change}.items() if value != None}  # noqa: E711


def _documents() -> list[Any]:
    wrong = {**WRONG, **WRONG_IN_SUM}
    texts = {name: json.dumps(_changed(c)).encode() for name, (c, _) in wrong.items()}
    texts |= {name: text for name, (text, _) in BROKEN.items()}
    says = {name: message for name, (_, message) in {**wrong, **BROKEN}.items()}
    return [pytest.param(texts[name], says[name], id=name) for name in texts]


def test_the_example_itself_is_good() -> None:
    assert obeys("ksubset", GOOD)
    assert obeys("ksubset", GOOD | _tree())


@pytest.mark.parametrize(("content", "message"), _documents())
def test_bad_instances_are_refused_in_one_line(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_ksubset(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert len(str(caught.value)) < len(str(path)) + 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["not UTF-8", "half a character", "deep"])
def test_a_command_says_the_same_and_ends_with_2(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(BROKEN[name][0])
    assert run(["solve", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"closeknit: {path}: {BROKEN[name][1]}")


@pytest.mark.parametrize("name", WRONG)
def test_the_schema_refuses_what_the_reader_refuses(name: str) -> None:
    assert not obeys("ksubset", _changed(WRONG[name][0]))


@pytest.mark.parametrize("depth", range(20, 1100, 30))
def test_no_depth_of_nesting_breaks_the_message(depth: int, tmp_path: Path) -> None:
    text = json.dumps(GOOD | {"busy": None}).replace("null", "[" * depth + "]" * depth)
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(InputError):
        read_ksubset(path)


@pytest.mark.parametrize("command", ["solve", "compare", "ratios"])
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("missing.json", "cannot be read: No such file or directory"),
        ("missing/missing.json", "cannot be read: No such file or directory"),
        ("x" * 300 + ".json", "cannot be read: File name too long"),
        ("", "cannot be read: Is a directory"),
    ],
)
def test_files_that_are_not_there(
    command: str,
    place: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [command, str(tmp_path / place)]
    arguments += ["--out", str(tmp_path / "out")] if command == "ratios" else []
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    if command != "ratios":  # which also looks for a folder or a suite of that name
        assert err == f"closeknit: {tmp_path / place}: {message}\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_text(_TEXT)
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        read_ksubset(path)


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for place in ("missing/a.json", "file/a.json"):
        with pytest.raises(InputError, match="cannot be written: "):
            write_ksubset(mesh(2, 2, k=2), tmp_path / place)
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write_text(tmp_path, "text")
    with pytest.raises(InputError, match="cannot be made: "):
        folder(tmp_path / "file" / "folder")
    with pytest.raises(InputError, match="cannot be made: File exists"):
        folder(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@given(larger_ksubsets())
def test_what_is_written_obeys_the_schema(instance: KSubset) -> None:
    assert obeys("ksubset", json.loads(dumps(document_of(instance))))


def test_decimals_are_written_as_they_were_read(tmp_path: Path) -> None:
    """0.1 + 0.2 is 0.3, and no 17th digit appears."""
    path = tmp_path / "a.json"
    path.write_text(_POINT % "0.3000")
    instance = read_ksubset(path)
    assert instance.topology == Points(((0, 3), (10, 10)), 10)
    write_ksubset(instance, path)
    assert '"coordinates": [[0, 0.3], [1, 1]]' in path.read_text()


@pytest.mark.parametrize("name", ["\\u00001.5", "closeknit:exact:7", '\\"7\\"', "ü"])
def test_names_that_look_like_numbers_stay_names(name: str) -> None:
    text = json.loads(f'"{name}"')
    instance = replace(mesh(2, 2, k=2), name=text)
    written = json.loads(dumps({**document_of(instance), "half": 0.5}))
    assert written["name"] == text


# --- solutions ---------------------------------------------------------------


def _result(instance: KSubset) -> Result:
    return KSUBSET["row-major"](instance)


@given(larger_ksubsets())
def test_solutions_obey_their_schema(instance: KSubset) -> None:
    document = solution_of(instance, "row-major", _result(instance))
    assert obeys("solution", json.loads(dumps(document)))


def test_every_kind_of_answer_obeys_the_schema() -> None:
    instance = mesh(3, 3, k=2)
    proof = Proof(Grade.CHECKED, "star bound")
    for result in (
        Result(status=Status.OPTIMAL, chosen=(0, 1), objective=1, bound=1, proof=proof),
        Result(status=Status.FEASIBLE, chosen=(0, 8), objective=4, seed=3),
        Result(status=Status.UNKNOWN, limit=Limit.TIME, bound=1, proof=proof),
        Result(status=Status.INFEASIBLE, proof=proof),
    ):
        document = json.loads(dumps(solution_of(instance, "method", result)))
        assert obeys("solution", document)


def test_the_example_of_a_solution_is_good() -> None:
    assert obeys("solution", SOLUTION)


def test_a_solution_is_read_back(tmp_path: Path) -> None:
    instance = mesh(3, 3, k=4)
    path = tmp_path / "solution.json"
    write_solution(instance, "row-major", _result(instance), path)
    solution = read_solution(path)
    assert solution.sha256 == sha256(instance)
    assert solution.status is Status.FEASIBLE
    assert solution_errors(instance, solution) == []


SOLUTION: dict[str, Any] = {
    "format": "closeknit/solution",
    "version": 1,
    "instance": "good",
    "sha256": "0" * 64,
    "method": "mm",
    "status": "feasible",
    "objective": 1,
    "selection": [[0, 1], [0, 2]],
    "seconds": 0.5,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "solved"}, "status: must be one of optimal, feasible, infeasible"),
        ({"status": None}, "status: is missing"),
        ({"sha256": 7}, "sha256: must be a string, not 7"),
        ({"version": 3}, "version: must be 1, not 3"),
        ({"extra": 1}, "extra: unknown field"),
        ({"objective": 1.5}, "objective: must be an integer, not 1.5"),
        ({"objective": [1, "2"]}, "objective[1]: must be an integer, not '2'"),
        ({"bound": True}, "bound: must be an integer, not True"),
        ({"bound": 1, "proof": {"grade": "checked"}}, "proof.by: is missing"),
        (
            {"bound": 1, "proof": {"grade": "sure", "by": "me"}},
            "proof.grade: must be one of checked, enumerated, confirmed, solver, "
            "not 'sure'",
        ),
        (
            {"bound": 1, "proof": {"grade": "solver", "by": ""}},
            "proof.by: must not be empty, not ''",
        ),
        ({"limit": "patience"}, "limit: must be one of time, nodes, memory, interrupt"),
        ({"seconds": "fast"}, "seconds: must be a number, not 'fast'"),
        ({"seconds": -1}, "seconds: must lie between 0 and 1000000000, not -1"),
        ({"seed": 0.5}, "seed: must be an integer, not 0.5"),
    ],
)
def test_bad_solutions_are_refused_in_one_line(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    document = {**SOLUTION, **change}
    document = {name: value for name, value in document.items() if value is not None}
    assert not obeys("solution", document)
    path = tmp_path / "solution.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_solution(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_examples_in_the_manual_are_true() -> None:
    """Every JSON block of docs/internals/formats.md is read and obeys its schema."""
    text = (ROOT / "docs" / "internals" / "formats.md").read_text()
    blocks = [part.partition("```")[0] for part in text.split("```json\n")[1:]]
    kinds = set()
    for block in blocks:
        document = json.loads(block)
        name = document["format"].removeprefix("closeknit/")
        assert obeys(name, document), block
        if name == "solution":
            kinds.add(document["status"])
        elif name == "frontier":
            (entry,) = (parse_entry(one, name) for one in document["entries"])
            instance = entry.read()
            assert isinstance(instance, KSubset)
            assert sha256(instance) == entry.sha256
        elif name != "proofs":  # an index, which tests/proofs/checking reads
            instance = parse_instance(parse_json(block))
            kinds.add(support_of(instance).features(instance).structure)
    assert kinds >= {"sets", "items"}
    assert kinds >= {"mesh", "torus", "points", "tree", "graph", "optimal"}
