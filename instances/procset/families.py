"""Families of processor-set instances, see `instances.families`."""

from __future__ import annotations

from functools import partial

from .. import option_values as read
from ..families import (
    SEEDED,
    Family,
    Parameter,
    choice,
    optional,
    portion,
    required_parameter,
    sides,
)
from .generators import drakenberg_system, random_domains, random_sets, torus_planes

_family = partial(Family, "procset")
_REQUEST = required_parameter("request", "processors wanted")
_N = required_parameter("n", "processors")
_FREE = portion("free", "100%", "free processors")
_PRIVATE = optional("private", "0", "largest cost of a single processor")
_COSTS = choice(
    "costs",
    ("equal", "levels", "drawn"),
    "equal",
    "costs of the sets: 1; or 1 at one level per family; or 1 to 9, drawn",
)
_PARTLY = Parameter(
    name="partly",
    read=read.percentage,
    default="0%",
    metavar="P",
    help="share of the free nodes with some cores busy",
)

FAMILIES = (
    _family(
        "drakenberg",
        "the 256-node machine of Drakenberg 2012",
        drakenberg_system,
        (
            _REQUEST,
            portion("free", "100%", "free hosts"),
            choice(
                "granularity",
                ("node", "core"),
                "node",
                "what a processor is; a node has 8 cores",
            ),
            choice(
                "costs",
                ("realistic", "uniform"),
                "realistic",
                "costs of nodes: by their cooling, or all alike",
            ),
            _PARTLY,
            optional("racks", "10", "racks of 25 nodes"),
            optional("centre", "6", "nodes of the centre rack"),
            *SEEDED,
        ),
        ("--request 48 --free 40%", "--request 20 --granularity core"),
    ),
    _family(
        "planes",
        "planes of a mesh or torus as sets",
        torus_planes,
        (sides("8x8x8"), _REQUEST, _FREE, _COSTS, _PRIVATE, *SEEDED),
        (
            "--shape 5x5x5 --request 12",
            "--shape 4x4x4 --request 8 --free 60% --costs levels",
        ),
    ),
    _family(
        "domains",
        "random partitions into domains",
        random_domains,
        (
            _N,
            optional("families", "3", "partitions"),
            optional("size", "16", "processors of a domain"),
            _REQUEST,
            _FREE,
            _COSTS,
            _PRIVATE,
            *SEEDED,
        ),
        ("--n 48 --request 12", "--n 48 --request 12 --size 8 --costs drawn"),
    ),
    _family(
        "sets",
        "processor sets drawn at random",
        random_sets,
        (
            _N,
            required_parameter("sets", "number of sets"),
            portion("size", "20%", "processors of a set"),
            optional("levels", "1", "levels of the costs"),
            optional("most", "9", "largest cost of a set"),
            _REQUEST,
            _FREE,
            _PRIVATE,
            *SEEDED,
        ),
        (
            "--n 24 --sets 14 --request 9",
            "--n 24 --sets 14 --request 9 --levels 2 --free 75%",
        ),
    ),
)
"""Generated machines with processor sets, and requests on them."""
