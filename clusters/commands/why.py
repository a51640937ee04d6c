"""Say why a job does not fit on a cluster, and the least that would have to change.

Either busy nodes become free: the fewest, and the fewest jobs where a report states
which job holds which node. Or the request gives way: the fewest constraints, and the
largest job that fits with all of them. Exit status 0 when it fits, 3 when it does not,
4 when nothing was found within the limit.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.words import with_noun
from ...methods.interpreted_or_compiled import in_tiers
from ...scheduler.hostlist import fold
from ...solvers import Settings
from ..advice.obstacle import JobsToEnd, Reason
from ..advice.why import explain
from ..placement import Objective, Request, describe_placement
from ..placement.request import OF_LINKS
from . import cluster, select_links

LOADS = ("hostlist", "cost", "value", "bound", "value_bound", "busiest", "note")
"""What is told of the links of a job that fits."""


def options(parser: Parser) -> None:
    """Declare the options."""
    cluster.add_machine(parser)
    cluster.add_free(parser)
    cluster.add_request(parser)
    cluster.add_objective(parser, "links of a job that fits are told", OF_LINKS)
    select_links.options(parser)
    cluster.add_slice(parser)
    outputs.add_json(parser, "the answer")
    shared.add_time_limit(parser, "seconds; what was found until then is printed", 10.0)
    parser.examples(
        "why --topology topology.conf --state squeue.json sinfo.json -k 36",
        "why --topology nodes.json --state pods.json -k 96 --levels rack=48",
    )


def run(args: argparse.Namespace) -> int:
    """Answer; return the exit status."""
    if args.k is None and args.slice is None:
        raise InputError("is needed", "-k")
    machine = cluster.read_machine(args, args.free)
    request = cluster.request_of(args, machine.selector)
    wish = select_links.LinkOptions(args, machine.selector)
    links = wish.search(Objective(args.objective) if args.objective else None)
    forbidden = machine.forbidden.flags(machine.selector)
    # A node that is drained, too, does not come free with its jobs.
    freeable = machine.known.freeable
    holders = {x: jobs for x, jobs in machine.holders.items() if x in freeable}
    with cluster.naming_options():
        reason = in_tiers(
            lambda how: explain(
                machine.selector, request, machine.free, forbidden, holders, how
            ),
            lambda found: found.stopped,
            size=len(machine.selector.cluster.index),
            settings=Settings(time_limit=seconds(args.time_limit)),
        )
    kind = _kind(machine, request)
    loads: dict[str, Any] = {}
    if links is not None and reason.fits:
        best = replace(request, objective=Objective(args.objective), links=links)
        placement = machine.selector.select(
            best, machine.usable, Settings(time_limit=seconds(args.time_limit))
        )
        loads = describe_placement(machine.selector, best, machine.usable, placement)
        loads |= wish.document()
    if args.json:
        shown = _document(machine, request, reason)
        if loads:
            shown["links"] = {name: loads[name] for name in LOADS if name in loads}
        shown["state"] = machine.known.document()
        if kind:
            shown["kind"] = kind
        outputs.write_json(args.json, "closeknit/why", **shown)
    if args.json != "-":
        _show(machine, request, reason, kind, args)
        for line in select_links.lines(loads):
            print(line)
    if reason.fits:
        return 0
    return 4 if reason.placement.limit else 3


def _kind(machine: cluster.KnownCluster, request: Request) -> dict[str, Any]:
    """Return how many nodes are of the kind that is asked for; empty if none is."""
    forbidden = machine.forbidden
    if not forbidden.asked:
        return {}
    others = set(forbidden.other_kinds)
    names = [x for x in machine.selector.cluster.index if x not in others]
    return {
        "asked": forbidden.asked,
        "nodes": len(names),
        "free": sum(name not in machine.known.reasons for name in names),
        "too_few": len(names) < request.k,
    }


def _held(
    machine: cluster.KnownCluster, nodes: Iterable[str]
) -> dict[tuple[str, str], list[str]]:
    """Return nodes by the jobs that hold them, and by why they are not free."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in nodes:
        job = "+".join(machine.holders.get(name, ()))
        ends = job and name in machine.known.freeable
        reason = "busy" if ends else machine.known.reasons.get(name, "busy")
        found.setdefault((job, reason), []).append(name)
    return found


def _document(
    machine: cluster.KnownCluster, request: Request, reason: Reason
) -> dict[str, Any]:
    placement = reason.placement
    document: dict[str, Any] = {
        "topology": machine.selector.cluster.summary(),
        "free": machine.count,
        "k": request.k,
        "slice": str(request.slice) if request.slice else None,
        "objective": "busy nodes" if reason.cubes is None else "busy cubes",
        "fits": None if placement.limit else reason.fits,
        "never": reason.never,
        "ignored": machine.known.ignored or None,
    }
    if not reason.fits:
        jobs, first = reason.jobs, -1 if reason.cubes is None else 0
        document |= {
            "busy_cubes": reason.cubes,
            "busy_nodes": placement.objective and placement.objective[-1],
            "bound": placement.bound and placement.bound[first],
            "proof": placement.by or None,
            "busy": [
                {"job": job or None, "reason": reason, "hostlist": fold(nodes)}
                for (job, reason), nodes in _held(machine, reason.busy).items()
            ]
            or None,
            "jobs": jobs
            and {
                "end": jobs.jobs and list(jobs.jobs),
                "nodes": jobs.nodes,
                "bound": jobs.bound,
                "proof": jobs.by,
            },
            "largest_slice" if request.slice else "largest_k": reason.most,
            "changes": [list(one) for one in reason.changes],
            "values": dict(reason.values),
            "limit": reason.limit and reason.limit.value,
        }
    return {key: value for key, value in document.items() if value is not None}


def _show(
    machine: cluster.KnownCluster,
    request: Request,
    reason: Reason,
    kind: dict[str, Any],
    args: argparse.Namespace,
) -> None:
    print(machine.selector.cluster.summary())
    total = len(machine.selector.cluster.index)
    print(f"  free        {machine.count} of {with_noun(total, 'node')}")
    for line in cluster.state_lines(machine.known.document()):
        print(f"  {line}")
    if strange := machine.known.ignored:
        print(f"  ignored     {with_noun(strange, 'node')} not in the topology")
    print(f"  request     {_describe_request(request)}")
    if kind:
        of = "of " * kind["asked"].startswith("--")
        print(
            f"  kind        {kind['nodes']} of {total} "
            f"nodes are {of}{kind['asked']}, {kind['free']} of them free"
        )
    placement = reason.placement
    if reason.fits:
        print("  answer      it fits")
        return
    if placement.limit:
        print(f"  answer      unknown: the limit was reached ({placement.limit.value})")
        return
    proved = f"proved ({placement.by})"
    if kind and kind["too_few"]:
        there = with_noun(kind["nodes"], "node")
        print(
            f"  answer      it never fits: only {there} of the kind that is asked for, "
            f"{request.k} wanted; proved (counting)"
        )
    elif reason.never:
        print(f"  answer      it never fits, even if all nodes were free; {proved}")
    else:
        print("  answer      it does not fit now")
        assert placement.objective is not None
        count, what = placement.objective[-1], "busy nodes"
        if reason.cubes is not None:
            count, what = reason.cubes, "cubes"
        print(f"Fewest {what} that would have to be free: {count}, {proved}")
        for (job, why), nodes in _held(machine, reason.busy).items():
            words = [f"job {job}"] * bool(job) + [why] * (not job or why != "busy")
            print(f"  {', '.join(words)}: {fold(nodes)}")
        if reason.jobs is not None:
            _show_jobs(reason.jobs)
    _show_changes(request, reason, args, machine.forbidden.taints)


def _describe_request(request: Request) -> str:
    parts = [with_noun(request.k, "node")]
    if request.slice:
        cubes = " cubes" * (not request.slice.shape)
        parts.append(f"a slice of {request.slice}{cubes}")
    if request.segment > 1:
        parts.append(f"{request.segment} within one switch or block")
    parts += [f"{size} within one {name}" for name, size in request.levels.items()]
    if request.require:
        parts.append(f"with {fold(sorted(request.require))}")
    return ", ".join(parts)


def _show_jobs(jobs: JobsToEnd) -> None:
    if jobs.jobs is None:
        open_ = jobs.bound is not None
        what = "unknown within the limit" if open_ else "all of them would not suffice"
        print(f"Fewest jobs that would have to end: {what} ({jobs.by})")
        return
    count = len(jobs.jobs)
    known = "proved" if jobs.bound == count else f"at least {jobs.bound}"
    print(f"Fewest jobs that would have to end: {count}, {known} ({jobs.by})")
    print(f"  {', '.join(jobs.jobs)}: {with_noun(jobs.nodes, 'node')}")


def _show_changes(
    request: Request, reason: Reason, args: argparse.Namespace, taints: list[str]
) -> None:
    empty = " on the empty cluster" if reason.never else ""
    print(f"Or change the request{empty}; each line is enough:")
    if reason.most:
        option, what = ("--slice", "slice") if request.slice else ("-k", "job")
        print(f"  {option} {reason.most}: the largest {what} with these constraints")
    sizes: Mapping[str, int] = {"segment": request.segment, **request.levels}
    for dropped in reason.changes:
        words = []
        for name in dropped:
            value = reason.values.get(name)
            option = "levels" if name in request.levels else name
            shown = f"--{option}"
            if option in ("partition", "constraint"):
                shown += f" {getattr(args, option)}"
            elif option == "segment":
                shown += f" {sizes[name]}"
            elif option == "levels":
                shown += f" {name}={sizes[name]}"
            elif option == "tolerate":
                shown = " ".join(f"{shown} {key}" for key in taints)
            if value is not None:
                shown += f" ({value} fits, too)"
            words.append(shown)
        without = [word for word in words if not word.startswith("--tolerate")]
        parts = [f"without {' and '.join(without)}"] * bool(without)
        parts += [f"with {word}" for word in words if word not in without]
        print(f"  {' and '.join(parts)}")
    if not reason.changes and not reason.most:
        print("  no smaller job and no other constraints help")
    if reason.limit:
        print(f"  not all were tried: {reason.limit.value}")
