"""Plant faults in source: some text of a module becomes another."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from ..paths import ROOT


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of source.

    Parameters
    ----------
    module
        Within `closeknit`.
    old, new
        The text, which occurs once, and what it becomes.
    """

    module: str
    old: str
    new: str

    def plant(self, patch: pytest.MonkeyPatch) -> None:
        """Give every function that changes its new code, in place.

        So the change is seen by whoever imported the function before, too.
        """
        module = import_module(f"closeknit.{self.module}")
        assert module.__file__ is not None
        source = Path(module.__file__).read_text(encoding="utf-8")
        assert source.count(self.old) == 1, f"{self.module}: {self.old!r} is not there"
        before, after = (
            dict(codes_in(compile(text, module.__file__, "exec")))
            for text in (source, source.replace(self.old, self.new))
        )
        differ = {name for name in before if before[name] != after.get(name)}
        changed = [
            (function, after[name])
            for function in functions(module)
            if (name := function.__code__.co_qualname) in differ
            and function.__code__ == before[name]
        ]
        assert changed, f"{self.module}: {self.old!r} is in no function"
        for function, code in changed:
            patch.setattr(function, "__code__", code)


_FAULT = re.compile(r"^# (.+)\n((?:-.*\n)+)((?:\+.*\n)*)", re.MULTILINE)


def edits_in(text: str) -> dict[str, tuple[str, Edit]]:
    """Read edits, each with who must see it, from a text like a patch.

    Below a line ``@@ WHO MODULE`` stand the edits of that module: a line ``# NAME``,
    then the lines that go, marked ``-``, and those that come, marked ``+``.
    """
    found: dict[str, tuple[str, Edit]] = {}
    for part in re.split(r"^@@ ", text, flags=re.MULTILINE)[1:]:
        who, module = part.partition("\n")[0].split()
        for name, *sides in _FAULT.findall(part):
            old, new = (re.sub(r"^[-+]", "", one, flags=re.MULTILINE) for one in sides)
            found[name] = who, Edit(module, old.removesuffix("\n"), new[:-1])
    assert len(found) == len(re.findall(r"^# ", text, re.MULTILINE))
    return found


def codes_in(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    """List the code of all functions of a module, without running the module."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner.co_qualname, inner
            yield from codes_in(inner)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """List what is defined in a module: functions, methods, properties."""
    waiting: list[Any] = list(vars(module).values())
    while waiting:
        value = waiting.pop()
        for inside in ("fget", "func", "__wrapped__", "__func__"):
            value = getattr(value, inside, value)
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type):
            waiting += vars(value).values()


def verdict_of_tests(edit: Edit, *tests: str) -> int:
    """Plant in a process of its own, and run tests there."""
    planted = json.dumps([edit.module, edit.old, edit.new])
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.planting", planted, *tests],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    ).returncode


def main() -> int:
    """Run tests with a fault planted."""
    planted, *tests = sys.argv[1:]
    with pytest.MonkeyPatch.context() as patch:
        Edit(*json.loads(planted)).plant(patch)
        return pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])


if __name__ == "__main__":
    sys.exit(main())
