"""Say how large a job still fits on a cluster, at each level and in how many groups.

For every level (switch, block, rack, ...): domains without a busy node, the largest
job within one domain, how large it could be if the free nodes were together, and how
many groups of a size there is room for, each within one domain. Of graphs the domains
are leaf switches, of meshes and tori the planes across each axis; of these also the
largest free submesh is given.
"""

from __future__ import annotations

import argparse
from math import prod
from typing import Any

from ..instances.errors import InputError
from ..scheduler.advice.fragmentation import LevelRoom, prometheus, rooms, usual_sizes
from ..scheduler.advice.rooms import largest_submesh
from ..scheduler.topologies.fabric import Space, counted
from . import cluster, outputs
from .parser import Parser

FORMATS = ("text", "json", "prometheus")
_MOST_SIZES = 64


def options(parser: Parser) -> None:
    """Declare the options."""
    cluster.add_machine(parser)
    cluster.add_free(parser)
    cluster.add_exclude(parser)
    parser.add_argument(
        "--sizes",
        metavar="N,N",
        help="sizes of groups (default: the powers of two that a lowest domain holds)",
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="what is printed"
    )
    parser.add_argument(
        "--out",
        type=outputs.file,
        metavar="FILE",
        help="write it to a file, which is replaced in one step",
    )
    parser.examples(
        "fragmentation --topology topology.conf --state squeue.json sinfo.json",
        "fragmentation --topology nodes.json --state pods.json --format prometheus "
        "--out closeknit.prom",
    )


def run(args: argparse.Namespace) -> int:
    """Print what is free; return the exit status."""
    sizes = _sizes(args.sizes)
    machine = cluster.read_machine(args, args.free)
    selector = machine.selector
    free = machine.usable
    count = sum(int(one.sum()) for one in free)
    nodes = len(selector.cluster.index)
    if not sizes:
        sizes = usual_sizes(rooms(selector, free, ()))
    found = rooms(selector, free, sizes)
    boxes = [
        box
        for fabric, flags in zip(selector.cluster.fabrics, free, strict=True)
        if isinstance(fabric, Space) and (box := largest_submesh(fabric, flags))
    ]
    box = max(boxes, key=prod, default=None)
    out = args.out or "-"
    if args.format == "json":
        shown = _document(machine, found, count, box)
        shown["state"] = machine.document()
        outputs.write_json(out, "closeknit/fragmentation", **shown)
        return 0
    if args.format == "prometheus":
        text = prometheus(found, count, nodes, prod(box) if box else None)
    else:
        lines = _lines(machine, found, count, sizes, box)
        lines[2:2] = [f"  {line}" for line in cluster.state_lines(machine.document())]
        text = "\n".join(lines) + "\n"
    outputs.write_out(out, text)
    return 0


def _sizes(text: str | None) -> list[int]:
    found: list[int] = []
    for word in text.split(",") if text is not None else ():
        if not word.strip().isdecimal() or not 1 <= len(word.strip()) <= 7:
            raise InputError("must be numbers N,N", field="--sizes", value=word)
        if int(word) < 1:
            raise InputError("must be at least 1", field="--sizes", value=word)
        found.append(int(word))
    if len(found) > _MOST_SIZES:
        raise InputError(f"has more than {_MOST_SIZES}", field="--sizes")
    return sorted(set(found))


def _document(
    machine: cluster.ClusterState,
    found: list[LevelRoom],
    free: int,
    box: tuple[int, ...] | None,
) -> dict[str, Any]:
    submesh = {"sides": list(box), "nodes": prod(box)} if box else None
    return ({"largest_submesh": submesh} if submesh else {}) | {
        "topology": machine.selector.cluster.summary(),
        "nodes": len(machine.selector.cluster.index),
        "free": free,
        "levels": [
            {
                "level": one.level,
                "domains": one.domains,
                "free_domains": one.whole,
                "largest_job": one.largest,
                "largest_job_unfragmented": one.possible,
                "groups": [
                    {
                        "size": size,
                        "count": n,
                        "largest_job": one.largest_in_groups[size],
                    }
                    for size, n in one.groups.items()
                ],
            }
            for one in found
        ],
    }


def _lines(
    machine: cluster.ClusterState,
    found: list[LevelRoom],
    free: int,
    sizes: list[int],
    box: tuple[int, ...] | None,
) -> list[str]:
    cluster_ = machine.selector.cluster
    lines = [cluster_.summary(), f"  free  {free} of {len(cluster_.index)} nodes"]
    if machine.ignored:
        lines[-1] += f"; {counted(machine.ignored, 'node')} not in the topology"
    if box:
        sides = "x".join(map(str, box))
        lines.append(f"  largest free submesh  {sides}, {counted(prod(box), 'node')}")
    rows: list[tuple[str, ...]]
    rows = [("level", "domains", "wholly free", "largest job", "if together")]
    rows += [
        (
            one.level,
            str(one.domains),
            str(one.whole),
            str(one.largest),
            str(one.possible),
        )
        for one in found
    ]
    lines += ["", *_aligned(rows)]
    if sizes:
        groups: list[tuple[str, ...]]
        groups = [("groups of", *(f"in one {one.level}" for one in found))]
        groups += [
            (str(size), *(str(one.groups[size]) for one in found)) for size in sizes
        ]
        lines += ["", *_aligned(groups)]
    return lines


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Align the columns; all but the first to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(w) if i else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]
