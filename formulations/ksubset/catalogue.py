"""The formulations by name; importing this module imports no solver library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ...instances import KSubset
from ...solvers.formulation import Formulation
from .strengthening import Strengthening

Builder = Callable[[KSubset, Strengthening], Formulation]
"""Builds the model of an instance."""

_SOURCES = {
    "pairs": "the standard linearization of a product of binaries.",
    "rlt": "Adams and Sherali 1986, reformulation-linearization, first level.",
    "cuts": "derived for closeknit from w(S) = Σ w_h c_h (k - c_h); "
    "docs/science/models.md.",
}


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A named formulation for one kind of solver.

    ``load`` imports ortools or PuLP and returns the functions that build models, by
    name.
    """

    name: str
    load: Callable[[], Mapping[str, Builder]]

    @property
    def source(self) -> str:
        """Publication or derivation of the formulation."""
        return _SOURCES[self.name.partition("-")[0]]

    def build(self, instance: KSubset, strengthening: Strengthening) -> Formulation:
        """Build the model; imports ortools or PuLP."""
        return self.load()[self.name](instance, strengthening)


def _cpsat() -> Mapping[str, Builder]:
    from .cpsat import BUILDERS

    return BUILDERS


def _mip() -> Mapping[str, Builder]:
    from .mip import BUILDERS

    return BUILDERS


def _by_name(*entries: CatalogueEntry) -> Mapping[str, CatalogueEntry]:
    return MappingProxyType({entry.name: entry for entry in entries})


CP = _by_name(
    CatalogueEntry("pairs", _cpsat),
    CatalogueEntry("cuts-unary", _cpsat),
)
"""For CP-SAT."""

MIP = _by_name(
    CatalogueEntry("pairs", _mip),
    CatalogueEntry("rlt", _mip),
    CatalogueEntry("cuts-unary", _mip),
)
"""For mixed-integer solvers, and for LP and MPS files."""
