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

from ...cli.frame import outputs
from ...cli.frame.parser import Parser
from ...cli.frame.screen import print_table
from ...instances.errors import InputError
from ...instances.words import with_noun
from ..advice.fragmentation import LevelRoom, rooms, usual_sizes
from ..advice.free_capacity import largest_submesh
from ..topologies.fabric import Space
from . import cluster

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
    outputs.add_json(parser, "the answer")
    instead = "--json writes the answer, and serve has metrics for Prometheus"
    for word in ("--format", "--out"):
        parser.refuse_old_word(word, instead)
    parser.examples(
        "fragmentation --topology topology.conf --state squeue.json sinfo.json",
        "fragmentation --topology nodes.json --state pods.json --json free.json",
    )


def run(args: argparse.Namespace) -> int:
    """Print what is free; return the exit status."""
    sizes = _sizes(args.sizes)
    machine = cluster.read_machine(args, args.free)
    selector = machine.selector
    free = machine.usable
    count = sum(int(one.sum()) for one in free)
    usable = selector.free(without=machine.forbidden.other_kinds)
    if not sizes:
        sizes = usual_sizes(rooms(selector, free, (), usable))
    found = rooms(selector, free, sizes, usable)
    boxes = [
        box
        for fabric, flags in zip(selector.cluster.fabrics, free, strict=True)
        if isinstance(fabric, Space) and (box := largest_submesh(fabric, flags))
    ]
    box = max(boxes, key=prod, default=None)
    shown = _document(machine, found, count, box)
    shown["state"] = machine.document()
    if outputs.write_json(args.json, "closeknit/fragmentation", **shown):
        state = cluster.state_lines(shown["state"])
        _show(machine, found, count, box, state)
    return 0


def _sizes(text: str | None) -> list[int]:
    found: list[int] = []
    for word in text.split(",") if text is not None else ():
        if not word.strip().isdecimal() or not 1 <= len(word.strip()) <= 7:
            raise InputError("must be numbers N,N", "--sizes", word)
        if int(word) < 1:
            raise InputError("must be at least 1", "--sizes", word)
        found.append(int(word))
    if len(found) > _MOST_SIZES:
        raise InputError(f"has more than {_MOST_SIZES}", "--sizes")
    return sorted(set(found))


def _document(
    machine: cluster.KnownCluster,
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


def _show(
    machine: cluster.KnownCluster,
    found: list[LevelRoom],
    free: int,
    box: tuple[int, ...] | None,
    state: list[str],
) -> None:
    cluster_ = machine.selector.cluster
    strange = f"; {with_noun(machine.known.ignored, 'node')} not in the topology"
    print(cluster_.summary())
    print(
        f"  free  {free} of {with_noun(len(cluster_.index), 'node')}"
        + strange * bool(machine.known.ignored)
    )
    for line in state:
        print(f"  {line}")
    if box:
        sides = "x".join(map(str, box))
        print(f"  largest free submesh  {sides}, {with_noun(prod(box), 'node')}")
    print()
    columns = ["level", "domains", "wholly free", "largest job", "if together"]
    rows = [
        (one.level, *map(str, (one.domains, one.whole, one.largest, one.possible)))
        for one in found
    ]
    drop = ("domains", "if together", "wholly free")
    print_table(columns, rows, right=columns[1:], drop=drop)
    if found and (sizes := found[0].groups):
        print()
        columns = ["groups of", *(f"in one {one.level}" for one in found)]
        rows = [(str(n), *(str(one.groups[n]) for one in found)) for n in sizes]
        print_table(columns, rows, right=columns, drop=columns[:0:-1])
