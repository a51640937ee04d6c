"""A real browser, for the tests of pages; without one they are skipped."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")


FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--hide-scrollbars"),
    *("--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000"),
)


@pytest.fixture(scope="session")
def browser() -> str:
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if os.environ.get("CLOSEKNIT_REQUIRE_BROWSER") == "1":
        pytest.fail(f"no browser found (looked for {', '.join(NAMES)})")
    pytest.skip("no browser found")


@pytest.fixture(scope="module")
def chromium(browser: str) -> Iterator[Browser]:
    """The browser, driven by Playwright, for the tests of a module."""
    from playwright.sync_api import sync_playwright  # no other test waits for it

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


def opened(browser: str, page: Path, tmp_path: Path, *more: str) -> tuple[str, str]:
    done = subprocess.run(
        [
            *(browser, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"),
            *(*more, page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, done.stderr


AXE = """
<script>
addEventListener("load", () => axe.run(document, {resultTypes: ["violations"]}).then(
  found => { document.body.dataset.axe = JSON.stringify(found.violations.map(
    one => [one.id, one.impact, one.nodes[0].html.slice(0, 200)])); }));
</script>
"""


def barriers(
    browser: str, page: Path, tmp_path: Path, *more: str, beside: bool = False
) -> list[object]:
    """Return what axe-core finds on a page that hinders people; nothing is right.

    With ``beside`` the page is tried where it lies, as it loads files from there.
    """
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    tried = (page.parent if beside else tmp_path) / f"axe-{page.name}"
    text = page.read_text("utf-8")
    tried.write_text(f"{text}<script>{axe}</script>{AXE}", encoding="utf-8")
    shown, _ = opened(browser, tried, tmp_path, "--dump-dom", *more)
    told = re.search(r'data-axe="([^"]*)"', shown)
    assert told is not None, "axe-core did not finish"
    found: list[object] = json.loads(unescape(told[1]))
    return found
