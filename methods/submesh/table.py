"""The table of methods for submesh allocation."""

from __future__ import annotations

from ...exact.submesh import feasibility, migrate
from ...solvers.running.method import Method, table
from .. import models_exact
from ..allocators import submesh_as_method as submesh_allocator_as_method
from . import auto as auto_submesh

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
    models_exact.method(),
    Method("auto", auto_submesh.auto, exact=True, seeded=True),
    quick=("fs-1", "mbv", "iss", "4iss", "bitmap", "snug"),
)
"""Methods for submesh allocation, by the name used in reports."""
