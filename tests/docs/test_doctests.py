"""What the docstrings and the pages show is true."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import closeknit

from ..paths import PAGES as READ

MODULES = [
    module.name
    for module in walk_packages(closeknit.__path__, "closeknit.")
    if not module.name.endswith(("__main__", "mip_backends", "mip_worker"))
]
"""All but those that only a solver's own process may import."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in READ
    if ">>> " in (text := page.read_text("utf-8")) or BLOCK.search(text)
]
"""Those that show Python."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    module = import_module(name)
    if ">>>" in Path(str(module.__file__)).read_text("utf-8"):
        failed, tried = doctest.testmod(module)
        assert tried
        assert not failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_of_pages_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of a page run one after the other, and examples print what they show."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text("utf-8")):
        exec(compile(block, page.name, "exec"), namespace)
    failed, _ = doctest.testfile(str(page), module_relative=False)
    assert not failed


def test_pages_that_show_python_are_found() -> None:
    assert {"allocators.md", "config.md"} <= {page.name for page in PAGES}
