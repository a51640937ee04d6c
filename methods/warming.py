"""Compile the kernels of methods before their running times are measured.

A method is run on tiny instances of the kind that it is about to solve: numba compiles
what they need, for their types, and keeps the machine code.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from ..instances import InputError, Instance, problem_of
from ..instances.ksubset import tiny as ksubset
from ..instances.procset import tiny as procset
from ..instances.submesh import tiny as submesh
from ..instances.sukp import tiny as sukp
from ..solvers import Settings
from ..solvers.running.method import AnyMethod
from . import METHODS

_BRIEFLY = Settings(time_limit=1.0, node_limit=500)

Kind = tuple[str, str, int]
"""Problem, structure of the network or of the costs, dimensions or levels."""

_TINY: Mapping[str, Any] = MappingProxyType(
    {"ksubset": ksubset, "procset": procset, "sukp": sukp, "submesh": submesh}
)
"""Modules with tiny instances, by problem; one without kernels needs none."""
KINDS: tuple[Kind, ...] = tuple(
    (name, *kind) for name, module in _TINY.items() for kind in module.KINDS
)
"""The kinds that `closeknit warm` compiles for."""


def kind_of(instance: Instance) -> Kind:
    """Return the kind of an instance: equal kinds need the same machine code."""
    name = problem_of(instance).name
    return name, *(_TINY[name].compiled_for(instance) if name in _TINY else ("", 0))


@cache
def warm(method: AnyMethod, kind: Kind) -> None:
    """Compile what a method needs on instances of a kind, once per process."""
    for one in with_kernels(method, kind[0]):
        for instance in tiny_instances(kind):
            if not one.refusal(instance):
                with suppress(InputError):
                    one(instance, _BRIEFLY)


def with_kernels(method: AnyMethod, problem: str) -> list[AnyMethod]:
    """Return the methods whose kernels a run of this one may need.

    ``auto`` calls the other exact methods of its problem. Methods that pass a model to
    a solver, and those defined outside closeknit, have no kernels.
    """
    own = f"{__name__.partition('.')[0]}."
    chosen = [method]
    if method.name == "auto":
        chosen = [one for one in METHODS[problem].values() if one.exact]
    return [
        one
        for one in chosen
        if not one.runs_solver and one.function.__module__.startswith(own)
    ]


@lru_cache(maxsize=32)
def tiny_instances(kind: Kind) -> tuple[Instance, ...]:
    """Return small instances of a kind, on which searches still have to search."""
    problem, structure, d = kind
    return tuple(_TINY[problem].tiny(structure, d)) if problem in _TINY else ()
