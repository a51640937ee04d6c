"""Files of a checkout of closeknit: what a module of it imports, and their digest."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

OURS = __name__.partition(".")[0]
_ROOT = Path(__file__).absolute().parents[1]
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)"
    r"|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)


@cache
def from_checkout() -> bool:
    """Whether closeknit is used from a checkout, where its files may change."""
    places = (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    return not any(
        _ROOT.resolve().is_relative_to(Path(one).resolve()) for one in places
    )


@cache
def digest_of_files(module: str) -> str:
    """Return a digest of the files of a module and of all that it imports of closeknit.

    Also of what functions import when they are called. A package counts as its
    ``__init__`` where that is what is imported from.
    """
    digest = sha256()
    for name in sorted(_reachable_modules(module)):
        path, text = _file(name)
        if path is not None:
            digest.update(f"{name}:{len(text)}:{text}".encode())
    return digest.hexdigest()


def _reachable_modules(module: str) -> set[str]:
    found = {module}
    waiting = [module]
    while waiting:
        for name in _imports(waiting.pop()) - found:
            found.add(name)
            waiting.append(name)
    return found


@cache
def _file(module: str) -> tuple[Path | None, str]:
    """Return the file of a module and what it holds; the facade imports nothing."""
    parts = module.split(".")[1:]
    for path in (_ROOT.joinpath(*parts, "__init__.py"), _ROOT.joinpath(*parts)):
        file = path if path.suffix else path.with_name(path.name + ".py")
        if parts and file.is_file():
            return file, file.read_text("utf-8")
    return None, ""


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of closeknit that a module imports."""
    path, text = _file(module)
    if path is None:
        return frozenset()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(
        name for name in _modules_in(text, package) if _file(name)[0] is not None
    )


def _modules_in(text: str, package: str) -> Iterator[str]:
    """Yield the modules that imports name, and what may be modules in them."""
    for whence, names, plain in _IMPORT.findall(text):
        if plain:
            yield from (one.split()[0] for one in plain.split(",") if one.strip())
            continue
        level = len(whence) - len(whence.lstrip("."))
        above = package.split(".")[: len(package.split(".")) - level + 1]
        base = ".".join([*(above if level else ()), *filter(None, [whence[level:]])])
        yield base
        inner = re.sub(r"#[^\n]*", "", names.strip("()"))
        yield from (
            f"{base}.{one.split()[0]}" for one in inner.split(",") if one.split()
        )
