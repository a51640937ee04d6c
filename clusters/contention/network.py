"""The choice by links on networks that are no tree, or of tasks that are not alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import InputError, KSubset, Site, Topology, Tree
from ...instances.value import as_tuple
from ...network.contention.auto import method_soon
from ...network.contention.instance import Contention, Link, loads
from ...network.contention.instance import cost as price
from ...network.contention.table import TABLE
from ...solvers import Settings, Status
from ...solvers.running import clock
from ..placement.request import Placement, Request
from ..topologies import Fabric, Hierarchy
from .links import UNIT, Wires, names_of

Units = Sequence[tuple[int, int, int]]


class NetworkWish:
    """What a request wants of links, on any network.

    Parameters
    ----------
    capacity, busy
        Of links, in `UNIT` parts of a port's rate; None where others are not known.
    units
        From the number of tasks to what they send; nothing if they are alike.
    routing
        See `closeknit.network.loads.Routes`; "" for the usual one.
    power, reserve
        See `LinkWish`.
    """

    def __init__(
        self,
        capacity: Wires,
        busy: Wires | None,
        units: Callable[[int], Units],
        routing: str,
        power: int = 0,
        reserve: int = 0,
    ) -> None:
        self.capacity, self.busy, self.units = capacity, busy or {}, units
        self.routing, self.power, self.reserve = routing, power, reserve
        self._whole = 1

    def instance(self, fabric: Fabric, free: Any, k: int) -> Contention:
        """Return the instance that a request is."""
        topology, sites = _network_of(fabric)
        some = tuple(sites[i] for i in np.flatnonzero(free).tolist())
        plain = Contention(
            KSubset("request", topology, some, k),
            self.routing,
            traffic=tuple(self.units(k)),
            power=self.power,
            reserve=self.reserve,
        )
        one = plain.busiest
        links = (
            Link(*ends, one * self.capacity[ends], one * self.busy.get(ends, 0))
            for ends in plain.routes.links
        )
        found = replace(plain, links=tuple(links), unit=UNIT * one)
        self._whole = found.common ** (self.power or 1)
        return found

    def cost(self, fabric: Fabric, chosen: Sequence[int]) -> tuple[int, ...]:
        """Price a choice from the definition."""
        instance = self._of(fabric, chosen)
        return self._in_hops(fabric, as_tuple(price(instance, range(instance.k))))

    def busiest(
        self, fabric: Fabric, chosen: Sequence[int]
    ) -> tuple[str, Fraction, Fraction]:
        """Return the busiest used link, how far it is used, and by others."""
        instance = self._of(fabric, chosen)
        found = max(
            (
                (Fraction(one.busy + load, one.capacity), e)
                for e, load in loads(instance, range(instance.k)).items()
                for one in [instance.wires[e]]
            ),
            default=None,
        )
        if found is None:
            return "", Fraction(0), Fraction(0)
        one = instance.wires[found[1]]
        text = names_of(fabric).text(one[:2]) or "a link without nodes"
        return text, found[0], Fraction(one.busy, one.capacity)

    def _of(self, fabric: Fabric, chosen: Sequence[int]) -> Contention:
        flags = np.isin(np.arange(len(fabric.nodes)), chosen)
        return self.instance(fabric, flags, len(chosen))

    def solve(
        self,
        chooser: Any,
        request: Request,
        free: Any,
        start: float,
        settings: Settings,
    ) -> Placement:
        """Choose k of the free nodes; see `method_soon`."""
        fabric: Fabric = chooser.fabric
        instance = self.instance(fabric, free, request.k)
        left = settings.time_limit - (clock.now() - start)
        method = TABLE[method_soon(instance)]
        found = method(instance, replace(settings, time_limit=max(0.0, left)))
        assert found.chosen is not None
        assert found.objective is not None
        node = {site: i for i, site in enumerate(_network_of(fabric)[1])}
        chosen = tuple(sorted(node[instance.free[i]] for i in found.chosen))
        cost, bound = as_tuple(found.objective), found.bound
        return Placement(
            found.status if bound is not None else Status.FEASIBLE,
            0,
            chosen,
            self._in_hops(fabric, cost),
            None if bound is None else self._in_hops(fabric, as_tuple(bound)),
            str(found.proof) if found.proof else "",
            found.limit,
        )

    def part_of(self, cost: int, k: int) -> Fraction:
        """Return the first number of a cost as what it stands for."""
        return Fraction(cost, self._whole)

    def _in_hops(self, fabric: Fabric, cost: tuple[int, ...]) -> tuple[int, ...]:
        """Return a cost with hops in place of the half hops of trees."""
        half = 2 if isinstance(fabric, Hierarchy) else 1
        return (*cost[:1], *(-(-hops // half) for hops in cost[1:]))


def _network_of(fabric: Fabric) -> tuple[Topology, Sequence[Site]]:
    """Return a network, of a hierarchy with half hops, and the site of each node."""
    if not isinstance(fabric, Hierarchy):
        if fabric.host:
            raise InputError("is not for nodes of several chips", "--objective")
        return fabric.topology, fabric.sites
    inner, n = len(fabric.parent), len(fabric.nodes)
    parent = (*map(int, fabric.parent), *map(int, fabric.home))
    weight = (*map(int, fabric.weight), *[2] * n)
    tree = Tree(parent, weight, range(inner, inner + n))
    return tree, [(v,) for v in tree.processors]
