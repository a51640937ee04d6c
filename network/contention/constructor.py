"""The function of the facade that makes an instance of the contention problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...api.constructors import ksubset
from ...instances import InputError
from ..workloads.communication import units_of
from .instance import PURPOSES, Contention, Link, usual_reserve


def contention(
    network: Any,
    k: int,
    *,
    routing: str = "",
    table: Sequence[Sequence[int]] | None = None,
    links: Iterable[Sequence[int]] = (),
    traffic: str | Iterable[Sequence[int]] = "all-to-all",
    objective: str = "contention",
    purpose: str = "job",
    unit: int = 0,
    **given: Any,
) -> Contention:
    """Return the instance: choose k free processors that load links little.

    Parameters
    ----------
    network, k
        As in `ksubset`.
    routing, table
        ``adaptive`` or ``dimension-order`` on grids; ``minimal``, ``drawn``,
        ``d-mod-k``, ``valiant`` or ``table`` on trees and graphs. The first is usual.
        For ``table``: to which neighbour each node passes packets for each processor.
    links
        Directed links that differ from others: two nodes, capacity, and what others
        send, in parts of a port's rate (``unit``). Without, a link is as wide as a
        port, and nobody else sends.
    traffic
        A pattern (``all-to-all``, ``ring``, ``recursive-doubling``, ``halo2d:AxB``,
        ``halo3d:AxBxC``), or triples of two tasks and an amount. Tasks are placed in
        the order of the processors; the busiest sends at its port's rate.
    objective
        ``contention``: what the job adds to powers of how far links are used; or
        ``links``: how far the busiest used link is used, then hops.
    purpose
        Of contention: ``job`` for one job now (fourth powers), ``stream`` for an
        allocator (squares, and a reserve for later jobs).
    unit
        Parts of a port's rate that loads are counted in; 0 for so many that those of
        fixed routes are not rounded.
    given
        ``busy``, ``free``, ``name``, ``source`` and ``seed`` as in `ksubset`.

    Raises
    ------
    InputError
        Naming the argument and the value that cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.contention(ck.Mesh(4, 4), 4, routing="dimension-order")
    >>> ck.solve(job).selection
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if objective not in ("contention", "links"):
        raise InputError("must be contention or links", "objective", objective)
    if purpose not in PURPOSES:
        raise InputError(f"must be {' or '.join(PURPOSES)}", "purpose", purpose)
    power, reserve = PURPOSES[purpose] if objective == "contention" else (0, 0)
    if isinstance(traffic, str):
        traffic = units_of(traffic, k)
    found = Contention(
        ksubset(network, k, **given),
        routing=routing,
        table=None if table is None else tuple(map(tuple, table)),
        traffic=tuple(tuple(one) for one in traffic),  # type: ignore[misc]
        unit=unit,
        links=tuple(Link(*one) for one in links),
        power=power,
    )
    if reserve:
        ends = {one[:2]: Fraction(one.capacity, found.unit) for one in found.wires}
        reserve *= usual_reserve(found.routes.stop, ends)
    return replace(found, reserve=reserve)
