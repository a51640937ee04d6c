"""The corpus executes every function of the checker that a check can reach."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

Place = tuple[str, int]
"""The file of a function in the wheel, and the line on which it begins."""


def functions(tree: Path) -> dict[Place, str]:
    """Return the functions of the gathered files, by place, as ``file: Class.name``.

    What is there for type checkers alone is left out.
    """
    found: dict[Place, str] = {}

    def visit(node: ast.AST, path: Path, shown: str, prefix: str) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING":
                continue
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
def traced(tree: Path) -> Iterator[set[Place]]:
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
