"""Orthogonal packing instances: what is known of the published set."""

from __future__ import annotations

import csv

import pytest

from closeknit.exact.submesh.feasibility import decide
from closeknit.instances.submesh.infeasibility import check_infeasible
from closeknit.instances.submesh.packed import check_packed
from closeknit.solvers import Settings

from ...data import PACKINGS, needs
from ...modules import loaded
from ...paths import ROOT

HARD = ("E00N23", "E00X23")
"""CP-SAT needs minutes for these."""


@pytest.mark.slow
@needs("data/packing/CJCM.jsonl", "data/packing/CJCM_answers.csv")
def test_the_set_of_clautiaux_is_decided_as_is_known() -> None:
    with (PACKINGS / "CJCM_answers.csv").open() as rows:
        known = {
            row["name"]: row["answer"] == "feasible" for row in csv.DictReader(rows)
        }
    read_packings = loaded(ROOT / "benchmarks" / "packings.py").read_packings
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
