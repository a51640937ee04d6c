"""What there is for one problem beyond what checks need: its entry, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..value import Value, cost_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a table states about an instance."""

    structure: str
    """Kind of network, ``sets`` or ``items``."""
    shape: tuple[int, ...]
    """Its sides; numbers of sets and levels; numbers of items and elements."""
    n: int
    k: int
    """How many there are to choose from, how many are wanted (capacity for sukp)."""
    d: int
    """Axes of the network; levels of the cost."""
    locations: int
    """Processors, free or not; elements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What there is for one problem."""

    features: Callable[[Any], Features]
    """Properties for tables."""
    describe: Callable[[Any], str]
    """Short description."""
    document_of: Callable[[Any], dict[str, Any]]
    """Writer of its files."""
    selection_of: Callable[[Any, Any], Any]
    """From a choice to what solution files list."""
    any_choice: Callable[[Any], Collection[int] | None]
    """A valid choice that needs no search, or None."""
    names_of: Callable[[Any, Any], Any] | None = None
    """From a choice to what users call it; None if solution files list that."""
    canonical: Callable[[Iterable[int]], Iterable[int]] = sorted
    """Puts the integers of a choice into canonical order."""
    locate: Callable[[Any, Any], Any] = lambda instance, listed: None
    """Puts locations that a method of a user lists into the form of solution files;
    returns None for anything else."""
    chosen_by_names: Callable[[Any, Any], Iterable[int] | None] = (
        lambda instance, listed: None
    )
    """From such names to a choice; returns None for anything else."""
    choosable: Callable[[Any], int | None] = lambda instance: instance.n
    """Of how many things any part of a choice has a cost; None where only a whole one
    has."""
    required: Callable[[Any], tuple[int, ...]] = lambda instance: ()
    """What every choice must contain, by index; methods state whether they take it."""
    prepay: Callable[[Any], tuple[Any, Any]] | None = None
    """From an instance to one that requires nothing, and how much more its own optimum
    costs. None if there is no such instance."""
    join: Callable[[Any, Any], tuple[int, ...]] = lambda instance, chosen: chosen
    """From a choice for that one to a choice here, which costs so much more at most."""
    write_cost: Callable[[Any, Value], str] = lambda instance, value: cost_text(value)
    """Writes a cost for people."""


class Named(Protocol):
    """An instance of any problem: name and origin."""

    @property
    def name(self) -> str:
        """Unique among the instances of a report."""

    @property
    def source(self) -> str:
        """Description of its origin; may be empty."""

    @property
    def seed(self) -> int | None:
        """Seed of its generator; None if it was not generated."""


def document(form: str, named: Named, definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of a file; source and seed are omitted if there are none."""
    return {
        "format": form,
        "version": 1,
        "name": named.name,
        **definition,
        **({"source": named.source} if named.source else {}),
        **({} if named.seed is None else {"seed": named.seed}),
    }


def fill_up(
    required: Collection[int], others: Iterable[int], most: int
) -> tuple[int, ...]:
    """Return those required and the first of the others, in all at most so many.

    >>> fill_up((4,), range(9), 3)
    (0, 1, 4)
    """
    chosen = dict.fromkeys(required)
    for one in others:
        if len(chosen) >= most:
            break
        chosen.setdefault(one)
    return tuple(sorted(chosen))
