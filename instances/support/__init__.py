"""What commands, reports and methods need of a problem, beyond what checks do.

Each problem has its entry in a module of its own here, or in the part that adds it.
"""

from __future__ import annotations

from typing import Any

from ...extensions import PROBLEMS, load
from ..escape_hidden import brief
from ..problems import Instance, problem_of
from ..topologies import Topology
from . import ksubset, networks, procset, submesh, sukp
from .own_network import Metric as Metric  # for digests of code, which follow imports
from .record import Support

_CORE = {
    "ksubset": ksubset.SUPPORT,
    "procset": procset.SUPPORT,
    "submesh": submesh.SUPPORT,
    "sukp": sukp.SUPPORT,
}


def support_of(instance: Instance) -> Support:
    """Return what there is for the problem of an instance.

    Raises
    ------
    InputError
        If the argument is not an instance of any problem.
    """
    name = problem_of(instance).name
    return _CORE.get(name) or load(f"{PROBLEMS[name]}:SUPPORT")


def describe(instance: Instance) -> str:
    """Describe an instance in a few words."""
    return support_of(instance).describe(instance)


def shown(one: Instance | Topology) -> str:
    """Return what Python shows for an instance or a network."""
    if isinstance(one, Topology):
        return networks.shown(one)
    return brief(type(one).__name__, describe(one), one.name)


def names_of(instance: Instance, chosen: Any) -> Any:
    """Return what users call a choice: what solution files list, but for nodes."""
    support = support_of(instance)
    return (support.names_of or support.selection_of)(instance, chosen)
