"""Names that others chose: no formula, no link, no markup, nothing that turns text."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

import closeknit.methods
from closeknit.cli.app import run as run_command
from closeknit.instances import InputError, KSubset
from closeknit.instances.escape_hidden import escape_hidden
from closeknit.instances.problems import read_instance
from closeknit.methods import METHODS
from closeknit.reports import pages
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.pages.csv_tables import csv_of, csv_text
from closeknit.reports.pages.document import Table
from closeknit.reports.pages.markdown import code
from closeknit.reports.ratios.comparison import compare
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers import Grade, Proof
from closeknit.solvers.running.method import Method

from ...paths import ROOT
from ...reports.written import (
    comparison_text,
    csv_table,
    html_report,
    markdown_report,
)
from ...toys import TOYS, first, made, optimal, small

TURN, ESCAPE, NULL, HALF = "\u202e", "\x1b[31m", "\0", "\ud800"
NASTY = (
    "=cmd|'/C calc'!A0",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    "'=1",
    f"a{TURN}gnp.b",
    f"a{ESCAPE}b",
    f"a{NULL}b\u2066c\u200fd",
    f"a{HALF}b",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "![a](http://evil.example/x.png)",
    "http://evil.example www.evil.example a@evil.example",
    "a|b|c",
    "a\\|b",
    "a\\",
    "`a`",
    "``a`` | `b",
    "# a",
    "a\n\n# b",
    "&lt;b&gt; &#60;",
    "[bold]a[/bold] :smile:",
    "",
)
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200f\u202a-\u202e\u2066-\u2069]")


def found(name: str) -> tuple[Report, list[Row]]:
    """A report in which every text of others is the name."""
    here = replace(small("a"), name=name)
    method = name.replace(HALF, "")  # of a registry, whose names are drawn
    methods = {**TOYS, method: Method(method, first)}
    rows = [
        optimal(here, "auto", 3, selection=(0, 1, 4), machine=name),
        made(here, method, cost=7, selection=(0, 1, 6), solvers=name),
        made(here, "last", status="failed", error=name or "x", seconds=None),
        made(here, "slow", status="unknown", limit="time"),
    ]
    proof = Proof(Grade.SOLVER, name or "x")
    rows[0] = replace(rows[0], proof=proof)
    return report_on([here], rows, {"ksubset": methods}), rows


class Tags(HTMLParser):
    """What a browser sees."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def require_harmless(page: str) -> None:
    """Fail where a browser would see more than text of what others named."""
    assert not HIDDEN.search(page)
    page.encode()
    own = files(pages).joinpath("tables.js").read_text("utf-8")
    assert page.count(f"<script>\n{own}</script>") == 1
    seen = Tags()
    seen.feed(page.replace(f"<script>\n{own}</script>", ""))
    assert not seen.tags & {"script", "img", "b>"}
    assert not {one for one in seen.attributes if one.startswith("on")}
    assert "javascript:" not in re.findall(r'href="([^"]*)"', page)


@pytest.mark.parametrize("name", NASTY)
def test_a_page_shows_names_as_text(name: str) -> None:
    require_harmless(html_report(found(name)[0]))


def test_a_page_with_its_plots_shows_all_names_as_text() -> None:
    """Plots name methods: here, all of them at once."""
    reports = [found(name) for name in NASTY if name]
    instances = [one.verdicts[0].instance for one, _ in reports]
    rows = [row for _, several in reports for row in several]
    methods = {row.method: Method(row.method, first) for row in rows}
    page = html_report(report_on(instances, rows, {"ksubset": methods}))
    require_harmless(page)
    assert page.count("<svg") > 7


@pytest.mark.parametrize("name", NASTY)
def test_markdown_shows_names_as_code(name: str) -> None:
    report, rows = found(name)
    nothing: Any = dict.fromkeys(("cost", "bound", "proof", "selection"))
    failed = replace(rows[0], status="failed", error="x", **nothing)
    comparison = compare(rows, [failed])
    texts = markdown_report(report), comparison_text(comparison, name, name)
    for text in texts:
        assert not HIDDEN.search(text)
        text.encode()
        parser = MarkdownIt("commonmark", {"html": True}).enable("table")
        columns = 0
        for token in tokens(parser, text):
            assert token.type not in ("image", "html_inline", "html_block")
            if token.type == "link_open":  # to a section of the report itself
                assert re.fullmatch("#[a-z-]+", str(token.attrs["href"]))
            if token.type == "tr_open":
                columns = 0
            columns += token.type in ("th_open", "td_open")
        plain = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", text)
        assert "evil" not in plain
        assert "cmd" not in plain
        assert "bold" not in plain


def tokens(parser: MarkdownIt, text: str) -> Iterator[Token]:
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


@pytest.mark.parametrize("name", NASTY)
def test_a_cell_of_a_table_holds_any_name(name: str) -> None:
    text = f"| a | b |\n| :-- | :-- |\n| {code(name)} | {code(name)} |"
    parser = MarkdownIt("commonmark").enable("table")
    kinds = [token.type for token in tokens(parser, text)]
    assert kinds.count("td_open") == 2
    assert kinds.count("code_inline") == 2


def text_of_csv(cell: str) -> str:
    """Return the text from which `csv_text` made a cell."""
    shown = cell.removeprefix("'")
    if not re.search(r"\\u[0-9a-f]{4}", shown):
        return shown
    written = re.compile(r"\\\\|\\u([0-9a-f]{4})")
    return written.sub(lambda f: chr(int(f[1], 16)) if f[1] else "\\", shown)


@pytest.mark.parametrize("name", NASTY)
def test_a_spreadsheet_computes_nothing_and_names_come_back(name: str) -> None:
    text = csv_table(found(name)[0].judged)
    assert not HIDDEN.search(text)
    rows = list(csv.DictReader(StringIO(text)))
    assert len(rows) == 4
    for row in rows:
        for column in ("instance", "method", "proof"):
            assert row[column].lstrip()[:1] not in set("=+-@\t\r＝＋－＠") - {""}
        assert text_of_csv(row["instance"]) == name
    assert text_of_csv(rows[1]["method"]) == name.replace(HALF, "")
    assert rows[0]["cost"] == "3"


@given(st.text())
def test_any_text_comes_back_from_a_cell(text: str) -> None:
    assert text_of_csv(csv_text(text)) == text
    assert escape_hidden(escape_hidden(text)) == escape_hidden(text)


@given(st.text(alphabet="\\u20e'=\u202e-"))
def test_texts_that_look_spelled_come_back(text: str) -> None:
    assert text_of_csv(csv_text(text)) == text


def test_tables_of_studies_hold_no_formulas() -> None:
    table = Table(
        name="t", caption="", columns=("*a", "b"), rows=(("=1", -1), ("-3.1 %", None))
    )
    assert csv_of(table) == "a,b\n'=1,-1\n-3.1 %,\n"


def test_names_of_files_and_in_files_are_fit_to_be_shown(tmp_path: Path) -> None:
    document = {
        "format": "closeknit/ksubset",
        "version": 1,
        "name": f"a{TURN}b",
        "topology": {"kind": "mesh", "shape": [2, 2]},
        "k": 2,
        "source": f"x{TURN}",
    }
    path = tmp_path / f"c{TURN}d.json"
    path.write_text(json.dumps(document))
    instance = read_instance(path)
    assert isinstance(instance, KSubset)
    assert (instance.name, instance.source) == ("a\\u202eb", "x\\u202e")
    del document["name"]
    path.write_text(json.dumps(document))
    assert read_instance(path).name == "c\\u202ed"
    path.write_text("{")
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert TURN not in str(caught.value)
    assert "c\\u202ed.json: not JSON" in str(caught.value)


def test_tables_on_a_terminal_show_names_as_they_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setattr(closeknit.methods, "METHODS", {**METHODS, "ksubset": TOYS})
    document = {
        "format": "closeknit/ksubset",
        "version": 1,
        "name": f"[bold]a[/bold] :smile: [link=http://x]{TURN}",
        "topology": {"kind": "mesh", "shape": [2, 2]},
        "k": 2,
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert run_command(["compare", str(tmp_path / "a.json")]) == 0
    said = capsys.readouterr().out
    assert "[bold]a[/bold] :smile: [link=http://x]\\u202e" in said


def test_an_error_that_cannot_be_shown_does_not_spoil_the_store() -> None:
    from closeknit.reports.campaigns.row_fields import document_of, parse_row
    from closeknit.reports.campaigns.rows import row_of
    from closeknit.solvers import DEFAULT

    row = row_of(small("a"), "first", DEFAULT, f"broke{ESCAPE}\nand{NULL}", "failed")
    assert row.error == "broke\\u001b[31m and\\u0000"
    assert parse_row(document_of(row)) == row
