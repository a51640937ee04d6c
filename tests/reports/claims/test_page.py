"""The page about all claims: complete, up to date, and safe against odd text."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from closeknit.cli import app
from closeknit.reports.claims.catalogue import CLAIMS
from closeknit.reports.claims.page import UNTESTED, about, claims_document
from closeknit.reports.claims.running.claim import Claim, Outcome, Trial
from closeknit.reports.claims.verify import verify as tried
from closeknit.reports.pages.document import Document
from closeknit.reports.pages.markdown import markdown_of

from ...paths import ROOT

PAGE = ROOT / "docs" / "science" / "claims.md"


def test_page_in_the_docs_lists_these_claims() -> None:
    """`closeknit verify --markdown docs/science/claims.md` writes it anew."""
    page = PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)$", page, re.M)
    assert headings == list(CLAIMS)
    for claim in CLAIMS.values():
        alone = Document(name="", title="", sections=(about(claim),))
        assert markdown_of(alone).partition("\n\n")[2].rstrip() in page, claim.name
    for what, source, why in UNTESTED:
        assert f"- {what} ({source}): {why}." in page
    first = page.splitlines()[2]
    assert f"{len(CLAIMS)} of {len(CLAIMS)} claims hold on " in first
    assert re.search(r"--seed \d+`, closeknit [\d.]+\S*, 20\d\d-\d\d-\d\d", first)
    assert "--quick" not in first


def test_page_of_what_holds_breaks_and_fails() -> None:
    def fail(trial: Trial) -> Outcome:
        raise ZeroDivisionError("a | b")

    claims = [
        Claim(
            name="holds-1.5",
            statement="a < b * c.",
            source="A | B",
            tested="by hand",
            test=lambda trial: Outcome(holds=True, result="kept", instances=7),
        ),
        Claim(
            name="breaks",
            statement="No.",
            source="B",
            tested="once",
            test=lambda trial: Outcome(holds=False, result="2 > 1", instances=1),
        ),
        Claim(name="fails", statement="No.", source="C", tested="once", test=fail),
    ]
    trial = Trial(seed=3, quick=True)
    page = markdown_of(
        claims_document(
            trial, list(tried(claims, trial)), on=date(2026, 1, 2), by="9.9"
        )
    )
    lines = page.splitlines()
    assert lines[2].startswith(
        "1 of 3 claims hold on 8 instances: `closeknit verify --quick --seed 3`, "
        "closeknit 9.9, 2026-01-02."
    )
    rows = [line for line in lines if line.startswith("| [")]
    assert rows[0].startswith("| [holds-1.5](#holds-15) | A \\| B | 7 | holds | ")
    assert [row.split(" | ")[-2] for row in rows] == ["holds", "broken", "error"]
    assert "a \\< b \\* c." in lines
    assert "- Result: ZeroDivisionError: a | b." in lines
    assert "## Not tested" in lines


def test_command_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "claims.md"
    words = ["bender-figure-2-averages", "hilbert-gap", "--quick"]
    assert app.run(["verify", *words, "--markdown", str(out)]) == 0
    assert "2 of 2 claims hold" in capsys.readouterr().out
    page = out.read_text(encoding="utf-8")
    assert "2 of 2 claims hold on 23 instances" in page
    assert re.findall(r"^## (\S+)$", page, re.M) == words[:2]
    assert app.run(["verify", *words, "--markdown", "/no/such/place.md"]) == 2
    assert "cannot be written" in capsys.readouterr().err
