"""Options that say what a cluster is, what runs on it, and what a job asks for."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..instances.errors import InputError
from ..scheduler.hostlist import unfold
from ..scheduler.placement import MOST_K, NodeSelector, Objective, Request
from ..scheduler.placement.program import Flags
from ..scheduler.state import Report, read_state
from ..scheduler.topologies import Cluster, read_cluster, read_name_map
from . import outputs, shared


def page_or_picture(text: str) -> outputs.OutputFile:
    """Read an option that names a drawing or a page; its ending is the form."""
    endings = (*outputs.PICTURES, ".html")
    if Path(text).suffix.lower() not in endings:
        raise ArgumentTypeError(f"must end in {', '.join(endings)}, not {text!r}")
    return outputs.OutputFile(text)


def add_topology(group: Any, *, required: bool = True) -> None:
    """Declare which file the topology is read from, and how."""
    group.add_argument(
        "--topology",
        metavar="FILE",
        required=required,
        help="topology.conf, topology.yaml, ibnetdiscover, cables or coordinates as "
        "CSV, Kubernetes nodes as JSON, a topograph model, Cobalt partitions",
    )
    group.add_argument(
        "--topology-name", metavar="NAME", help="which topology of the file"
    )
    group.add_argument(
        "--labels", metavar="L,L", help="labels of Kubernetes levels, from the top down"
    )
    group.add_argument(
        "--node-name-map",
        metavar="FILE",
        help="hosts by the GUID of their adapters, as ibnetdiscover takes it",
    )


def cluster_of(args: argparse.Namespace, nodes: Sequence[str] = ()) -> Cluster:
    """Read the topology; ``nodes`` are known from elsewhere."""
    labels = [x.strip() for x in args.labels.split(",")] if args.labels else []
    name = args.topology_name or ""
    names = read_name_map(args.node_name_map) if args.node_name_map else None
    return read_cluster(
        args.topology, name=name, labels=labels, nodes=nodes, host_names=names
    )


def add_objective(group: Any) -> None:
    """Declare what is minimised."""
    group.add_argument(
        "--objective",
        choices=[one.value for one in Objective],
        help="what is minimised (default: switches; on other networks hops)",
    )


def add_machine(group: Any, *, required: bool = True) -> None:
    """Declare the options that `read_machine` reads, but for ``--free``."""
    add_topology(group, required=required)
    group.add_argument(
        "--busy",
        metavar="HOSTLIST|@FILE|-",
        help="busy nodes: a hostlist, or a report of squeue, sinfo, scontrol or "
        "kubectl as JSON; --free takes the same",
    )


def add_free(group: Any) -> None:
    """Declare ``--free``."""
    group.add_argument(
        "--free", metavar="HOSTLIST|@FILE|-", help="free nodes (default: all)"
    )


def add_exclude(group: Any) -> None:
    """Declare ``--exclude``."""
    group.add_argument(
        "--exclude", metavar="HOSTLIST", help="nodes that must not be chosen"
    )


def add_request(group: Any) -> None:
    """Declare the options that `request_of` reads, but for ``--objective``."""
    group.add_argument("-k", type=int, metavar="N", help="nodes wanted")
    shared.add_number(group, "--segment", "nodes of a group within one switch or block")
    group.add_argument(
        "--levels",
        metavar="LEVEL=N,...",
        help="nodes of a group within one domain of a level, such as rack=48,zone=96",
    )
    group.add_argument(
        "--require", metavar="HOSTLIST", help="nodes that must be chosen"
    )
    add_exclude(group)


@dataclass(frozen=True, eq=False)
class ClusterState:
    """A cluster, and what is known of its nodes."""

    selector: NodeSelector
    free: list[Flags]
    ignored: int
    """Nodes of a report that are not in the topology."""
    holders: Mapping[str, Mapping[str, None]]
    """The jobs that hold a node, where a report says so."""

    @property
    def count(self) -> int:
        """Number of free nodes."""
        return sum(int(np.count_nonzero(one)) for one in self.free)

    def excluded(self, hostlist: str | None) -> list[Flags]:
        """Return which nodes a hostlist excludes."""
        names = unfold(hostlist, field="--exclude") if hostlist else []
        return [
            ~one for one in self.selector.free(without=names, fields=("", "--exclude"))
        ]


def read_machine(args: argparse.Namespace, free: str | None) -> ClusterState:
    """Read the topology and which nodes are free; ``free`` is None if not given."""
    if free is not None and args.busy is not None:
        raise InputError("cannot be given with --free", field="--busy")
    listed = read_state(free, "--free") if free is not None else None
    nodes = [*listed.free, *listed.busy] if listed else ()
    cluster = cluster_of(args, nodes)
    selector = NodeSelector(cluster)
    report = read_state(args.busy, "--busy") if args.busy is not None else listed
    names: Iterable[str] | None = None
    without: list[str] = []
    ignored = 0
    if report is not None:
        if listed is not None:
            _refuse(report, free)
        named = report.free if listed is not None else report.busy
        known = [name for name in named if name in cluster.index]
        if report.source:
            option, given = (
                ("--busy", args.busy) if listed is None else ("--free", free)
            )
            _refuse_strange(report, cluster, str(given), option)
            ignored, named = len(named) - len(known), dict.fromkeys(known)
        if listed is not None:
            names = named
        else:
            without = list(named)
    flags = selector.free(names, without=without, fields=("--free", "--busy"))
    return ClusterState(selector, flags, ignored, report.holders if report else {})


def _refuse(report: Report, free: str | None) -> None:
    """Refuse a report that says of no node that it is free."""
    if report.source in ("squeue", "jobs"):
        problem = "says which nodes are busy: give it with --busy"
        raise InputError(problem, field="--free", value=free)
    if report.source == "kubectl" and not report.free:
        problem = "says of no node that it is free: give pods with --busy"
        raise InputError(problem, field="--free", value=free)


def _refuse_strange(report: Report, cluster: Cluster, given: str, option: str) -> None:
    """Refuse a report on another machine, which would leave all nodes free."""
    named = [*report.busy, *report.free]
    if named and not any(name in cluster.index for name in named):
        problem = f"none of its {len(named)} nodes is in the topology"
        raise InputError(problem, option, named[0], file=given.removeprefix("@"))


def request_of(
    args: argparse.Namespace, selector: NodeSelector, objective: str | None = None
) -> Request:
    """Return what the options ask for; errors name the option."""
    if not 1 <= args.k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", field="-k", value=args.k)
    levels: dict[str, int] = {}
    for part in args.levels.split(",") if args.levels else ():
        name, equals, size = part.strip().partition("=")
        if not equals or not size.isdecimal() or len(size) > 7 or not name:
            raise InputError("must be LEVEL=N,...", field="--levels", value=part)
        if name in levels:
            raise InputError("is given twice", field="--levels", value=name)
        levels[name] = int(size)
    require = unfold(args.require, field="--require") if args.require else []
    if len(set(require)) > args.k:
        problem = f"names {len(set(require))} nodes, more than -k {args.k}"
        raise InputError(problem, "--require")
    excluded = set(unfold(args.exclude, field="--exclude") if args.exclude else [])
    if both := [name for name in require if name in excluded]:
        raise InputError("is in --exclude too", "--require", both[0])
    try:
        return Request(
            args.k,
            Objective(objective) if objective else selector.objective,
            1 if args.segment is None else args.segment,
            levels,
            frozenset(require),
        )
    except InputError as error:
        raise named(error) from None


def named(error: InputError) -> InputError:
    """Return the error with the name of the option in place of the field."""
    dashes = "-" if error.field == "k" else "--"
    if not error.field or error.field.startswith("-"):
        return error
    return InputError(error.problem, dashes + error.field, error.value)
