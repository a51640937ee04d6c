"""The centres that ``mm`` tries, one by one: candidate, pair sum, choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...heuristics.ksubset.centres import (
    FAR,
    Centres,
    everywhere,
    free_sites,
    intersections,
)
from ...heuristics.ksubset.mm import scanner
from ...heuristics.ksubset.ranking.distances import nearest
from ...instances import InputError
from ...instances.ksubset.instance import cost
from ...instances.reading import fields
from .board import Board, board_of
from .choices import length
from .scenes import scene_of

MOST_CENTRES = 4096
_MOST_WORK = 4 * 10**8
"""Centres times processors times processors of a choice, on networks without a scan."""
_KINDS = {"mm": intersections, "mm-free": free_sites, "mm-all": everywhere}


def centres(body: dict[str, Any]) -> dict[str, Any]:
    """Return all centres of a board with the pair sums of their candidates.

    Parameters
    ----------
    body
        ``board`` and ``method``: mm, mm-free or mm-all.

    Returns
    -------
    dict
        ``sums`` as text and ``costs`` as numbers, ``spots`` (where the centres are
        drawn in the view of the network itself), ``labels`` and the ``winner``, the
        first centre of the least sum.

    Raises
    ------
    InputError
        If there are more than `MOST_CENTRES`.
    """
    board, found = _read(body, ())
    instance = board.instance
    scan = scanner(instance, found)
    sites = found.part(0, found.count)
    costs = [scan(sites[i : i + 1], FAR)[0] for i in range(len(sites))]
    place = scene_of(instance.topology).place
    scale = instance.topology.scale
    listed = [tuple(map(int, site)) for site in sites]
    return {
        "costs": costs,
        "sums": [length(instance, one) for one in costs],
        "labels": [", ".join(f"{x / scale:g}" for x in site) for site in listed],
        "spots": [[round(x, 1) for x in place(site)] for site in listed],
        "winner": int(np.argmin(costs)),
    }


def candidate(body: dict[str, Any]) -> dict[str, Any]:
    """Return the candidate of one centre, the number ``index`` of `centres`."""
    board, found = _read(body, ("index",))
    index = fields.integer(body["index"], "index")
    if not 0 <= index < found.count:
        raise InputError(f"must be below {found.count}", "index", index)
    chosen = nearest(board.instance, found.part(index, 1)[0])
    paid = cost(board.instance, [int(i) for i in chosen])
    return {
        "index": index,
        "chosen": board.shown(chosen),
        "cost": paid,
        "shown": length(board.instance, paid),
    }


def _read(body: dict[str, Any], more: tuple[str, ...]) -> tuple[Board, Centres]:
    known = ("board", "method", *more)
    fields.only(body, known, known, "")
    board = board_of(body["board"])
    name = fields.string(body["method"], "method")
    if name not in _KINDS:
        raise InputError(f"must be one of {', '.join(_KINDS)}", "method", name)
    found = _KINDS[name](board.instance)
    if found.count > MOST_CENTRES:
        problem = f"has {found.count} centres; at most {MOST_CENTRES} are shown"
        raise InputError(problem, "board")
    work = found.count * board.instance.n * board.instance.k
    if not board.instance.topology.is_mesh and work > _MOST_WORK:
        problem = f"{found.count} centres of {board.instance.k} processors are too many"
        raise InputError(problem, "k", board.instance.k)
    return board, found
