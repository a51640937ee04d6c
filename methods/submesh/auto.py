"""The default exact route for submesh allocation."""

from __future__ import annotations

from dataclasses import replace

from ...exact.submesh.feasibility import feasibility
from ...exact.submesh.migrate import Migration
from ...exact.submesh.refutation import refute
from ...instances import Submesh
from ...instances.submesh.packing import packing_of
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, Status
from ...solvers.running import clock


def auto(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Find a free box, or prove that there is no room, or move the fewest residents.

    First a free place is searched for; then proofs of infeasibility that are easily
    checked; then sets of residents in order of cost, see migrate. If there are too many
    such sets, half of the remaining time is given to the cascade, which decides whether
    there is room at all; the model of migrate starts from its placement.

    Guarantee: exact.
    Time: exponential at worst, see docs/science/submesh-migration.md.
    Source: Morgenstern 1994, sections 3.1 and 3.3; derived for closeknit.
    """
    start = clock.now()
    search = _Auto(instance, settings)
    try:
        if (done := search.without_moves()) and done.status is Status.OPTIMAL:
            return done
        if (certificate := refute(packing_of(instance))) is not None:
            return Result(
                status=Status.INFEASIBLE,
                proof=Proof(Grade.CHECKED, certificate["kind"]),
                certificate=certificate,
                seconds=clock.now() - start,
                seed=settings.seed,
            )
    except KeyboardInterrupt:
        return search.result_so_far(Limit.INTERRUPT)
    return done or search.run()


class _Auto(Migration):
    """Migration whose model starts from a placement found by the cascade."""

    def beyond_sets(self) -> Result:
        left = self.settings.time_limit - (clock.now() - self.start)
        verdict = feasibility(
            self.instance, replace(self.settings, time_limit=max(left / 2, 0.0))
        )
        if verdict.fits is False:
            assert verdict.proof is not None
            self.proof = verdict.proof
            return replace(self.impossible(), certificate=verdict.certificate)
        if verdict.limit is Limit.INTERRUPT:
            return self.result_so_far(Limit.INTERRUPT)
        self.best = verdict.placement
        return self.by_model()
