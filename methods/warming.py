"""Compile the kernels of methods before their time is taken.

A method is run on tiny instances of the kind that it is about to get: numba compiles
what they need, for the types that they have, and keeps the machine code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache

from ..instances import (
    Graph,
    InputError,
    Instance,
    KSubset,
    Mesh,
    Points,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    Torus,
    Tree,
    problem_of,
)
from ..instances.submesh import Resident
from ..solvers import Settings
from ..solvers.method import AnyMethod
from . import METHODS

_BRIEFLY = Settings(time_limit=1.0, node_limit=500)

Kind = tuple[str, str, int]
"""Problem, structure of the network or of the costs, dimensions or levels."""

KINDS: tuple[Kind, ...] = (
    ("ksubset", "mesh", 2),
    ("ksubset", "torus", 2),
    ("ksubset", "tree", 1),
    ("ksubset", "mesh", 1),
    ("ksubset", "torus", 1),
    ("ksubset", "points", 2),
    ("ksubset", "mesh", 3),
    ("ksubset", "graph", 1),
    ("procset", "sets", 1),
    ("procset", "sets", 5),
    ("sukp", "items", 1),
    ("submesh", "mesh", 2),
    ("submesh", "torus", 2),
)
"""The kinds that `closeknit warm` compiles for."""


def kind_of(instance: Instance) -> Kind:
    """Return the kind of an instance: equal kinds need the same machine code."""
    features = problem_of(instance).features(instance)
    levels = min(features.d, 5) if isinstance(instance, ProcSet) else features.d
    return problem_of(instance).name, features.structure, levels


@cache
def warm(method: AnyMethod, kind: Kind) -> None:
    """Compile what a method needs on instances of a kind; only the first call works.

    Parameters
    ----------
    method
        An entry of a table of methods.
    kind
        See `kind_of`.
    """
    for one in with_kernels(method, kind[0]):
        for instance in tiny_instances(kind):
            if not (one.refuses and one.refuses(instance)):
                with suppress(InputError):
                    one(instance, _BRIEFLY)


def with_kernels(method: AnyMethod, problem: str) -> list[AnyMethod]:
    """Return the methods whose kernels a run of this one may need.

    ``auto`` hands over to the other exact methods of its problem. Methods that hand a
    model to a solver, and those of others, have no kernels of ours.
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
    if problem == "procset":
        return tuple(_procsets(d))
    if problem == "sukp":
        items = tuple(tuple({i, (i * i + 1) % 7, (3 * i + 2) % 7}) for i in range(6))
        return (
            Sukp(
                name="tiny",
                profits=tuple(3 + i for i in range(6)),
                weights=tuple(2 + i % 3 for i in range(7)),
                items=items,
                capacity=11,
            ),
        )
    if problem == "submesh":
        mesh = (8,) * d
        low, high = (0,) * d + (2,) * d, (5,) * d + (6,) * d
        middle = (3,) + (0,) * (d - 1) + (4,) + (3,) * (d - 1)
        return tuple(
            Submesh(
                name="tiny",
                shape=mesh,
                residents=(Resident(low), Resident(middle), Resident(high)),
                request=request,
                torus=structure == "torus",
                migrate=migrate,
                rotate=migrate,
            )
            for request in ((2,) * d, (5,) + (4,) * (d - 1))
            for migrate in (False, True)
        )
    return tuple(_ksubsets(structure, d))


def _ksubsets(structure: str, d: int) -> Iterator[KSubset]:
    if structure == "tree":
        parent = (-1, 0, 0, 0, *(1 + i % 3 for i in range(9)))
        tree = Tree(parent, (0,) + (1,) * 12, tuple(range(4, 13)))
        yield KSubset("tiny", tree, tuple((p,) for p in range(4, 13)), 4)
    elif structure == "graph":
        # a ring of 9 with a chord has no cuts, a cube has cuts and a star is a tree
        ring = ((0, 4, 1), *((v, (v + 1) % 9, 1) for v in range(9)))
        cube = ((u, u | b, 1) for u in range(8) for b in (1, 2, 4) if not u & b)
        star = ((0, v, v) for v in range(1, 9))
        for nodes, edges in (9, ring), (8, tuple(cube)), (9, tuple(star)):
            graph = Graph(nodes, tuple(edges), tuple(range(nodes)))
            yield KSubset("tiny", graph, tuple(graph.locations()), 4)
    elif structure == "points":
        places = sorted(
            tuple((i * (j + 3) + i * i) % 17 for j in range(d)) for i in range(9)
        )
        points = Points(tuple(places))
        yield KSubset("tiny", points, points.coordinates, 4)
    else:
        side = {1: 15, 2: 5}.get(d, 3)
        for shape in ((side,) * d, (side + 1,) * d):
            topology = (Torus if structure == "torus" else Mesh)(shape)
            places = list(topology.locations())
            free = tuple(p for i, p in enumerate(places) if i * i % 7 != 1)
            yield KSubset("tiny", topology, free, 5)


def _procsets(levels: int) -> Iterator[ProcSet]:
    """Nested sets, crossing sets, and sets with costs too large for one word."""
    names = tuple("abcdefghijkl")
    for crossing, dear in ((False, 1), (True, 1), (True, 10**8)):
        sets = [
            ProcessorSet(
                f"s{size}.{first}",
                tuple((first + i) % 12 for i in range(size)),
                tuple((first + size + level) % 5 * dear for level in range(levels)),
            )
            for size, step in ((2, 2), (4, 4), (6, 5 if crossing else 6))
            for first in range(0, 12, step)
        ]
        yield ProcSet("tiny", names, tuple(range(12)), 7, tuple(sets))
