"""Reports as the commands write them."""

from __future__ import annotations

from collections.abc import Sequence

from closeknit.reports.pages.csv_tables import csv_of
from closeknit.reports.pages.html import html_of
from closeknit.reports.pages.markdown import markdown_of
from closeknit.reports.ratios.comparison import StoreComparison
from closeknit.reports.ratios.comparison_page import comparison_document
from closeknit.reports.ratios.document import ratio_document
from closeknit.reports.ratios.report import Report
from closeknit.reports.ratios.rows_table import rows_table
from closeknit.reports.ratios.scoring import ScoredRun


def html_report(report: Report) -> str:
    return html_of(ratio_document(report))


def markdown_report(report: Report) -> str:
    return markdown_of(ratio_document(report))


def csv_table(runs: Sequence[ScoredRun]) -> str:
    return csv_of(rows_table(runs))


def comparison_text(found: StoreComparison, first: str, second: str) -> str:
    return markdown_of(comparison_document(found, first, second))
