"""``closeknit select --topology ... --plot OUT``: the machine with the chosen nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...instances.words import with_noun
from ...reports.drawing.drawing import drawing_of
from ...reports.drawing.shapes import Canvas
from ..pages.drawing import cluster_drawing, panels
from ..placement import NodeSelector, Placement
from ..placement.answer import parts_text
from ..placement.node_classes import Alike
from ..placement.program import Flags
from ..topologies import Hierarchy, Space


def write(
    out: str,
    selector: NodeSelector,
    free: Sequence[Flags],
    placement: Placement,
    shown: dict[str, Any],
) -> None:
    """Write the drawing; its name states in which form."""
    from ...api.solution import Drawing as Written

    title, about = shown["topology"], _about(shown)
    fabrics = selector.cluster.fabrics
    at = placement.fabric
    if isinstance(space := fabrics[at], Space):
        drawing = _of_space(space, free[at], placement, about[0])
    else:
        found, note = panels(
            [
                (fabric, free[i], placement.chosen if i == at else ())
                for i, fabric in enumerate(fabrics)
                if isinstance(fabric, Hierarchy)
            ]
        )
        drawing = cluster_drawing(found, title=title, about=about, note=note)
    Written(drawing).write(out)


def _about(shown: dict[str, Any]) -> list[str]:
    free = with_noun(shown["free"], "free node")
    lines = [f"{shown['k']} of {free}, by {shown['objective']}"]
    if "cost" not in shown:
        return [*lines, f"nothing chosen: {shown['status']}"]
    cost = parts_text(shown["cost"])
    proof = f" ({shown['proof']})" if "proof" in shown else ""
    lines.append(f"{cost}: {shown['status']}{proof}")
    if "bound" in shown and shown["bound"] != shown["cost"]:
        lines.append(f"at least {parts_text(shown['bound'])}")
    if "map" in shown:
        found = shown["map"]
        lines.append(f"ranks by {found['pattern']}: {with_noun(found['cost'], 'hop')}")
    return [*lines, f"chosen: {shown['hostlist']}"]


def _of_space(space: Space, free: Flags, placement: Placement, request: str) -> Canvas:
    """Draw a network that is no tree as the instance of its free nodes."""
    instance, order = Alike(space).instance(max(1, len(placement.chosen)), free)
    instance = replace(instance, name=space.words)
    chosen = [order.index(i) for i in placement.chosen]
    selections = {placement.status.value: chosen} if chosen else {}
    return drawing_of(instance, selections, remark="" if chosen else request)
