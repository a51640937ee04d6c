"""Compile the kernels of the choice of nodes before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..topologies import parse_cluster
from .request import Objective, Request
from .selection import NodeSelector

_TINY = (
    "SwitchName=a Nodes=a[1-3]\nSwitchName=b Nodes=b[1-3]\nSwitchName=t Switches=a,b"
)


def _selection() -> None:
    """Choose nodes of a tiny cluster, so that numba compiles what that needs."""
    selector = NodeSelector(parse_cluster(_TINY))
    selector.select(Request(4, Objective.SWITCHES), selector.free())


CLUSTER_KERNELS: Mapping[str, Callable[[], None]] = MappingProxyType(
    {"selection": _selection}
)
"""Functions that compile the kernels of the choice of nodes."""
