"""``closeknit/recount`` files: reading certificates about slices of pods.

`count` has what they claim, and why counting again shows it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ....instances.errors import InputError, in_file
from ....instances.reading import fields
from ....instances.reading.packed import reading_unpacked
from ....instances.reading.parsing import parse_json
from ..statements import CheckLimits, Refused, TimeBudget, TooLong
from .count import MOST, NODES, most_pods

FORMAT = "closeknit/recount"
_MOST_BYTES = 2**26
_MOST_HEIGHT = 2**16
_MOST_LEVELS = 64
"""With slices, and with limits."""
_height = fields.between(0, _MOST_HEIGHT - 1)
_room = fields.between(0, MOST - 1)
_SHAPE = fields.file(
    FORMAT,
    {
        "pods": fields.between(1, MOST - 1),
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
        below, size = NODES - 1, 1
        for row in value[at]:
            if len(row) != 2 or not below < row[0] < _MOST_HEIGHT:
                raise InputError("must be levels from below with numbers", at, row)
            if not 1 <= row[1] < MOST or (at == "sizes" and row[1] % size):
                raise InputError("must be a multiple of those below", at, row)
            below, size = row[0], row[1] if at == "sizes" else 1
