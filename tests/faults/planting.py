"""Plant faults in source: some text of a module becomes another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any

import pytest

from closeknit.instances.topologies import PARSERS
from closeknit.instances.topologies.topology import BY_SIDES

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
        changed = ModuleType(module.__name__)
        changed.__file__ = module.__file__
        changed.__package__ = module.__package__
        code = compile(source.replace(self.old, self.new), module.__file__, "exec")
        patch.setitem(sys.modules, module.__name__, changed)
        tables: list[dict[str, Any]] = [PARSERS, BY_SIDES]
        kept = [dict(table) for table in tables]
        exec(code, changed.__dict__)
        for table, entries in zip(tables, kept, strict=True):
            table.update(entries)  # not those of a second class of the same name
        patch.setitem(sys.modules, module.__name__, module)
        before, after = dict(functions(module)), dict(functions(changed))
        differ = [n for n in before if before[n].__code__ != after[n].__code__]
        assert differ, f"{self.module}: {self.old!r} is in no function"
        for name in differ:
            patch.setattr(before[name], "__code__", after[name].__code__)


def functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """List what is defined in a module: functions, methods, properties."""
    waiting: list[tuple[str, Any]] = list(vars(module).items())
    while waiting:
        name, value = waiting.pop()
        for inside in ("fget", "func", "__wrapped__", "__func__"):
            value = getattr(value, inside, value)
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            yield name, value
        elif isinstance(value, type):
            waiting += [(f"{name}.{key}", each) for key, each in vars(value).items()]


def verdict_of(edit: Edit, claims: tuple[str, ...]) -> tuple[int, str]:
    """Plant in a process of its own, where kernels are interpreted; verify there."""
    done = _elsewhere(edit, "verify", *claims, NUMBA_DISABLE_JIT="1")
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def verdict_of_tests(edit: Edit, *tests: str) -> int:
    """Plant in a process of its own, and run tests there."""
    return _elsewhere(edit, "pytest", *tests).returncode


def _elsewhere(
    edit: Edit, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    planted = json.dumps([edit.module, edit.old, edit.new])
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.planting", planted, *words],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def main() -> int:
    """Verify claims, or run tests, with a fault planted."""
    from closeknit.cli import verify
    from closeknit.cli.app import parse

    planted, what, *words = sys.argv[1:]
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        Edit(*json.loads(planted)).plant(patch)
        if what == "pytest":
            return pytest.main(["-x", "-q", "-p", "no:cacheprovider", *words])
        args, _ = parse(["verify", *words, "--quick", "--out", folder])
        return verify.run(args)


if __name__ == "__main__":
    sys.exit(main())
