"""A real browser, for the tests of pages; without one they are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
