"""``worst --objectives``: families on which fewest hops and least loads part."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...cli.frame.parser import Parser, flag
from ...cli.frame.screen import print_table
from ...instances import KSubset, Mesh, Topology, Tree, cost
from ...instances.value import as_tuple
from ...methods import KSUBSET, METHODS
from ...solvers import Settings, Status
from ..contention.instance import Contention

TREES, SIDES = (4, 8, 16, 32, 64), (4, 5)
"""Processors wanted on trees; sides of meshes on which as many are wanted."""


def add(parser: Parser) -> None:
    """Declare the option."""
    flag(
        parser,
        "--objectives",
        "show instead on which networks fewest hops and least loads of links part",
    )


def families() -> Iterator[tuple[str, Topology, int, str]]:
    """Yield networks without other jobs, how many to choose, and the routing."""
    for k in TREES:
        hosts = tuple(1 + i // (k // 2) for i in range(k * (k // 2)))
        parent = (-1, *[0] * k, *hosts)
        tree = Tree(parent, (0, *[1] * (len(parent) - 1)), range(k + 1, len(parent)))
        yield f"tree {k}x{k // 2}", tree, k, "minimal"
    for side in SIDES:
        yield f"mesh {side}x{side}", Mesh(side, side), side, "dimension-order"


def compare(
    name: str, network: Topology, k: int, routing: str, settings: Settings
) -> dict[str, Any]:
    """Return hops and loads of the best choice by each objective, both proved."""
    job = KSubset(name, network, tuple(network.locations()), k)
    links = Contention(job, routing)
    fewest = KSUBSET["auto"](job, settings)
    least = METHODS["contention"]["auto"](links, settings)
    found: dict[str, Any] = {"network": name, "k": k}
    for by, result in (("hops", fewest), ("links", least)):
        assert result.status is Status.OPTIMAL
        assert result.chosen is not None
        load, hops = as_tuple(cost(links, result.chosen))
        found |= {f"{by}: load": Fraction(load, links.common), f"{by}: hops": hops}
    found["load"] = found["hops: load"] / found["links: load"]
    found["hops"] = Fraction(found["links: hops"], found["hops: hops"])
    return found


def run(settings: Settings) -> list[dict[str, Any]]:
    """Print the table; return its rows."""
    rows = [compare(*family, settings) for family in families()]
    heads = tuple(rows[0])
    print_table(
        heads,
        [
            tuple(
                f"{float(x):.4g}" if isinstance(x, Fraction) else str(x)
                for x in row.values()
            )
            for row in rows
        ],
        right=heads[1:],
        title="Fewest hops, then the least busiest link, both proved; ratios of loads "
        "and hops. Everyone sends to everyone at the rate of a port, nobody else does",
    )
    return rows
