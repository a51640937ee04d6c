"""Modules of OR-tools that are imported when they are first used.

Importing them takes a quarter of a second, and most runs need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .running.errors import SolverError


@contextmanager
def _naming_it() -> Iterator[None]:
    """Name what is not installed."""
    try:
        yield
    except ImportError as error:
        what = error.name if isinstance(error, ModuleNotFoundError) else error
        raise SolverError(
            f"cp-sat is not installed ({what}): pip install ortools"
        ) from None


class _Later:
    """Stands in for a module until something of it is asked for."""

    def __init__(self, load: Callable[[], ModuleType]) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        """Import the module; keep what was asked for."""
        if name.startswith("__"):
            raise AttributeError(name)
        with _naming_it():
            module = self._load()
        found = getattr(module, name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    from ortools.linear_solver import pywraplp as pywraplp
    from ortools.sat.python import cp_model as cp_model
else:
    pywraplp = _Later(lambda: import_module("ortools.linear_solver.pywraplp"))
    cp_model = _Later(lambda: import_module("ortools.sat.python.cp_model"))


def by_cpsat() -> str:
    """Return the name of CP-SAT in proofs, with its version.

    Raises SolverError if it is not installed.
    """
    with _naming_it():
        import ortools
    return f"cp-sat {ortools.__version__}"
