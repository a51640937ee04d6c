"""A document as a folder of files."""

from __future__ import annotations

from pathlib import Path

from ...instances.writing.files import file_in, write_text
from .csv_tables import csv_of
from .document import Document
from .html import html_of
from .markdown import markdown_of


def write_document(document: Document, out: str | Path) -> Path:
    """Write ``report.html``, ``report.md`` and a CSV file for each table.

    Return the path of the page; an error if the folder cannot be written.
    """
    for table in filter(lambda table: table.name, document.tables):
        write_text(file_in(out, f"{table.name}.csv"), csv_of(table))
    write_text(file_in(out, "report.md"), markdown_of(document))
    page = file_in(out, "report.html")
    write_text(page, html_of(document))
    return page
