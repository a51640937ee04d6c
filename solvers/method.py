"""The table by which the command line, reports and tests know every method.

A method takes an instance and `Settings` and returns a `Result`. What it
promises stands in its docstring, in lines that start with ``Guarantee:``,
``Time:``, ``Ties:`` and ``Source:``; the table reads them from there, so there
is one text and not two. Modules are imported when a method is first run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from inspect import getdoc
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, cast

from ..instances import InputError, Instance, KSubset, ProcSet, Submesh
from . import DEFAULT, Limit, Result, Settings, Ties, answer, clock
from .answer import too_much_asked
from .interrupt import alarmed

Kind_contra = TypeVar("Kind_contra", bound=Instance, contravariant=True)
Kind = TypeVar("Kind", bound=Instance)


class RunOn(Protocol[Kind_contra]):
    """Anything that turns an instance into a valid choice."""

    def __call__(
        self, instance: Kind_contra, /, settings: Settings = DEFAULT
    ) -> Result:
        """Choose; the result carries a bound only if one is proved."""
        ...


Run = RunOn[KSubset]
"""The same for the k-subset problem."""

Guarantee = Callable[[Kind], Fraction | None]
"""Proven factor on this instance, or None where nothing is proven for it."""

Refusal = Callable[[Kind], str | None]
"""Why a method does not take this instance, or None if it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(Generic[Kind]):
    """One entry of the table of a problem.

    Parameters
    ----------
    name
        Lower case with hyphens, as ``PAPERS.md`` and the reports write it.
    where
        ``module:function`` below ``closeknit``; imported when first needed.
    exact
        Whether it proves optimality when given time enough.
    guarantee
        Proven approximation factor on an instance; None if there is none.
    refuses
        Says why an instance is not for this method.
    takes_ties
        Whether ``Settings.ties`` other than ``LEX`` is understood.
    seeded
        Whether ``Settings.seed`` matters.
    runs_solver
        Whether it hands a model to a general solver instead of searching itself.
    """

    name: str
    where: str
    exact: bool = False
    guarantee: Guarantee[Kind] | None = None
    refuses: Refusal[Kind] | None = None
    takes_ties: bool = False
    seeded: bool = False
    runs_solver: bool = False

    @property
    def function(self) -> RunOn[Kind]:
        """The function itself."""
        module, _, name = self.where.partition(":")
        package = __name__.partition(".")[0]
        return cast(RunOn[Kind], getattr(import_module(f"{package}.{module}"), name))

    def __call__(self, instance: Kind, /, settings: Settings = DEFAULT) -> Result:
        """Run it; an instance that asks for more than there is, is infeasible.

        Ends within the time limit and max(0.5 s, 5 %) of it: a method that does not
        stop by itself is stopped, see ``solvers.interrupt``. What it holds then comes
        back, else any choice, see `stopped`.

        Raises
        ------
        InputError
            When the method does not take this instance or these settings.
        KeyboardInterrupt
            On Ctrl-C, if the method holds nothing yet; and on a second one.
        """
        if self.refuses and (why := self.refuses(instance)):
            raise InputError(why, field=self.name)
        if settings.ties is not Ties.LEX and not self.takes_ties:
            raise InputError(
                f"{self.name} breaks ties in one way only: lex",
                field="--ties",
                value=settings.ties.value,
            )
        function = self.function  # imported before the clock starts
        start = clock.now()
        if infeasible := too_much_asked(instance, start=start):
            return infeasible
        alarm = result = None
        try:
            with alarmed(settings.time_limit) as alarm:
                result = function(instance, settings)
        except KeyboardInterrupt:  # the alarm may ring on while that is handled
            if alarm is None or alarm.presses or not alarm.rung:
                raise
        if result is None:
            return stopped(instance, Limit.TIME, start=start)
        late = alarm.rung and not alarm.presses
        if late and result.limit is Limit.INTERRUPT:
            return replace(result, limit=Limit.TIME)
        return result

    def says(self, what: str) -> str:
        """Return the docstring's text after ``what:``, on one line; "" if none.

        >>> from closeknit.methods import KSUBSET
        >>> KSUBSET["mm"].says("Source")
        'Bender et al. 2008, section 2, Theorems 1 and 2.'
        """
        doc = getdoc(self.function) or ""
        found = re.search(rf"^{what}: (.+?)(?=^\w+: |\n\n|\Z)", doc + "\n", re.M | re.S)
        return " ".join(found.group(1).split()) if found else ""

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (getdoc(self.function) or "").partition("\n")[0]


def stopped(instance: Instance, limit: Limit, *, start: float) -> Result:
    """Return the answer of a method that was stopped before it had found anything.

    The first processors, or no item at all; for submeshes, where any choice takes a
    search, that nothing is known.
    """
    chosen: Sequence[int] | None = ()
    if isinstance(instance, KSubset):
        chosen = range(instance.k)
    elif isinstance(instance, ProcSet):
        chosen = instance.available[: instance.request]
    elif isinstance(instance, Submesh):
        chosen = None
    return answer(instance, chosen, start=start, limit=limit)


AnyMethod = Method[Any]
"""A method of any problem, for commands and reports."""


def table(*methods: Method[Kind]) -> Mapping[str, Method[Kind]]:
    """Put the methods of a problem into the order in which they are listed."""
    return MappingProxyType({method.name: method for method in methods})
