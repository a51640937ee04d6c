"""Calls of code from outside: what it raises is one line, what it states is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, ClassVar

from ..instances import InputError
from ..solvers import SolverError


def call(label: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function from outside.

    Raises InputError and SolverError as they are, and SolverError for whatever else it
    raises. `SystemExit` is among it: the status of a command is not theirs to choose.
    """
    try:
        return function(*arguments)
    except (InputError, SolverError):
        raise
    except (Exception, SystemExit) as error:
        raise SolverError(f"{label}: {describe(error)}") from error


def describe(error: BaseException) -> str:
    """Return the kind of an error and what it states, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


@dataclass(frozen=True)
class Stated:
    """A function from outside that states something of instances, or None."""

    function: Callable[[Any], Any]
    label: str
    expected: ClassVar[str] = "text that says why"

    def __call__(self, instance: Any, /) -> Any:
        """Return what is stated; raises SolverError if it cannot be meant."""
        found = call(self.label, self.function, instance)
        if found is None or self.fits(found):
            return found
        problem = f"must be {self.expected}, or None"
        raise SolverError(str(InputError(problem, self.label, found)))

    def fits(self, found: Any) -> bool:
        """Whether the value is of the expected kind."""
        return isinstance(found, str)


class Promise(Stated):
    """A guarantee from outside: a factor for each instance."""

    expected = "an integer or a Fraction"

    def __call__(self, instance: Any, /) -> Fraction | None:
        """Return the factor."""
        factor = super().__call__(instance)
        return None if factor is None else Fraction(factor)

    def fits(self, found: Any) -> bool:
        """Whether the value is an exact number."""
        return isinstance(found, Rational) and not isinstance(found, bool)
