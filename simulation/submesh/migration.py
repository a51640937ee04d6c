"""A mesh whose residents are moved if a request finds no place otherwise.

MIG of Morgenstern 1994: FS_f first; if it fails, the residents are rearranged
instantly, if that makes room. No resident is rotated once placed. Whether an
arrangement exists is decided by `feasibility`; it may stay undecided within the limit.

Without rotation, first come first served with migration is monotone: if every earlier
request has started no later, then at any time the mesh holds a subset of the boxes, and
a subset of boxes that can be arranged can be arranged. So no method starts any request
earlier; counting undecided as infeasible yields a feasible schedule, counting it as
feasible yields a lower bound on all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from ...exact.submesh.feasibility import Feasibility, decide
from ...exact.submesh.migrate import Migration
from ...instances.submesh import (
    Box,
    Resident,
    Submesh,
    final_boxes,
    placement_of,
    sides,
)
from ...instances.submesh.packing import Item, Packing
from ...methods.allocators.submesh import ALLOCATORS
from ...solvers import DEFAULT, Limit, Settings, Status
from .simulator import Fixed, Judge
from .stream import BoxRequest


class Migrating(Fixed):
    """Occupancy in which residents are moved to make room for requests.

    Parameters
    ----------
    shape
        Sides of the mesh.
    rotate
        Whether a request may be rotated when it is placed.
    generous
        Whether a request is admitted if it is undecided whether it fits. Once one has
        been admitted so, no resident's place is known until an arrangement is found
        again.
    budget
        Limit on the residents moved for one request; as few as possible are moved,
        see `exact.submesh.migrate`. None: any number, as required by the first
        arrangement found.
    settings
        Time limit and seed of a single decision.
    decider
        Decides whether boxes can be packed, where there is no budget of moves; the
        cascade if left out.

    Attributes
    ----------
    undecided
        Number of decisions that were not reached.
    moved, carried
        Residents moved, and the processors they hold, summed over all decisions.
    where
        The box of every resident whose place is known, by number.
    """

    def __init__(
        self,
        shape: Sequence[int],
        *,
        rotate: bool = False,
        generous: bool = False,
        budget: int | None = None,
        settings: Settings = DEFAULT,
        decider: Callable[[Packing, Settings], Feasibility] | None = None,
    ) -> None:
        super().__init__(ALLOCATORS["fs-f"](shape, rotate=rotate))
        self.generous = generous
        self.budget = budget
        self.settings = settings
        self._decider = decider
        self.undecided = self.moved = self.carried = 0
        self._items: dict[int, Item] = {}
        self._free = prod(self.shape)

    @property
    def free(self) -> int:
        """Number of processors that no job holds, whether places are known or not."""
        return self._free

    @property
    def known(self) -> bool:
        """Whether every resident has a place."""
        return len(self.where) == len(self._items)

    def remove(self, number: int) -> None:
        """Release the box of a request."""
        self._free += prod(self._items.pop(number).size)
        if number in self.where:
            super().remove(number)

    def place(self, request: BoxRequest) -> bool:
        """Place a request, moving residents if necessary; return whether it worked."""
        if prod(request.size) > self._free:
            return False
        box = self.allocator.allocate(request.size) if self.known else None
        if box is not None:
            self.where[request.number] = box
            self._settle(request.number, sides(box))
            return True
        if self.budget is not None:
            return self._move_few(request, self.budget)
        new = Item(request.size, self.rotate)
        numbers = (*self._items, request.number)
        packing = Packing("mig", self.shape, (*self._items.values(), new))
        verdict = (self._decider or decide)(packing, self.settings)
        if verdict.limit is Limit.INTERRUPT:
            raise KeyboardInterrupt
        if verdict.fits is None:
            self.undecided += 1
        if verdict.boxes is not None:
            self._rearrange(dict(zip(numbers, verdict.boxes, strict=True)))
            return True
        if verdict.fits is None and self.generous:
            for number in list(self.where):
                self.allocator.release(self.where.pop(number))
            self._items[request.number] = new
            self._free -= prod(request.size)
            return True
        return False

    def _move_few(self, request: BoxRequest, budget: int) -> bool:
        """Move as few residents as possible, if the budget allows."""
        held = dict(self.where)
        instance = Submesh(
            "budget",
            self.shape,
            tuple(map(Resident, held.values())),
            request.size,
            rotate=self.rotate,
        )
        result = Migration(instance, self.settings, most=budget).run()
        if result.limit is Limit.INTERRUPT:
            raise KeyboardInterrupt
        if result.chosen is not None:
            placement = placement_of(instance, result.chosen)
            wanted = dict(zip(held, final_boxes(instance, placement), strict=True))
            if sum(wanted[number] != box for number, box in held.items()) <= budget:
                self._rearrange(wanted | {request.number: placement.at})
                return True
        if result.status is Status.INFEASIBLE:
            return False
        # a limit that ends the search may hide a solution within the budget
        least = result.bound[0] if isinstance(result.bound, tuple) else 0
        self.undecided += least <= budget
        return False

    def _rearrange(self, wanted: Mapping[int, Box]) -> None:
        """Move every resident and the request to the boxes given by number."""
        leave = [n for n, box in self.where.items() if box != wanted[n]]
        self.moved += len(leave)
        self.carried += sum(prod(self._items[n].size) for n in leave)
        for number in leave:
            self.allocator.release(self.where.pop(number))
        for number, box in wanted.items():
            if number not in self.where:
                self.allocator.hold(box)
                self.where[number] = box
                self._settle(number, sides(box))

    def _settle(self, number: int, size: tuple[int, ...]) -> None:
        """Record the rotation of a resident, which is fixed from now on."""
        if number not in self._items:
            self._free -= prod(size)
        self._items[number] = Item(size)


def migration_judge(
    shape: Sequence[int],
    *,
    rotate: bool = False,
    torus: bool = False,
    settings: Settings = DEFAULT,
) -> Judge:
    """Return a function that decides whether a failed request fits after migration.

    Residents are moved but not rotated, as in the paper; a request may be rotated if
    ``rotate`` is true.
    """
    mesh = tuple(shape)

    def judge(boxes: Sequence[Box], size: tuple[int, ...]) -> bool | None:
        items = (*(Item(sides(box)) for box in boxes), Item(size, rotate))
        packing = Packing("failure", mesh, items, torus=torus)
        verdict = decide(packing, settings)
        if verdict.limit is Limit.INTERRUPT:
            raise KeyboardInterrupt
        return verdict.fits

    return judge
