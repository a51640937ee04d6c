"""What the pages show of Python passes mypy --strict, as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

from ..paths import PAGES, ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def python_of(page: Path) -> str:
    """Return the blocks of a page and then its examples, as one module."""
    text = page.read_text("utf-8")
    examples = DocTestParser().get_examples(text, page.name)
    return "\n".join([*BLOCK.findall(text), *(each.source for each in examples)])


def complaints(folder: Path, sources: dict[str, str]) -> list[str]:
    """Run mypy --strict on modules; return its errors."""
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
    options = ["--strict", "--no-error-summary", "--follow-imports=silent"]
    options.append("--disable-error-code=import-untyped")
    options.append(f"--cache-dir={ROOT / '.mypy_cache' / 'pages'}")
    command = [sys.executable, "-m", "mypy", *options, "--config-file=", "."]
    # An editable install is found by a hook of the interpreter, not by mypy.
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return [line for line in done.stdout.splitlines() if ": error: " in line]


WRONG = """
import closeknit as ck

job = ck.ksubset(ck.Mesh(8, 8), k=9)
table = ck.compare(job, methods=["mm"])
table[0]["colour"]
ck.solve(job).selection[:3]
ck.solve(ck.submesh((4, 4), (4, 2))).selection + 1
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of all pages, and of an example that is wrong, at once."""
    sources = {
        page.stem.replace("-", "_"): source
        for page in PAGES
        if (source := python_of(page)).strip()
    }
    assert {"README", "api", "own_heuristic", "start"} <= set(sources)
    return complaints(tmp_path_factory.mktemp("typed"), {**sources, "wrong": WRONG})


def test_examples_of_all_pages_are_typed(found: list[str]) -> None:
    assert [line for line in found if not line.startswith("wrong.py:")] == []


def test_an_example_that_reads_what_is_not_there_is_found(found: list[str]) -> None:
    """The types say something: they are not all Any."""
    lines = [line for line in found if line.startswith("wrong.py:")]
    assert {int(line.split(":")[1]) for line in lines} == {6, 7, 8}
