"""Every method for submesh allocation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..instances import Submesh
from .registry import Method, table
from .submesh import placing, reference

SUBMESH: Mapping[str, Method[Submesh]] = table(
    *(
        Method(
            name=name,
            where=f"heuristics.submesh.placing:{function}",
            refuses=partial(placing.refusal, name),
        )
        for name, function in placing.FUNCTIONS.items()
    ),
    Method(
        name="migrate",
        where="heuristics.submesh.migrate:migrate",
        exact=True,
        seeded=True,
    ),
    Method(
        name="migrate-cp-sat",
        where="heuristics.submesh.migrate:migrate_cp_sat",
        exact=True,
        seeded=True,
        runs_solver=True,
    ),
    Method(
        name="cascade",
        where="heuristics.submesh.fits:cascade",
        seeded=True,
        runs_solver=True,
    ),
    Method(
        name="cp-sat",
        where="heuristics.submesh.fits:cp_sat",
        seeded=True,
        runs_solver=True,
    ),
    *(
        Method(
            name=f"mip/{backend}",
            where=f"heuristics.submesh.reference:{backend}",
            refuses=reference.refusal,
            seeded=True,
            runs_solver=True,
        )
        for backend in ("highs", "scip")
    ),
    Method(name="auto", where="heuristics.submesh.auto:auto", exact=True, seeded=True),
)
"""Methods for submesh allocation, by the name used in reports."""
