"""The formulations by name, and what runs them; imports no solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from math import prod
from types import MappingProxyType
from typing import Any, cast

from ...instances import InputError, KSubset
from ...solvers.formulation import Formulation
from .strengthening import Strengthening

_SOURCES = {
    "pairs": "the standard linearization of a product of binaries.",
    "rlt": "Adams and Sherali 1986, reformulation-linearization, first level.",
    "cuts": "derived for closeknit from w(S) = Σ w_h c_h (k - c_h); docs/models.md.",
    "margins": "derived for closeknit; flows with integral margins are integral.",
}
_CP, _MIP = "cpsat", "mip"
_MOST_MEDIANS = 10**8
_LARGEST_SUM = 8 * 10**5


@dataclass(frozen=True, slots=True)
class Entry:
    """A named formulation for one kind of solver.

    Parameters
    ----------
    name
        ``pairs``, ``cuts-unary``, …
    module
        Below ``closeknit.formulations``; imported when first built.
    """

    name: str
    module: str

    @property
    def source(self) -> str:
        """Where it comes from."""
        return _SOURCES[self.name.partition("-")[0]]

    def refuses(self, instance: KSubset) -> str | None:
        """Say why it is not for this instance, or None if it is."""
        refuses = _REFUSES.get(self.name)
        return refuses(instance) if refuses else None

    def build(self, instance: KSubset, strengthening: Strengthening) -> Formulation:
        """Build the model; imports ortools or PuLP.

        Raises
        ------
        InputError
            When the model is not for this instance.
        """
        if why := self.refuses(instance):
            raise InputError(why, field=self.name)
        module = import_module(f".{self.module}", __package__)
        builder = getattr(module, self.name.replace("-", "_"))
        return cast(Callable[[Any, Any], Formulation], builder)(instance, strengthening)


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


_REFUSES: Mapping[str, Callable[[KSubset], str | None]] = {
    "margins": _needs_two_axes,
    "cuts-median": _needs_lines,
    "cuts-quadratic": _needs_short_hops,
}

CP = MappingProxyType(
    {name: Entry(name, _CP) for name in ("pairs", "cuts-element", "cuts-unary")}
)
"""For CP-SAT."""

MIP = MappingProxyType(
    {
        name: Entry(name, _MIP)
        for name in ("pairs", "rlt", "cuts-unary", "cuts-convex", "margins")
    }
)
"""For mixed-integer solvers, and for LP and MPS files."""

QUADRATIC = MappingProxyType({"cuts-quadratic": Entry("cuts-quadratic", "quadratic")})
"""For SCIP alone."""

SERIES = MappingProxyType({"cuts-median": Entry("cuts-median", _CP)})
"""For CP-SAT, a model for every median; see exact/ksubset/medians.py, not `build`."""

NOT_EXPORTED = MappingProxyType(
    {
        "cuts-median": "is a series of models, one for each median and each made "
        "when the last is solved: there is no one file of it",
        "cuts-quadratic": "is not linear, which MPS, LP and CP-SAT text as written "
        "here all are: export cuts-unary",
    }
)
"""Why a formulation cannot be written to a file."""
