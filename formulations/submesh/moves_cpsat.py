"""Migration for CP-SAT: which residents move, and where they and the request go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import prod

from ...instances import Submesh
from ...instances.submesh import Box, Placement, box_at, corner, sides, ways_of
from ...solvers import Proof
from ...solvers.formulation import CpFormulation, Level
from ...solvers.later import cp_model

PARAMETERS = (
    "use_energetic_reasoning_in_no_overlap_2d: true, "
    "use_area_energetic_reasoning_in_no_overlap_2d: true"
)
"""Energetic bounds, in addition to those that the constraint derives; not compared."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A box to be placed."""

    starts: tuple[cp_model.LinearExprT, ...]  # lowest corner, by axis
    shapes: tuple[tuple[int, ...], ...]  # its possible rotations
    turned: tuple[cp_model.IntVar, ...] = ()  # one is true; empty if only one

    def side(self, axis: int) -> cp_model.LinearExprT:
        """Return its length along an axis."""
        lengths = [shape[axis] for shape in self.shapes]
        if len(set(lengths)) == 1:
            return lengths[0]
        return cp_model.LinearExpr.weighted_sum(self.turned, lengths)


def moves(
    instance: Submesh,
    *,
    movable: Iterable[int] | None = None,
    hint: Placement | None = None,
    bound: tuple[int, int, int] | None = None,
    proof: Proof | None = None,
) -> CpFormulation:
    r"""Minimise residents moved, then their area, then their displacement.

    .. math::

        \operatorname{lexmin} \Big(\sum_i m_i,\ \sum_i A_i m_i,\
        \sum_{i, a} |s_{ia}|\Big), \quad
        x_{ia} = p_{ia} + s_{ia}, \quad m_i = 0 \Rightarrow s_i = 0

    with all boxes disjoint. On a torus every s is at most half the side, and the model
    has a box for every way of wrapping. Size: a place and a boolean for each resident
    that may be moved; in three dimensions six booleans per pair of boxes (twelve on a
    torus), in two none.

    Parameters
    ----------
    instance
        An instance whose request fits the mesh in one of its rotations.
    movable
        The residents that may be moved; all movable ones if omitted.
    hint
        A placement from which the solver starts.
    bound, proof
        A lower bound on the cost of all placements, and its proof.
    """
    model = cp_model.CpModel()
    model.name = "moves"
    builder = _Builder(instance, model)
    free = {
        i
        for i, one in enumerate(instance.residents)
        if instance.migrate and not one.fixed
    }
    free &= free if movable is None else set(movable)
    builder.add_request()
    for i in sorted(free):
        builder.add_resident(i)
    held = [one.box for i, one in enumerate(instance.residents) if i not in free]
    builder.keep_apart([*held, *_runs(instance.blocked)])
    if bound is not None:
        model.add(cp_model.LinearExpr.sum(list(builder.moved.values())) >= bound[0])
    if hint is not None:
        builder.start_from(hint)
    areas = {i: prod(sides(instance.residents[i].box)) for i in builder.moved}
    levels = (
        Level(terms=[(m, 1) for m in builder.moved.values()]),
        Level(terms=[(m, areas[i]) for i, m in builder.moved.items()]),
        Level(terms=[(way, 1) for way in builder.ways]),
    )
    return CpFormulation(
        name="moves",
        instance=instance,
        model=model,
        variables=builder.variables,
        decode=builder.decode,
        levels=levels if builder.moved else (),
        hint=None if hint is None else hint.flat(),
        bound=bound,
        proof=proof,
        parameters=PARAMETERS,
        may_be_infeasible=True,
    )


class _Builder:
    """The parts of the model during construction.

    A placement is defined by ``variables``: of the request, then of each movable
    resident, its starts and the booleans of its rotations. ``moved`` tells whether each
    resident is moved, ``ways`` how far along each axis.
    """

    def __init__(self, instance: Submesh, model: cp_model.CpModel) -> None:
        self.instance = instance
        self.model = model
        self.things: list[Thing] = []
        self.variables: list[cp_model.IntVar] = []
        self.moved: dict[int, cp_model.IntVar] = {}
        self.ways: list[cp_model.IntVar] = []

    def add_request(self) -> None:
        """Place the request anywhere."""
        ways = ways_of(self.instance.shape, self.instance.request, self.instance.rotate)
        starts = [
            self._start(f"r{axis}", axis, ways) for axis in range(self.instance.d)
        ]
        self._add(
            Thing(tuple(starts), ways, self._rotation_variables("r", ways)), starts
        )

    def add_resident(self, i: int) -> None:
        """Place a resident anywhere; a boolean tells whether it moved."""
        instance, model = self.instance, self.model
        one = instance.residents[i]
        home = sides(one.box)
        ways = ways_of(instance.shape, home, one.turns)
        turned = self._rotation_variables(f"t{i}", ways)
        moved = self.moved[i] = model.new_bool_var(f"m{i}")
        starts = []
        for axis, (place, side) in enumerate(
            zip(corner(one.box), instance.shape, strict=True)
        ):
            start = self._start(f"x{i}.{axis}", axis, ways)
            way = model.new_int_var(0, side - 1, f"d{i}.{axis}")
            if instance.torus:
                step = model.new_int_var(-(side // 2), side // 2, f"s{i}.{axis}")
                round_ = model.new_int_var(-1, 1, f"k{i}.{axis}")
                model.add(start == place + step + side * round_)
                model.add(way >= step)
                model.add(way >= -step)
            else:
                model.add(way >= start - place)
                model.add(way >= place - start)
            model.add(start == place).only_enforce_if(~moved)
            model.add(way == 0).only_enforce_if(~moved)
            starts.append(start)
            self.ways.append(way)
        if turned:
            model.add_implication(~moved, turned[ways.index(home)])
        self._add(Thing(tuple(starts), ways, turned), starts)

    def _add(self, thing: Thing, starts: Sequence[cp_model.IntVar]) -> None:
        self.things.append(thing)
        self.variables += starts
        self.variables += thing.turned

    def _start(
        self, name: str, axis: int, ways: Sequence[Sequence[int]]
    ) -> cp_model.IntVar:
        side = self.instance.shape[axis]
        least = 1 if self.instance.torus else min(way[axis] for way in ways)
        return self.model.new_int_var(0, side - least, name)

    def _rotation_variables(
        self, name: str, ways: Sequence[Sequence[int]]
    ) -> tuple[cp_model.IntVar, ...]:
        if len(ways) == 1:
            return ()
        turned = tuple(self.model.new_bool_var(f"{name}/{n}") for n in range(len(ways)))
        self.model.add_exactly_one(turned)
        return turned

    def keep_apart(self, held: Sequence[Box]) -> None:
        """Forbid any two boxes to overlap."""
        things = list(self.things)
        if not self.instance.torus:
            for thing in things:
                for axis, side in enumerate(self.instance.shape):
                    self.model.add(thing.starts[axis] + thing.side(axis) <= side)
        things += [Thing(corner(box), (sides(box),)) for box in held]
        if self.instance.d == 2:
            self._flat(things)
        else:
            self._pairwise(things)

    def _flat(self, things: Sequence[Thing]) -> None:
        model, shape = self.model, self.instance.shape
        shifts = [(0, 1) if self.instance.torus else (0,)] * 2
        spans: tuple[list[cp_model.IntervalVar], ...] = ([], [])
        for thing in things:
            axes = []
            for axis in range(2):
                start, side = thing.starts[axis], thing.side(axis)
                axes.append(
                    [
                        self._interval(start + shift * shape[axis], side)
                        for shift in shifts[axis]
                    ]
                )
            for pair in product(*axes):
                for axis in range(2):
                    spans[axis].append(pair[axis])
        model.add_no_overlap_2d(*spans)

    def _interval(
        self, start: cp_model.LinearExprT, side: cp_model.LinearExprT
    ) -> cp_model.IntervalVar:
        if isinstance(side, int):
            return self.model.new_fixed_size_interval_var(start, side, "")
        longest = max(self.instance.shape)
        length = self.model.new_int_var(1, longest, "")
        end = self.model.new_int_var(1, 3 * longest, "")
        self.model.add(length == side)
        return self.model.new_interval_var(start, length, end, "")

    def _pairwise(self, things: Sequence[Thing]) -> None:
        """Separate any two boxes along some axis, in either order."""
        model, torus = self.model, self.instance.torus
        for n, one in enumerate(self.things):
            for other in things[n + 1 :]:
                parted = []
                for axis, whole in enumerate(self.instance.shape):
                    ahead = other.starts[axis] - one.starts[axis]
                    for shift in (0, whole):
                        here = model.new_bool_var("")
                        if torus:
                            gap = ahead + shift
                            model.add(gap >= one.side(axis)).only_enforce_if(here)
                            model.add(gap <= whole - other.side(axis)).only_enforce_if(
                                here
                            )
                        elif shift == 0:
                            model.add(ahead >= one.side(axis)).only_enforce_if(here)
                        else:
                            model.add(-ahead >= other.side(axis)).only_enforce_if(here)
                        parted.append(here)
                model.add_bool_or(parted)

    def start_from(self, hint: Placement) -> None:
        """Add a placement as a hint."""
        boxes = dict(hint.moves)
        places = [hint.at] + [
            boxes.get(i, self.instance.residents[i].box) for i in self.moved
        ]
        values: list[int] = []
        for thing, box in zip(self.things, places, strict=True):
            values += corner(box)
            if thing.turned:
                values += [int(shape == sides(box)) for shape in thing.shapes]
        for variable, value in zip(self.variables, values, strict=True):
            self.model.add_hint(variable, value)
        for i, moved in self.moved.items():
            self.model.add_hint(moved, int(i in boxes))

    def decode(self, values: Sequence[int]) -> tuple[int, ...]:
        """Read the placement from the values of the variables."""
        boxes: list[Box] = []
        rest = list(values)
        for thing in self.things:
            place = [rest.pop(0) for _ in thing.starts]
            flags = [rest.pop(0) for _ in thing.turned]
            shape = thing.shapes[flags.index(1) if flags else 0]
            boxes.append(box_at(place, shape))
        moved = tuple(
            (i, box)
            for i, box in zip(self.moved, boxes[1:], strict=True)
            if box != self.instance.residents[i].box
        )
        return Placement(boxes[0], moved).flat()


def _runs(cells: Sequence[tuple[int, ...]]) -> list[Box]:
    """Join consecutive cells along the last axis."""
    runs = []
    for _, row in groupby(
        enumerate(cells), key=lambda at: (at[1][:-1], at[1][-1] - at[0])
    ):
        members = [cell for _, cell in row]
        runs.append((*members[0], *members[-1]))
    return runs
