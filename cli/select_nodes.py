"""``closeknit select --topology``: nodes of a cluster as its scheduler describes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..instances import IntArray
from ..instances.errors import InputError
from ..instances.json_text import dumps
from ..instances.option_values import seconds
from ..methods.tiers import in_tiers
from ..scheduler.hostlist import unfold
from ..scheduler.placement import (
    MOST_K,
    NodeSelector,
    Objective,
    Placement,
    Request,
    described,
    for_kubernetes,
    measures,
)
from ..scheduler.placement.program import Flags
from ..scheduler.rules import by_rule
from ..scheduler.state import Report, read_state
from ..scheduler.topologies import Hierarchy, read_cluster
from ..solvers import Settings, Status
from . import outputs, shared
from .parser import Parser, flag

FORMATS = ("text", "hostlist", "json", "lines", "rankfile", "kubernetes")
OWN = {
    "k": None,
    "busy": None,
    "objective": None,
    "segment": None,
    "levels": None,
    "require": None,
    "exclude": None,
    "format": None,
    "explain": False,
    "topology_name": None,
    "labels": None,
}
"""Options for use with ``--topology`` only, and their defaults."""


def options(parser: Parser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("choose nodes of a cluster")
    topology_options(group)
    shared.add_number(group, "-k", "nodes wanted")
    group.add_argument(
        "--busy",
        metavar="HOSTLIST|@FILE|-",
        help="busy nodes: a hostlist, or a report of squeue, sinfo, scontrol or "
        "kubectl as JSON; --free takes the same",
    )
    objective_option(group)
    shared.add_number(group, "--segment", "nodes of a group within one switch or block")
    group.add_argument(
        "--levels",
        metavar="LEVEL=N,...",
        help="nodes of a group within one domain of a level, such as rack=48,zone=96",
    )
    for name, says in (("require", "be chosen"), ("exclude", "not be chosen")):
        group.add_argument(
            f"--{name}", metavar="HOSTLIST", help=f"nodes that must {says}"
        )
    group.add_argument(
        "--format", choices=FORMATS, help="what is printed (default: text)"
    )
    flag(group, "--explain", "say what is taken of each switch, and what is left")


def topology_options(group: Any, *, required: bool = False) -> None:
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


def objective_option(group: Any) -> None:
    """Declare what is minimised."""
    group.add_argument(
        "--objective",
        choices=[one.value for one in Objective],
        help="what is minimised (default: switches; on other networks hops)",
    )


def labels_of(args: argparse.Namespace) -> list[str]:
    """Return the labels of levels that were given."""
    return [x.strip() for x in args.labels.split(",")] if args.labels else []


def run(args: argparse.Namespace, free: str | None) -> int:
    """Choose nodes; return the exit status. ``free`` is None if not given."""
    if args.k is None:
        raise InputError("is needed with --topology", field="-k")
    if not 1 <= args.k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", field="-k", value=args.k)
    if free is not None and args.busy is not None:
        raise InputError("cannot be given with --free", field="--busy")
    listed = read_state(free, "--free") if free is not None else None
    cluster = read_cluster(
        args.topology,
        name=args.topology_name or "",
        labels=labels_of(args),
        nodes=[*listed.free, *listed.busy] if listed else (),
    )
    selector = NodeSelector(cluster)
    flags, ignored = _free(selector, args, listed)
    request = _request(args, selector)
    placement = _selected(selector, request, flags, args)
    shown = described(selector, request, flags, placement)
    if ignored:
        shown["ignored"] = ignored
    if args.json:
        outputs.write_out(args.json, dumps(shown) + "\n")
    if args.json != "-":
        _show(args, selector, request, flags, placement, shown)
    return _status(placement)


def _status(placement: Placement) -> int:
    if placement.status is Status.INFEASIBLE:
        return 3
    return 4 if placement.objective is None else 0


def _free(
    selector: NodeSelector, args: argparse.Namespace, listed: Report | None
) -> tuple[list[Flags], int]:
    """Return which nodes are free, and how many of a report are not in the topology."""
    report = read_state(args.busy, "--busy") if args.busy is not None else listed
    free: Iterable[str] | None = None
    without: list[str] = []
    ignored = 0
    if report is not None:
        if listed is not None and report.source == "squeue":
            problem = "says which nodes are busy: give it with --busy"
            raise InputError(problem, field="--free", value=args.free)
        if listed is not None and report.source == "kubectl" and not report.free:
            problem = "says of no node that it is free: give pods with --busy"
            raise InputError(problem, field="--free", value=args.free)
        names = report.free if listed is not None else report.busy
        known = [name for name in names if name in selector.cluster.index]
        if report.source:
            ignored, names = len(names) - len(known), dict.fromkeys(known)
        if listed is not None:
            free = names
        else:
            without = list(names)
    flags = selector.free(free, without=without, fields=("--free", "--busy"))
    if args.exclude:
        excluded = unfold(args.exclude, field="--exclude")
        others = selector.free(without=excluded, fields=("", "--exclude"))
        flags = [a & b for a, b in zip(flags, others, strict=True)]
    return flags, ignored


def _request(args: argparse.Namespace, selector: NodeSelector) -> Request:
    objective = Objective(args.objective) if args.objective else selector.objective
    levels: dict[str, int] = {}
    for part in args.levels.split(",") if args.levels else ():
        name, equals, size = part.strip().partition("=")
        if not equals or not size.isdecimal() or len(size) > 7 or not name:
            raise InputError("must be LEVEL=N,...", field="--levels", value=part)
        if name in levels:
            raise InputError("is given twice", field="--levels", value=name)
        levels[name] = int(size)
    require = unfold(args.require, field="--require") if args.require else []
    segment = 1 if args.segment is None else args.segment
    try:
        return Request(args.k, objective, segment, levels, frozenset(require))
    except InputError as error:
        raise _named(error) from None


def _named(error: InputError) -> InputError:
    """Return the error with the name of the option in place of the field."""
    dashes = "-" if error.field == "k" else "--"
    if not error.field or error.field.startswith("-"):
        return error
    return InputError(error.problem, dashes + error.field, error.value)


def _selected(
    selector: NodeSelector,
    request: Request,
    flags: list[Flags],
    args: argparse.Namespace,
) -> Placement:
    settings = Settings(time_limit=seconds(args.time_limit))
    try:
        return in_tiers(
            lambda how: (
                by_rule(args.method, selector, request, flags, how)
                if args.method
                else selector.select(request, flags, how)
            ),
            lambda placement: placement.limit,
            size=sum(int(np.count_nonzero(one)) for one in flags),
            settings=settings,
        )
    except InputError as error:
        raise _named(error) from None


def _show(
    args: argparse.Namespace,
    selector: NodeSelector,
    request: Request,
    flags: list[Flags],
    placement: Placement,
    shown: dict[str, Any],
) -> None:
    """Print the answer in the form that was asked for."""
    form = args.format or "text"
    names = shown.get("chosen", [])
    if form == "json":
        print(dumps(shown))
    elif form == "text":
        _print_text(shown)
        if args.explain:
            _explain(selector, request, flags, placement)
    elif not names:
        why = _nothing(placement, args.method)
        print(f"closeknit: {why}", file=sys.stderr)
    elif form == "hostlist":
        print(shown["hostlist"])
    elif form == "kubernetes":
        print(dumps(for_kubernetes(names)))
    else:
        for i, name in enumerate(names):
            print(name if form == "lines" else f"rank {i}={name} slot=0")


def _nothing(placement: Placement, rule: str | None) -> str:
    if placement.status is Status.INFEASIBLE:
        return "infeasible: no choice of free nodes is possible"
    if rule and placement.limit is None:
        return f"{rule} finds no choice, although there is one"
    return "nothing was found within the limit"


def _print_text(shown: dict[str, Any]) -> None:
    print(shown["topology"])
    print(f"  free        {shown['free']} of {shown['nodes']} nodes")
    if "ignored" in shown:
        print(f"  ignored     {shown['ignored']} nodes that are not in the topology")
    if "chosen" in shown:
        print(f"  chosen      {shown['hostlist']}")
        for name, value in shown["cost"].items():
            print(f"  {name:<11} {value}")
    if "bound" in shown:
        bound = ", ".join(f"{value} {name}" for name, value in shown["bound"].items())
        print(f"  bound       {bound}")
    known = f" ({shown['proof']})" if "proof" in shown else ""
    print(f"  status      {shown['status']}{known}")
    if "limit" in shown:
        print(f"  limit       {shown['limit']}")
    print(f"  time        {shown['seconds']:.4f} s")


def _explain(
    selector: NodeSelector,
    request: Request,
    flags: list[Flags],
    placement: Placement,
) -> None:
    """Print what is taken of each switch and what is left, or why nothing is."""
    for i, fabric in enumerate(selector.cluster.fabrics):
        if not isinstance(fabric, Hierarchy):
            continue
        domains = len(fabric.parent)
        at = np.bincount(fabric.home[flags[i]], minlength=domains)
        taken = np.zeros(domains, dtype=np.int64)
        if placement.objective is not None:
            if i != placement.fabric:
                continue
            taken = fabric.count(placement.chosen)
            for v in np.flatnonzero(taken).tolist():
                print(f"  {fabric.domains[v]}: {taken[v]} of {at[v]} free nodes")
        else:
            _against(fabric, request, at)
        before = measures.largest_jobs(fabric, fabric.below(at))
        after = measures.largest_jobs(fabric, fabric.below(at - taken))
        for level, most in before.items():
            print(f"  largest job in one {level}: {most} nodes, then {after[level]}")


def _against(fabric: Hierarchy, request: Request, at: IntArray) -> None:
    """Print how many groups each level has room for."""
    free = fabric.below(at)
    print(f"  {int(free[0])} nodes are free, {request.k} are wanted")
    for level, size in request.sizes(fabric).items():
        groups = int((free[fabric.level == level] // size).sum())
        name = fabric.levels[level]
        print(f"  groups of {size} in one {name}: {groups}, {request.k // size} wanted")
