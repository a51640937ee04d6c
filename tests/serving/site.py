"""The documentation site, built once for all tests, whatever processes run them."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..paths import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a link to nowhere, or a page in no list, is a warning."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which the workers share
    out, built = folder / "served" / "site", folder / "served" / "built"
    out.parent.mkdir(exist_ok=True)
    words = ["-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    with (folder / "served" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            done = subprocess.run(
                [sys.executable, *words, "-b", "html", str(ROOT / "docs"), str(out)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            built.touch()
    return out
