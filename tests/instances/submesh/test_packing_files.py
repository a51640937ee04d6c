"""Orthogonal packing instances: the reader, and what is known of the set."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from closeknit.exact.submesh.feasibility import decide
from closeknit.instances import InputError
from closeknit.instances.submesh.infeasibility import check_infeasible
from closeknit.instances.submesh.packing import Item, check_packed
from closeknit.instances.submesh.packing_json import read_packings
from closeknit.solvers import Settings

from ...data import PACKINGS, needs

HARD = ("E00N23", "E00X23")
"""CP-SAT needs minutes for these."""


def test_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text(
        '{"name": "a", "bins": [[4, 3, null]], "items": [[1, 2, 2, null, 2]]}\n\n'
        '{"bins": [[4, 3]], "items": []}\n'
    )
    one, other = read_packings(file)
    assert (one.name, one.shape, one.items) == ("a", (4, 3), (Item((1, 2)),) * 2)
    assert (other.name, other.items) == ("line 3", ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "line"),
        ('{"bins": [[4, 3]]}', "items"),
        ('{"bins": [[4, 3], [4, 3]], "items": []}', "bins"),
        ('{"bins": [[4]], "items": []}', "bins[0]"),
        ('{"bins": [[0, 4]], "items": []}', "mesh"),
        ('{"bins": [[4, 3]], "items": [[1, 2]]}', "items[0]"),
        ('{"bins": [[4, 3]], "items": [[0, 2, 1]]}', "items[0]"),
        ('{"bins": [[4, 3]], "items": [[1, 2, -1]]}', "items[0][2]"),
        ('{"bins": [[4, 3]], "items": [[1, 2, 100001]]}', "items[0][2]"),
        ('{"bins": [[4, 3]], "items": [[1, 2.5, 1]]}', "items[0][1]"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"bins": [[4, 3]], "items": []}\n' + line)
    with pytest.raises(InputError) as caught:
        read_packings(file)
    assert said in str(caught.value)
    assert "bad.jsonl:2" in str(caught.value)


@pytest.mark.slow
@needs("data/packing/CJCM.jsonl", "data/packing/CJCM_answers.csv")
def test_the_set_of_clautiaux_is_decided_as_is_known() -> None:
    with (PACKINGS / "CJCM_answers.csv").open() as rows:
        known = {
            row["name"]: row["answer"] == "feasible" for row in csv.DictReader(rows)
        }
    for packing in read_packings(PACKINGS / "CJCM.jsonl"):
        verdict = decide(packing, Settings(time_limit=60.0))
        if packing.name in HARD:
            assert verdict.fits in (None, known[packing.name])
            continue
        assert verdict.fits is known[packing.name], packing.name
        if verdict.boxes is not None:
            assert check_packed(packing, verdict.boxes) == []
        if verdict.certificate is not None:
            assert check_infeasible(packing, verdict.certificate) == []
