"""Methods side by side on a board, and what the page exports."""

from __future__ import annotations

from shlex import quote
from threading import Event
from typing import Any

from ...instances import InputError, KSubset
from ...instances.reading import fields
from ...instances.reading.json_text import dumps
from ...instances.reading.suggestions import entry_named
from ...instances.support.ksubset import document_of
from ...methods import KSUBSET
from ...scheduler.hostlist import fold
from ...solvers import Settings, SolverError
from ..campaigns.campaign import run_one
from ..campaigns.rows import FAILED, Row, row_of
from ..pages.numbers import decimal, fraction, seconds
from ..ratios.scoring import ScoredRun, judge, open_levels
from .board import FIRST, Board, board_of

EXACT = "auto"
MOST_METHODS = 16
MOST_SECONDS = 10
MOST_IN_ALL = 60
"""Methods of a comparison; seconds of one and of all of them."""


def methods() -> list[dict[str, Any]]:
    """List the methods that the page offers: all but models for general solvers."""
    return [
        {
            "name": name,
            "summary": method.summary,
            "guarantee": method.doc_entry("Guarantee"),
            "exact": method.exact,
            "first": name in FIRST,
        }
        for name, method in KSUBSET.items()
        if not method.runs_solver and name != EXACT
    ]


def compare(body: dict[str, Any], gone: Event | None = None) -> dict[str, Any]:
    """Run methods on a board, and the exact route; return ratios and sets.

    Parameters
    ----------
    body
        ``board``, ``methods`` (names), and ``time_limit`` for each of them; of a
        cluster in a file also ``cluster``, its ``file`` and the names ``busy``.
    gone
        Set when no one waits for the answer any more.

    Raises
    ------
    InputError
        If a field is malformed.
    """
    known = ("board", "methods", "time_limit", "cluster")
    fields.only(body, known, known[:2], "")
    board = board_of(body["board"])
    selection = _selection(body["cluster"], board) if "cluster" in body else ""
    names = list(dict.fromkeys(fields.strings(body["methods"], "methods")))
    if not 1 <= len(names) <= MOST_METHODS:
        problem = f"must be from 1 to {MOST_METHODS} methods"
        raise InputError(problem, "methods", len(names))
    offered = {one["name"] for one in methods()} | {EXACT}
    for name in names:
        entry_named(name, dict.fromkeys(sorted(offered)), "methods", "method")
    limit = fields.number(body.get("time_limit", 2), "time_limit")
    if not 0 < limit <= MOST_SECONDS:
        problem = f"must be above 0 and at most {MOST_SECONDS}"
        raise InputError(problem, "time_limit", limit)
    names = [name for name in names if name != EXACT]
    if (len(names) + 1) * limit > MOST_IN_ALL:
        problem = f"must be at most {MOST_IN_ALL} in all, with the exact one"
        raise InputError(problem, "time_limit", limit)
    settings = Settings(time_limit=float(limit))
    rows = []
    for name in (*names, EXACT):
        if gone is not None and gone.is_set():
            raise InputError("the request was given up")
        rows.append(_row(board.instance, name, settings))
    scored = judge([board.instance], rows, {"ksubset": KSUBSET})
    return {
        "rows": [_describe_run(one, board) for one in scored],
        "finding": _finding(scored),
        "command": command(board.instance, names, float(limit)),
        "selection": selection,
    }


def _row(instance: KSubset, name: str, settings: Settings) -> Row:
    try:
        return run_one(instance, KSUBSET[name], settings)
    except SolverError as error:
        return row_of(instance, name, settings, str(error), FAILED)


def _describe_run(one: ScoredRun, board: Board) -> dict[str, Any]:
    row = one.row
    cost = row.cost if isinstance(row.cost, int) else None
    known = one.ratio is not None
    return {
        "method": row.method,
        "exact": KSUBSET[row.method].exact,
        "chosen": board.shown(row.selection) if row.selection else [],
        "cost": cost,
        "shown": length(board.instance, cost),
        "ratio": decimal(one.ratio) if known else open_levels(one),
        "exactly": fraction(one.ratio) if known else open_levels(one, fraction),
        "guarantee": fraction(one.guarantee),
        "optimal": one.optimal,
        "broken": one.broken,
        "seconds": seconds(row.seconds),
        "status": row.status,
        "limit": row.limit or "",
        "proof": str(row.proof) if row.proof else "",
        "error": row.error.removeprefix(f"{row.method}: "),
    }


def length(instance: KSubset, cost: int | None) -> str:
    """Write a pair sum in the units of the network."""
    if cost is None:
        return "–"
    scale = instance.topology.scale
    return str(cost) if scale == 1 else f"{cost / scale:.10g}"


def _finding(scored: list[ScoredRun]) -> str:
    """Say in one sentence what is known of the optimum."""
    verdict = scored[-1].verdict
    if verdict.contradiction:
        return f"A contradiction: {verdict.contradiction}."
    instance = verdict.instance
    assert isinstance(instance, KSubset)
    if isinstance(verdict.optimum, int):
        best = [one.row.method for one in scored[:-1] if one.optimal]
        who = f"found by {', '.join(best)}" if best else "found by none of the others"
        shown = length(instance, verdict.optimum)
        return f"The optimum is {shown} ({verdict.proof}), {who}."
    bound = verdict.bound if isinstance(verdict.bound, int) else None
    best_cost = verdict.best.cost if verdict.best else None
    reached = length(instance, best_cost if isinstance(best_cost, int) else None)
    if bound is None:
        return f"No bound is known within the limit; the least pair sum is {reached}."
    proved = length(instance, bound)
    return f"The optimum lies from {proved} to {reached}; the search met its limit."


def command(instance: KSubset, names: list[str], limit: float) -> str:
    """Return the command line that compares the same on the exported file."""
    words = ["closeknit", "compare", f"{file_name(instance.name)}.json"]
    words += ["--methods", ",".join(names)] if names else ["--methods", EXACT]
    words += ["--time-limit", f"{limit:g}"]
    return " ".join(map(quote, words))


def _selection(value: Any, board: Board) -> str:
    """Return the command line that chooses as many nodes of the cluster in a file."""
    cluster = fields.objects(value, "cluster")
    fields.only(cluster, ("file", "busy"), ("file", "busy"), "cluster")
    file = fields.string(cluster["file"], "cluster.file")
    busy = fields.strings(cluster["busy"], "cluster.busy")
    words = ["closeknit", "select", "--topology", file, "-k", str(board.instance.k)]
    words += ["--objective", "hops", *(["--busy", fold(busy)] if busy else [])]
    return " ".join(map(quote, words))


def file_name(name: str) -> str:
    """Return a name of an instance as the name of a file, without an ending."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")
    return kept[:80] or "board"


def export(body: dict[str, Any]) -> dict[str, Any]:
    """Return the file of a board."""
    fields.only(body, ("board",), ("board",), "")
    instance = board_of(body["board"]).instance
    text = dumps(document_of(instance)) + "\n"
    return {"name": f"{file_name(instance.name)}.json", "text": text}
