"""What is optional is installed from where closeknit is; one function says how."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from closeknit.instances import extras
from closeknit.instances.extras import install

from ..paths import ROOT

PACKAGES = [link.name for link in (ROOT / "closeknit").iterdir() if link.is_symlink()]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["optional-dependencies"]
FROM_AN_INDEX = re.compile(r"install ['\"]?closeknit\b(?!-)")
"""A command that works once there is a release."""


def test_the_clone_is_named() -> None:
    assert shlex.split(install("serve")) == ["pip", "install", f"{ROOT}[serve]"]


@pytest.mark.parametrize("name", ["a clone", "größe-0.1-py3-none-any.whl"])
def test_elsewhere_it_is_what_was_installed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / name
    source.touch()
    known = json.dumps({"url": source.as_uri()})
    found = SimpleNamespace(read_text=lambda file: known)
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "site" / "a" / "b.py"))
    monkeypatch.setattr(extras, "distribution", lambda name: found)
    assert shlex.split(install("pandas"))[2] == f"{source}[pandas]"
    source.unlink()
    lost = "pip install '.[pandas]' in the clone of closeknit"
    assert install("pandas") == lost
    found.read_text = lambda file: None
    assert install("pandas") == lost

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", missing)
    assert install("pandas") == lost


def test_all_messages_take_it_from_there() -> None:
    named = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            assert "closeknit[" not in text, file
            assert not FROM_AN_INDEX.search(text), file
            named |= set(re.findall(r"\binstall\(['\"](\w+)['\"]\)", text))
    assert named == {"dask", "pandas", "proofs", "serve"}
    assert named <= EXTRAS.keys()


def test_no_page_installs_what_is_not_released() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Containerfile"]
    pages += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.y*ml")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not FROM_AN_INDEX.search(text), page
        for extra in re.findall(r"install\s+'\./closeknit\[(\w+)\]'", text):
            assert extra in EXTRAS, page
