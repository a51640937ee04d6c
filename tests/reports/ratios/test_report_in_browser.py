"""The report, opened in a real browser."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from closeknit.reports.pages.document import Document, Name, Section, Table
from closeknit.reports.pages.html import html_of
from closeknit.reports.ratios.report import Report, report_on

from ...serving.browser import barriers, opened
from ..written import html_report
from .samples import METHODS, report
from .samples_drawn import drawn
from .samples_of_levels import full

PROBE = """
<script>
addEventListener("load", () => {
  const drawn = [...document.querySelectorAll("svg, img")].map(picture => {
    const box = picture.getBoundingClientRect();
    return picture.localName == "img" ? picture.naturalWidth > 0
      : box.width > 100 && box.height > 30
        && picture.querySelector("path, rect, circle");
  });
  const ink = getComputedStyle(document.querySelector("svg text")).fill;
  const told = {pictures: drawn.length, loaded: drawn.filter(Boolean).length,
    fetched: performance.getEntriesByType("resource").length, ink: ink,
    cut: [...document.querySelectorAll(".wide")].filter(
      one => one.scrollWidth > one.clientWidth).length,
    overflow: document.documentElement.scrollWidth > innerWidth};
  document.body.dataset.told = JSON.stringify(told);
});
addEventListener("error", () => { document.body.dataset.broken = "yes"; }, true);
</script>
"""
"""Put into a copy of the page, to ask the browser what it made of it."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_report(report()), encoding="utf-8")
    return path


def pixels(path: Path) -> tuple[int, int, list[bytes]]:
    """Width, height and rows of an 8-bit RGB or RGBA PNG; rows stay filtered."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width, height, depth = 8, b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
            assert bits == 8
            depth = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw = zlib.decompress(packed)
    step = width * depth + 1
    return width, height, [raw[i * step : (i + 1) * step] for i in range(height)]


def told_by(
    browser: str, tmp_path: Path, text: str, *more: str
) -> tuple[Any, str, str]:
    """Open a page: what its script tells, all it becomes, and what the browser logs."""
    page = tmp_path / "telling.html"
    page.write_text(text, encoding="utf-8")
    shown, log = opened(browser, page, tmp_path, *more, "--dump-dom")
    found = re.search(r'data-told="([^"]+)"', shown)
    assert found is not None, log
    return json.loads(unescape(found[1])), shown, log


KINDS: dict[str, tuple[Callable[[], Report], int, list[str]]] = {
    "one problem": (
        report,
        2,
        [
            *("Ratios by method", "The worst instances", "Instances"),
            *("Rows without a proven optimum", "Failures", "Exact means"),
            "The methods",
        ],
    ),
    "several": (full, 4, ["Processor sets", "Set-union knapsack"]),
}
"""Reports, with their pictures, and headings between the first and the last."""


@pytest.mark.parametrize("width", [1280, 700])
@pytest.mark.parametrize("kind", KINDS)
def test_the_browser_shows_the_whole_report(
    browser: str, tmp_path: Path, kind: str, width: int
) -> None:
    made, pictures, headings = KINDS[kind]
    text, size = html_report(made()) + PROBE, f"--window-size={width},900"
    told, shown, log = told_by(browser, tmp_path, text, size)
    assert "<title>How close to optimal: closeknit</title>" in shown
    assert shown.count("<h1>") == 1
    first, *between, last = re.findall(r"<h2>(.*?)</h2>", shown)
    assert first == "Cost over proven optimum, by method"
    assert (between, last) == (headings, "How to read this")
    assert (told["pictures"], told["loaded"], told["fetched"]) == (
        pictures,
        pictures,
        0,
    )
    if (kind, width) == ("one problem", 1280):
        assert told["cut"] == 0  # nothing is hidden beyond an edge
    assert not told["overflow"]
    assert told["ink"].startswith("rgb(")
    assert "data-broken" not in shown
    assert "CONSOLE" not in log


NARROW = """
<script>
addEventListener("load", () => setTimeout(() => {
  const edge = innerWidth;
  const wide = [...document.querySelectorAll(".wide")].filter(
    one => one.scrollWidth > one.clientWidth);
  const told = {edge, overflow: document.documentElement.scrollWidth > edge,
    silent: wide.filter(one => !one.querySelector("table")
      || !one.classList.contains("sideways")).length, wide: wide.length,
    cut: [...document.querySelectorAll("svg, p, h1, h2, h3, figcaption")].filter(
      one => !one.closest(".wide > table")
        && one.getBoundingClientRect().right > edge + 1).length};
  parent.document.body.dataset.told = JSON.stringify(told);
}, 100));
</script>
"""


def long_name() -> Report:
    """Names of files may have no place to break, and stand in a sentence."""
    known = report()
    name = "y" * 500
    renamed = [
        replace(v.instance, name=name * (v.instance.name == "a") or v.instance.name)
        for v in known.verdicts
    ]
    found = [
        replace(row, instance=name) if row.instance == "a" else row
        for row in known.rows
    ]
    return report_on(renamed, found, METHODS)


@pytest.mark.parametrize("kind", [*KINDS, "a long name"])
def test_nothing_scrolls_sideways_at_400_pixels_but_tables_that_say_so(
    browser: str, tmp_path: Path, kind: str
) -> None:
    """A frame, since a window of the browser is never as narrow as that."""
    made = KINDS[kind][0] if kind in KINDS else long_name
    inner = escape(html_report(made()) + NARROW)
    text = f'<body><iframe width="400" height="900" srcdoc="{inner}"></iframe>'
    told, _, _ = told_by(browser, tmp_path, text)
    assert told["edge"] == 400
    assert not told["overflow"]
    assert (told["silent"], told["cut"]) == (0, 0)
    assert told["wide"] > 0


def test_variants_fold_and_stay_with_their_method(browser: str, tmp_path: Path) -> None:
    table = Table(
        columns=("*method", "mean"),
        rows=[(Name(one), i) for i, one in enumerate(("a", "a-1", "b", "c"))],
        under=(False, True, False, False),
    )
    section = Section(title="y", tables=(table,))
    text = html_of(Document(name="x", title="x", sections=(section,)))
    told, _, _ = told_by(browser, tmp_path, text + FOLDS)
    assert told == {"first": "abc", "open": "aa-1bc", "falling": "cbaa-1"}


FOLDS = """
<script>
addEventListener("load", () => {
  const body = document.querySelector("tbody");
  const head = document.querySelectorAll("th button")[1];
  const read = () => [...body.rows].filter(row => !row.hidden).map(
    row => row.cells[0].firstChild.textContent).join("");
  const told = {first: read()};
  body.querySelector(".unfold").click();
  told.open = read();
  head.click();
  head.click();
  told.falling = read();
  document.body.dataset.told = JSON.stringify(told);
});
</script>
"""


def test_a_broken_page_would_be_noticed(
    browser: str, page: Path, tmp_path: Path
) -> None:
    spoilt = '<img src="missing.png"><script>nothing()</script>'
    text = page.read_text(encoding="utf-8") + PROBE + spoilt
    told, shown, log = told_by(browser, tmp_path, text)
    assert (told["pictures"], told["loaded"]) == (3, 2)
    assert 'data-broken="yes"' in shown
    assert "CONSOLE" in log


@pytest.mark.parametrize("width", [1280, 700])
def test_the_screenshot_shows_something(
    browser: str, page: Path, tmp_path: Path, width: int
) -> None:
    picture = tmp_path / "report.png"
    opened(
        *(browser, page, tmp_path),
        *(f"--window-size={width},2400", f"--screenshot={picture}"),
    )
    wide, high, rows = pixels(picture)
    assert (wide, high) == (width, 2400)
    # A row of pixels that is all one colour filters to mostly zero bytes.
    busy = sum(len(row) - row.count(0) > 20 for row in rows)
    assert busy > 600
    assert len(set(rows)) > 400


def test_axe_would_notice(browser: str, page: Path, tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt.html"
    text = page.read_text(encoding="utf-8")
    spoilt.write_text(f'{text}<img src="data:,"><p style="color:#ccc">pale', "utf-8")
    found = {one[0] for one in barriers(browser, spoilt, tmp_path)}  # type: ignore[index]
    assert {"image-alt", "color-contrast"} <= found


JUMP = """
<script>
addEventListener("load", () => {
  location.hash = "instance-ksubset-25";
  setTimeout(() => {
    const row = document.querySelector(":target");
    const head = row.closest("table").tHead.rows[0].cells[0];
    const told = [head, row].map(one => one.getBoundingClientRect());
    document.body.dataset.told = told[0].bottom <= told[1].top + 1 && told[1].top >= 0;
  }, 100);
});
</script>
"""


def test_a_row_that_is_linked_to_is_not_under_the_head(
    browser: str, tmp_path: Path
) -> None:
    """The head of a long table stays in sight, and covers what scrolls beneath it."""
    text = html_report(drawn(60, 1, 1)) + JUMP
    told, _, _ = told_by(browser, tmp_path, text, "--window-size=1280,700")
    assert told is True


ACTIONS = """
<script>
addEventListener("load", () => {
  const table = [...document.querySelectorAll(".wide > table")].find(
    one => one.tHead.textContent.includes("mean"));
  const column = [...table.tHead.rows[0].cells].findIndex(
    one => one.textContent.startsWith("max"));
  const read = () => [...table.tBodies[0].rows].map(
    row => row.cells[0].querySelector("a").textContent);
  const told = {before: read()};
  const button = table.tHead.rows[0].cells[column].querySelector("button");
  button.click();
  told.rising = read();
  button.click();
  told.falling = read();
  told.sort = table.tHead.rows[0].cells[column].getAttribute("aria-sort");
  location.hash = table.tBodies[0].querySelector("a").hash;
  setTimeout(() => {
    told.open = document.querySelector(":target").closest("details").open;
    document.body.dataset.told = JSON.stringify(told);
  }, 50);
});
</script>
"""


def test_tables_sort_and_links_open_what_is_folded(
    browser: str, page: Path, tmp_path: Path
) -> None:
    text = page.read_text(encoding="utf-8") + ACTIONS
    told, _, _ = told_by(browser, tmp_path, text)
    assert sorted(told["rising"]) == sorted(told["before"])
    assert told["rising"] != told["falling"]
    assert told["falling"][0] == "far"
    assert told["sort"] == "descending"
    assert told["open"] is True
