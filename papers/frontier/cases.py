"""The instances of the frontier: by family, the default ones and the large ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...instances import Instance, Submesh
from ...instances.ksubset.generators import (
    clustered_points,
    mesh,
    random_occupancy,
    tree,
    uniform_points,
)
from ...instances.procset.generators import random_domains, random_sets, torus_planes
from ...instances.submesh.generators import waiting_state
from ...instances.sukp.generators import random_sukp

HALF = Fraction(1, 2)
MESHES, CUBES, TORI = "meshes", "meshes of three dimensions", "tori"
POINTS, TREES, SETS = "points", "trees", "processor sets"
SACKS, STATES, TORUS_STATES = "knapsacks", "fewest moves", "fewest moves on tori"


@dataclass(frozen=True, slots=True)
class FrontierCase:
    """An instance of the library, and whether it is only for ``--full``."""

    family: str
    instance: Instance
    large: bool = False


def cases(full: bool) -> list[FrontierCase]:
    """Return the cases, of different names; the large ones only if ``full``."""
    return [one for one in (*_ksubsets(), *_others()) if full or not one.large]


_NETWORKS: tuple[tuple[str, str, tuple[int, ...], int, bool], ...] = (
    (MESHES, "mesh", (8, 8), 16, False),
    (MESHES, "mesh", (16, 16), 32, False),
    (MESHES, "mesh", (16, 16), 64, False),
    (MESHES, "mesh", (32, 32), 16, False),
    (MESHES, "mesh", (32, 32), 64, True),
    (MESHES, "mesh", (64, 64), 64, True),
    (MESHES, "mesh", (64, 64), 512, True),
    (CUBES, "mesh", (4, 4, 4), 12, False),
    (CUBES, "mesh", (6, 6, 6), 16, False),
    (CUBES, "mesh", (8, 8, 8), 16, True),
    (CUBES, "mesh", (8, 8, 8), 64, True),
    (TORI, "torus", (8, 8), 12, False),
    (TORI, "torus", (9, 9), 12, False),
    (TORI, "torus", (16, 16), 32, True),
    (TORI, "torus", (8, 8, 8), 32, True),
)
"""Half full: family, kind, sides, k, and whether it is large."""


def _ksubsets() -> Iterator[FrontierCase]:
    for family, kind, shape, k, large in _NETWORKS:
        yield FrontierCase(
            family, random_occupancy(shape, k, HALF, 1, kind=kind), large
        )
    yield FrontierCase(MESHES, mesh(16, 16, k=30))
    yield FrontierCase(POINTS, uniform_points(60, 2, 12, 1))
    yield FrontierCase(POINTS, clustered_points(80, 2, 12, 1))
    yield FrontierCase(POINTS, uniform_points(500, 2, 25, 1), True)
    yield FrontierCase(TREES, tree(4, 4, 4, k=24))
    yield FrontierCase(TREES, random_occupancy((4, 4, 4), 10, HALF, 1, kind="tree"))


def _others() -> Iterator[FrontierCase]:
    yield FrontierCase(SETS, torus_planes((5, 5, 5), 12, free=Fraction(3, 5), seed=1))
    yield FrontierCase(SETS, random_domains(64, 3, 8, 12, free=Fraction(3, 4), seed=2))
    yield FrontierCase(
        SETS, random_sets(24, 14, 4, 9, levels=2, free=Fraction(3, 4), seed=2)
    )
    yield FrontierCase(SETS, random_sets(40, 30, 6, 16, levels=3, seed=1))
    yield FrontierCase(SETS, torus_planes((8, 8, 8), 24, free=HALF, seed=1), True)
    for size, large in ((20, False), (30, False), (60, True)):
        density, room = Fraction(1, 10), Fraction(3, 4)
        yield FrontierCase(SACKS, random_sukp(size, size, density, room, 1), large)
    yield FrontierCase(
        SACKS, random_sukp(40, 40, Fraction(15, 100), Fraction(17, 20), 1), True
    )
    for seed in (1, 2, 3):
        yield FrontierCase(
            STATES, _state_with_moves(waiting_state, (12, 12), 2, 6, seed)
        )
    yield FrontierCase(STATES, _state_with_moves(waiting_state, (16, 16), 1, 8, 3))
    yield FrontierCase(
        STATES, _state_with_moves(waiting_state, (32, 32), 4, 12, 2), True
    )
    yield FrontierCase(
        TORUS_STATES, _state_with_moves(waiting_state, (8, 8), 1, 4, 1, torus=True)
    )


def _state_with_moves(make: Callable[..., Submesh], *how: Any, **more: Any) -> Submesh:
    """Return a drawn state in which residents may be moved."""
    return replace(make(*how, **more), migrate=True)
