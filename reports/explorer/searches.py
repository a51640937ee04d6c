"""Exact searches that the page continues node by node; one for each page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...exact.ksubset.cuts_bb.search import CutsSearch
from ...exact.ksubset.distances_bb import search as distances_bb
from ...exact.ksubset.levelset_bb.search import LevelSetSearch
from ...exact.ksubset.search import KSubsetSearch
from ...formulations.ksubset.bounds.bounds import best_bound
from ...heuristics.ksubset.mm_inc import first_solution
from ...instances import InputError, KSubset, arrays
from ...instances.ksubset.instance import cost
from ...instances.reading import fields
from ...methods import KSUBSET
from ...solvers import Limit, Settings
from ...solvers.running import clock
from .board import Board, board_of
from .choices import length

MOST_FREE = 1024
"""Free processors of a board that is searched here."""
MOST_BATCH = 100_000
MOST_POINTS = 200
MOST_SECONDS = 1.0
"""Nodes of a batch, batches of a request, and seconds that a request may take."""
_MOST_PAGES = 8
_LONGEST_PAGE = 64
_FIRST = ("row-major", "mm-inc")

Make = Callable[[KSubset, tuple[int, ...], int], KSubsetSearch]
_SEARCHES: dict[str, Make] = {
    "cuts-bb": CutsSearch,
    "levelset-bb": LevelSetSearch,
    "distances-bb": distances_bb.DistancesSearch,
}


class Searches:
    """The searches in progress, by page; a page that begins another ends its own."""

    def __init__(self) -> None:
        self._of_page: OrderedDict[str, tuple[Board, KSubsetSearch]] = OrderedDict()

    def begin(self, body: dict[str, Any]) -> dict[str, Any]:
        """Begin a search.

        Parameters
        ----------
        body
            ``board``, ``page`` (any text that the page keeps), ``search`` (its name),
            ``first`` (where the first solution comes from) and ``bounds`` (whether to
            begin from the bounds that need no search).

        Raises
        ------
        InputError
            If a field is malformed, or the search does not support the board.
        """
        known = ("board", "page", "search", "first", "bounds")
        fields.only(body, known, known[:3], "")
        page, board = _page(body), board_of(body["board"])
        instance = board.instance
        name = fields.string(body["search"], "search")
        if why := refusal(name, instance):
            raise InputError(why, "search", name)
        first = fields.string(body.get("first", _FIRST[0]), "first")
        if first not in _FIRST:
            raise InputError(f"must be one of {', '.join(_FIRST)}", "first", first)
        chosen: tuple[int, ...] = tuple(range(instance.k))
        if first == "mm-inc":
            limits = Settings(time_limit=MOST_SECONDS)
            chosen = first_solution(instance, limits).chosen or chosen
        bound, proof = 0, ""
        if body.get("bounds"):
            bound, by = best_bound(instance, cost=cost(instance, chosen))
            proof = str(by)
        search = _SEARCHES[name](instance, chosen, bound)
        self._of_page.pop(page, None)
        while len(self._of_page) >= _MOST_PAGES:
            self._of_page.popitem(last=False)
        self._of_page[page] = board, search
        return {"proof": proof, "points": [], **_state(board, search)}

    def step(self, body: dict[str, Any]) -> dict[str, Any]:
        """Continue the search of a page, in batches of nodes.

        Parameters
        ----------
        body
            ``page``, ``nodes`` (of a batch) and ``batches``.

        Returns
        -------
        dict
            ``points``: nodes, incumbent and bound after each batch; the state at the
            end; whether the search is ``done``.
        """
        fields.only(body, ("page", "nodes", "batches"), ("page", "nodes"), "")
        page = _page(body)
        batch = _count(body["nodes"], "nodes", MOST_BATCH)
        batches = _count(body.get("batches", 1), "batches", MOST_POINTS)
        if page not in self._of_page:
            raise InputError("has no search, or it was ended: begin again", "page")
        board, search = self._of_page[page]
        self._of_page.move_to_end(page)
        deadline = clock.now() + MOST_SECONDS
        points: list[list[int]] = []
        for _ in range(batches):
            limit = search.run(deadline, search.nodes + batch)
            points.append([search.nodes, search.best, search.bound])
            if limit is not Limit.NODES:  # finished, or out of time
                break
        return {"points": points, **_state(board, search)}


def offered(instance: KSubset) -> list[str]:
    """List the searches that support an instance."""
    return [name for name in _SEARCHES if refusal(name, instance) is None]


def refusal(name: str, instance: KSubset) -> str | None:
    """Return why a search does not support an instance; None if it does."""
    if name not in _SEARCHES:
        return f"must be one of {', '.join(_SEARCHES)}"
    if instance.n > MOST_FREE:
        return f"is shown for at most {MOST_FREE} free processors, not {instance.n}"
    if name == "distances-bb":
        return distances_bb.refusal(instance)
    if not arrays.has_cuts(instance):
        return "needs distances that are sums of cuts: take distances-bb"
    refuses = KSUBSET[name].refuses
    return refuses(instance) if refuses else None


def _state(board: Board, search: KSubsetSearch) -> dict[str, Any]:
    instance = board.instance
    return {
        "nodes": search.nodes,
        "incumbent": search.best,
        "bound": search.bound,
        "shown": [length(instance, search.best), length(instance, search.bound)],
        "chosen": board.shown(search.chosen),
        "done": search.bound >= search.best,
    }


def _page(body: dict[str, Any]) -> str:
    page = fields.string(body["page"], "page")
    if not 1 <= len(page) <= _LONGEST_PAGE:
        raise InputError(f"must have 1 to {_LONGEST_PAGE} characters", "page")
    return page


def _count(value: Any, field: str, most: int) -> int:
    number = fields.integer(value, field)
    if not 1 <= number <= most:
        raise InputError(f"must be from 1 to {most}", field, number)
    return number
