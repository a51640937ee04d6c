"""One small page of every kind that closeknit writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from closeknit.papers.catalogue import RunOptions
from closeknit.papers.table import REPRODUCTIONS
from closeknit.reports.claims.catalogue import CLAIMS
from closeknit.reports.claims.page import claims_document
from closeknit.reports.claims.running.claim import Trial
from closeknit.reports.claims.verify import verify as tried
from closeknit.reports.frontier.entries import FOLDER
from closeknit.reports.frontier.page import frontier_document
from closeknit.reports.frontier.worst import read_families
from closeknit.reports.pages.html import html_of
from closeknit.reports.ratios.comparison import compare
from closeknit.reports.ratios.comparison_page import comparison_document

from ..ratios import samples, samples_of_levels
from ..written import html_report


def compared(_: Path) -> str:
    before = samples.rows()
    after = [
        before[0],
        replace(before[1], cost=9),
        *before[2:5],
        replace(before[5], seconds=5.0),
        replace(before[6], status="failed", error="x", cost=None, selection=None),
    ]
    return html_of(comparison_document(compare(before, after), "before", "after"))


def claimed(_: Path) -> str:
    names = ("bender-figure-2-averages", "hilbert-gap")
    trial = Trial(seed=1, quick=True)
    told = list(tried([CLAIMS[name] for name in names], trial))
    return html_of(claims_document(trial, told, on=date(2026, 1, 2), by="9.9"))


KINDS: Mapping[str, Callable[[Path], str]] = {
    "ratios": lambda _: html_report(samples.report()),
    "ratios of several problems": lambda _: html_report(samples_of_levels.full()),
    "comparison": compared,
    "claims": claimed,
    "frontier": lambda _: html_of(frontier_document(read_families(FOLDER))),
    "bender-figure3": lambda _: html_of(REPRODUCTIONS["bender-figure3"](RunOptions())),
}
