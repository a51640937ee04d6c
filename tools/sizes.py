"""Count the lines of the project by folder, and compare with tests/size.toml.

    python tools/sizes.py           # the table
    python tools/sizes.py --check   # as the test does
    python tools/sizes.py --write   # write tests/size.toml

Lines of code hold a token that is no comment and no docstring, or lie in a string that
goes over several lines; statements are those of the syntax tree. Blank lines are
counted nowhere but under ``lines``.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "size.toml"
SLICES = ("clusters", "network", "papers")
"""Folders beside the core, which works without them."""
OTHER = ("tests", "benchmarks", "tools", "docs", "examples", "fuzz")
"""Folders that are no packages."""
SLACK = 0.01
"""Share by which a figure may lie above the one written; below it, it is written."""


class Size(NamedTuple):
    """What some files hold."""

    lines: int = 0
    code: int = 0
    statements: int = 0
    text: int = 0
    """Lines of docstrings and comments."""

    def plus(self, other: Size) -> Size:
        """Return the sum."""
        return Size(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def share(self) -> float:
        """Share of docstrings and comments among lines that are not blank."""
        return self.text / max(1, self.text + self.code)


def size_of(source: str) -> Size:
    """Count one file."""
    nodes = [*ast.walk(ast.parse(source))]
    text: set[int] = set()
    strings: set[int] = set()
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                text.update(range(node.lineno, (node.end_lineno or 0) + 1))
            case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
                strings.update(range(node.lineno, (node.end_lineno or 0) + 1))
    rows = enumerate(map(str.strip, source.split("\n")), 1)
    lines = {at: row for at, row in rows if row}
    comments = {at for at, row in lines.items() if row[0] == "#"} - strings
    code = (lines.keys() | strings) - comments - text
    text |= comments
    statements = sum(isinstance(node, ast.stmt) for node in nodes)
    return Size(source.count("\n"), len(code), statements, len(text))


def sizes() -> dict[str, Size]:
    """Return the size of each folder at the root, and of what they make up."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Size] = defaultdict(Size)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        top = name.partition("/")[0]
        one = size_of(path.read_text("utf-8"))
        kinds = [top]
        if top not in OTHER:
            kinds += ["packages"] if top in SLICES else ["packages", "core"]
        for kind in kinds:
            found[kind] = found[kind].plus(one)
    return dict(found)


def differences(found: dict[str, Size]) -> list[str]:
    """Return what lies above what tests/size.toml allows."""
    allowed = tomllib.loads(FILE.read_text("utf-8"))
    wrong = []
    for kind, figures in allowed.items():
        for name, most in figures.items():
            now = getattr(found[kind], name)
            if now > most:
                wrong.append(f"{kind}: {now} {name}, at most {most} are allowed")
            elif now < (1 - SLACK) * most:
                wrong.append(f"{kind}: {now} {name} only: write it (--write)")
    return wrong


def written(found: dict[str, Size]) -> str:
    """Return the text of tests/size.toml."""
    text = (
        "# Sizes, as `python tools/sizes.py --write` counts them. A commit that needs\n"
        "# more raises them and says why; tests/test_house.py compares.\n"
    )
    for kind in ("packages", "core", "tests"):
        one = found[kind]
        text += f"\n[{kind}]\nlines = {one.lines}\ncode = {one.code}\n"
    return text


def main() -> int:
    """Print the table, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = sizes()
    if args.write:
        FILE.write_text(written(found), "utf-8")
    if args.check:
        wrong = differences(found)
        print("\n".join(wrong) or "the sizes are those of tests/size.toml")
        return 1 if wrong else 0
    print(f"{'':14}{'lines':>8}{'code':>8}{'statements':>12}{'text':>7}")
    for kind, one in sorted(found.items(), key=lambda pair: -pair[1].lines):
        numbers = f"{one.lines:8}{one.code:8}{one.statements:12}"
        print(f"{kind:14}{numbers}{one.share:7.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
