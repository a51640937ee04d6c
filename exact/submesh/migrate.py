"""Make room for a request by moving residents: few, small, and over short distances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...instances import Submesh, cost
from ...instances.submesh import Placement, placement_of
from ...instances.value import as_tuple
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, Status, answer
from ...solvers.running import clock
from .plan import in_order
from .subsets import Subsets

_PROOF = Proof(Grade.ENUMERATED, "migrate")
MOST_SETS = 2000
"""Sets of residents examined, of all sizes, before the solver takes over."""


def migrate(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Minimise the residents moved, then their area, then their displacement.

    Sets of residents are tried in order, fewest and then smallest first, until one
    can be placed together with the request among the residents that stay. Over all
    feasible sets of that number and area, CP-SAT minimises displacement. With too many
    sets or places, one CP-SAT model has all three levels. The moves are put into an
    order in which they can be made, if a search finds one.

    Guarantee: exact.
    Time: exponential at worst, see docs/science/submesh-migration.md.
    Source: Morgenstern 1994, section 3.3, whose migration this makes exact.
    """
    return Migration(instance, settings).run()


def migrate_cp_sat(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Minimise residents moved, area and displacement by one CP-SAT model.

    Levels are minimised one by one. A free place costs nothing and needs no model.
    Stopped early, the bound consists of the optima of the levels already solved.

    Guarantee: exact.
    Time: exponential at worst, see docs/science/submesh-migration.md.
    Source: the constraint of Beldiceanu and Carlsson 2001, as CP-SAT has it.
    """
    search = Migration(instance, settings)
    try:
        return search.without_moves() or search.by_model()
    except KeyboardInterrupt:
        return search.result_so_far(Limit.INTERRUPT)


@dataclass
class Migration:
    """One search for the cheapest migration, with its incumbent and bound.

    Parameters
    ----------
    most
        Limit on the residents moved; the search ends when more are proved necessary.
        None: any number.

    Attributes
    ----------
    best
        The best placement so far.
    bound
        The proved lower bound; see ``proof`` for its origin.
    looked
        Number of sets examined.
    """

    instance: Submesh
    settings: Settings
    best: Placement | None = None
    bound: tuple[int, int, int] = (0, 0, 0)
    proof: Proof = _PROOF
    looked: int = 0
    most: int | None = None
    start: float = field(default_factory=clock.now)

    def run(self) -> Result:
        """Try sets of residents, then solve the rest by the model."""
        try:
            if (done := self.without_moves()) is not None:
                return done
            size = self.subsets.fewest
            assert size is not None
            while size <= len(self.subsets.movable):
                self.bound = (size, 0, 0)
                if self.most is not None and size > self.most:
                    return self.result_so_far(Limit.NODES)
                listed = self.subsets.list_sets(size)
                if listed is None or self.looked + len(listed) > MOST_SETS:
                    return self.beyond_sets()
                if (done := self._of_size(listed)) is not None:
                    return done
                size += 1
        except KeyboardInterrupt:
            return self.result_so_far(Limit.INTERRUPT)
        return self.impossible()

    def without_moves(self) -> Result | None:
        """Return a result if a box is free, or if immovable residents exclude all."""
        self.subsets = Subsets(self.instance)
        if self.subsets.fewest is None:
            return self.impossible()
        if self.subsets.fewest == 0:
            self.best = self.subsets.fit(()).placement
            return self.result_so_far()
        return None

    def _of_size(self, listed: list[tuple[int, ...]]) -> Result | None:
        """Try sets of one size; return a result if one is feasible or time is up."""
        least: int | None = None
        for moved in listed:
            area = self.subsets.area(moved)
            if least is not None and area > least:
                break
            if least is None:
                self.bound = (len(moved), area, 0)
            if self._out_of_time():
                return self.result_so_far(Limit.TIME)
            if self.looked == self.settings.node_limit:
                return self.result_so_far(Limit.NODES)
            self.looked += 1
            found = self.subsets.fit(moved, self._out_of_time)
            if found.fits is False:
                continue
            if found.fits is None:
                if self._out_of_time():
                    return self.result_so_far(Limit.TIME)
                return self.beyond_sets()
            self._offer(found.placement)
            least = area
            result = self._nearest(moved, found.placement)
            if result.status is not Status.OPTIMAL:
                return self.result_so_far(result.limit)
        if least is None:
            return None
        assert self.best is not None
        number, area, way = self._cost(self.best)
        self.bound = number, area, way
        return self.result_so_far()

    def _nearest(self, moved: tuple[int, ...], known: Placement | None) -> Result:
        """Minimise the displacement of exactly these by a model; keep improvements."""
        from ...formulations.submesh.moves_cpsat import moves
        from ...solvers import cpsat

        model = moves(self.instance, movable=moved, hint=known)
        result = cpsat.solve(model, settings=self.settings, start=self.start, part=True)
        self.proof = Proof(Grade.SOLVER, f"migrate and {cpsat.BY}")
        if result.chosen is not None:
            self._offer(placement_of(self.instance, result.chosen))
        return result

    def beyond_sets(self) -> Result:
        """Continue where there are too many sets to try one by one."""
        return self.by_model()

    def by_model(self) -> Result:
        """Minimise all levels by one model, starting from the proved bound."""
        from ...formulations.submesh.moves_cpsat import moves
        from ...solvers import cpsat

        model = moves(self.instance, hint=self.best, bound=self.bound, proof=self.proof)
        result = cpsat.solve(model, settings=self.settings, start=self.start)
        if result.chosen is None:
            return result
        placement = self._in_order(placement_of(self.instance, result.chosen))
        return replace(result, chosen=placement.flat())

    def _offer(self, placement: Placement | None) -> None:
        known = [one for one in (self.best, placement) if one is not None]
        self.best = min(known, key=lambda one: as_tuple(self._cost(one)), default=None)

    def _cost(self, placement: Placement) -> tuple[int, ...]:
        return cost(self.instance, placement.flat())

    def _out_of_time(self) -> bool:
        return clock.now() - self.start > self.settings.time_limit

    def _in_order(self, placement: Placement) -> Placement:
        left = self.settings.time_limit - (clock.now() - self.start)
        return in_order(self.instance, placement, left)

    def result_so_far(self, limit: Limit | None = None) -> Result:
        """Return the best result so far, the moves in order if one is found."""
        best = None if self.best is None else self._in_order(self.best)
        return answer(
            self.instance,
            None if best is None else best.flat(),
            start=self.start,
            bound=self.bound,
            proof=self.proof,
            limit=limit,
            seed=self.settings.seed,
        )

    def impossible(self) -> Result:
        """Return that there is no placement."""
        return Result(
            status=Status.INFEASIBLE,
            proof=self.proof,
            seconds=clock.now() - self.start,
            seed=self.settings.seed,
        )
