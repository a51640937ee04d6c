"""Checking of certificates that boxes cannot be packed.

A certificate is an object in a solution file:

=================  ====================================  ==============================
kind               further fields                        claim
=================  ====================================  ==============================
``pair``           ``items``: two                        in no rotation do they fit
                                                         side by side along an axis
``stack``          ``axis``, ``items``                   no two fit along another axis,
                                                         all do not along this one
``no place``       ``item``                              overlaps fixed items or blocked
                                                         cells in every position
``dual feasible``  ``functions``: for every axis         the volumes after rescaling
                   ``[family, parameter]``               exceed that of the mesh
=================  ====================================  ==============================

Items are numbered as in `Packing`: residents in order, then the request. All arithmetic
is in integers, and no code is shared with the search for certificates.

A dual feasible function f of a side C maps lengths with a sum of at most C to numbers
with a sum of at most f(C). If boxes can be packed, the sum over the boxes of the
products of their sides' images is at most that product for the mesh (Fekete and
Schepers 2004, theorem 2). On a torus this holds if all functions but one are the
identity, as every line along that axis can be summed separately; `check_infeasible`
requires this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

from ..errors import InputError
from ..reading import fields
from . import box_at, rows
from .packing import Packing, ways

FAMILIES = ("identity", "u", "count")
"""Names of the dual feasible functions, see `image`."""
_FUNCTION = fields.row(fields.one_of(*FAMILIES), fields.integer)


def image(family: str, k: int, side: int, x: int, lengths: Sequence[int] = ()) -> int:
    """Return the image of a length under a dual feasible function, an integer.

    Families are ``identity``; ``u``, which is u^(k) of Fekete and Schepers 2004,
    section 3, times a common denominator; and ``count``, which is f1 of Carlier,
    Clautiaux and Moukrim 2007 and depends on the lengths of the items. k is at least 1
    and of ``count`` at most half the side. The image of the side is the upper bound of
    the sums.

    Examples
    --------
    >>> [image("u", 2, 10, x) for x in (3, 4, 10)]
    [0, 10, 20]
    >>> [image("count", 3, 10, x, (3, 3, 4)) for x in (2, 3, 6, 10)]
    [0, 1, 2, 3]
    """
    if family == "identity":
        return x
    if family == "u":
        return k * x if (k + 1) * x % side == 0 else side * ((k + 1) * x // side)
    if 2 * x <= side:
        return int(x >= k)
    return _most(side, k, side, lengths) - _most(side - x, k, side, lengths)


def _most(room: int, k: int, side: int, lengths: Sequence[int]) -> int:
    """Return how many of the lengths from k to half the side fit into a line."""
    count = 0
    for x in sorted(lengths):
        if k <= x and 2 * x <= side:
            if x > room:
                break
            room -= x
            count += 1
    return count


def check_infeasible(packing: Packing, certificate: Any) -> list[str]:
    """List the errors of a certificate that the boxes cannot be packed.

    Raises InputError if it is not a certificate; names the field.

    Examples
    --------
    >>> from closeknit.instances.submesh.packing import Item
    >>> two = Packing("two", (5, 5), (Item((3, 3)), Item((3, 3))))
    >>> check_infeasible(two, {"kind": "pair", "items": [0, 1]})
    []
    >>> check_infeasible(two, {"kind": "pair", "items": [0]})
    ['pair: 1 items']
    """
    found = fields.objects(certificate, "certificate")
    if "kind" not in found:
        raise InputError("is missing", "certificate.kind")
    item = len(packing.items), "item"
    axis, items = fields.index(packing.d, "axis"), fields.indices(*item)
    more: Mapping[str, Mapping[str, fields.Shape[Any]]] = {
        "pair": {"items": items},
        "stack": {"axis": axis, "items": items},
        "no place": {"item": fields.index(*item)},
        "dual feasible": {"functions": fields.row(*[_FUNCTION] * packing.d)},
    }
    kind = fields.one_of(*more)(found["kind"], "certificate.kind")
    shape = fields.record({"kind": fields.string, **more[kind]})
    given = shape(certificate, "certificate")
    if kind == "pair" and len(given["items"]) != 2:
        return [f"pair: {len(given['items'])} items"]
    if kind in ("pair", "stack"):
        return _of_stack(packing, given.get("axis", 0), given["items"], kind)
    if kind == "no place":
        return _of_no_place(packing, given["item"])
    return _of_functions(packing, given["functions"])


def _of_stack(
    packing: Packing, axis: int, items: tuple[int, ...], kind: str
) -> list[str]:
    """Check with the least length of each item along each axis over its rotations.

    Two items may be stacked along any axis: along none they fit side by side.
    """
    shape = packing.shape
    least = []
    for i in items:
        if not (sizes := ways(packing, packing.items[i])):
            return []  # it does not fit even alone
        least.append([min(size[a] for size in sizes) for a in range(packing.d)])
    for one, other in combinations(least, 2):
        for a, side in enumerate(shape):
            if a != axis and one[a] + other[a] <= side:
                return [f"{kind}: two of them fit side by side along axis {a}"]
    total = sum(one[axis] for one in least)
    if total > shape[axis]:
        return []
    return [f"{kind}: {total} long, and the mesh is {shape[axis]}"]


def _of_no_place(packing: Packing, i: int) -> list[str]:
    """Look whether the item would overlap fixed items or blocked cells everywhere.

    Cells are bytes of a number, 1 where one is taken, in row-major order. Shifted
    towards a corner by the steps of a box along an axis, and joined, they say of every
    place whether a run of cells from there on has a taken one. A torus is continued by
    the length of the box, so that no box wraps round.
    """
    item, shape = packing.items[i], packing.shape
    if item.at is not None:
        return [f"no place: items[{i}] has one"]
    fixed = [other.at for other in packing.items if other.at is not None]
    fixed += [(*cell, *cell) for cell in packing.blocked]
    for size in ways(packing, item):
        along = list(zip(shape, size, strict=True))
        last = shape if packing.torus else [side - s + 1 for side, s in along]
        ends = [side + s - 1 for side, s in along] if packing.torus else shape
        taken = bytearray(prod(ends))
        for box in fixed:
            for run in rows(shape, box, ends):
                taken[run] = b"\1" * (run.stop - run.start)
        met, stride = int.from_bytes(taken, "little"), 8
        for length, end in zip(reversed(size), reversed(ends), strict=True):
            reach = 1
            while reach < length:
                step = min(reach, length - reach)
                met |= met >> step * stride
                reach += step
            stride *= end
        allowed = bytearray(prod(ends))
        corners = (0,) * packing.d
        for run in rows(ends, box_at(corners, last)):
            allowed[run] = b"\1" * (run.stop - run.start)
        free = int.from_bytes(allowed, "little") & ~met
        if (number := free.to_bytes(prod(ends), "little").find(1)) >= 0:
            place = []
            for end in reversed(ends):
                number, x = divmod(number, end)
                place.append(x)
            return [f"no place: {box_at(place[::-1], size)} is free"]
    return []


def _of_functions(packing: Packing, functions: Sequence[tuple[str, int]]) -> list[str]:
    for (family, k), side in zip(functions, packing.shape, strict=True):
        most = side // 2 if family == "count" else k
        if family != "identity" and not 1 <= k <= most:
            return [f"dual feasible: {family} has no parameter {k} on a side of {side}"]
    if packing.torus and sum(family != "identity" for family, _ in functions) > 1:
        return ["dual feasible: on a torus all functions but one are the identity"]
    sizes = [ways(packing, item) for item in packing.items]
    if not all(sizes):
        return []  # one of them does not fit even alone
    cell = (1,) * packing.d
    sizes += [[cell]] * len(packing.blocked)
    lengths = [[] for _ in packing.shape]  # type: list[list[int]]
    for several in sizes:
        for a, along in enumerate(lengths):
            along += {size[a] for size in several}

    def rescaled_volume(size: Sequence[int]) -> int:
        return prod(
            image(*functions[a], packing.shape[a], size[a], lengths[a])
            for a in range(packing.d)
        )

    total = sum(min(map(rescaled_volume, several)) for several in sizes)
    room = rescaled_volume(packing.shape)
    if total > room:
        return []
    return [f"dual feasible: rescaled to {total}, and the mesh to {room}"]
