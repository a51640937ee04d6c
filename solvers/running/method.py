"""Methods: the type of the entries in the tables of `closeknit.methods`.

A method takes an instance and `Settings` and returns a `Result`. Its docstring states
its guarantee, running time, tie order and source in lines that start with
``Guarantee:``, ``Time:``, ``Ties:`` and ``Source:``; `Method.doc_entry` returns them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from ...instances import InputError, Instance, KSubset, problem_of
from ...instances.support import support_of
from ...sources import doc_of
from .. import DEFAULT, Limit, Result, Settings, Status, Ties, answer
from . import clock
from .answer import infeasible_by_count
from .interrupt import Alarm, ends_callers, run_alarmed
from .journal import record

Inst_contra = TypeVar("Inst_contra", bound=Instance, contravariant=True)
Inst = TypeVar("Inst", bound=Instance)

_LONGEST_REPR = 160
"""Maximal length of a method's representation."""


class RunOn(Protocol[Inst_contra]):
    """The signature of every method: an instance and settings give a result."""

    def __call__(
        self, instance: Inst_contra, /, settings: Settings = DEFAULT
    ) -> Result:
        """Solve the instance; the result carries a bound only if one is proved."""
        ...


Run = RunOn[KSubset]
"""A method for the k-subset problem."""

Guarantee = Callable[[Inst], Fraction | None]
"""Proven factor on this instance, or None where nothing is proven for it."""

Bound = tuple[Fraction, str]
"""A proven factor, and why it holds."""


@dataclass(frozen=True)
class LeastOf(Generic[Inst_contra]):
    """A guarantee that is the least of several proven factors, never below 1."""

    bounds: Callable[[Inst_contra], Sequence[Bound]]
    """Returns what is proven for an instance, each factor with its reason."""

    def __call__(self, instance: Inst_contra, /) -> Fraction | None:
        """Return the least factor; None if nothing is proven."""
        factors = [factor for factor, _ in self.bounds(instance)]
        return max(Fraction(1), min(factors)) if factors else None


Refusal = Callable[[Inst], str | None]
"""Why a method does not accept this instance, or None if it does."""


@dataclass(frozen=True)
class Variant(Generic[Inst]):
    """A function with its first arguments fixed and its own docstring.

    For entries of a table that differ only in a parameter: the number of strips, the
    allocator, the backend. Unlike closures, variants can be pickled, and variants with
    the same arguments are equal.
    """

    function: Callable[..., Result]
    """Called with ``arguments``, the instance and the settings."""
    arguments: tuple[object, ...]
    """Values of the first parameters."""
    doc: str = field(repr=False)
    """Docstring of the variant."""

    def __post_init__(self) -> None:
        """Set the docstring that `help` shows."""
        object.__setattr__(self, "__doc__", self.doc)

    def __call__(self, instance: Inst, /, settings: Settings = DEFAULT) -> Result:
        """Call the function."""
        return self.function(*self.arguments, instance, settings)


@dataclass(frozen=True, repr=False)
class Method(Generic[Inst]):
    """One entry of a problem's table of methods.

    Parameters
    ----------
    name
        Lower case with hyphens.
    function
        Solves an instance; its docstring becomes the method's. One of a user's may
        return a selection, where methods are named as in `closeknit.solve`.
    exact
        Whether it proves optimality when given enough time.
    guarantee
        Proven approximation factor on an instance; None if there is none.
    refuses
        Returns why the method does not accept an instance, or None if it does.
    needs_metric
        Whether the factor rests on the triangle inequality: where a distance is longer
        than the way over a third processor there is none.
    takes_required
        Whether instances are supported in which something must be chosen.
    takes_ties
        Whether values of ``Settings.ties`` other than ``LEX`` are supported.
    seeded
        Whether ``Settings.seed`` matters.
    runs_solver
        Whether it passes a model to a general solver instead of searching itself.
    problem
        Name of the problem it solves, set by `table`; "" if it accepts any.
    quick
        Whether ``compare`` runs it if no methods are named, set by `table`.
    variant_of
        Name of the method that it differs from by one choice only, set by `table`; ""
        for a system of its own.
    """

    name: str
    function: RunOn[Inst] | Callable[[Inst, Settings], Any]  # a rule of a user's
    _: KW_ONLY
    exact: bool = False
    guarantee: Guarantee[Inst] | None = field(default=None, compare=False)
    refuses: Refusal[Inst] | None = field(default=None, compare=False)
    needs_metric: bool = False
    takes_required: bool = False
    takes_ties: bool = False
    seeded: bool = False
    runs_solver: bool = False
    problem: str = field(default="", compare=False)
    quick: bool = field(default=False, compare=False)
    variant_of: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Set the docstring of the function, which `help` shows."""
        object.__setattr__(self, "__doc__", doc_of(self.function))

    def __repr__(self) -> str:
        """Return the name and what the method does, on one line."""
        text = f"<Method {self.name!r}: {self.summary}>"
        return text if len(text) <= _LONGEST_REPR else f"{text[: _LONGEST_REPR - 2]}…>"

    def __call__(self, instance: Inst, /, settings: Settings = DEFAULT) -> Result:
        """Solve an instance.

        The call ends within the time limit plus max(0.5 s, 5 % of it): a method that
        does not stop by itself is interrupted, see ``solvers.running.interrupt``. It
        then returns its best solution so far, or the result of `stopped_result`.

        Raises
        ------
        InputError
            If the method does not accept this instance or these settings.
        KeyboardInterrupt
            On Ctrl-C before the method has a solution, and on a second Ctrl-C; within
            ``solvers.running.interrupt.ending_callers`` on any.
        """
        given = problem_of(instance).name
        if self.problem not in ("", given):
            raise InputError(
                f"is a method for {self.problem}, not for {given}", self.name
            )
        if why := self.refusal(instance):
            raise InputError(why, self.name)
        if settings.ties is not Ties.LEX and not self.takes_ties:
            raise InputError(
                f"{self.name} breaks ties in one way only: lex",
                "ties",
                settings.ties.value,
            )
        result = self._run(instance, settings)
        record(self.name, instance, settings, result)
        return result

    def _run(self, instance: Inst, settings: Settings) -> Result:
        start = clock.now()
        if infeasible := infeasible_by_count(instance, start=start):
            return infeasible
        result, alarm = run_alarmed(
            settings.time_limit, lambda: self.function(instance, settings)
        )
        if result is None:
            return stopped_result(instance, Limit.TIME, start=start)
        return by_alarm(result, alarm)

    def refusal(self, instance: Inst) -> str | None:
        """Return why the method does not accept an instance of its problem, or None.

        Parameters
        ----------
        instance
            An instance of the method's problem.
        """
        if not self.takes_required and support_of(instance).required(instance):
            return "takes no instance in which something is required"
        return self.refuses(instance) if self.refuses else None

    def promise(self, instance: Inst) -> Fraction | None:
        """Return the guarantee on an instance that the method accepts.

        None if nothing is proven, or something is required: no proof covers that.

        Parameters
        ----------
        instance
            An instance of the method's problem.
        """
        if self.guarantee is None or support_of(instance).required(instance):
            return None
        return self.guarantee(instance)

    def bounds(self, instance: Inst) -> list[Bound]:
        """Return the factors proven on an instance, each with its reason, least first.

        The first is the guarantee; there is none if nothing is proven, or the method
        does not accept the instance.

        Parameters
        ----------
        instance
            An instance of the method's problem.
        """
        if self.refusal(instance) or (factor := self.promise(instance)) is None:
            return []
        if isinstance(self.guarantee, LeastOf):
            return sorted(self.guarantee.bounds(instance), key=lambda bound: bound[0])
        return [(factor, self.doc_entry("Guarantee").rstrip("."))]

    def doc_entry(self, what: str) -> str:
        """Return the docstring's entry after ``what:``, on one line; "" if none.

        Parameters
        ----------
        what
            Heading of the entry, such as ``Guarantee`` or ``Source``.

        Examples
        --------
        >>> from closeknit.methods import KSUBSET
        >>> KSUBSET["mm"].doc_entry("Source")
        'Bender et al. 2008, section 2, Theorems 1 and 2.'
        """
        doc = self.__doc__ or ""
        found = re.search(rf"^{what}: (.+?)(?=^\w+: |\n\n|\Z)", doc + "\n", re.M | re.S)
        return " ".join(found.group(1).split()) if found else ""

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (self.__doc__ or "").partition("\n")[0]


def by_alarm(result: Result, alarm: Alarm) -> Result:
    """Return the result; name what stopped it: the alarm, or Ctrl-C.

    A method may go on without what Ctrl-C has ended, and not say so. Raises
    KeyboardInterrupt if Ctrl-C stopped it, within `ending_callers`.
    """
    open_yet = result.status in (Status.FEASIBLE, Status.UNKNOWN)
    if alarm.presses and open_yet:
        result = replace(result, limit=Limit.INTERRUPT)
    if result.limit is not Limit.INTERRUPT:
        return result
    if alarm.rung and not alarm.presses:
        return replace(result, limit=Limit.TIME)
    if ends_callers():
        raise KeyboardInterrupt
    return result


def stopped_result(instance: Instance, limit: Limit, *, start: float) -> Result:
    """Return the result of a method that was stopped before it found a solution."""
    chosen = support_of(instance).any_choice(instance)
    return answer(instance, chosen, start=start, limit=limit)


AnyMethod = Method[Any]
"""A method of any problem, for commands and reports."""


def table(
    problem: str,
    *methods: Method[Inst],
    quick: Collection[str] = (),
    variants: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Mapping[str, Method[Inst]]:
    """Return the methods of a problem by name, in the order given.

    ``quick`` names those that ``compare`` runs if none are named; ``variants`` has, by
    the name of a method, those that differ from it by one choice.
    """
    origin = {one: of for of, several in variants.items() for one in several}
    named = {method.name for method in methods}
    if unknown := {*quick, *variants, *origin} - named:
        raise ValueError(f"{problem} has no methods {sorted(unknown)}")
    return MappingProxyType(
        {
            method.name: replace(
                method,
                problem=problem,
                quick=method.name in quick,
                variant_of=origin.get(method.name, ""),
            )
            for method in methods
        }
    )
