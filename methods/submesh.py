"""Every method for submesh allocation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import Submesh
from ..solvers.method import Method, table
from . import models_submesh as reference
from . import submesh_allocator_as_method as placing

SUBMESH: Mapping[str, Method[Submesh]] = table(
    *(
        Method(
            name=name,
            where=f"methods.submesh_allocator_as_method:{function}",
            refuses=partial(placing.refusal, name),
        )
        for name, function in placing.FUNCTIONS.items()
    ),
    Method(
        name="migrate",
        where="exact.submesh.migrate:migrate",
        exact=True,
        seeded=True,
    ),
    Method(
        name="migrate-cp-sat",
        where="exact.submesh.migrate:migrate_cp_sat",
        exact=True,
        seeded=True,
        runs_solver=True,
    ),
    Method(
        name="cascade",
        where="exact.submesh.feasibility:cascade",
        seeded=True,
        runs_solver=True,
    ),
    Method(
        name="cp-sat",
        where="exact.submesh.feasibility:cp_sat",
        seeded=True,
        runs_solver=True,
    ),
    *(
        Method(
            name=f"mip/{backend}",
            where=f"methods.models_submesh:{backend}",
            refuses=reference.refusal,
            seeded=True,
            runs_solver=True,
        )
        for backend in ("highs", "scip")
    ),
    Method(name="auto", where="methods.auto_submesh:auto", exact=True, seeded=True),
)
"""Methods for submesh allocation, by the name used in reports."""
