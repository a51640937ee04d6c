"""Every kind of page, read by axe-core in a browser: nothing hinders a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...serving.browser import barriers, opened
from .kinds import KINDS

DARK = "--blink-settings=preferredColorScheme=0"
_QUICK = ("ratios", "ratios of several problems")
"""Read in light and dark whenever tests run; the others in dark with the slow ones."""


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(
            *(kind, settings),
            id=f"{kind}, {'dark' if settings else 'light'}",
            marks=[pytest.mark.slow]
            * (kind not in _QUICK and (bool(settings) or kind == "bender-figure3")),
        )
        for kind in KINDS
        for settings in ((), (DARK,))
    ],
)
def test_nothing_hinders_a_reader(
    browser: str, tmp_path: Path, kind: str, settings: tuple[str, ...]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(KINDS[kind](tmp_path), encoding="utf-8")
    assert barriers(browser, page, tmp_path, *settings) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_narrow_window_shows_all(browser: str, tmp_path: Path, kind: str) -> None:
    page = tmp_path / "page.html"
    probe = (
        "<script>addEventListener('load', () => { document.body.dataset.wide = "
        "document.documentElement.scrollWidth > innerWidth; });</script>"
    )
    page.write_text(KINDS[kind](tmp_path) + probe, encoding="utf-8")
    shown, _ = opened(browser, page, tmp_path, "--window-size=500,900", "--dump-dom")
    assert 'data-wide="false"' in shown
