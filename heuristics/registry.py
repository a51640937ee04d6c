"""The table by which the command line, reports and tests know every method.

A method takes an instance and `Settings` and returns a `Result`. What it
promises stands in its docstring, in lines that start with ``Guarantee:``,
``Time:``, ``Ties:`` and ``Source:``; the table reads them from there, so there
is one text and not two. Modules are imported when a method is first run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from inspect import getdoc
from types import MappingProxyType
from typing import Protocol, cast

from ..instances import InputError, KSubset
from ..solvers import DEFAULT, Result, Settings, Ties
from . import guarantees, models, one_axis


class Run(Protocol):
    """Anything that turns an instance into a valid choice."""

    def __call__(self, instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        """Choose; the result carries a bound only if one is proved."""
        ...


Guarantee = Callable[[KSubset], Fraction | None]
"""Proven factor on this instance, or None where nothing is proven for it."""

Refusal = Callable[[KSubset], str | None]
"""Why a method does not take this instance, or None if it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One entry of the table.

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
    """

    name: str
    where: str
    exact: bool = False
    guarantee: Guarantee | None = None
    refuses: Refusal | None = None
    takes_ties: bool = False
    seeded: bool = False

    @property
    def runs_solver(self) -> bool:
        """Whether it hands a model to a general solver instead of searching itself."""
        return self.name in models.NAMES

    @property
    def function(self) -> Run:
        """The function itself."""
        module, _, name = self.where.partition(":")
        package = __name__.partition(".")[0]
        return cast(Run, getattr(import_module(f"{package}.{module}"), name))

    def __call__(self, instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        """Run it.

        Raises
        ------
        InputError
            When the method does not take this instance or these settings.
        """
        if self.refuses and (why := self.refuses(instance)):
            raise InputError(why, field=self.name)
        if settings.ties is not Ties.LEX and not self.takes_ties:
            raise InputError(
                f"{self.name} breaks ties in one way only: lex",
                field="--ties",
                value=settings.ties.value,
            )
        return self.function(instance, settings)

    def says(self, what: str) -> str:
        """Return the docstring's text after ``what:``, on one line; "" if none.

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


def _table(*methods: Method) -> Mapping[str, Method]:
    return MappingProxyType({method.name: method for method in methods})


def _needs_coordinates(instance: KSubset) -> str | None:
    if instance.topology.kind == "tree":
        return "needs coordinates; a tree has none"
    return None


def _needs_a_tree(instance: KSubset) -> str | None:
    if instance.topology.kind != "tree":
        return "needs a tree"
    return None


def _needs_a_plane(instance: KSubset) -> str | None:
    if instance.topology.kind != "mesh" or instance.topology.dimension != 2:
        return "needs a two-dimensional mesh"
    return None


KSUBSET: Mapping[str, Method] = _table(
    Method(
        name="mm",
        where="heuristics.mm:mm",
        guarantee=guarantees.manhattan_median,
        takes_ties=True,
    ),
    Method(name="mm-free", where="heuristics.mm:mm_free", guarantee=guarantees.star),
    Method(
        name="mm-all",
        where="heuristics.mm:mm_all",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc",
        where="heuristics.mm_inc:mm_inc",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mm-inc-first",
        where="heuristics.mm_inc:mm_inc_first",
        guarantee=guarantees.manhattan_median,
    ),
    Method(
        name="mc1x1",
        where="heuristics.mc1x1:mc1x1",
        guarantee=guarantees.shells,
        refuses=_needs_coordinates,
    ),
    Method(name="random", where="heuristics.baselines:random_choice", seeded=True),
    Method(name="row-major", where="heuristics.baselines:row_major"),
    Method(name="bruteforce", where="heuristics.bruteforce:bruteforce", exact=True),
    Method(name="cuts-bb", where="heuristics.cuts_bb:cuts_bb", exact=True),
    Method(
        name="tree-dp",
        where="heuristics.tree_dp:tree_dp",
        exact=True,
        refuses=_needs_a_tree,
    ),
    Method(
        name="ring-dp",
        where="heuristics.ring_dp:ring_dp",
        exact=True,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="ring-window",
        where="heuristics.ring_window:ring_window",
        guarantee=guarantees.star,
        refuses=one_axis.refuse_ring,
    ),
    Method(
        name="line-window",
        where="heuristics.line:line_window",
        exact=True,
        refuses=one_axis.refuse_line,
    ),
    Method(
        name="levelset-bb",
        where="heuristics.levelset_bb:levelset_bb",
        exact=True,
        refuses=_needs_a_plane,
    ),
    *(
        Method(
            name=name,
            where=f"heuristics.models:{name}",
            exact=True,
            refuses=partial(models.refusal, name),
            seeded=True,
        )
        for name in models.NAMES
    ),
    Method(name="auto", where="heuristics.auto:auto", exact=True),
)
"""Methods for the k-subset problem, by the name used in reports."""
