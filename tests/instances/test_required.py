"""What must be chosen, in files, digests, checks and messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    Instance,
    Tree,
    check,
    problem_of,
    sha256,
    write_instance,
)
from closeknit.instances.problems import parse_instance
from closeknit.instances.sukp.reduction import procset_of, sukp_of
from closeknit.instances.support import support_of
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.solvers import Status

from ..metamorphic.drawing import with_requirements
from ..strategies import ksubsets, procsets, sukps
from .schemas import obeys

RANDOM = st.randoms(use_true_random=False)
REQUIRING = st.builds(
    with_requirements, RANDOM, st.one_of(ksubsets(), procsets(), sukps())
)
CARDS = {"card": (["a", "b"], 2), "other": (["c", "d"], 3)}
JOBS: dict[str, Instance] = {
    "mesh": ck.ksubset(ck.Mesh(3, 3), 3, busy=[(1, 1)], required=[(2, 2), (0, 0)]),
    "points": ck.ksubset(
        ck.Points(((0, 0), (0, 0), (1, 4))), 3, required=[(0, 0), (0, 0)]
    ),
    "tree": ck.ksubset(Tree((-1, 0, 0, 1), (0, 1, 2, 1), (1, 2, 3)), 2, required=[3]),
    "procset": ck.procset([*"abcd"], 2, CARDS, available=[*"bcd"], required=["d"]),
    "sukp": ck.sukp([5, 4, 1], [3, 3, 3], [(0, 1), (1, 2), ()], 6, required=[1]),
}


def _document(instance: Any) -> dict[str, Any]:
    return support_of(instance).document_of(instance)


@given(REQUIRING)
def test_files_keep_it_and_schemas_describe_it(instance: Any) -> None:
    document = _document(instance)
    problem = problem_of(instance)
    assert problem.parse(document) == replace(instance, source="", seed=None)
    assert ("required" in document) == bool(instance.required)
    assert obeys(problem.name, document)


@given(REQUIRING)
def test_the_digest_counts_it_in_any_order_and_is_as_before_without(
    instance: Any,
) -> None:
    turned = replace(instance, required=instance.required[::-1])
    assert sha256(turned) == sha256(instance)
    without = replace(instance, required=())
    assert (sha256(without) == sha256(instance)) == (not instance.required)


@pytest.mark.parametrize(
    ("name", "chosen", "lacking"),
    [
        ("mesh", [0, 1, 7], []),
        ("mesh", [0, 1, 2], ["required processor [2, 2] is not chosen"]),
        ("points", [0, 1, 2], []),
        ("tree", [0, 1], ["required processor 3 is not chosen"]),
        ("procset", [2, 3], []),
        ("procset", [1, 2], ["required processor d is not chosen"]),
        ("sukp", [1, 2], []),
        ("sukp", [0, 2], ["required item 1 is not chosen"]),
    ],
)
def test_a_choice_that_lacks_it_is_wrong(
    name: str, chosen: list[int], lacking: list[str]
) -> None:
    assert check(JOBS[name], chosen) == lacking


def test_of_points_at_one_place_any_will_do() -> None:
    cloud = ck.Points(((0, 0), (0, 0), (5, 5)))
    job = ck.ksubset(cloud, 2, required=[(0, 0)])
    assert check(job, [1, 2]) == check(job, [0, 2]) == []
    assert job.required_indices == (0,)
    assert ck.solve(job).cost == 0


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("mesh", {"required": [[1, 1]]}, "required[0]: not a free processor: [1, 1]"),
    ("mesh", {"required": [[0, 0], [9, 9]]}, "required[1]: not a free processor"),
    ("mesh", {"required": [[0, 0], [0, 0]]}, "required[1]: listed twice: [0, 0]"),
    ("mesh", {"k": 1}, "k: must be at least the number of those required (2), not 1"),
    ("mesh", {"required": 3}, "required: must be a list, not 3"),
    ("points", {"required": [[0, 0]] * 3}, "required[2]: listed twice: [0, 0]"),
    ("tree", {"required": [0]}, "required[0]: not a free processor: 0"),
    ("tree", {"required": [3, 3]}, "required[1]: listed twice: 3"),
    ("procset", {"required": ["a"]}, "required[0]: not an available processor: 'a'"),
    ("procset", {"required": ["z"]}, "required[0]: no such processor: 'z'"),
    ("procset", {"required": ["d", "d"]}, "required[1]: listed twice: 'd'"),
    (
        "procset",
        {"required": ["d", "c"], "request": 1},
        "request: must be at least the number of those required (2), not 1",
    ),
    ("sukp", {"required": [3]}, "required[0]: no such item: 3"),
    ("sukp", {"required": [0, 0]}, "required[1]: listed twice: 0"),
    ("sukp", {"required": ["0"]}, "required[0]: must be an integer, not '0'"),
]


@pytest.mark.parametrize(("name", "change", "message"), BAD)
def test_bad_input_is_refused(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_instance(_document(JOBS[name]) | change)
    assert str(caught.value).startswith(message)


def test_it_is_shown() -> None:
    assert all("required" in repr(job) for job in JOBS.values())


def test_items_that_do_not_fit_have_no_solution(tmp_path: Path) -> None:
    job = ck.sukp([5, 4], [3, 3, 3], [(0, 1), (1, 2)], 6, required=[0, 1])
    assert ck.solve(job).status is Status.INFEASIBLE
    write_instance(job, tmp_path / "job.json")
    assert run(["solve", str(tmp_path / "job.json")]) == 3


def test_what_has_no_word_for_it_refuses() -> None:
    for convert, name in ((sukp_of, "procset"), (procset_of, "sukp")):
        with pytest.raises(InputError, match="required: has no counterpart"):
            convert(JOBS[name])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="required: has no place"):
        sukp_text(JOBS["sukp"])  # type: ignore[arg-type]


def test_the_search_for_bad_instances_begins_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_instance(JOBS["mesh"], tmp_path / "job.json")
    assert run(["worst", "mm", "--start", str(tmp_path / "job.json")]) == 2
    assert "--start: must be an instance that requires nothing" in (
        capsys.readouterr().err
    )


def test_a_machine_asks_for_it_again() -> None:
    """Requests to a machine are checked against what it requires."""
    machine: Any = JOBS["procset"]
    with pytest.raises(InputError, match="required\\[0\\]: not an available"):
        machine.asking("job", (1, 2), 2)
