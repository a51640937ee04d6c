"""The commands that pages show can be given, and print what is shown."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from closeknit.cli import app

from ..in_process import stay_in_process
from ..paths import PAGES, ROOT

BLOCK = re.compile(r"((?:^    [^\n]*\n)+)|^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
READ = [ROOT / "CONTRIBUTING.md", *PAGES]
NOT_RUN = {
    "--topology topology.conf --state jobs.jsonl": "a random state; takes 14 s",
    "--topology torus.csv --state jobs.jsonl": "a random state",
    "topograph_dgx.ibnetdiscover": "data that does not come along",
}
"""Examples that only have to be commands, by a part of them, and why."""


def blocks(page: Path) -> Iterator[list[str]]:
    for indented, fenced in BLOCK.findall(page.read_text()):
        text = re.sub(r"^    ", "", indented, flags=re.MULTILINE) or fenced
        yield re.sub(r"\\\n\s*", " ", text).splitlines()


def commands(page: Path) -> Iterator[str]:
    """Give all commands of a page without what may be left out, and alternatives."""
    for lines in blocks(page):
        for line in lines:
            if line.removeprefix("$ ").startswith("closeknit "):
                line = re.sub(r"(?<= )\[--?[^]]*\]|(?<=[a-z])\|[a-z|0-9]+", "", line)
                yield line.removeprefix("$ ")


def words_of(command: str) -> list[str]:
    words = shlex.split(command, comments=True)[1:]
    ends = (i for i, word in enumerate(words) if word in {"|", ">", "&&", "<", "2>"})
    return ["1" if word == "N" else word for word in words[: next(ends, len(words))]]


COMMANDS = sorted({command for page in READ for command in commands(page)})


def test_commands_are_found() -> None:
    assert len(COMMANDS) > 100


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_can_be_given(command: str) -> None:
    app.parse(words_of(command))


def examples(page: Path) -> list[tuple[str, list[str]]]:
    """Give the commands shown after ``$``, each with what it is shown to print."""
    found = []
    for lines in blocks(page):
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        for i, end in zip(starts, [*starts[1:], len(lines)], strict=False):
            found.append((lines[i][2:], lines[i + 1 : end]))
    return found


WITH_EXAMPLES = sorted(page for page in READ if examples(page))


def test_pages_with_examples_are_found() -> None:
    assert len(WITH_EXAMPLES) >= 10


def status_of(shown: list[str]) -> int:
    """Return the exit status that goes with what is shown."""
    for status, said in (
        (1, "failed: "),
        (1, ".*: give --prove or --proof"),
        (2, "closeknit: "),
        (3, "answer +it does not"),
    ):
        if any(re.match(f" *{said}", line) for line in shown):
            return status
    return 0


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_examples_print_what_they_show(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stay_in_process(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name in ("examples", "instances"):
        (tmp_path / name).symlink_to(ROOT / name)
    for command, shown in examples(page):
        if command.startswith("curl ") or any(part in command for part in NOT_RUN):
            continue
        name, *words = shlex.split(command)
        if name == "cat":
            Path(words[0]).write_text("\n".join(shown))
            continue
        assert name == "closeknit"
        assert app.run(words) == status_of(shown), command
        said = capsys.readouterr()
        printed = said.out or said.err
        for line in shown:
            pattern = re.escape(line.strip()).replace("…", ".*")
            pattern = re.sub(r"(\\ )+", r"\\s+", pattern)
            if pattern.startswith("machine"):  # how long machine code and runs took
                pattern = re.sub(r"\d+", r"\\d+", pattern)
            pattern = re.sub(r"^time\\s.*s$", r"time\\s+\\S+ s", pattern)
            if pattern.endswith("derived\\s+again"):  # in time, or counted as not
                pattern = re.sub(r"^\d+", r"\\d+", pattern)
            assert re.search(pattern, printed), (command, line, printed)
