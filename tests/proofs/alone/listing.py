"""The table of the checker's files on its page."""

from __future__ import annotations

import ast

from tests.modules import loaded
from tests.paths import ROOT

from .wheel import gather

sizes = loaded(ROOT / "tools" / "sizes.py")
PAGE = ROOT / "docs" / "science" / "checker-alone.md"
MARK = "<!-- regenerate: pytest tests/proofs/alone/test_parity.py -->"
DERIVES = (
    *("proofs/checking/rules.py", "proofs/checking/rows.py"),
    *("proofs/checking/propagation.py", "proofs/checking/combination.py"),
    *("proofs/checking/checker.py", "proofs/checking/store.py"),
    *("proofs/checking/formulas.py", "proofs/checking/answers/examining.py"),
    "proofs/checking/recount/count.py",
    *("instances/ksubset/certificate.py", "instances/ksubset/certificate_nodes.py"),
    *("instances/ksubset/counts.py", "instances/ksubset/lower_bounds.py"),
    *("instances/ksubset/towns.py", "instances/submesh/infeasibility.py"),
    "proofs/checking/dnn/matrices.py",
)
"""What derives anything, in the order of reading; all else reads and defines."""


def files() -> list[str]:
    """Return the paths of all files."""
    found = [path.as_posix() for path in gather.files_of_checker()]
    return [*found, "closeknit/loading.py"]


def counts(path: str) -> tuple[int, int]:
    """Return how many lines a file has, and how many of them are code."""
    size = sizes.size_of((ROOT / path).read_text(encoding="utf-8"))
    return size.lines, size.code


def title_of(path: str) -> str:
    """Return what a file does, by the first line of its docstring."""
    doc = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return (doc or "").partition("\n")[0].replace("|", "\\|")


def totals(paths: list[str]) -> tuple[int, int]:
    """Return the sums of both counts."""
    both = [counts(path) for path in paths]
    return sum(one[0] for one in both), sum(one[1] for one in both)


def table() -> str:
    """Return the table as the page must have it."""
    derive = [path for path in DERIVES if path in files()]
    others = [path for path in files() if path not in derive]
    lines = ["| file | lines | code | what it does |", "|---|---:|---:|---|"]
    for title, paths in (("derives", derive), ("reads and defines", others)):
        lines += [
            f"| `{path}` | {counts(path)[0]} | {counts(path)[1]} | {title_of(path)} |"
            for path in paths
            if counts(path)[1]
        ]
        whole, code = totals(paths)
        lines.append(f"| **{title}: {len(paths)} files** | {whole:,} | {code:,} | |")
    whole, code = totals([*derive, *others])
    lines.append(f"| **all** | {whole:,} | {code:,} | |")
    return "\n".join(lines)


def write() -> None:
    """Put the table on the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, after = text.partition(MARK)
    if "| **all**" in after:
        after = after[after.index("\n", after.index("| **all**")) :]
    PAGE.write_text(f"{before}{MARK}\n\n{table()}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
