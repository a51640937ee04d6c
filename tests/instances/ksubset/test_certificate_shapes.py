"""Lines of certificates of another shape than is declared are refused, and named.

`FORGED` are bounds that held before lines were decoded.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError, KSubset, Points, mesh, write_ksubset
from closeknit.instances.ksubset import certificate_file
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.ksubset.certificate_nodes import CertificateShapes
from closeknit.instances.ksubset.json import sha256 as digest_of
from closeknit.instances.problems import cost
from closeknit.instances.reading import fields as shapes
from closeknit.instances.support.ksubset import selection_of
from closeknit.proofs.checking.answers.command import main
from closeknit.proofs.writing.certificate_kernels import FastChecker
from closeknit.proofs.writing.proof_files import write_certificate

from ...forging.certificate_edits import rewrite

SQUARE = mesh(4, 4, k=4)
ROW = KSubset("row", Points(((0,), (1,), (9,), (20,))), ((0,), (1,), (9,), (20,)), 2)
TRIANGLE = KSubset("near", Points(((0,), (2,), (4,))), ((0,), (2,), (4,)), 2)
FORGED: dict[str, tuple[KSubset, int, Any, str]] = {
    "null for points": (
        *(SQUARE, 1000, [[["cost", None, []]], ["counts"]]),
        "node[0][0].cost[0]: must be a list, not null",
    ),
    "a number for points": (
        *(ROW, 8, [[["cost", [], 0]], ["bound", 8, [0, 0, 1], [0, 1, 2]]]),
        "node[0][0].cost[1]: must be a list, not 0",
    ),
    "booleans for points": (
        *(TRIANGLE, 3, [[["companions", [True, True, True], []]], ["counts"]]),
        "node[0][0].companions[0][0]: must be an integer, not True",
    ),
}
LINES: list[tuple[Any, str]] = [
    (None, "node: must be a list"),
    ({"0": [], "1": ["counts"]}, "node: must be a list"),
    ([[]], "node: must be a list of 2"),
    ([[], ["counts"], []], "node: must be a list of 2"),
    ([None, ["counts"]], "node[0]: must be a list"),
    ([{}, ["counts"]], "node[0]: must be a list"),
    ([[[]], ["counts"]], "node[0][0][0]: must be a string"),
    ([["cost"], ["counts"]], "node[0][0]: must be a list"),
    ([[["faith", [], []]], ["counts"]], "node[0][0][0]: must be one of cost, narrow"),
    ([[[["cost"], [], []]], ["counts"]], "node[0][0][0]: must be a string"),
    ([[["cost", []]], ["counts"]], "node[0][0].cost: must be a list of 2"),
    ([[["cost", [], [], []]], ["counts"]], "node[0][0].cost: must be a list of 2"),
    ([[["cost", [16], []]], ["counts"]], "node[0][0].cost[0][0]: no such point: 16"),
    ([[["cost", [-1], []]], ["counts"]], "node[0][0].cost[0][0]: no such point: -1"),
    ([[["cost", [2**70], []]], ["counts"]], "node[0][0].cost[0][0]: no such point"),
    ([[["cost", [3, 3], []]], ["counts"]], "node[0][0].cost[0][1]: given twice: 3"),
    ([[["cost", [3], [3]]], ["counts"]], "node[0][0].cost: both chosen and rejected"),
    ([[["cost", {"3": 1}, []]], ["counts"]], "node[0][0].cost[0]: must be a list"),
    ([[["cost", "3", []]], ["counts"]], "node[0][0].cost[0]: must be a list"),
    ([[["cost", [3.0], []]], ["counts"]], "node[0][0].cost[0][0]: must be an integer"),
    (
        [[["twins", [], [[1] * 16]]], ["counts"]],
        "node[0][0].twins[1][0]: must be an integer, not [1, 1, 1, 1",
    ),
    ([[["narrow", [[0, 0]]]], ["counts"]], "node[0][0].narrow[0][0]: must be a list"),
    ([[["narrow", [[0, 0, 5]]]], ["counts"]], "node[0][0].narrow[0][0][2]: no such"),
    ([[["narrow", [0, 0, 1]]], ["counts"]], "node[0][0].narrow[0][0]: must be a list"),
    ([[["narrow", [[6, 0, 1]]]], ["counts"]], "node[0][0].narrow[0][0][0]: no such"),
    ([[["narrow", [[0, False, 1]]]], ["counts"]], "node[0][0].narrow[0][0][1]: must"),
    (
        [[["narrow", [[0, 0, 1], [0, 1, 1]]]], ["counts"]],
        "node[0][0].narrow[0][1]: given twice: 0",
    ),
    ([[["exchange", [[0, 1, 2]]]], ["counts"]], "node[0][0].exchange[0][0]: must be a"),
    ([[["exchange", [[0, True]]]], ["counts"]], "node[0][0].exchange[0][0][1]: must"),
    ([[], []], "node[1][0]: must be a string"),
    ([[], "counts"], "node[1]: must be a list"),
    ([[], ["counts", 0]], "node[1].counts: must be a list of 0"),
    ([[], ["bound", True, [0] * 6, [4] * 6]], "node[1].bound[0]: must be an integer"),
    ([[], ["bound", 8, [0] * 5, [4] * 6]], "node[1].bound[1]: must be a list of 6"),
    ([[], ["bound", 8, [0] * 6, [True] * 6]], "node[1].bound[2][0]: must be an int"),
    ([[], ["bound", 8, None, [4] * 6]], "node[1].bound[1]: must be a list"),
    ([[], ["narrow", [0]]], "node[1].narrow[0]: must be an integer"),
    ([[], ["narrow", -1]], "node[1].narrow[0]: no such cut"),
    ([[], ["exchange", False, 1]], "node[1].exchange[0]: must be an integer"),
    ([[], ["twins", None]], "node[1].twins[0]: must be an integer"),
    ([[], ["companions", [0]]], "node[1].companions[0]: must be an integer"),
    ([[], ["split", True, 0]], "node[1].split[0]: must be an integer"),
    ([[], ["split", 0, 5]], "node[1].split[1]: no such count: 5"),
    ([[], ["split", 0, "0"]], "node[1].split[1]: must be an integer"),
]
HEADS: list[tuple[dict[str, Any], str]] = [
    ({"objective": True}, "objective: must be an integer, not True"),
    ({"objective": 8.0}, "objective: must be an integer, not 8.0"),
    ({"objective": [8]}, "objective: must be an integer, not [8]"),
    ({"objective": -1}, "objective: must lie between 0 and "),
    ({"objective": 2**61 + 1}, f"objective: must lie between 0 and {2**61}, not "),
    ({"nodes": True}, "nodes: must be an integer, not True"),
    ({"nodes": 2}, "nodes: there are 1: 2"),
    ({"version": True}, "version: must be an integer, not True"),
    ({"instance": None}, "instance: must be a string, not null"),
    ({"sha256": [7]}, "sha256: must be a string, not [7]"),
    ({"more": 1}, "more: unknown field"),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with the square, and its corners as the optimum."""
    (tmp_path / "s.json").write_text(json.dumps(_corners()))
    write_ksubset(SQUARE, tmp_path / "i.json")
    return tmp_path


def _corners() -> dict[str, Any]:
    chosen = (0, 3, 12, 15)
    paid = cost(SQUARE, chosen)
    assert paid == 24
    return {
        **{"format": "closeknit/solution", "version": 1, "instance": SQUARE.name},
        **{"sha256": digest_of(SQUARE), "method": "me", "status": "optimal"},
        **{"objective": paid, "bound": paid},
        "proof": {"grade": "checked", "by": "certificate"},
        "selection": selection_of(SQUARE, chosen),
    }


def signed_index(folder: Path) -> None:
    """Write an index whose digests fit, as a forger would."""
    content = {
        name: {"file": file, "sha256": sha256((folder / file).read_bytes()).hexdigest()}
        for name, file in (
            ("instance", "i.json"),
            ("solution", "s.json"),
            ("proof", "p.xz"),
        )
    }
    entry = {
        **{"name": SQUARE.name, "problem": "ksubset", "status": "optimal", "cost": 24},
        **{"kind": "certificate", "by": "cuts-bb", **content},
        "bytes": (folder / "p.xz").stat().st_size,
    }
    index = {"format": "closeknit/proofs", "version": 1, "entries": [entry]}
    (folder / "index.json").write_text(json.dumps(index))


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("by", [CertificateChecker, FastChecker])
def test_forged_bounds_do_not_hold(
    name: str, by: type[CertificateChecker], tmp_path: Path
) -> None:
    instance, objective, node, message = FORGED[name]
    write_certificate(instance, objective, [node], tmp_path / "p.xz")
    with pytest.raises(InputError) as caught:
        check_certificate(instance, tmp_path / "p.xz", by=by)
    assert str(caught.value) == f"{tmp_path / 'p.xz'}:2: {message}"


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_every_command_refuses_a_forged_certificate(
    plain: list[str], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    node = [[["cost", None, []]], ["counts"]]
    write_certificate(SQUARE, 24, [node], files / "p.xz")
    signed_index(files)
    proof, solution = str(files / "p.xz"), str(files / "s.json")
    check = ["check", str(files / "i.json"), solution, "--certificate", proof, *plain]
    assert run(check) == 2
    refused = "p.xz:2: node[0][0].cost[0]: must be a list, not null\n"
    assert capsys.readouterr().err.endswith(refused)
    assert run(["verify", "--proofs", str(files), *plain]) == 2
    assert main([str(files)]) == 2
    assert capsys.readouterr().out.count(f"{refused}0 of 1 hold\n") == 2


@pytest.mark.parametrize(("line", "message"), LINES)
def test_lines_of_another_shape_are_named(
    line: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.xz"
    write_certificate(SQUARE, 8, [line], path)
    for by in (CertificateChecker, FastChecker):
        with pytest.raises(InputError) as caught:
            check_certificate(SQUARE, path, by=by)
        assert str(caught.value).startswith(f"{path}:2: {message}")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("change", "message"), HEADS)
def test_headers_of_another_shape_are_named(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.xz"
    write_certificate(SQUARE, 8, [[[], ["counts"]]], path)
    rewrite(path, lambda lines: lines[0].update(change))
    with pytest.raises(InputError) as caught:
        check_certificate(SQUARE, path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_nodes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate_file, "MOST_NODES", 2)
    write_certificate(SQUARE, 8, [[[], ["counts"]]] * 2, tmp_path / "p.xz")
    with pytest.raises(InputError, match="counts do not contradict"):
        check_certificate(SQUARE, tmp_path / "p.xz")
    write_certificate(SQUARE, 8, [[[], ["counts"]]] * 3, tmp_path / "p.xz")
    with pytest.raises(InputError, match="has more than 2 nodes"):
        check_certificate(SQUARE, tmp_path / "p.xz")


def test_what_is_decoded_is_what_was_given() -> None:
    decode = CertificateShapes(16, 6, 4)
    node = decode.node(
        [
            [
                ["cost", [3, 1], [2]],
                ["narrow", [[5, 0, 4], [0, 1, 2]]],
                ["exchange", [[0, 15], [0, 15]]],
                ["twins", [], []],
                ["companions", [], [7]],
            ],
            ["bound", -(2**80), [0] * 6, [4] * 6],
        ]
    )
    given = [(rule, [list(each) for each in what]) for rule, what in node.steps]
    assert given == [
        ("cost", [[3, 1], [2]]),
        ("narrow", [[5, 0], [0, 1], [4, 2]]),
        ("exchange", [[0, 0], [15, 15]]),
        ("twins", [[], []]),
        ("companions", [[], [7]]),
    ]
    value, low, high = node.end.what
    assert (node.end.reason, value) == ("bound", -(2**80))
    assert (low, high) == ((0,) * 6, (4,) * 6)


def test_fast_shapes_are_those_that_they_stand_for() -> None:
    """Lists and tables are looked at as a whole; the definition goes item by item."""
    random = Random(7)
    slow_list = shapes.many(shapes.index(3, "cut"))
    slow_table = shapes.many(shapes.row(shapes.index(3, "cut"), shapes.index(2, "x")))
    values: list[Any] = [0, 1, 2, 3, -1, True, None, 1.0, "1", [0], 2**64]
    weights = [9, 9, 9, *[1] * 8]
    for _ in range(3000):
        listed = random.choices(values, weights, k=random.randint(0, 4))
        table: list[Any] = [
            random.choices(values, weights, k=random.choice((2, 2, 2, 1, 3)))
            for _ in range(random.randint(0, 3))
        ]
        table += random.choice(([], [], [], [0], [None]))
        for fast, slow, value in (
            (shapes.within(3, "cut"), slow_list, listed),
            (shapes.columns((3, "cut"), (2, "x")), slow_table, table),
        ):
            one, two = _decoded(fast, value), _decoded(slow, value)
            if fast.__qualname__.startswith("columns") and not isinstance(two, str):
                two = tuple(zip(*two, strict=True)) if two else ((), ())
            assert one == two, value


def _decoded(shape: Any, value: Any) -> Any:
    try:
        return shape(value, "x")
    except InputError as error:
        return str(error)


def test_seconds_end_at_thirty_years() -> None:
    assert shapes.seconds(10**9, "x") == 10**9
    for value in (-1, 10**9 + 1):
        assert _decoded(shapes.seconds, value).startswith("x: must lie between 0 and")


def test_nothing_but_objects_of_the_named_fields_is_a_record() -> None:
    shape = shapes.record({"a": shapes.integer}, {"b": shapes.string})
    assert shape({"a": 1}, "x") == {"a": 1}
    assert shape({"b": "c", "a": 1}, "x") == {"b": "c", "a": 1}
    wrong: list[tuple[Any, str]] = [
        ([["a", 1]], "x: must be an object"),
        ({}, "x.a: is missing"),
        ({"a": True}, "x.a: must be an integer"),
        ({"a": 1, "b": None}, "x.b: must be a string"),
        ({"a": 1, "c": 1}, "x.c: unknown field (known: a, b)"),
    ]
    for value, message in wrong:
        assert str(_decoded(shape, value)).startswith(message)


@pytest.mark.parametrize(
    ("value", "plain"), list(product((True, False, 1.0, None), (0, 1)))
)
def test_only_integers_are_integers(value: Any, plain: int) -> None:
    with pytest.raises(InputError, match="must be an integer"):
        shapes.integers([plain, value], "x")
    assert shapes.integers([plain], "x") == (plain,)
