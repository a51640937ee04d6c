"""The formulations by name; importing this module imports no solver library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from ...instances import InputError, KSubset, arrays
from ...solvers.formulation import Formulation
from .strengthening import Strengthening

Builder = Callable[[KSubset, Strengthening], Formulation]
"""Builds the model of an instance."""

_SOURCES = {
    "pairs": "the standard linearization of a product of binaries.",
    "rlt": "Adams and Sherali 1986, reformulation-linearization, first level.",
    "cuts": "derived for closeknit from w(S) = Σ w_h c_h (k - c_h); "
    "docs/science/models.md.",
    "margins": "derived for closeknit; flows with integral margins are integral.",
}
_MOST_MEDIANS = 10**8
_LARGEST_SUM = 8 * 10**5


def _accepts_all(instance: KSubset) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """A named formulation for one kind of solver.

    ``load`` imports ortools or PuLP and returns the functions that build models, by
    name; ``refuses`` returns why an instance is not supported, or None if it is.
    """

    name: str
    load: Callable[[], Mapping[str, Builder]]
    refuses: Callable[[KSubset], str | None] = _accepts_all

    @property
    def source(self) -> str:
        """Publication or derivation of the formulation."""
        return _SOURCES[self.name.partition("-")[0]]

    def build(self, instance: KSubset, strengthening: Strengthening) -> Formulation:
        """Build the model; imports ortools or PuLP.

        Raises
        ------
        InputError
            If the formulation does not support the instance.
        """
        if why := self.refuses(instance):
            raise InputError(why, field=self.name)
        return self.load()[self.name](instance, strengthening)


def _needs_two_axes(instance: KSubset) -> str | None:
    topology = instance.topology
    if topology.ring_lengths is None or topology.dimension > 2:
        return "needs a mesh, torus or points of at most two axes"
    return None


def _needs_lines(instance: KSubset) -> str | None:
    if not instance.topology.is_flat:
        return "needs a mesh or points: rings, trees and graphs have no median lines"
    places = arrays.cuts(instance).position.max(axis=0) + 1
    if instance.n * prod(map(int, places)) > _MOST_MEDIANS:
        return "has too many median positions (times processors more than 10^8)"
    return None


def _needs_short_hops(instance: KSubset) -> str | None:
    k, cuts = instance.k, arrays.cuts(instance)
    if int(cuts.weights.sum()) * (k + 2) ** 2 >= 4 * _LARGEST_SUM * cuts.denominator:
        return (
            "could cost more than 800000, where the tolerances of SCIP could hide a hop"
        )
    return None


def _cpsat() -> Mapping[str, Builder]:
    from .cpsat import BUILDERS

    return BUILDERS


def _mip() -> Mapping[str, Builder]:
    from .mip import BUILDERS

    return BUILDERS


def _quadratic() -> Mapping[str, Builder]:
    from .quadratic import cuts_quadratic

    return {"cuts-quadratic": cuts_quadratic}


def _series() -> Mapping[str, Builder]:
    raise InputError(NOT_EXPORTED["cuts-median"], field="cuts-median")


def _by_name(*entries: Entry) -> Mapping[str, Entry]:
    return MappingProxyType({entry.name: entry for entry in entries})


CP = _by_name(
    Entry("pairs", _cpsat),
    Entry("cuts-element", _cpsat),
    Entry("cuts-unary", _cpsat),
)
"""For CP-SAT."""

MIP = _by_name(
    Entry("pairs", _mip),
    Entry("rlt", _mip),
    Entry("cuts-unary", _mip),
    Entry("cuts-convex", _mip),
    Entry("margins", _mip, _needs_two_axes),
)
"""For mixed-integer solvers, and for LP and MPS files."""

QUADRATIC = _by_name(Entry("cuts-quadratic", _quadratic, _needs_short_hops))
"""For SCIP only."""

SERIES = _by_name(Entry("cuts-median", _series, _needs_lines))
"""For CP-SAT, one model per median; see exact/ksubset/medians.py, not `build`."""

NOT_EXPORTED = MappingProxyType(
    {
        "cuts-median": "is a series of models, one per median, each built when the "
        "previous one is solved: no single file holds it",
        "cuts-quadratic": "is not linear, as MPS, LP and CP-SAT text files written "
        "here must be: export cuts-unary",
    }
)
"""Why a formulation cannot be written to a file."""
