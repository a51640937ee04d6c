"""The report, opened in a real browser."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import pytest

from ...browser import opened
from ..written import html_report
from .samples import report
from .samples_of_levels import full

PROBE = """
<script>
addEventListener("load", () => {
  const drawn = [...document.querySelectorAll("svg, img")].map(picture => {
    const box = picture.getBoundingClientRect();
    return picture.localName == "img" ? picture.naturalWidth > 0
      : box.width > 100 && box.height > 60 && picture.querySelector("path, rect");
  });
  const ink = getComputedStyle(document.querySelector("svg.plot text")).fill;
  const told = {pictures: drawn.length, loaded: drawn.filter(Boolean).length,
    fetched: performance.getEntriesByType("resource").length, ink: ink,
    overflow: document.documentElement.scrollWidth > innerWidth};
  document.body.dataset.told = JSON.stringify(told).replaceAll('"', "'");
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


@pytest.mark.parametrize("width", [1280, 700])
def test_the_browser_shows_the_whole_report(
    browser: str, page: Path, tmp_path: Path, width: int
) -> None:
    probed = tmp_path / "probed.html"
    probed.write_text(page.read_text(encoding="utf-8") + PROBE, encoding="utf-8")
    shown, log = opened(
        browser, probed, tmp_path, f"--window-size={width},900", "--dump-dom"
    )
    assert "<title>How close to optimal: closeknit</title>" in shown
    assert shown.count("<h1>") == 1
    headings = re.findall(r"<h2>(.*?)</h2>", shown)
    assert headings == [
        "Ratios by method",
        "Plots",
        "The worst instance of each method",
        "Instances",
        "Rows without a proven optimum",
        "Failures",
        "Exact means",
        "How to read this",
    ]
    told = re.search(r'data-told="([^"]+)"', shown)
    assert told is not None
    assert "'pictures':7,'loaded':7,'fetched':0" in told[1]
    assert "'overflow':false" in told[1]
    assert "'ink':'rgb(" in told[1]
    assert "data-broken" not in shown
    assert "CONSOLE" not in log


@pytest.mark.parametrize("width", [1280, 700])
def test_the_browser_shows_a_report_on_several_problems(
    browser: str, tmp_path: Path, width: int
) -> None:
    probed = tmp_path / "mixed.html"
    probed.write_text(html_report(full()) + PROBE, encoding="utf-8")
    shown, log = opened(
        browser, probed, tmp_path, f"--window-size={width},900", "--dump-dom"
    )
    headings = re.findall(r"<h2>(.*?)</h2>", shown)
    assert headings == ["Processor sets", "Set-union knapsack", "How to read this"]
    told = re.search(r'data-told="([^"]+)"', shown)
    assert told is not None
    assert "'pictures':8,'loaded':8,'fetched':0" in told[1]
    assert "'overflow':false" in told[1]
    assert "data-broken" not in shown
    assert "CONSOLE" not in log


def test_a_broken_page_would_be_noticed(
    browser: str, page: Path, tmp_path: Path
) -> None:
    spoilt = tmp_path / "spoilt.html"
    text = page.read_text(encoding="utf-8") + PROBE
    spoilt.write_text(
        text + '<img src="missing.png"><script>nothing()</script>', encoding="utf-8"
    )
    shown, log = opened(browser, spoilt, tmp_path, "--dump-dom")
    assert "'pictures':8,'loaded':7" in shown
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
