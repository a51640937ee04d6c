"""Files that cannot be used are refused in one line; the schemas say the same."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

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
from closeknit.instances.library import bundled_names, suite
from closeknit.instances.problems import parse_instance
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support import support_of
from closeknit.instances.support.ksubset import document_of
from closeknit.instances.writing.files import folder, write_text, writing
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

SCHEMAS = ROOT / "docs" / "schema"


def _validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


KSUBSET_SCHEMA = _validator("ksubset")
SOLUTION_SCHEMA = _validator("solution")

MESH = {"kind": "mesh", "shape": [3, 3]}
TREE = {
    "kind": "tree",
    "parent": [-1, 0, 0],
    "weight": [0, 1, 2],
    "processors": [1, 2],
}


def _points(*rows: Any) -> dict[str, Any]:
    return {"topology": {"kind": "points", "coordinates": list(rows)}}


GOOD = {
    "format": "closeknit/ksubset",
    "version": 1,
    "name": "good",
    "topology": MESH,
    "busy": [[0, 0], [2, 1]],
    "k": 2,
}

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
    "k negative": ({"k": -3}, "k: must be at least 1, not -3"),
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
    "busy twice": (
        {"busy": [[0, 1], [1, 1], [0, 1]]},
        "busy[2]: listed twice: [0, 1]",
    ),
    "busy negative": ({"busy": [[0, -1]]}, "busy[0]: no such processor: [0, -1]"),
    "free twice": (
        {"busy": None, "free": [[0, 1], [1, 1], [0, 1]]},
        "free[1]: listed twice: [0, 1]",
    ),
    "free none": ({"busy": None, "free": []}, "topology: no processor is free"),
    "no topology": ({"topology": None}, "topology: is missing"),
    "topology text": ({"topology": "mesh"}, "topology: must be an object, not 'mesh'"),
    "kind unknown": (
        {"topology": {"kind": "ring", "shape": [9]}},
        "topology.kind: must be graph, grid, mesh, points, table, torus or tree, not "
        "'ring'",
    ),
    "kind missing": ({"topology": {"shape": [9]}}, "topology.kind: must be graph, "),
    "kind decimal": ({"topology": {"kind": 1.5}}, "topology.kind: must be graph, grid"),
    "shape empty": (
        {"topology": {"kind": "mesh", "shape": []}},
        "topology.shape: needs at least one side",
    ),
    "shape zero": (
        {"topology": {"kind": "torus", "shape": [4, 0]}},
        "topology.shape[1]: must be at least 1, not 0",
    ),
    "shape huge": (
        {"topology": {"kind": "mesh", "shape": [10**40]}},
        "topology.shape: must have at most 2^24 processors, not [1000000",
    ),
    "shape unknown": (
        {"topology": MESH | {"wrap": True}},
        "topology.wrap: unknown field (known: kind, shape)",
    ),
    "rings missing": (
        {"topology": {"kind": "grid", "shape": [3, 3]}},
        "topology.rings: is missing",
    ),
    "rings of a torus": (
        {"topology": {"kind": "torus", "shape": [3, 3], "rings": [True, True]}},
        "topology.rings: unknown field (known: kind, shape)",
    ),
    "rings in numbers": (
        {"topology": {"kind": "grid", "shape": [3, 3], "rings": [True, 0]}},
        "topology.rings[1]: must be true or false, not 0",
    ),
    "rings in one": (
        {"topology": {"kind": "grid", "shape": [3, 3], "rings": True}},
        "topology.rings: must be a list, not True",
    ),
    "no point": (_points(), "topology.coordinates: needs at least one point"),
    "no axis": (_points([]), "topology.coordinates[0]: needs at least one axis"),
    "coordinate near 2^62": (
        {**_points([0, 2**62]), "busy": None},
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
    "two roots": (
        {"topology": TREE | {"parent": [-1, 0, -1]}, "busy": []},
        "topology.parent: must have exactly one root (-1), not [0, 2]",
    ),
    "no root": (
        {"topology": TREE | {"parent": [1, 2, 0]}, "busy": []},
        "topology.parent: must have exactly one root (-1), not []",
    ),
    "parent below -1": (
        {"topology": TREE | {"parent": [-1, -2, 0]}, "busy": []},
        "topology.parent[1]: no such node: -2",
    ),
    "weight negative": (
        {"topology": TREE | {"weight": [0, 1, -1]}, "busy": []},
        "topology.weight[2]: must lie between 0 and 2^62, not -1",
    ),
    "weight decimal": (
        {"topology": TREE | {"weight": [0, 1.5, 1]}, "busy": []},
        "topology.weight[1]: must be an integer, not 1.5",
    ),
    "processor twice": (
        {"topology": TREE | {"processors": [1, 1]}, "busy": []},
        "topology.processors[1]: listed twice: 1",
    ),
    "no processor": (
        {"topology": TREE | {"processors": []}, "busy": []},
        "topology.processors: needs at least one node",
    ),
    "tree without weight": (
        {"topology": {k: v for k, v in TREE.items() if k != "weight"}},
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
    "busy of three axes": (
        {"busy": [[0, 1, 1]]},
        "busy[0]: no such processor: [0, 1, 1]",
    ),
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
        {"topology": {"kind": "mesh", "shape": [5000, 5000]}},
        "topology.shape: must have at most 2^24 processors, not [5000, 5000]",
    ),
    "rings too few": (
        {"topology": {"kind": "grid", "shape": [3, 3], "rings": [True]}},
        "topology.rings: must have 2 entries, one per axis, not 1",
    ),
    "rings too many": (
        {"topology": {"kind": "grid", "shape": [3, 3], "rings": [True] * 3}},
        "topology.rings: must have 2 entries, one per axis, not 3",
    ),
    "mixed dimensions": (
        {**_points([0, 1], [1, 2, 3]), "busy": None},
        "topology.coordinates[1]: must have 2 coordinates like the first point",
    ),
    "pair sums near 2^62": (
        {**_points([0, 0], [2**60, 0], [3, 3]), "busy": None},
        "topology: sums of distances need more than 62 bits (k = 2, largest distance "
        "up to 1152921504606846979)",
    ),
    "point busy too often": (
        {**_points([0.5, 1], [0.5, 1], [2, 2]), "busy": [[0.5, 1]] * 3, "k": 1},
        "busy[2]: listed twice: [5, 10]",
    ),
    "point free too often": (
        {**_points([1, 1], [2, 2]), "busy": None, "free": [[1, 1], [1, 1]]},
        "free[0]: listed too often: [1, 1]",
    ),
    "point between points": (
        {**_points([0, 1], [1, 2]), "busy": [[0.5, 1]]},
        "busy[0]: no such processor: ['0.5', '1']",
    ),
    "weights missing": (
        {"topology": TREE | {"weight": [0, 1]}, "busy": []},
        "topology.weight: must have 3 entries like parent, not 2",
    ),
    "parent outside": (
        {"topology": TREE | {"parent": [-1, 0, 3]}, "busy": []},
        "topology.parent[2]: no such node: 3",
    ),
    "circle": (
        {"topology": TREE | {"parent": [-1, 2, 1]}, "busy": []},
        "topology.parent: nodes not connected to the root: [1, 2]",
    ),
    "processor outside": (
        {"topology": TREE | {"processors": [1, 3]}, "busy": []},
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
    "NaN": ((_POINT % "NaN").encode(), "NaN is not a number that can be used (line 1)"),
    "Infinity": (
        (_POINT % "-Infinity").encode(),
        "-Infinity is not a number that can be used",
    ),
    "1e400": (
        (_POINT % "1e400").encode(),
        "topology.coordinates[0][1]: must be smaller than 2^62, not '1E+400'",
    ),
    "near 2^62 once scaled": (
        (_POINT % "4611686018427387903.5").encode(),
        "topology.coordinates[0]: coordinates must stay below 2^62 once scaled",
    ),
    "huge exponent": (
        (_POINT % "1e99999999999999999999").encode(),
        "not a number that can be used: '1e99999999999999999999'",
    ),
    "tiny exponent": (
        (_POINT % "1e-99999999999999999999").encode(),
        "not a number that can be used: '1e-99999999999999999999'",
    ),
    "long decimals": (
        (_POINT % "0.1234567890123456789").encode(),
        "topology.coordinates[0][1]: more than 18 decimals: '0.12345678901234567",
    ),
    "long integer": (
        (_POINT % ("9" * 4000)).encode(),
        "topology.coordinates[0][1]: must be smaller than 2^62, not '999999",
    ),
    "longer integer": (
        (_POINT % ("9" * 5000)).encode(),
        "not usable JSON: an integer has more",
    ),
}


def _changed(change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**GOOD, **change}.items() if value != None}  # noqa: E711


def _documents() -> list[Any]:
    wrong = {**WRONG, **WRONG_IN_SUM}
    texts = {name: json.dumps(_changed(c)).encode() for name, (c, _) in wrong.items()}
    texts |= {name: text for name, (text, _) in BROKEN.items()}
    says = {name: message for name, (_, message) in {**wrong, **BROKEN}.items()}
    return [pytest.param(texts[name], says[name], id=name) for name in texts]


def test_the_example_itself_is_good() -> None:
    assert not list(KSUBSET_SCHEMA.iter_errors(GOOD))
    assert not list(KSUBSET_SCHEMA.iter_errors({**GOOD, "topology": TREE, "busy": []}))


@pytest.mark.parametrize(("content", "message"), _documents())
def test_bad_instances_are_one_line_and_exit_2(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_ksubset(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert len(str(caught.value)) < len(str(path)) + 300
    assert run(["solve", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"closeknit: {path}: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("name", WRONG)
def test_the_schema_refuses_what_the_reader_refuses(name: str) -> None:
    document = _changed(WRONG[name][0])
    assert list(KSUBSET_SCHEMA.iter_errors(document))


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


def test_a_folder_is_no_instance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["solve", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err == f"closeknit: {tmp_path}: cannot be read: Is a directory\n"


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


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def broken_off() -> None:
        with writing(path) as stream:
            stream.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_written_files_can_be_read_by_others(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_text(tmp_path / "a.txt", "text")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


@given(larger_ksubsets())
def test_what_is_written_obeys_the_schema(instance: KSubset) -> None:
    text = dumps(document_of(instance))
    assert not list(KSUBSET_SCHEMA.iter_errors(json.loads(text)))


def test_bundled_instances_and_worst_cases_obey_the_schema() -> None:
    assert len(bundled_names()) >= 12
    for instance in suite("bundled-ksubset") + suite("worst-cases"):
        assert isinstance(instance, KSubset)
        text = dumps(document_of(instance))
        assert not list(KSUBSET_SCHEMA.iter_errors(json.loads(text))), instance.name


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
    text = dumps(solution_of(instance, "row-major", _result(instance)))
    assert not list(SOLUTION_SCHEMA.iter_errors(json.loads(text)))


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
        assert not list(SOLUTION_SCHEMA.iter_errors(document))


def test_a_solution_is_read_back(tmp_path: Path) -> None:
    instance = mesh(3, 3, k=4)
    path = tmp_path / "solution.json"
    write_solution(instance, "row-major", _result(instance), path)
    solution = read_solution(path)
    assert solution.sha256 == sha256(instance)
    assert solution.status is Status.FEASIBLE
    assert solution_errors(instance, solution) == []


SOLUTION = {
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
def test_bad_solutions_are_one_line_and_exit_2(
    change: dict[str, Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = {**SOLUTION, **change}
    document = {name: value for name, value in document.items() if value is not None}
    assert list(SOLUTION_SCHEMA.iter_errors(document))
    assert not list(SOLUTION_SCHEMA.iter_errors(SOLUTION))
    solution, instance = tmp_path / "solution.json", tmp_path / "good.json"
    solution.write_text(json.dumps(document))
    instance.write_text(_TEXT)
    assert run(["check", str(instance), str(solution)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"closeknit: {solution}: {message}")
    assert err.count("\n") == 1


def test_examples_in_the_manual_are_true() -> None:
    """Every JSON block of docs/internals/formats.md is read and obeys its schema."""
    text = (ROOT / "docs" / "internals" / "formats.md").read_text()
    blocks = [part.partition("```")[0] for part in text.split("```json\n")[1:]]
    kinds = set()
    for block in blocks:
        document = json.loads(block)
        name = document["format"].removeprefix("closeknit/")
        assert not list(_validator(name).iter_errors(document)), block
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
