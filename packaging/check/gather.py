"""Build backend: gathers the checker's files from the tree, then calls setuptools.

What ``closeknit.proofs.checking`` imports, at any level, is copied as it is under the
name ``closeknit_check``; all imports there are relative. An sdist has the gathered
files, and is built without the tree.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import build_meta as _setuptools
from setuptools.build_meta import *  # noqa: F403

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
BUILD = HERE / "gathered"
PACKAGE = "closeknit_check"
START = "proofs/checking"
NEEDED = ("loading.py", "py.typed")
"""Files of the folder closeknit that the checker needs."""
_MAIN = '''def main() -> int:
    """Run the command; Ctrl-C is answered also while it is imported."""
    import sys

    try:
        from .proofs.checking.answers.command import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("closeknit-check: interrupted\\n")
        return 130
'''


def files_of_checker(tree: Path = TREE) -> list[Path]:
    """Return the modules that check, by their paths in the tree, sorted."""
    waiting = sorted(path.relative_to(tree) for path in (tree / START).rglob("*.py"))
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += [one / "__init__.py" for one in path.parents[:-1]]
        waiting += _imported(tree, path)
    return sorted(found)


def _imported(tree: Path, path: Path) -> Iterator[Path]:
    """Yield the modules that one imports relatively, also inside of functions."""
    for node in _statements(ast.parse((tree / path).read_text(encoding="utf-8"))):
        base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for place in (base, *(base / alias.name for alias in node.names)):
            for one in (place.with_suffix(".py"), place / "__init__.py"):
                if (tree / one).is_file():
                    yield one


def _statements(node: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yield relative imports, but those for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.level:
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from _statements(other)
        else:
            yield from _statements(child)


def gather(into: Path = BUILD) -> None:
    """Copy the files as a package; where there is no tree, those of the sdist stay."""
    if not (TREE / START).is_dir():
        return
    package = into / PACKAGE
    shutil.rmtree(package, ignore_errors=True)
    data = (TREE / "instances" / "data" / "towns").glob("*.xz")
    for path in [*files_of_checker(), *(one.relative_to(TREE) for one in data)]:
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TREE / path, package / path)
    for name in NEEDED:
        shutil.copy2(TREE / "closeknit" / name, package / name)
    lines = (TREE / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    version = next(line for line in lines if line.startswith("version = "))
    (package / "__init__.py").write_text(
        '"""The checker of closeknit alone; made by packaging/check/gather.py."""\n\n'
        f"__{version.replace(' =', '__ =', 1)}\n\n\n{_MAIN}",
        encoding="utf-8",
    )


def _begin() -> None:
    if (TREE / "LICENSE").is_file():
        shutil.copy2(TREE / "LICENSE", HERE / "LICENSE")
    shutil.rmtree(HERE / "build" / "lib", ignore_errors=True)  # of an earlier build
    gather()


def build_wheel(*args: object, **more: object) -> str:
    """Build a wheel."""
    _begin()
    found: str = _setuptools.build_wheel(*args, **more)
    return found


def build_sdist(*args: object, **more: object) -> str:
    """Build an sdist."""
    _begin()
    found: str = _setuptools.build_sdist(*args, **more)
    return found


def get_requires_for_build_wheel(*args: object, **more: object) -> list[str]:
    """Return nothing more than pyproject.toml states."""
    return []


def get_requires_for_build_sdist(*args: object, **more: object) -> list[str]:
    """Return nothing more than pyproject.toml states."""
    return []


def prepare_metadata_for_build_wheel(*args: object, **more: object) -> str:
    """Write the metadata of the wheel."""
    _begin()
    found: str = _setuptools.prepare_metadata_for_build_wheel(*args, **more)
    return found
