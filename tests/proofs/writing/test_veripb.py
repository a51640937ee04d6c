"""VeriPB, a checker of other hands, follows what closeknit writes.

`make install-veripb` installs it, and `.ci/run` where there is cargo.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from closeknit.instances import Instance, Submesh, Sukp
from closeknit.instances.submesh import Resident

from ...forging.small_proofs import LEANING
from ...modules import loaded
from ...paths import ROOT

veripb = loaded(ROOT / "tools" / "veripb.py")
pytestmark = pytest.mark.skipif(
    shutil.which("veripb") is None, reason="VeriPB is not installed: no veripb on PATH"
)
NOTHING = [
    Submesh("whole mesh", (2, 3), (), (2, 3)),
    Submesh("whole mesh, held", (2, 2), (Resident((0, 0, 0, 0)),), (2, 2)),
    Submesh("too long", (2, 3), (), (3, 3)),
    Submesh("too long for a torus", (2, 3), (), (3, 3), torus=True),
    Submesh("fixed", (4, 3), (Resident((1, 0, 2, 2), fixed=True),), (1, 1)),
    Sukp("no profit", (0, 0), (1, 2), ((0,), (1,)), 2),
]
"""There is nothing to decide, or to pay; some formulas have no variable."""
COUNT = 8
"""Drawn instances of each problem; `make veripb` draws a thousand."""


@pytest.mark.parametrize("problem", list(veripb.DRAW))
def test_follows_drawn_proofs(
    problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work, refused = tmp_path / "work", tmp_path / "refused"
    work.mkdir()
    cases = veripb.draw_cases(problem, COUNT, 3, 20.0, work)
    wrong, confirmed = veripb.tally(problem, cases, refused)
    assert not wrong
    assert confirmed >= COUNT
    out, err = capsys.readouterr()
    assert not err
    rows = [line.split(" | ")[2:] for line in out.splitlines()]
    assert [int(row[0]) for row in rows] == [-(-COUNT // veripb.EVERY), COUNT]
    for row in rows:  # each answer was confirmed in every way of writing
        assert {cell.strip("| ") for cell in row if cell} == {row[0]}


@pytest.mark.parametrize("instance", [LEANING, *NOTHING], ids=lambda one: one.name)
def test_follows_proofs_of_what_costs_nothing_or_cannot_be(
    instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(veripb, "DRAW", {"this one": lambda pick: instance})
    case = next(veripb.draw_cases("this one", 1, 0, 20.0, tmp_path))
    said = veripb.ask_veripb(case.instance, case.solution, case.proof)
    assert said == dict.fromkeys(veripb.WAYS, "")


def test_a_refusal_and_another_verdict_are_seen(tmp_path: Path) -> None:
    """Positive control: nothing would count as confirmed if VeriPB refused it."""
    case = next(veripb.draw_cases("sukp", 1, 3, 20.0, tmp_path))
    veripb.ask_veripb(case.instance, case.solution, case.proof)
    formula, proof = tmp_path / "i.opb", tmp_path / "i.3.0.pbp"
    assert "s VERIFIED" in veripb.find_objection(formula, proof, "s VERIFIED another")
    steps = proof.read_text().splitlines(keepends=True)
    proof.write_text("".join(x for x in steps if not x.startswith("soli")))
    assert "Error" in veripb.find_objection(formula, proof, "s VERIFIED another")


def test_draws_alike_for_a_seed() -> None:
    for draw in veripb.DRAW.values():
        assert draw(random.Random(5)) == draw(random.Random(5))
