"""The formulations by name; importing this module imports no solver library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from ...instances import InputError, KSubset
from ...solvers.formulation import Formulation
from .strengthening import Strengthening

Builder = Callable[[KSubset, Strengthening], Formulation]
"""Builds the model of an instance."""

_SOURCES = {
    "pairs": "the standard linearization of a product of binaries.",
    "rlt": "Adams and Sherali 1986, reformulation-linearization, first level.",
    "cuts": "derived for closeknit from w(S) = Σ w_h c_h (k - c_h); docs/models.md.",
    "margins": "derived for closeknit; flows with integral margins are integral.",
}
_MOST_MEDIANS = 10**8
_LARGEST_SUM = 8 * 10**5


def _accepts_all(instance: KSubset) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """A named formulation for one kind of solver.

    Parameters
    ----------
    name
        ``pairs``, ``cuts-unary``, …
    load
        Returns the function that builds the model; imports ortools or PuLP.
    refuses
        Returns why the formulation does not support an instance, or None if it does.
    """

    name: str
    load: Callable[[], Builder]
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
        return self.load()(instance, strengthening)


def _needs_two_axes(instance: KSubset) -> str | None:
    if instance.topology.kind in ("tree", "graph") or instance.topology.dimension > 2:
        return "needs a mesh, torus or points of at most two axes"
    return None


def _needs_lines(instance: KSubset) -> str | None:
    if instance.topology.kind not in ("mesh", "points"):
        return "needs a mesh or points: rings, trees and graphs have no median lines"
    places = instance.cuts.position.max(axis=0) + 1
    if instance.n * prod(map(int, places)) > _MOST_MEDIANS:
        return "has too many median positions (times processors more than 10^8)"
    return None


def _needs_short_hops(instance: KSubset) -> str | None:
    k, cuts = instance.k, instance.cuts
    if int(cuts.weights.sum()) * (k + 2) ** 2 >= 4 * _LARGEST_SUM * cuts.denominator:
        return (
            "could cost more than 800000, where the tolerances of SCIP could hide a hop"
        )
    return None


def _cp_pairs() -> Builder:
    from .cpsat import pairs

    return pairs


def _cp_element() -> Builder:
    from .cpsat import cuts_element

    return cuts_element


def _cp_unary() -> Builder:
    from .cpsat import cuts_unary

    return cuts_unary


def _mip_pairs() -> Builder:
    from .mip import pairs

    return pairs


def _mip_rlt() -> Builder:
    from .mip import rlt

    return rlt


def _mip_unary() -> Builder:
    from .mip import cuts_unary

    return cuts_unary


def _mip_convex() -> Builder:
    from .mip import cuts_convex

    return cuts_convex


def _mip_margins() -> Builder:
    from .mip import margins

    return margins


def _quadratic() -> Builder:
    from .quadratic import cuts_quadratic

    return cuts_quadratic


def _series() -> Builder:
    raise InputError(NOT_EXPORTED["cuts-median"], field="cuts-median")


def _by_name(*entries: Entry) -> Mapping[str, Entry]:
    return MappingProxyType({entry.name: entry for entry in entries})


CP = _by_name(
    Entry("pairs", _cp_pairs),
    Entry("cuts-element", _cp_element),
    Entry("cuts-unary", _cp_unary),
)
"""For CP-SAT."""

MIP = _by_name(
    Entry("pairs", _mip_pairs),
    Entry("rlt", _mip_rlt),
    Entry("cuts-unary", _mip_unary),
    Entry("cuts-convex", _mip_convex),
    Entry("margins", _mip_margins, _needs_two_axes),
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
