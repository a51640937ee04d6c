"""Calls of code from outside: what it raises is one line, what it states is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

from ..instances import InputError
from ..solvers import SolverError


def called(label: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function from outside.

    Raises InputError and SolverError as they are, and SolverError for whatever else it
    raises. `SystemExit` is among it: the status of a command is not theirs to choose.
    """
    try:
        return function(*arguments)
    except (InputError, SolverError):
        raise
    except (Exception, SystemExit) as error:
        raise SolverError(f"{label}: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return the kind of an error and what it says, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


@dataclass(frozen=True)
class Promise:
    """A guarantee from outside: a factor for each instance, or None."""

    function: Callable[[Any], Any]
    label: str

    def __call__(self, instance: Any, /) -> Fraction | None:
        """Return the factor; raises SolverError if it is no exact number."""
        factor = called(self.label, self.function, instance)
        if factor is None:
            return None
        if isinstance(factor, bool) or not isinstance(factor, Rational):
            problem = "must be an integer, a Fraction or None"
            raise SolverError(str(InputError(problem, self.label, factor)))
        return Fraction(factor)


@dataclass(frozen=True)
class Objection:
    """A reason from outside not to run a method on an instance, or None."""

    function: Callable[[Any], Any]
    label: str

    def __call__(self, instance: Any, /) -> str | None:
        """Return the reason; raises SolverError if it is no text."""
        why = called(self.label, self.function, instance)
        if why is not None and not isinstance(why, str):
            problem = "must be text that says why, or None"
            raise SolverError(str(InputError(problem, self.label, why)))
        return why
