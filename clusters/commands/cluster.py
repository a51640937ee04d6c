"""Options that say what a cluster is, what runs on it, and what a job asks for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cli.frame import shared
from ...cli.frame.parser import Once, flag, once
from ...instances.errors import InputError
from ...scheduler.hostlist import unfold
from ..availability import IN_NO_REPORT, Availability, Known, availability
from ..demand import Demand, usable_nodes
from ..kinds import NodeKind, note_of
from ..node_states import NodeReport, NodeRules
from ..placement import MOST_K, NodeSelector, Objective, Request, nodes_of
from ..placement.program import Flags
from ..placement.request import NO_LINKS, LinkSearch, levels_of
from ..state import read_option, read_report
from ..topologies import Cluster, read_cluster, read_name_map
from ..topologies.tpu import Slice

_LONGEST_REASON = 60
_MOST_REASONS = 6
"""Reasons that text counts one by one."""


def add_topology(group: Any, *, required: bool = True) -> None:
    """Declare which file the topology is read from, and how."""
    group.add_argument(
        "--topology",
        metavar="FILE",
        action=Once,
        required=required,
        help="topology.conf, topology.yaml, ibnetdiscover, cables or coordinates as "
        "CSV, Kubernetes nodes as JSON, a topograph model",
    )
    once(group, "--topology-name", "NAME", "which topology of the file")
    once(group, "--labels", "L,L", "labels of Kubernetes levels, from the top down")
    once(
        group,
        "--node-name-map",
        "FILE",
        "hosts by the GUID of their adapters, as ibnetdiscover takes it",
    )
    _add_hostlists(group, "--placeholders", "nodes that do not exist", "")


def cluster_of(
    args: argparse.Namespace,
    reports: Sequence[NodeReport] = (),
    free: Iterable[str] = (),
) -> Cluster:
    """Read the topology; nodes of reports and free ones are those of a flat one.

    What reports call FUTURE does not exist yet, and is left out there and here.
    """
    absent = unfold_option(args.placeholders, "--placeholders")
    states = [x for report in reports for x in report.nodes.items()]
    future = [name for name, state in states if "FUTURE" in state.problem]
    labels = [x.strip() for x in args.labels.split(",")] if args.labels else []
    names = read_name_map(args.node_name_map) if args.node_name_map else None
    cluster = read_cluster(
        args.topology,
        name=args.topology_name or "",
        labels=labels,
        nodes=[*dict.fromkeys([*free, *(name for name, _ in states)])],
        host_names=names,
        placeholders=[*absent, *future],
    )
    if strange := [x for x in absent if x not in cluster.placeholders]:
        raise InputError("is at no switch or block", "--placeholders", strange[0])
    for report in reports:
        for name in cluster.placeholders:
            report.nodes.pop(name, None)
    return cluster


def add_objective(
    group: Any, what: str = "what is minimised", some: Iterable[Objective] = NO_LINKS
) -> None:
    """Declare what is minimised."""
    words = f"{what} (default: switches; on other networks hops)"
    group.add_argument("--objective", choices=[x.value for x in some], help=words)


def objective_of(args: argparse.Namespace, selector: NodeSelector) -> Objective:
    """Return the objective that is given, else the default on this network."""
    return Objective(args.objective) if args.objective else selector.objective


def add_machine(group: Any, *, required: bool = True) -> None:
    """Declare the options that `read_machine` reads, but for ``--free``."""
    add_topology(group, required=required)
    add_kinds(
        group,
        "reports as JSON, any number of them: sinfo, scontrol show nodes, squeue, "
        "kubectl get nodes or pods; - is standard input",
    )
    _add_hostlists(
        group, "--busy", "busy nodes beside those of --state; @FILE may be a report"
    )
    flag(group, "--assume-up", "nodes of which no report says a state are up")
    once(group, "--reservation", "NAME", "the job runs in this one of Slurm's")
    flag(group, "--no-boot", "leave out nodes that must boot first")


def add_kinds(group: Any, says: str) -> None:
    """Declare what states which nodes a job may use, and the reports that tell."""
    group.add_argument("--state", metavar="FILE", nargs="+", action="extend", help=says)
    once(group, "--partition", "NAME,NAME", "only nodes of one of these")
    once(group, "--constraint", "EXPR", "only nodes with features: 'a&(b|c)'")
    group.add_argument(
        "--tolerate",
        metavar="KEY",
        action="append",
        help="a taint of Kubernetes nodes that the job tolerates",
    )


def _add_hostlists(group: Any, option: str, says: str, form: str = "|@FILE|-") -> None:
    """Declare an option for hostlists; given several times, they add up."""
    group.add_argument(option, metavar=f"HOSTLIST{form}", action="append", help=says)


def add_free(group: Any) -> None:
    """Declare ``--free``."""
    _add_hostlists(group, "--free", "free nodes, no others are (default: all)")


def add_exclude(group: Any, says: str = "nodes that must not be chosen") -> None:
    """Declare ``--exclude``."""
    _add_hostlists(group, "--exclude", says, "")


def add_slice(group: Any) -> None:
    """Declare ``--slice``."""
    words = "in place of -k: chips of a slice of TPUs, or whole cubes of a pod"
    once(group, "--slice", "AxBxC|N", words)


def add_request(group: Any) -> None:
    """Declare what `request_of` reads, but for ``--objective`` and ``--slice``."""
    group.add_argument("-k", type=int, metavar="N", action=Once, help="nodes wanted")
    shared.add_number(group, "--segment", "nodes of a group within one switch or block")
    once(
        group,
        "--levels",
        "LEVEL=N,...",
        "nodes of a group within one domain of a level, such as rack=48,zone=96",
    )
    _add_hostlists(group, "--require", "nodes that must be chosen", "")
    add_exclude(group)


class Forbidden:
    """The nodes that a job may not use, whether they are free or not, and why.

    This alone states what ``--exclude``, ``--partition`` and ``--constraint`` mean, and
    ``--tolerate`` of taints that say what a node is.
    """

    def __init__(
        self, args: argparse.Namespace, cluster: Cluster, kinds: Mapping[str, NodeKind]
    ) -> None:
        self.by_option: dict[str, list[str]] = {}
        """The names of nodes, by the option that forbids them."""
        self.other_kinds: list[str] = []
        """Those that are not of the kind that is asked for."""
        self.reasons: dict[str, str] = {}
        self.asked = ""
        """What is asked of the kind of nodes, as options; empty if nothing is."""
        self.taints: list[str] = []
        """Keys of the taints that keep the job away from nodes."""
        tolerate = frozenset(args.tolerate or ())
        tainted = {
            name: f"taint {min(against)}"
            for name, kind in kinds.items()
            if name in cluster.index and (against := kind.taint_keys - tolerate)
        }
        if tainted:
            keys = frozenset().union(*(kinds[name].taint_keys for name in tainted))
            self.taints = sorted(keys - tolerate)
            self.by_option["tolerate"] = self.other_kinds = [*tainted]
            self.reasons |= tainted
            self.asked = f"without taint {' or '.join(self.taints)}"
        for option in ("constraint", "partition"):
            text = getattr(args, option)
            if text is None:
                continue
            if not text.strip():
                raise InputError("must not be empty", f"--{option}", text)
            fit = usable_nodes(kinds, Demand(**{option: text}))
            names = [name for name in cluster.index if name not in fit]
            text = text.strip() if text.isprintable() else repr(text)
            self.by_option[option] = names
            self.other_kinds = [*self.other_kinds, *names]
            reason = f"not of --{option} {text}"[:_LONGEST_REASON]
            self.reasons |= dict.fromkeys(names, reason)
            self.asked = f"--{option} {text} {self.asked}".strip()
        names = unfold_option(getattr(args, "exclude", None), "--exclude")
        for name in names:
            if name not in cluster.index:
                raise InputError("is not in the topology", "--exclude", name)
        self.by_option["exclude"] = names
        self.reasons |= dict.fromkeys(names, "excluded")

    def flags(self, selector: NodeSelector) -> dict[str, list[Flags]]:
        """Return the nodes by the option that forbids them, as flags."""
        return {
            option: [~one for one in selector.free(without=names)]
            for option, names in self.by_option.items()
        }


@dataclass(frozen=True, eq=False)
class KnownCluster:
    """A cluster, and what is known of its nodes."""

    selector: NodeSelector
    free: list[Flags]
    """Which nodes are free, whether the job may use them or not."""
    known: Availability
    forbidden: Forbidden

    @property
    def usable(self) -> list[Flags]:
        """Which nodes are free, and the job may use."""
        without = self.selector.free(without=self.forbidden.reasons)
        return [a & b for a, b in zip(self.free, without, strict=True)]

    @property
    def count(self) -> int:
        """Number of free nodes."""
        return sum(int(np.count_nonzero(one)) for one in self.free)

    @property
    def holders(self) -> Mapping[str, Mapping[str, None]]:
        """The jobs that hold a node, where a report states it."""
        return self.known.holders

    def document(self, chosen: Iterable[str] = ()) -> dict[str, Any]:
        """Return what an answer states of the state of nodes, as a JSON object."""
        return self.known.document(self.forbidden.reasons, chosen)


def unfold_option(hostlists: Sequence[str] | None, field: str) -> list[str]:
    """Return the names in the hostlists of an option, each once."""
    listed = (unfold(one, field=field) for one in hostlists or () if one)
    return list(dict.fromkeys(name for names in listed for name in names))


def read_machine(
    args: argparse.Namespace,
    free: Sequence[str] | None,
    jobs: Callable[[Container[str]], NodeReport] | None = None,
) -> KnownCluster:
    """Read the topology and which nodes are free; ``free`` is None if not given.

    ``jobs`` returns which of the nodes jobs hold; if that is all, the others are up.
    """
    busy, files = args.busy or (), args.state or ()
    _refuse_twice([args.topology, args.node_name_map, *files, *busy, *(free or ())])
    listed, reports = read_option(free or (), "--free")
    named, more = read_option(busy, "--busy")
    reports += more
    reports += [read_report(file.removeprefix("@")) for file in files]
    alone = not reports and named is None and listed is None
    selector = NodeSelector(cluster_of(args, reports, listed or ()))
    if selector.cluster.report is not None:
        selector.cluster.report.file = args.topology
    if jobs is not None and (held := jobs(selector.cluster.index)).holders:
        reports.append(held)
    known = availability(
        selector.cluster,
        Known(
            reports=reports,
            free=listed,
            busy=named or (),
            rules=NodeRules(
                args.reservation or "",
                not args.no_boot,
                frozenset(args.tolerate or ()),
                frozenset(Demand(args.partition or "").partitions),
            ),
            assume_up=args.assume_up or alone,
            of_kinds=False,
        ),
    )
    if any(report.nodes for report in more) and IN_NO_REPORT in known.reasons.values():
        print(
            "closeknit: --busy @FILE: nodes that no report names are not free any more "
            "(--state FILE takes reports of any kind)",
            file=sys.stderr,
        )
    forbidden = Forbidden(args, selector.cluster, known.kinds)
    flags = selector.free(without=known.reasons)
    return KnownCluster(selector, flags, known, forbidden)


def _refuse_twice(sources: Sequence[str | None]) -> None:
    if sum(source in ("-", "@-") for source in sources) > 1:
        raise InputError("can be read only once", "standard input")


def read_idle(args: argparse.Namespace) -> tuple[NodeSelector, str]:
    """Read a topology of which every node counts that a job may use, free or not.

    The text is what has to be stated about how nodes are compared.
    """
    _refuse_twice([args.topology, args.node_name_map, *(args.state or ())])
    reports = [read_report(file.removeprefix("@")) for file in args.state or ()]
    cluster = cluster_of(args, reports)
    known = availability(cluster, Known(reports=reports, assume_up=True))
    forbidden = Forbidden(args, cluster, known.kinds)
    excluded = dict.fromkeys(forbidden.by_option["exclude"], "")  # it was not free
    selector = NodeSelector(cluster, forbidden.reasons | excluded)
    return selector, note_of(known.kinds, cluster.index)


def state_lines(shown: Mapping[str, Any], chosen: object = None) -> list[str]:
    """Return what an answer states of the state of nodes, as lines of text."""
    lines = [f"state of nodes: {shown['source']}"]
    if counts := shown["not_free"]:
        parts = [f"{n} {reason}" for reason, n in [*counts.items()][:_MOST_REASONS]]
        if rest := sum([*counts.values()][_MOST_REASONS:]):
            parts.append(f"{rest} for other reasons")
        lines.append(f"not free: {', '.join(parts)}")
    if boots := shown.get("must_boot"):
        of_them = shown.get("chosen_must_boot", 0)
        first = f"{of_them} chosen, " * (chosen is not None)
        lines.append(f"must boot first: {first}{boots} of the free nodes")
    return lines + [f"note: {note}" for note in shown.get("notes", ())]


def request_of(
    args: argparse.Namespace,
    selector: NodeSelector,
    objective: Objective | None = None,
    links: LinkSearch | None = None,
) -> Request:
    """Return what the options ask for; errors name the option."""
    wish = None
    if args.slice is not None:
        if args.k is not None:
            raise InputError("cannot be given with --slice", "-k", args.k)
        with naming_options():
            wish = Slice.of(args.slice)
            args.k = nodes_of(selector.cluster.fabrics[0], wish)
    if not 1 <= args.k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", "-k", args.k)
    levels = levels_of(args.levels)
    require = unfold_option(args.require, "--require")
    if len(require) > args.k:
        problem = f"names {len(require)} nodes, more than -k {args.k}"
        raise InputError(problem, "--require")
    excluded = set(unfold_option(args.exclude, "--exclude"))
    if both := [name for name in require if name in excluded]:
        raise InputError("is in --exclude too", "--require", both[0])
    with naming_options():
        return Request(
            args.k,
            objective or selector.objective,
            1 if args.segment is None else args.segment,
            levels,
            frozenset(require),
            wish,
            links,
        )


@contextmanager
def naming_options() -> Iterator[None]:
    """Put the name of the option in place of the field of an error."""
    try:
        yield
    except InputError as error:
        dashes = "-" if error.field == "k" else "--"
        if not error.field or error.field.startswith("-") or error.file:
            raise
        raise InputError(error.problem, dashes + error.field, error.value) from None
