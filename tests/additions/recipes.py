"""How the bundled instances were made."""

from __future__ import annotations

from fractions import Fraction

from closeknit.instances import Instance, KSubset, Mesh, mesh
from closeknit.instances.ksubset.generators import (
    clustered_points,
    random_occupancy,
    tree,
    uniform_points,
)
from closeknit.instances.ksubset.worst_cases import mm_distinct, theorem1
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.instances.submesh.generators import waiting_state
from closeknit.instances.sukp.generators import random_sukp
from closeknit.simulation.fragmentation import fragment

HALF = Fraction(1, 2)
MACHE = ("##....##", "##....##", ".#.####.", ".#.####.")
"""Rows of the mesh, the I/O nodes on the left; a dot is an idle processor."""


def mache_example() -> KSubset:
    """Return the state on which Mache et al. 1999 compare strategies.

    The paper shows it in Figs. 3, 4, 7 and 8, but prints only numbers. These hold for
    this state, a job of 8 on a mesh of 4 rows and 8 columns, and for four others; see
    ``test_mache_example.py``.
    """
    free = tuple(
        (row, column)
        for row, cells in enumerate(MACHE)
        for column, cell in enumerate(cells)
        if cell == "."
    )
    return KSubset(
        "4x8-mache-k8",
        Mesh((4, 8)),
        free,
        8,
        source="Mache et al. 1999, section 3: state rebuilt from the printed numbers",
    )


def recipes() -> list[Instance]:
    """Make all of them anew."""
    return [
        mesh(6, 6, k=9),
        mesh(8, 8, k=12),
        random_occupancy((8, 8), 10, HALF, seed=1),
        random_occupancy((12, 12), 12, Fraction(2, 5), seed=2),
        random_occupancy((16, 16), 16, HALF, seed=7),
        random_occupancy((16, 16), 32, HALF, seed=7),
        random_occupancy((64,), 12, HALF, seed=3),
        random_occupancy((6, 6, 6), 16, HALF, seed=5),
        random_occupancy((8, 8), 16, Fraction(3, 4), seed=5, kind="torus"),
        random_occupancy((9, 9), 12, Fraction(3, 4), seed=5, kind="torus"),
        random_occupancy((4, 4, 4), 10, HALF, seed=6, kind="tree"),
        tree(3, 3, 3, k=7),
        fragment((12, 12), 16, 8, utilisation=Fraction(4, 5), mean_size=5),
        fragment((16, 16), 12, 9, mean_size=12),
        fragment((16, 16), 24, 9, utilisation=Fraction(17, 20), mean_size=6),
        uniform_points(40, 2, 8, seed=10),
        clustered_points(40, 2, 8, seed=11),
        theorem1(2, 8, Fraction(1, 132)).instance,
        mm_distinct(20).instance,
        random_sets(18, 12, 5, 8, levels=3, seed=1),
        random_sets(24, 14, 4, 9, levels=2, free=Fraction(3, 4), seed=2),
        drakenberg_system(48, free=Fraction(2, 5), seed=7),
        drakenberg_system(
            20,
            granularity="core",
            free=Fraction(1, 10),
            partly=Fraction(1, 4),
            seed=4,
            racks=3,
        ),
        torus_planes((5, 5, 5), 12, free=Fraction(3, 5), seed=1),
        random_domains(64, 3, 8, 12, free=48, seed=2),
        random_sukp(18, 16, Fraction(3, 20), HALF, seed=1),
        random_sukp(20, 20, Fraction(1, 10), Fraction(3, 4), seed=2),
        waiting_state((16, 16), 1, 8, seed=3),
        waiting_state((16, 16), 1, 8, seed=1, torus=True),
        waiting_state((32, 32), 1, 12, seed=2),
        mache_example(),
    ]
