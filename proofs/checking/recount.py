"""Certificates that slices of pods do not fit on a tree, checked by counting again.

A certificate lists the tree, the pods that each node has room for, and the sizes of
slices. It claims that so many pods, the last slice smaller, do not fit. Why the count
is right: the pods below a domain of a level with slices are whole slices, or with the
last slice that many and the rest, as slices of higher levels are whole ones of these;
and of each kind there are at most those of the parts added up, where one part alone has
the last slice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...instances.errors import InputError, in_file
from ...instances.reading import fields
from ...instances.reading.packed import reading_unpacked
from ...instances.reading.parsing import parse_json
from .statements import CheckLimits, Refused, TimeBudget, TooLong

FORMAT = "closeknit/recount"
_MOST = 2**40
_MOST_BYTES = 2**26
_NODES = -1
"""The level of nodes."""
_MOST_HEIGHT = 2**16
_MOST_LEVELS = 64
"""With slices, and with limits."""
_height = fields.between(0, _MOST_HEIGHT - 1)
_room = fields.between(0, _MOST - 1)
_SHAPE = fields.file(
    FORMAT,
    {
        "pods": fields.between(1, _MOST - 1),
        "sizes": fields.rows,
        "most": fields.rows,
        "parent": fields.integers,
        "height": fields.many(_height),
        "home": fields.integers,
        "room": fields.many(_room),
    },
    {"levels": fields.strings},
)


def is_recount(path: str | Path) -> bool:
    """Whether a file is named as such a certificate.

    >>> is_recount("a.recount.json"), is_recount("a.json")
    (True, False)
    """
    return re.search(r"\.recount\.json(\.xz|\.gz)?$", str(path)) is not None


def check_recount(
    path: str | Path, limits: CheckLimits | None = None
) -> tuple[int, int]:
    """Check a certificate in a file; return its pods, and how many fit at most.

    Parameters
    ----------
    path
        Of the file.
    limits
        The time counts.

    Raises
    ------
    Refused
        If there is room for all pods.
    InputError
        If the file is malformed, or that takes too long.
    """
    budget = TimeBudget(limits or CheckLimits())
    with reading_unpacked(path) as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise InputError("is too large", file=path)
    with in_file(path):
        value = _SHAPE(parse_json(content.decode("utf-8", "replace"), file=path))
        _refuse_bad_shape(value)
    try:
        tree = (value[x] for x in ("parent", "height", "home", "room"))
        numbers = value["pods"], dict(value["sizes"]), dict(value["most"])
        most = most_pods(*numbers, *tree, spend=budget.spend)
    except TooLong as error:
        raise TooLong(error.problem, file=path) from None
    if most >= value["pods"]:
        raise Refused(f"{path}: there is room for {most} pods, which are enough")
    return value["pods"], most


def _refuse_bad_shape(value: dict[str, Any]) -> None:
    parent, height, home = value["parent"], value["height"], value["home"]
    domains, nodes = len(parent), len(home)
    fields.within(domains, "domain")([*home], "home")
    for at, count, wanted in (
        ("height", len(height), domains),
        ("room", len(value["room"]), nodes),
    ):
        if count != wanted:
            raise InputError(f"must have {wanted} entries", at, count)
    if not domains or parent[0] != -1:
        raise InputError("must begin with the root, -1", "parent")
    for v, up in enumerate(parent[1:], 1):
        if not 0 <= up < v or height[up] <= height[v]:
            raise InputError("must be listed before, and be higher", f"parent[{v}]", up)
    for at in ("sizes", "most"):
        if len(value[at]) > _MOST_LEVELS:
            problem = f"must be at most {_MOST_LEVELS} levels"
            raise InputError(problem, at, len(value[at]))
        below, size = _NODES - 1, 1
        for row in value[at]:
            if len(row) != 2 or not below < row[0] < _MOST_HEIGHT:
                raise InputError("must be levels from below with numbers", at, row)
            if not 1 <= row[1] < _MOST or (at == "sizes" and row[1] % size):
                raise InputError("must be a multiple of those below", at, row)
            below, size = row[0], row[1] if at == "sizes" else 1


def most_pods(
    pods: int,
    sizes: dict[int, int],
    most: dict[int, int],
    parent: Sequence[int],
    height: Sequence[int],
    home: Sequence[int],
    room: Sequence[int],
    *,
    spend: Callable[[int], None] = lambda work: None,
) -> int:
    """Return at least how many pods fit, of those that a job of so many can have.

    Nodes outside of levels with slices or limits must have no room.
    """
    domains = len(parent)
    bit = {level: 1 << i for i, level in enumerate({*sizes, *most})}
    outside = [sum(bit.values())] * domains
    """Of each domain, the levels with slices or limits that it is in no domain of."""
    whole, gain = [0] * domains, [-_MOST] * domains

    def close(level: int, total: int, more: int) -> tuple[int, int]:
        """Round down to whole slices, without the last and with it; below 0: no."""
        spend(len(sizes))
        size = max([n for x, n in sizes.items() if x <= level], default=1)
        rest = pods % size
        under = max([n for x, n in sizes.items() if x < level], default=1)
        last = total + more if pods % under else total
        limit = most.get(level, pods)
        without = min(total, limit) // size * size
        if not rest:
            return without, -_MOST
        last = (min(last, limit) - rest) // size * size + rest
        return without, last if last > 0 else -_MOST

    for v in range(domains):
        spend(1)
        above = outside[parent[v]] if v else outside[0]
        outside[v] = above & ~bit.get(height[v], 0)
    for v, here in zip(home, room, strict=True):
        if here and outside[v] & ~bit.get(_NODES, 0):
            raise Refused("a node has room that is in no domain of some level")
        without, last = close(_NODES, here, -_MOST)
        whole[v] += without
        gain[v] = max(gain[v], last - without)
    for v in range(domains - 1, 0, -1):
        without, last = close(height[v], whole[v], gain[v])
        whole[parent[v]] += without
        gain[parent[v]] = max(gain[parent[v]], last - without)
    return max(close(height[0], whole[0], gain[0]))
