"""Algorithms, exact and not, and the tables by which everything knows them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..solvers.method import AnyMethod as AnyMethod
from ..solvers.method import Method as Method
from .ksubset import KSUBSET as KSUBSET
from .procset import PROCSET as PROCSET
from .submesh import SUBMESH as SUBMESH
from .sukp import SUKP as SUKP

METHODS: Mapping[str, Mapping[str, AnyMethod]] = MappingProxyType(
    {"ksubset": KSUBSET, "procset": PROCSET, "sukp": SUKP, "submesh": SUBMESH}
)
"""The methods of every problem, by its name."""
