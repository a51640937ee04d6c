"""Residents of a submesh, and the moves of a plan one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...instances import InputError, Mesh, Submesh, Torus
from ...instances.arrays import cells
from ...instances.problems import problem_of
from ...instances.reading import fields
from ...instances.reading.suggestions import entry_named
from ...instances.submesh import Box, placement_of
from ...instances.submesh.json import parse_submesh
from ...instances.submesh.plan import order_of
from ...instances.words import counted
from ...methods import SUBMESH
from ...solvers import Settings
from ...solvers.running.result import Status
from .board import of_instance, refuse_large
from .scenes import scene_of

MOST_SECONDS = 10
_ORDERS = {
    "copying": "each move is into space that is free then",
    "sliding": "a resident may overlap its own former place while it moves",
    None: "no order of single moves was found: all must move at once",
}


def methods() -> list[dict[str, Any]]:
    """List the methods that the page offers."""
    return [
        {"name": name, "summary": method.summary}
        for name, method in SUBMESH.items()
        if name == "auto" or not method.runs_solver
    ]


def document_of(instance: Submesh) -> dict[str, Any]:
    """Return a request among residents, as the page loads it."""
    refuse_large(instance.shape, "mesh")
    network = (Torus if instance.torus else Mesh)(instance.shape)
    numbers = np.arange(instance.size).reshape(instance.shape)
    return {
        "kind": "submesh",
        "name": instance.name,
        "about": problem_of(instance).described(instance),
        "instance": problem_of(instance).document_of(instance),
        "labels": [", ".join(map(str, site)) for site in network.locations()],
        "views": {"mesh": scene_of(network).document()},
        "view": "mesh",
        "residents": [
            {"cells": _cells(instance, one.box), "fixed": one.fixed}
            for one in instance.residents
        ],
        "blocked": [int(numbers[cell]) for cell in instance.blocked],
        "request": list(instance.request),
    }


def planned(body: dict[str, Any]) -> dict[str, Any]:
    """Place the request of a submesh instance, and return the moves in order.

    Parameters
    ----------
    body
        ``instance`` (its file), ``method`` and ``time_limit``.

    Returns
    -------
    dict
        ``steps``, one for each move with its cells ``before`` and ``after``; ``at``,
        the cells of the request; the status and a ``finding``.

    Raises
    ------
    InputError
        If a field is malformed, or the method does not support the instance.
    """
    known = ("instance", "method", "request", "time_limit")
    fields.only(body, known, known[:2], "")
    document = dict(fields.objects(body["instance"], "instance"))
    if "request" in body:
        document["request"] = body["request"]
    instance = parse_submesh(document)
    refuse_large(instance.shape, "mesh")
    offered = dict.fromkeys(one["name"] for one in methods())
    name = fields.string(body["method"], "method")
    entry_named(name, offered, "method", "method")
    limit = fields.number(body.get("time_limit", 5), "time_limit")
    if not 0 < limit <= MOST_SECONDS:
        problem = f"must be above 0 and at most {MOST_SECONDS}"
        raise InputError(problem, "time_limit", limit)
    result = SUBMESH[name](instance, Settings(time_limit=float(limit)))
    found: dict[str, Any] = {
        "status": result.status.value,
        "seconds": round(result.seconds, 3),
        "proof": str(result.proof) if result.proof else "",
        "steps": [],
        "at": [],
    }
    if result.chosen is None:
        proved = result.status is Status.INFEASIBLE
        why = f"proved ({result.proof})" if proved else "nothing found within the limit"
        return {**found, "finding": f"There is no placement: {why}."}
    placement = placement_of(instance, result.chosen)
    boxes = [one.box for one in instance.residents]
    for i, box in placement.moves:
        found["steps"].append(
            {
                "resident": i,
                "before": _cells(instance, boxes[i]),
                "after": _cells(instance, box),
                "text": f"Resident {i} moves from {_text(boxes[i])} to {_text(box)}.",
            }
        )
        boxes[i] = box
    found["at"] = _cells(instance, placement.at)
    placed = f"The request is placed at {_text(placement.at)}"
    if not placement.moves:
        return {**found, "finding": f"{placed}; no resident moves."}
    count = len(placement.moves)
    moves = counted(count, "move")
    order = _ORDERS[order_of(instance, placement)]
    return {**found, "finding": f"{placed} after {moves}; {order}."}


def _cells(instance: Submesh, box: Box) -> list[int]:
    numbers = np.arange(instance.size).reshape(instance.shape)
    found: list[int] = numbers[cells(instance.shape, box)].ravel().tolist()
    return found


def _text(box: Box) -> str:
    d = len(box) // 2
    return "–".join(f"({', '.join(map(str, c))})" for c in (box[:d], box[d:]))


LOADERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "ksubset": of_instance,
    "submesh": document_of,
}
"""What describes an instance to the page, by its problem."""
