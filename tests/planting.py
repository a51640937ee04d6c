"""Plant faults in source: some text of a module becomes another."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


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
        exec(code, changed.__dict__)
        patch.setitem(sys.modules, module.__name__, module)
        before, after = dict(functions(module)), dict(functions(changed))
        differ = [name for name in before if not alike(before[name], after[name])]
        assert differ, f"{self.module}: {self.old!r} is in no function"
        for name in differ:
            patch.setattr(before[name], "__code__", after[name].__code__)


def alike(one: FunctionType, other: FunctionType) -> bool:
    a, b = one.__code__, other.__code__
    return (
        a.co_code == b.co_code
        and repr(a.co_consts) == repr(b.co_consts)
        and (a.co_names == b.co_names)
    )


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
    words = [edit.module, edit.old, edit.new, *claims]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.planting", json.dumps(words)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def main() -> int:
    """Verify claims with a fault planted."""
    from closeknit.cli import verify

    module, old, new, *claims = json.loads(sys.argv[1])
    with pytest.MonkeyPatch.context() as patch:
        Edit(module, old, new).plant(patch)
        parser = argparse.ArgumentParser()
        verify.options(parser)
        return verify.run(parser.parse_args([*claims, "--quick", "--out", os.devnull]))


if __name__ == "__main__":
    sys.exit(main())
