"""The command line, for tests that ask it as an operator does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.solvers.running.kernels import interpreted

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command; a word, or what follows its @, may be a file of a given text.

    Return the status and what is printed, in which files have no folder.
    """

    def asked(*words: str, **files: str) -> tuple[int, str, str]:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        given = []
        for word in " ".join(words).split():
            name = word.removeprefix("@")
            at = word[: len(word) - len(name)]
            given.append(f"{at}{tmp_path / name}" if name in files else word)
        with interpreted():
            status = run(given)
        said = capsys.readouterr()
        return status, said.out, said.err.replace(f"{tmp_path}/", "")

    return asked
