"""The modules of closeknit and who imports whom, read from the source."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "closeknit"


@dataclass(frozen=True)
class Import:
    """One import of a module by another, both by dotted name."""

    importer: str
    imported: str
    line: int
    inside: bool
    """Whether it stands inside a function."""


@dataclass(frozen=True)
class Module:
    """A module and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def shown(self) -> str:
        """Its path in the repository, by which people know it."""
        inside = self.path.relative_to(PACKAGE)
        return str(inside if len(inside.parts) > 1 else Path("closeknit") / inside)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of its tree."""
        return [*ast.walk(self.tree)]

    @cached_property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")


@cache
def modules() -> dict[str, Module]:
    """Read every module of the package, by dotted name."""
    found = {}
    folders = [PACKAGE, *(p for p in sorted(PACKAGE.iterdir()) if p.is_dir())]
    gc.disable()  # to look for garbage where there is none takes most of the time
    try:
        for folder in folders:
            paths = folder.glob("*.py") if folder == PACKAGE else folder.rglob("*.py")
            for path in sorted(paths):
                parts = ["closeknit", *path.relative_to(PACKAGE).with_suffix("").parts]
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
                found[name] = Module(name, path, tree)
    finally:
        gc.freeze()  # they stay
        gc.enable()
    return found


def imports(known: dict[str, Module]) -> Iterator[Import]:
    """Yield every import of a module of the package, but those for type checkers."""
    for module in known.values():
        is_package = module.path.name == "__init__.py"
        for node, inside in _statements(module.tree, False):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                here = module.name.split(".")
                up = node.level - is_package
                base = here[: len(here) - up] if node.level else []
                base += node.module.split(".") if node.module else []
                names = [".".join([*base, alias.name]) for alias in node.names]
            for name in names:
                while name and name not in known:
                    name = name.rpartition(".")[0]
                if name and name != module.name:
                    yield Import(module.name, name, node.lineno, inside)


def _statements(
    node: ast.AST, inside: bool
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from _statements(other, inside)
        elif not isinstance(child, ast.expr):  # which holds no statement
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _statements(child, inside or function)
