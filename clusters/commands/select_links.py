"""``select --objective links|contention``: links, and what others send over them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...cli.frame.parser import Once, once
from ...instances import InputError
from ...instances.option_values import seconds
from ...instances.reading.files import read_text
from ...instances.words import with_noun
from ...network.contention.instance import MOST_UNIT, PURPOSES, usual_reserve
from ...network.loads import busiest_of
from ...network.workloads.communication import ALL_TO_ALL, units_of
from ...network.workloads.measured import read_traffic
from ...solvers import Grade, Limit, Status
from ..contention.links import (
    MOST_RATE,
    UNIT,
    TreeLinks,
    Wires,
    names_of,
    rate_of,
    read_counters,
    read_links,
)
from ..contention.traffic import loads_of_jobs
from ..contention.tree import LinkWish
from ..jobs.running import read_running
from ..placement import NodeSelector
from ..placement.request import OF_LINKS, Objective, Placement
from ..topologies import Fabric, Hierarchy

if TYPE_CHECKING:
    from ..contention.network import NetworkWish

OPTIONS = ("links", "background", "port_rate", "purpose", "traffic", "routing")
UNKNOWN = (
    "what others send is not known (--background): under load hops are the better "
    "rule on trees"
)


def options(group: Any) -> None:
    """Declare the options."""
    once(
        group,
        "--links",
        "FILE",
        "capacities of links: CSV a,b,capacity in Gbit/s; cables add up (default: "
        "what the topology states, on other networks than trees a port's rate)",
    )
    group.add_argument(
        "--port-rate",
        metavar="GBIT",
        type=_gbit,
        action=Once,
        help="rate of a node's own link (default: the least in --links)",
    )
    once(
        group,
        "--background",
        "FILE",
        "what others send: counters of ports as CSV a,b,gbit_ab,gbit_ba, or "
        "closeknit/running-jobs with patterns",
    )
    once(
        group,
        "--traffic",
        "PATTERN",
        "what the job sends: all-to-all (default), ring, recursive-doubling, "
        "halo2d[:AxB], halo3d[:AxBxC], or a file of the bytes that ranks exchange",
    )
    once(
        group,
        "--routing",
        "NAME",
        "adaptive or dimension-order on grids; minimal, drawn, d-mod-k or valiant "
        "on graphs (default: the first)",
    )
    group.add_argument(
        "--purpose",
        choices=(*PURPOSES,),
        action=Once,
        help="contention for one job now, or for all jobs in a stream (default: job)",
    )


def _gbit(text: str) -> Decimal:
    rate = rate_of(text)
    if not rate:
        raise argparse.ArgumentTypeError(
            f"must be Gbit/s, from above 0 to {MOST_RATE}, not {text!r}"
        )
    return rate


class LinkOptions:
    """What the options state of links."""

    def __init__(self, args: argparse.Namespace, selector: NodeSelector) -> None:
        self.args, self.selector = args, selector
        self.port = Decimal(0)
        self.note = UNKNOWN * (args.background is None)
        self.capacity: Wires | None = None
        self.busy: Wires | None = None

    def search(self, objective: Objective | None) -> LinkWish | NetworkWish | None:
        """Return what an objective wants; raise InputError where options contradict."""
        args = self.args
        for option in OPTIONS:
            if getattr(args, option) is not None and objective not in OF_LINKS:
                problem = "is for --objective links and contention"
                raise InputError(problem, f"--{option.replace('_', '-')}")
        if objective not in OF_LINKS:
            return None
        if getattr(args, "method", None):
            raise InputError("is not for this objective", "--method", args.method)
        if args.purpose is not None and objective is Objective.LINKS:
            raise InputError("is for --objective contention", "--purpose")
        fabric, *others = self.selector.cluster.fabrics
        if others:
            raise InputError("needs one network", "--objective", objective.value)
        is_tree = isinstance(fabric, Hierarchy)
        if is_tree and args.routing:
            raise InputError("is not for trees", "--routing", args.routing)
        cables = self.selector.cluster.cables
        capacity, self.port = read_links(args.links, fabric, cables, args.port_rate)
        busy = None
        if args.background is not None:
            busy = self._background(args.background, fabric, capacity)
        self.capacity, self.busy = capacity, busy
        power, reserve = (0, 0)
        if objective is Objective.CONTENTION:
            power, reserve = PURPOSES[args.purpose or "job"]
            if reserve:
                widths = {ends: Fraction(wide, UNIT) for ends, wide in capacity.items()}
                reserve *= usual_reserve(names_of(fabric).homes, widths)
        if isinstance(fabric, Hierarchy) and args.traffic in (None, ALL_TO_ALL):
            return LinkWish(TreeLinks.of(fabric, capacity, busy), power, reserve)
        from ..contention.network import NetworkWish  # which imports solvers

        units = partial(self._units, args.traffic or ALL_TO_ALL)
        routing = args.routing or ""
        return NetworkWish(capacity, busy, units, routing, power, reserve)

    def prove(self, placement: Placement, free: Any, path: str) -> dict[str, Any]:
        """Prove in files that no choice uses its busiest link less; return the answer.

        Raises InputError where loads of choices are not sums of products.
        """
        from ...formulations.cluster.proof import prove_refuted
        from ...network.contention.decisions import (
            Decisions,
            crossings_of,
            refuses_decisions,
        )
        from ..contention.network import NetworkWish

        args, k = self.args, len(placement.chosen)
        [fabric] = self.selector.cluster.fabrics
        if self.capacity is None or args.objective != Objective.LINKS.value:
            raise InputError("is for --job, or --objective links", "--proof")
        if placement.status is Status.INFEASIBLE:
            return {"unproved": "no choice of free nodes is possible"}
        units = partial(self._units, args.traffic or ALL_TO_ALL)
        wish = NetworkWish(self.capacity, self.busy, units, args.routing or "")
        instance = wish.instance(fabric, free, k)
        if why := refuses_decisions(instance):
            raise InputError(why, "--proof")
        assert placement.objective is not None
        if placement.bound is None or placement.bound[0] < placement.objective[0]:
            return {"unproved": "a choice that uses its busiest link less is possible"}
        most = wish.cost(fabric, placement.chosen)[0] - 1
        if most < 0:
            return {"proof": f"{Grade.CHECKED.value}: costs that are not negative"}
        model, _ = Decisions(instance, crossings_of(instance)).model(most)
        found = prove_refuted(
            model, f"a busiest link below {most + 1}", path, seconds(args.time_limit)
        )
        if isinstance(found, Limit):
            return {"unproved": f"stopped by {found.value}"}
        return {"proof": f"{Grade.CHECKED.value}: {found.kind}", "files": found.files}

    def _units(self, traffic: str, k: int) -> Sequence[tuple[int, int, int]]:
        """Return what tasks send, by a pattern or from a file of bytes."""
        try:
            return units_of(traffic, k)
        except InputError as error:
            if error.problem.startswith("must be") and Path(traffic).exists():
                matrix = read_traffic(traffic).matrix()
                if len(matrix) == k:
                    np.fill_diagonal(matrix, 0)
                    scale = -(-busiest_of(matrix) // (MOST_UNIT // UNIT - k))
                    return [
                        (int(s), int(t), -(-int(matrix[s, t]) // scale))
                        for s, t in np.argwhere(matrix)
                    ]
                problem = f"must have {k} ranks, as many as nodes are chosen"
                raise InputError(problem, "ranks", len(matrix), file=traffic) from None
            raise InputError(error.problem, "--traffic", traffic) from None

    def _background(self, path: str, fabric: Fabric, capacity: Wires) -> Wires:
        """Read counters of ports, or running jobs with their patterns."""
        text = read_text(path)
        if not text.lstrip().startswith("{"):
            known = self.args.links or self.args.port_rate
            if not known and not self.selector.cluster.cables:
                raise InputError("is needed with counters", "--port-rate")
            return read_counters(path, text, fabric, capacity, self.port)
        jobs = read_running(path, text)
        busy, unknown = loads_of_jobs(fabric, self.args.routing or "", jobs, path)
        if unknown:
            self.note = f"{with_noun(unknown, 'running job')} without a pattern: silent"
        return busy

    def document(self) -> dict[str, Any]:
        """Return what an answer states of links."""
        found: dict[str, Any] = {"port_rate_gbit": str(self.port)}
        if self.note:
            found["note"] = self.note
        return found


def lines(shown: dict[str, Any]) -> Iterator[str]:
    """Yield lines about the links of an answer."""
    if "cost" in shown:
        yield f"  chosen      {shown['hostlist']}"
        for name, value in texts(shown, "cost", "value").items():
            yield f"  {name:<11} {value}"
    if busiest := busiest_text(shown):
        yield f"  busiest     {busiest}"
    if "note" in shown:
        yield f"  note        {shown['note']}"


def busiest_text(shown: dict[str, Any]) -> str:
    """Return the busiest link of an answer; "" if no link is used."""
    if "busiest" not in shown:
        return ""
    found = shown["busiest"]
    load, others = (float(Fraction(found[x])) for x in ("load", "others"))
    slow = "; the job cannot send at its rate" if load > 1 else ""
    return f"{found['link']}: {load:.4g}, of which others {others:.4g}{slow}"


def texts(shown: dict[str, Any], what: str, value: str) -> dict[str, Any]:
    """Return the numbers of a cost or bound; of links as parts of what they carry."""
    numbers = dict(shown[what])
    if value in shown:
        numbers[next(iter(numbers))] = f"{float(Fraction(shown[value])):.6g}"
    return numbers
