"""What every method for submesh allocation must hold to, besides what all must."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from jsonschema import Draft202012Validator

from closeknit.cli.app import run as run_command
from closeknit.instances import InputError, Submesh, read_instance
from closeknit.instances.problems import parse_instance
from closeknit.instances.submesh.json import chosen_of, sha256
from closeknit.instances.support.submesh import document_of, selection_of
from closeknit.solvers import Status

from ..paths import ROOT
from ..strategies import submeshes
from .suite import SUBJECTS

SCHEMA = ROOT / "docs" / "schema" / "submesh.schema.json"
ALL = SUBJECTS["submesh"]
COMPLETE = ("auto", "migrate", "moves/cpsat", "cascade", "no-overlap/cpsat")
"""Decide whether there is a placement."""


@pytest.mark.parametrize("name", COMPLETE)
def test_whether_there_is_a_placement_is_decided(name: str) -> None:
    @ALL.examples(name, 60)
    @given(instance=submeshes())
    def holds(instance: Submesh) -> None:
        assert ALL.run(name, instance).status is not Status.UNKNOWN

    holds()


@pytest.mark.parametrize("name", ALL.methods)
def test_more_than_there_is_is_infeasible(name: str) -> None:
    for request in ((5, 1), (4, 4)):
        instance = parse_instance(changed(request=list(request)))
        assert isinstance(instance, Submesh)
        assert ALL.methods[name](instance).status is Status.INFEASIBLE


@given(instance=submeshes())
def test_what_is_written_is_read_back_and_obeys_the_schema(instance: Submesh) -> None:
    schema = Draft202012Validator(json.loads(SCHEMA.read_text()))
    document = json.loads(json.dumps(document_of(instance)))
    assert not list(schema.iter_errors(document))
    assert parse_instance(document) == instance
    renamed = replace(instance, name="other", source="elsewhere", seed=4)
    assert sha256(renamed) == sha256(instance)
    assert sha256(replace(instance, rotate=not instance.rotate)) != sha256(instance)


@settings(deadline=None)
@given(instance=submeshes())
def test_selections_are_read_back(instance: Submesh) -> None:
    result = ALL.run("migrate", instance)
    assume(result.chosen is not None)
    selection = json.loads(json.dumps(selection_of(instance, result.chosen or ())))
    assert chosen_of(instance, selection) == result.chosen


GOOD: dict[str, Any] = {
    "format": "closeknit/submesh",
    "version": 1,
    "name": "good",
    "mesh": [4, 4],
    "residents": [[0, 0, 1, 1], [2, 2, 3, 3]],
    "request": [2, 2],
}


def changed(**changes: Any) -> dict[str, Any]:
    return {k: v for k, v in {**GOOD, **changes}.items() if v is not None}


# what is changed in GOOD (None: taken out), what the message says after the file
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no mesh": ({"mesh": None}, "mesh: is missing"),
    "one side": ({"mesh": [4]}, "mesh: must have two or three sides, not [4]"),
    "side 0": ({"mesh": [4, 0]}, "mesh[1]: must be at least 1, not 0"),
    "overlap": (
        {"residents": [[0, 0, 1, 1], [1, 1, 2, 2]]},
        "residents[1]: overlaps residents[0]",
    ),
    "outside": ({"residents": [[3, 3, 4, 3]]}, "residents[0]: lies outside the mesh"),
    "negative": ({"residents": [[-1, 0, 1, 1]]}, "residents[0]: lies outside the"),
    "inside out": ({"residents": [[2, 0, 1, 1]]}, "residents[0]: is inverted"),
    "three numbers": (
        {"residents": [[0, 0, 1]]},
        "residents[0]: must be 4 coordinates",
    ),
    "decimal": ({"residents": [[0, 0, 1, 0.5]]}, "residents[0][3]: must be an integer"),
    "more than cells": (
        {"residents": [[0, 0, 3, 3], [0, 0, 0, 0]]},
        "residents[1]: overlaps residents[0]",
    ),
    "request 0": ({"request": [0, 2]}, "request[0]: must be at least 1, not 0"),
    "request negative": (
        {"request": [2, -2]},
        "request[1]: must be at least 1, not -2",
    ),
    "request of three": ({"request": [1, 1, 1]}, "request: "),
    "rotate 1": ({"rotate": 1}, "rotate: must be true or false, not 1"),
    "fixed stranger": ({"fixed": [2]}, "fixed[0]: no such resident: 2"),
    "turns negative": ({"turns": [-1]}, "turns[0]: no such resident: -1"),
    "blocked held": ({"blocked": [[0, 0]]}, "residents[0]: overlaps a blocked"),
    "blocked outside": ({"blocked": [[4, 0]]}, "blocked: lies outside the mesh"),
    "blocked twice": ({"blocked": [[3, 0], [3, 0]]}, "blocked: listed twice"),
    "unknown": ({"k": 3}, "k: unknown field (known: format, "),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_files_are_refused_in_one_line(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, message = WRONG[case]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(changed(**change)))
    with pytest.raises(InputError):
        read_instance(path)
    assert run_command(["solve", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"closeknit: {path}: {message}")
    assert err.count("\n") == 1


def test_a_request_too_large_is_proved_infeasible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps(changed(request=[5, 1])))
    assert run_command(["solve", str(path)]) == 3
    assert "a 5x1 box does not fit into a 4x4 mesh" in capsys.readouterr().out


def wrong_at(solution: dict[str, Any]) -> None:
    solution["selection"]["at"] = [0, 0, 1, 1]


def wrong_size(solution: dict[str, Any]) -> None:
    solution["selection"]["at"] = [0, 0, 0, 0]


def wrong_mover(solution: dict[str, Any]) -> None:
    solution["selection"]["moves"] = [{"resident": 2, "to": [0, 0, 1, 1]}]


def wrong_cost(solution: dict[str, Any]) -> None:
    solution["objective"] = [0, 0, 1]


def wrong_bound(solution: dict[str, Any]) -> None:
    solution["bound"] = 0


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (None, "holds: optimal, cost 0; 0; 0"),
        (wrong_at, "selection: the request overlaps residents[0]"),
        (wrong_size, "selection: the request is given (1, 1), not (2, 2)"),
        (wrong_mover, "selection: there is no resident 2"),
        (wrong_cost, "objective: is (0, 0, 1), but it costs (0, 0, 0)"),
        (
            wrong_bound,
            "status: optimal: Bound and cost must have the same number of levels",
        ),
    ],
)
def test_solutions_are_checked(
    spoil: Callable[[dict[str, Any]], None] | None,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, out = tmp_path / "good.json", tmp_path / "solution.json"
    path.write_text(json.dumps(GOOD))
    assert run_command(["solve", str(path), "--json", str(out)]) == 0
    solution = json.loads(out.read_text())
    if spoil is not None:
        spoil(solution)
        out.write_text(json.dumps(solution))
    capsys.readouterr()
    assert run_command(["check", str(path), str(out)]) == (spoil is not None)
    assert says in capsys.readouterr().out
