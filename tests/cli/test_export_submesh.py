"""Submesh models as files: solvers that never saw closeknit give the same answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from closeknit.instances import Submesh, write_submesh
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh.generators import waiting_state
from closeknit.methods import SUBMESH
from closeknit.solvers import Status

from .exported import exported, optimum_of

MESH = Submesh(
    "mesh",
    (6, 5),
    (
        Resident((0, 0, 1, 1)),
        Resident((3, 1, 3, 3), turns=True),
        Resident((5, 4, 5, 4), fixed=True),
    ),
    (4, 3),
    blocked=((2, 4),),
)
CUBE = Submesh("cube", (3, 3, 3), (Resident((1, 1, 1, 1, 1, 2)),), (2, 3, 3))
STATES = {
    "mesh": MESH,
    "turned": replace(MESH, name="turned", request=(2, 5), rotate=True),
    "nobody": replace(MESH, name="nobody", migrate=False),
    "easy": replace(MESH, name="easy", request=(2, 1), migrate=False),
    "full": replace(MESH, name="full", request=(5, 4)),
    "lone": Submesh("lone", (3, 3), (), (2, 2)),
    "cube": CUBE,
    "none in the cube": replace(CUBE, name="none in the cube", request=(3, 3, 3)),
    "waiting": waiting_state((8, 8), 1, 5, seed=1, after=10),
    "waiting, turns": waiting_state((8, 8), 2, 5, seed=2, after=10, rotate=True),
    "torus": waiting_state((6, 6), 1, 4, seed=1, after=10, torus=True),
}


@pytest.mark.parametrize("name", STATES)
def test_any_solver_gives_the_same_answer(name: str, tmp_path: Path) -> None:
    instance = STATES[name]
    result = SUBMESH["migrate"](instance)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    fits = None if result.status is Status.INFEASIBLE else 0
    assert optimum_of(exported(instance, tmp_path, "cpsat")) == fits


def test_the_first_line_says_what_it_is(tmp_path: Path) -> None:
    head = "closeknit: mesh, 4x3 in a 6x5 mesh with 3 residents, 21 of 30 processors"
    first = exported(MESH, tmp_path, "cpsat").read_text().splitlines()[0]
    assert first == f"# {head} free, no-overlap; no objective"


@pytest.mark.parametrize(
    ("change", "words", "told"),
    [
        ({}, "lp", "--to: was removed for submeshes: take opb, or cpsat: 'lp'"),
        ({}, "mps --formulation moves", "--to: was removed for submeshes"),
        ({}, "cpsat --formulation classes", "must be one of no-overlap"),
        ({}, "cpsat --level 1", "--level: is for processor sets"),
        (
            {},
            "cpsat --formulation moves",
            "--formulation: was removed: --to opb has what moves cost: 'moves'",
        ),
        ({"request": (7, 1)}, "cpsat", "request: is longer than the mesh"),
    ],
)
def test_what_is_refused(
    change: dict[str, Any],
    words: str,
    told: str,
    tmp_path: Path,
    refusal: Callable[..., str],
) -> None:
    file = tmp_path / "instance.json"
    write_submesh(replace(MESH, **change), file)
    assert told in refusal("export", file, "--to", words)
