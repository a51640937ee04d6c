"""What ``python -OO`` leaves out: docstrings, and code as it is otherwise."""

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

_STRIPPED = 2
"""The optimisation from which docstrings are left out."""


def doc_of(thing: object) -> str:
    """Return the docstring of a function, class or module; "" if there is none.

    It is read from the source if Python has left it out.
    """
    from inspect import cleandoc, getdoc, getsourcefile, unwrap

    if sys.flags.optimize < _STRIPPED:
        return getdoc(thing) or ""
    kept: list[Any] = [thing]
    if isinstance(thing, FunctionType):
        kept = [unwrap(thing)]
    elif isinstance(thing, type):
        kept = [each for each in thing.__mro__ if each is not object]  # inherited too
    for each in kept:
        found = getattr(each, "__doc__", None)
        if not found and isinstance(each, FunctionType | ModuleType | type):
            with suppress(TypeError):  # built in
                name = getattr(each, "__qualname__", "")
                found = _docs(getsourcefile(each) or "").get(name, "")
        if found:
            return cleandoc(found)
    return ""


def code_of(function: Any) -> CodeType:
    """Return the code of a function as it is where nothing is left out."""
    code: CodeType = function.__code__
    if not sys.flags.optimize:
        return code
    return _codes(code.co_filename).get((code.co_qualname, code.co_firstlineno), code)


@cache
def _docs(file: str) -> dict[str, str]:
    import ast

    found = {}

    def look(node: ast.AST, name: str) -> None:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.ClassDef | ast.FunctionDef):
                look(each, f"{name}.{each.name}".lstrip("."))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            found[name] = ast.get_docstring(node, clean=False) or ""

    look(ast.parse(_text(file)), "")
    return found


@cache
def _codes(file: str) -> dict[tuple[str, int], CodeType]:
    found = {}

    def look(code: CodeType) -> None:
        found[code.co_qualname, code.co_firstlineno] = code
        for each in code.co_consts:
            if isinstance(each, CodeType):
                look(each)

    if text := _text(file):
        look(compile(text, file, "exec", dont_inherit=True, optimize=0))
    return found


def _text(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:  # installed without its source
        return b""
