"""The model of orthogonal packing for CP-SAT: boxes that do not overlap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

from ...instances import Submesh
from ...instances.submesh import Box, box_at, corner, sides
from ...instances.submesh.packed import placement_from
from ...instances.submesh.packing import Packing, packing_of, ways
from ...solvers.formulation import CpFormulation
from ...solvers.later import cp_model

PARAMETERS = ""
"""CP-SAT's defaults suit the model best. Energetic reasoning, timetabling and
overload checks took five to twenty times as long, see
docs/science/submesh-feasibility.md."""


@dataclass(frozen=True, slots=True)
class PackingModel:
    """A model, its variables, and the decoding of their values to boxes."""

    model: cp_model.CpModel
    variables: list[Any]
    decode: Callable[[Sequence[int]], tuple[Box, ...]]


@dataclass(slots=True)
class _Placed:
    """An item in the model: expressions along every axis."""

    start: list[Any]
    length: list[Any]
    end: list[Any]
    way: list[Any]
    sizes: list[tuple[int, ...]]


def no_overlap(packing: Packing, *, hint: Sequence[Box] = ()) -> PackingModel:
    """Place boxes that do not overlap, and whose sum never exceeds a side.

    Items of the same size are ordered along the first axis. If nothing is fixed, the
    largest item of unique size lies in the lower half along every axis, as every
    packing can be mirrored; on a torus it lies at the origin. On a torus the model has
    a copy of every box one period earlier along each axis. In three dimensions, one of
    six booleans decides for every pair along which axis which of the two comes first.
    Every item must fit on its own. The boxes of the hint may overlap.

    Size: a variable per item and axis, two if it may be rotated; on a torus four boxes
    per item; in three dimensions six booleans per pair.
    """
    model = cp_model.CpModel()
    model.name = "no-overlap"
    placed = [_item(model, packing, i) for i in range(len(packing.items))]
    groups = _alike(packing)
    for group in groups:
        for i, j in pairwise(group):
            model.add(placed[i].start[0] <= placed[j].start[0])
    pivot = _pivot(packing, groups)
    if pivot is not None:
        for a, side in enumerate(packing.shape):
            one = placed[pivot]
            if packing.torus:
                model.add(one.start[a] == 0)
            else:
                model.add(2 * one.start[a] + one.length[a] <= side)
    if packing.d == 2:
        _in_the_plane(model, packing, placed)
    else:
        _in_space(model, packing, placed)
    if hint:
        _hint(model, packing, placed, groups, pivot, hint)
    variables = [x for one in placed for x in (*one.start, *one.way)]

    def decode(values: Sequence[int]) -> tuple[Box, ...]:
        rest = iter(values)
        boxes = []
        for item, one in zip(packing.items, placed, strict=True):
            place = [next(rest) for _ in one.start]
            way = [next(rest) for _ in one.way]
            size = one.sizes[way.index(1)] if way else one.sizes[0]
            boxes.append(item.at or box_at(place, size))
        return tuple(boxes)

    return PackingModel(model, variables, decode)


def placement_model(instance: Submesh) -> CpFormulation:
    """Return `no_overlap` for a submesh request, with placements as solutions."""
    built = no_overlap(packing_of(instance))

    def decode(values: Sequence[int]) -> tuple[int, ...]:
        return placement_from(instance, built.decode(values)).flat()

    return CpFormulation(
        name="no-overlap",
        instance=instance,
        model=built.model,
        variables=built.variables,
        decode=decode,
        parameters=PARAMETERS,
        may_be_infeasible=True,
    )


def _item(model: cp_model.CpModel, packing: Packing, i: int) -> _Placed:
    item = packing.items[i]
    sizes = ways(packing, item)
    way = [model.new_bool_var(f"way{i}.{o}") for o in range(len(sizes))]
    if len(sizes) == 1:
        way = []
    else:
        model.add_exactly_one(way)
    one = _Placed([], [], [], way, sizes)
    for a, side in enumerate(packing.shape):
        lengths = [size[a] for size in sizes]
        last = side - 1 if packing.torus else side - min(lengths)
        low, high = (item.at[a],) * 2 if item.at else (0, last)
        start = model.new_int_var(low, high, f"start{i}.{a}")
        one.start.append(start)
        if min(lengths) == max(lengths):
            one.length.append(lengths[0])
            one.end.append(start + lengths[0])
            continue
        length = model.new_int_var_from_domain(
            cp_model.Domain.from_values(lengths), f"length{i}.{a}"
        )
        model.add(length == cp_model.LinearExpr.weighted_sum(way, lengths))
        most = last + max(lengths) if packing.torus else side
        end = model.new_int_var(0, most, f"end{i}.{a}")
        model.add(start + length == end)
        one.length.append(length)
        one.end.append(end)
    return one


def _alike(packing: Packing) -> list[list[int]]:
    """Group the free items that are interchangeable."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for i, item in enumerate(packing.items):
        if item.at is None:
            groups[item.size, item.turns].append(i)
    return list(groups.values())


def _pivot(packing: Packing, groups: list[list[int]]) -> int | None:
    """Return the largest item of unique size, if packings can be mirrored."""
    if packing.blocked or any(item.at is not None for item in packing.items):
        return None
    alone = [group[0] for group in groups if len(group) == 1]
    return max(alone, key=lambda i: prod(packing.items[i].size), default=None)


def _in_the_plane(
    model: cp_model.CpModel, packing: Packing, placed: list[_Placed]
) -> None:
    """Require that no two boxes overlap, copies one period earlier included."""
    spans: list[list[Any]] = [[], []]
    heights: list[list[Any]] = [[], []]
    shifts = [(0, -side) if packing.torus else (0,) for side in packing.shape]
    for i, one in enumerate(placed):
        for shift in product(*shifts):
            for a in range(2):
                spans[a].append(
                    model.new_interval_var(
                        one.start[a] + shift[a],
                        one.length[a],
                        one.end[a] + shift[a],
                        f"span{i}.{a}{shift}",
                    )
                )
                heights[a].append(one.length[a])
    for cell in packing.blocked:
        for a in range(2):
            spans[a].append(model.new_fixed_size_interval_var(cell[a], 1, "blocked"))
            heights[a].append(1)
    model.add_no_overlap_2d(*spans)
    if not packing.torus:
        model.add_cumulative(spans[0], heights[1], packing.shape[1])
        model.add_cumulative(spans[1], heights[0], packing.shape[0])


def _in_space(model: cp_model.CpModel, packing: Packing, placed: list[_Placed]) -> None:
    """Order every two boxes along some axis."""
    cells = [
        _Placed(list(cell), [1, 1, 1], [x + 1 for x in cell], [], [(1, 1, 1)])
        for cell in packing.blocked
    ]
    everything = [*placed, *cells]
    for i, j in combinations(range(len(everything)), 2):
        if i >= len(placed) or (
            j < len(placed) and packing.items[i].at and packing.items[j].at
        ):
            continue
        one, other = everything[i], everything[j]
        apart = []
        for a, side in enumerate(packing.shape):
            first = model.new_bool_var(f"first{i}.{j}.{a}")
            model.add(one.end[a] <= other.start[a]).only_enforce_if(first)
            later = model.new_bool_var(f"later{i}.{j}.{a}")
            model.add(other.end[a] <= one.start[a]).only_enforce_if(later)
            if packing.torus:  # the later one must not wrap round to the first
                model.add(other.end[a] <= one.start[a] + side).only_enforce_if(first)
                model.add(one.end[a] <= other.start[a] + side).only_enforce_if(later)
            apart += [first, later]
        model.add_bool_or(apart)
    if packing.torus:
        return
    for a, side in enumerate(packing.shape):
        if any(len(one.sizes) > 1 for one in placed):
            break  # the area across would be a product of variables
        spans = [
            model.new_fixed_size_interval_var(one.start[a], one.sizes[0][a], "span")
            for one in everything
        ]
        across = [prod(one.sizes[0]) // one.sizes[0][a] for one in everything]
        model.add_cumulative(spans, across, prod(packing.shape) // side)


def _hint(
    model: cp_model.CpModel,
    packing: Packing,
    placed: list[_Placed],
    groups: list[list[int]],
    pivot: int | None,
    hint: Sequence[Box],
) -> None:
    """Start from boxes, mirrored and permuted to satisfy the model's symmetry."""
    boxes = list(hint)
    if pivot is not None and not packing.torus:
        for a, side in enumerate(packing.shape):
            if 2 * boxes[pivot][a] + sides(boxes[pivot])[a] > side:
                boxes = [_mirror(box, a, side) for box in boxes]
    for group in groups:
        ordered = sorted(boxes[i] for i in group)
        for i, box in zip(group, ordered, strict=True):
            boxes[i] = box
    for one, box in zip(placed, boxes, strict=True):
        for start, x in zip(one.start, corner(box), strict=True):
            model.add_hint(start, x)
        for way, size in zip(one.way, one.sizes, strict=False):
            model.add_hint(way, int(size == sides(box)))


def _mirror(box: Box, a: int, side: int) -> Box:
    low = list(corner(box))
    low[a] = side - low[a] - sides(box)[a]
    return box_at(low, sides(box))
