"""Algorithms, exact and not, and the tables by which everything knows them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .ksubset_methods import KSUBSET as KSUBSET
from .procset_methods import PROCSET as PROCSET
from .registry import AnyMethod as AnyMethod
from .registry import Method as Method
from .submesh_methods import SUBMESH as SUBMESH
from .sukp_methods import SUKP as SUKP

METHODS: Mapping[str, Mapping[str, AnyMethod]] = MappingProxyType(
    {"ksubset": KSUBSET, "procset": PROCSET, "sukp": SUKP, "submesh": SUBMESH}
)
"""The methods of every problem, by its name."""
