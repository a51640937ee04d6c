"""The corpus executes every function of the checker that a check can reach."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from .answers import answers, forgeries, refusals, write_folder
from .comparing import said
from .unreached import LEFT
from .wheel import gathered

Place = tuple[str, int]
"""The file of a function in the wheel, and the line on which it begins."""
WORDS = (["--nonsense"], ["--help"])


def functions(tree: Path) -> dict[Place, str]:
    """Return the functions of the gathered files, by place, as ``file: Class.name``.

    What is there for type checkers alone is left out.
    """
    found: dict[Place, str] = {}

    def visit(node: ast.AST, path: Path, shown: str, prefix: str) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING":
                one.body = []
            inner = prefix
            if isinstance(one, ast.FunctionDef | ast.ClassDef):
                inner = f"{prefix}{one.name}."
            if isinstance(one, ast.FunctionDef):
                marks = {ast.unparse(mark) for mark in one.decorator_list}
                if "overload" in marks:
                    continue
                line = min(one.lineno, *(m.lineno for m in one.decorator_list), 10**9)
                found[str(path), line] = f"{shown}: {prefix}{one.name}"
            visit(one, path, shown, inner)

    for path in sorted(tree.rglob("*.py")):
        shown = path.relative_to(tree).as_posix().partition("/")[2]
        visit(ast.parse(path.read_text(encoding="utf-8")), path, shown, "")
    return found


@contextmanager
def note_calls(tree: Path) -> Iterator[set[Place]]:
    """Collect the functions of the files that are called meanwhile."""
    called: set[Place] = set()
    start = str(tree)

    def note(frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(start):
            called.add((code.co_filename, code.co_firstlineno))

    before = sys.gettrace()
    sys.settrace(note)
    try:
        yield called
    finally:
        sys.settrace(before)


def test_every_function_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By answers that hold, by forged ones, or by what is refused."""
    tree = gathered(tmp_path / "gathered")
    folder = tmp_path / "files"
    folder.mkdir()
    all_answers = answers()
    words = [one.write(folder) for one in all_answers]
    words += [[*words[0], "--json"], [str(write_folder(tmp_path / "f", all_answers))]]
    monkeypatch.syspath_prepend(str(tree))
    with note_calls(tree) as called:
        package = importlib.import_module("closeknit_check")

        def command(some: list[str]) -> int:
            monkeypatch.setattr(sys, "argv", ["closeknit-check", *some])
            status: int = package.main()
            return status

        for some in words:
            assert said(command, some).status == 0
        for one in forgeries(all_answers):
            assert said(command, one.write(folder)).status
        for some in refusals(folder, all_answers):
            assert said(command, some).status
        part = folder / "part.json"
        part.write_text('{"format": "closeknit/contention"}')
        assert said(command, [str(part), str(part)]).status == 2
        for some in WORDS:
            with suppress(SystemExit):
                said(command, some)
    for name in [one for one in sys.modules if one.startswith("closeknit_check")]:
        monkeypatch.delitem(sys.modules, name)
    shown = functions(tree)
    reached = {name for place, name in shown.items() if place in called}
    listed = {name for names in LEFT.values() for name in names}
    assert listed - {*shown.values()} == set(), "these are gone: take them off"
    assert listed & reached == set(), "these are executed: take them off"
    assert {*shown.values()} - reached - listed == set(), "no file executes these"
