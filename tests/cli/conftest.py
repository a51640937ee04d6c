"""Commands that are refused: with status 2, and one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from closeknit.cli.app import run


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run what is refused; return the line that it says."""

    def said(*words: object, status: int = 2) -> str:
        capsys.readouterr()
        assert run(" ".join(map(str, words)).split()) == status
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1), err
        assert err.startswith("closeknit: ")
        return err.removeprefix("closeknit: ").rstrip("\n")

    return said
