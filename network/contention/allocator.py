"""An allocator that knows what running jobs put on links."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from ...heuristics.allocation.allocator import Allocation, Allocator
from ...instances import InputError, IntArray, Topology
from ...methods.allocators.table import allocator
from ..loads import LoadTable, Routes, busiest_of, coarsen
from .annealing import STEPS, Annealing
from .instance import usual_reserve


class Contention(Allocator):
    """Take processors whose traffic adds little to what links carry.

    What is least is the sum over links of (b + l + r)^p - (b + r)^p: what running jobs
    send over a link, the job's own traffic, and a reserve for those to come, in parts
    of its capacity.
    Before a job is allocated `expect` may state its traffic; by default all send to
    all. Its busiest task uses its port fully. Held processors send nothing.

    Guarantee: no more contention than the choice of mm-inc. None on the pair sum.
    Time: O(s k l) for s exchanges and l links between two processors; the table takes
    O(n^2 l).
    Ties: the choice of mm-inc, if none is better.
    Source: derived, docs/papers/hops-or-seconds.md.

    Parameters
    ----------
    topology, seed
        See `Allocator`; the same seed gives the same choices.
    table
        Loads by the routing; None for the usual one of the network.
    capacity
        Of every link, in ports; None for one each.
    power, reserve
        Of contention, see `Annealing.choose`; None for `usual_reserve`.
    steps
        Exchanges from the choice of mm-inc.

    Raises
    ------
    InputError
        If the network has no links, or too many.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        seed: int = 0,
        table: LoadTable | None = None,
        capacity: Sequence[float] | None = None,
        power: int = 2,
        reserve: int | None = None,
        steps: int = STEPS,
    ) -> None:
        super().__init__(topology, seed=seed)
        self.table = table or LoadTable(Routes(topology))
        links = self.table.routes.links
        whole = capacity or [1.0] * len(links)
        self._search = Annealing(self.table, whole)
        if reserve is None:
            widths = dict(zip(links, whole, strict=True))
            reserve = usual_reserve(self.table.routes.stop, widths)
        self._near = allocator("mm-inc", topology)
        self.power, self.reserve, self.steps = power, reserve, steps
        self._traffic: IntArray | None = None
        self._sent: dict[int, npt.NDArray[np.float64]] = {}
        """By the first processor of each job, what it puts on links."""

    def expect(self, traffic: IntArray | None) -> None:
        """State what the next job sends: units from each task to each, or None."""
        self._traffic = traffic

    @property
    def background(self) -> npt.NDArray[np.float64]:
        """What running jobs put on each link, in ports."""
        none = np.zeros(len(self.table.routes.links))
        return sum((self._sent[first] for first in sorted(self._sent)), none)

    def allocate(self, k: int, shape: Sequence[int] | None = None) -> Allocation | None:
        """Allocate processors to a job; None if it cannot be served now."""
        grant = super().allocate(k, shape)
        if grant is not None:
            sent = ports(self.table, grant.used, self._traffic)
            self._sent[int(grant.held[0])] = sent
            self._traffic = None
        return grant

    def state(self) -> Hashable:
        """Return which processors are idle, and what jobs send."""
        sent = tuple((one, self._sent[one].tobytes()) for one in sorted(self._sent))
        due = None if self._traffic is None else self._traffic.tobytes()
        return super().state(), sent, due

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        if self._traffic is not None and self._traffic.shape != (k, k):
            problem = f"must be from {k} tasks to {k}"
            raise InputError(problem, "traffic", list(self._traffic.shape))
        near = self._near.find(k)
        assert near is not None
        return Allocation.of(
            self._search.choose(
                [near.used],
                np.flatnonzero(self.idle),
                background=self.background,
                power=self.power,
                reserve=self.reserve,
                traffic=self._traffic,
                seed=self.seed,
                steps=self.steps,
            )
        )

    def _take(self, numbers: IntArray) -> None:
        self._near.hold(numbers)

    def _give(self, numbers: IntArray) -> None:
        self._near.release(Allocation(numbers, numbers))
        if len(numbers):
            self._sent.pop(int(numbers[0]), None)


def ports(
    table: LoadTable, places: Sequence[int] | IntArray, traffic: IntArray | None = None
) -> npt.NDArray[np.float64]:
    """Return what a job puts on each link, in ports.

    Parameters
    ----------
    table
        Loads of all pairs.
    places
        Processors of the tasks.
    traffic
        Units from each task to each other; None for one each. The task that sends or
        receives most does so at the rate of its port.
    """
    tasks = len(places)
    units = 1 - np.eye(tasks, dtype=np.int64) if traffic is None else traffic
    units = coarsen(units, table.whole)
    return table.of(np.asarray(places).tolist(), units) / (
        table.whole * busiest_of(units)
    )
