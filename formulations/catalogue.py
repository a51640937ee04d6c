"""The formulations by name, and what runs them; imports no solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, cast

from ..instances import KSubset
from ..solvers.formulation import Formulation
from .aids import Aids

_SOURCES = {
    "pairs": "the standard linearization of a product of binaries.",
    "rlt": "Adams and Sherali 1986, reformulation-linearization, first level.",
    "cuts": "derived for closeknit from w(S) = Σ w_h c_h (k - c_h); docs/models.md.",
}
_CP, _MIP = "ksubset_cpsat", "ksubset_mip"


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

    @property
    def takes_pairs(self) -> bool:
        """Whether it has a variable for every pair of processors."""
        return self.name in ("pairs", "rlt")

    def build(self, instance: KSubset, aids: Aids) -> Formulation:
        """Build the model; imports ortools or PuLP."""
        module = import_module(f".{self.module}", __package__)
        builder = getattr(module, self.name.replace("-", "_"))
        return cast(Callable[[Any, Any], Formulation], builder)(instance, aids)


CP = MappingProxyType(
    {name: Entry(name, _CP) for name in ("pairs", "cuts-element", "cuts-unary")}
)
"""For CP-SAT."""

MIP = MappingProxyType(
    {name: Entry(name, _MIP) for name in ("pairs", "rlt", "cuts-unary", "cuts-convex")}
)
"""For mixed-integer solvers, and for LP and MPS files."""
