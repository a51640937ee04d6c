"""``select --objective links|contention``: links, and what others send over them."""

from __future__ import annotations

import argparse
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...cli.frame.parser import Once
from ...instances import InputError
from ...instances.reading.files import read_text
from ...instances.words import with_noun
from ...network.contention.instance import PURPOSES
from ..contention.links import (
    MOST_RATE,
    TreeLinks,
    rate_of,
    read_counters,
    read_links,
)
from ..contention.traffic import add_jobs
from ..contention.tree import LinkWish
from ..jobs.running import read_running
from ..placement import NodeSelector
from ..placement.request import OF_LINKS, Objective
from ..topologies import Hierarchy

UNKNOWN = (
    "what others send is not known (--background): under load hops are the better "
    "rule on trees"
)


def options(group: Any) -> None:
    """Declare the options."""
    group.add_argument(
        "--links",
        metavar="FILE",
        action=Once,
        help="capacities of links: CSV a,b,capacity in Gbit/s; cables add up",
    )
    group.add_argument(
        "--port-rate",
        metavar="GBIT",
        type=_gbit,
        action=Once,
        help="rate of a node's own link (default: the least in --links)",
    )
    group.add_argument(
        "--background",
        metavar="FILE",
        action=Once,
        help="what others send: counters of ports as CSV a,b,gbit_ab,gbit_ba, or "
        "closeknit/running-jobs with patterns",
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
        self.links: TreeLinks | None = None
        self.port = Decimal(0)
        self.note = UNKNOWN * (args.background is None)

    def search(self, objective: Objective) -> LinkWish | None:
        """Return what an objective wants; raise InputError where options contradict."""
        args = self.args
        for option in ("links", "background", "port_rate", "purpose"):
            if getattr(args, option) is not None and objective not in OF_LINKS:
                problem = "is for --objective links and contention"
                raise InputError(problem, f"--{option.replace('_', '-')}")
        if objective not in OF_LINKS:
            return None
        if args.method:
            raise InputError("is not for this objective", "--method", args.method)
        if args.purpose is not None and objective is Objective.LINKS:
            raise InputError("is for --objective contention", "--purpose")
        if args.links is None:
            raise InputError("needs --links", "--objective", objective.value)
        fabric, *others = self.selector.cluster.fabrics
        if others or not isinstance(fabric, Hierarchy):
            problem = "needs one tree of switches, blocks or racks"
            raise InputError(problem, "--links")
        self.links, self.port = read_links(args.links, fabric, args.port_rate)
        if args.background is not None:
            self.links = self._background(args.background, fabric, self.links)
        if objective is Objective.LINKS:
            return LinkWish(self.links)
        return LinkWish(self.links, *PURPOSES[args.purpose or "job"])

    def _background(self, path: str, fabric: Hierarchy, links: TreeLinks) -> TreeLinks:
        """Read counters of ports, or running jobs with their patterns."""
        text = read_text(path)
        if not text.lstrip().startswith("{"):
            return read_counters(path, text, fabric, links, self.port)
        jobs = read_running(path, text)
        links, unknown = add_jobs(fabric, links, jobs, path)
        if unknown:
            self.note = f"{with_noun(unknown, 'running job')} without a pattern: silent"
        return links

    def document(self) -> dict[str, Any]:
        """Return what an answer states of links."""
        found: dict[str, Any] = {"port_rate_gbit": str(self.port)}
        if self.note:
            found["note"] = self.note
        return found


def texts(shown: dict[str, Any], what: str, value: str) -> dict[str, Any]:
    """Return the numbers of a cost or bound; of links as parts of what they carry."""
    numbers = dict(shown[what])
    if value in shown:
        numbers[next(iter(numbers))] = f"{float(Fraction(shown[value])):.6g}"
    return numbers
