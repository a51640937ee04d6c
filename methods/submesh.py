"""The table of methods for submesh allocation."""

from __future__ import annotations

from ..exact.submesh import feasibility, migrate
from ..solvers.method import Method, table
from . import auto_submesh, models_exact, models_submesh, submesh_allocator_as_method

TABLE = table(
    "submesh",
    *submesh_allocator_as_method.methods(),
    Method("migrate", migrate.migrate, exact=True, seeded=True),
    Method(
        "moves/cpsat",
        migrate.migrate_cp_sat,
        exact=True,
        seeded=True,
        runs_solver=True,
    ),
    Method("cascade", feasibility.cascade, seeded=True, runs_solver=True),
    Method("no-overlap/cpsat", feasibility.cp_sat, seeded=True, runs_solver=True),
    *models_submesh.methods(),
    models_exact.method(),
    Method("auto", auto_submesh.auto, exact=True, seeded=True),
    quick=("fs-1", "mbv", "iss", "4iss", "bitmap", "snug"),
)
"""Methods for submesh allocation, by the name used in reports."""
