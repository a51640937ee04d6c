"""Find the least change of running jobs: preempt, repair or drain.

preempt names the jobs that have to end so that a job fits: the least highest priority
of them first, then the fewest, their nodes, what is lost. repair replaces failed nodes
of a placed job: the fewest, then the fewest domains; where free nodes do not do, other
jobs are moved. drain moves the fewest jobs, or waits for some, so that domains are
free.

Jobs are those of --state, and of --running, a file closeknit/running-jobs that states
priorities (those of squeue order its queue, and are not read; without one it is 0),
what an end costs (lost), ends, and what may not move or end. Exit status 3
when it is impossible, 4 when nothing was found within the limit.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Once, Parser, flag, once
from ...formulations.cluster.changes.change import (
    LeastChange,
    RunningState,
    clash_of,
    preempt,
)
from ...formulations.cluster.changes.drain import drain
from ...formulations.cluster.changes.repair import repair
from ...formulations.cluster.constraints import Require, Slices
from ...formulations.cluster.domains import NODE_NAME
from ...formulations.cluster.job import GangJob, JobConstraint, Role
from ...formulations.cluster.stages import NoPlace
from ...instances.errors import InputError, in_file
from ...instances.option_values import seconds
from ...solvers import Settings, Status
from ...solvers.running import clock
from ..jobs.placing import describe_clash
from ..jobs.request import JobRequest
from ..jobs.running import read_running, report_of, running_state, tree_of
from ..placement import MOST_K
from ..placement.program import Flags
from ..placement.request import levels_of
from . import cluster
from .jobs import (
    ROLE,
    add_proofs,
    document_of_change,
    nodes_to_avoid,
    read_job,
    refuse_options_of_nodes,
    show_change,
)


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    ends = parser.subcommand(actions, "preempt", help="the jobs that have to end")
    _add_machine(ends, _preempt)
    cluster.add_request(ends)
    once(ends, "--job", "FILE", "in place of -k: a job of several parts, as for select")
    ends.add_argument(
        "--below",
        type=int,
        metavar="N",
        help="only jobs of a lower priority may end",
    )
    ends.examples(
        "change preempt --topology topology.conf --state squeue.json sinfo.json "
        "--running jobs.json -k 36 --segment 18",
        "change preempt --topology topology.conf --running jobs.json --job job.json",
    )
    mends = parser.subcommand(actions, "repair", help="other nodes for failed ones")
    _add_machine(mends, _repair)
    lists = (("--placed", "of the job, by rank"), ("--failed", "that failed"))
    for option, what in lists:
        mends.add_argument(
            option,
            metavar="HOSTLIST",
            required=True,
            action=Once,
            help=f"the nodes {what}",
        )
    shared.add_number(mends, "--segment", "nodes of a group within one switch or block")
    once(mends, "--levels", "LEVEL=N,...", "as for select")
    flag(mends, "--allow-spread", "let other jobs get onto more leaf switches")
    mends.examples(
        "change repair --topology topology.conf --state squeue.json sinfo.json "
        "--placed n[01-36] --failed n[07,19] --segment 18",
        "change repair --topology topology.conf --running jobs.json "
        "--placed n[01-36] --failed n07",
    )
    frees = parser.subcommand(actions, "drain", help="domains without jobs")
    _add_machine(frees, _drain)
    frees.add_argument("--level", metavar="LEVEL", help="what is freed")
    shared.add_number(frees, "--count", "so many domains, free ones among them")
    shared.add_number(frees, "--until", "jobs that end by then may be waited for")
    flag(frees, "--allow-spread", "let jobs get onto more leaf switches")
    frees.examples(
        "change drain --topology topology.conf --state squeue.json sinfo.json "
        "--level rack --count 2",
        "change drain --topology topology.conf --running jobs.json --count 2",
    )
    parser.examples(
        "change preempt --topology topology.conf --running jobs.json -k 36",
        "change drain --topology topology.conf --running jobs.json --count 2",
    )


def _add_machine(parser: Parser, action: Callable[[argparse.Namespace], int]) -> None:
    cluster.add_machine(parser)
    once(parser, "--running", "FILE", "running jobs, as JSON")
    parser.add_argument(
        "--proof",
        metavar="NAME",
        type=outputs.file,
        help="prove that no less will do, in files NAME-STAGE.recount.json, or "
        ".opb and .pbp.xz",
    )
    outputs.add_json(parser, "the answer")
    shared.add_time_limit(parser, "seconds in all; then the best so far", 60.0)
    parser.set_defaults(action=action)


run = shared.run_action


@dataclass(frozen=True, eq=False)
class _KnownMachine:
    machine: cluster.KnownCluster
    state: RunningState
    stated: Sequence[Mapping[str, Any]]


def _read(args: argparse.Namespace) -> _KnownMachine:
    stated = read_running(args.running) if args.running else []
    jobs = partial(report_of, stated, args.running or "")
    machine = cluster.read_machine(args, None, jobs)
    free, without = machine.usable[0], machine.forbidden.reasons
    state = _state(args, machine, stated, free, without)
    state.refuse()
    return _KnownMachine(machine, state, stated)


def _state(
    args: argparse.Namespace,
    machine: cluster.KnownCluster,
    stated: Sequence[Mapping[str, Any]],
    free: Flags,
    without: Iterable[str] = (),
) -> RunningState:
    state = running_state(
        tree_of(machine.selector.cluster),
        free,
        machine.holders,
        machine.known.freeable.difference(without),
        stated,
        args.running or "",
        machine.known.nameless,
    )
    below = getattr(args, "below", None)
    if below is None:
        return state
    jobs = (replace(x, endable=x.endable and x.priority < below) for x in state.jobs)
    return replace(state, jobs=tuple(jobs))


def _request(args: argparse.Namespace, state: RunningState, k: int) -> JobRequest:
    tree, roles = state.devices.tree, (ROLE,)
    found: list[JobConstraint] = []
    places = []
    if args.segment is not None:
        found.append(Slices(tree.levels[0], roles, args.segment))
        places.append("--segment")
    for name, size in levels_of(args.levels).items():
        found.append(Slices(name, roles, size))
        places.append("--levels")
    if names := cluster.unfold_option(getattr(args, "require", None), "--require"):
        found.append(Require(frozenset(names), roles))
        places.append("--require")
    if not 1 <= k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", "-k", k)
    job = GangJob((Role(ROLE, k),), tuple(found))
    job.refuse(tree)
    return JobRequest("job", job, places=tuple(places))


def _request_of_file(
    args: argparse.Namespace, machine: cluster.KnownCluster
) -> JobRequest:
    refuse_options_of_nodes(args)
    request = read_job(args.job, machine)
    if request.counts_devices:
        raise InputError("must ask for whole nodes", "roles", file=args.job)
    tree = tree_of(machine.selector.cluster)
    with in_file(args.job):
        return replace(request, job=request.on(tree))


def _preempt(args: argparse.Namespace) -> int:
    if args.k is None and args.job is None:
        raise InputError("is needed, or --job", "-k")
    known = _read(args)
    machine, state = known.machine, known.state
    if args.job:
        request = _request_of_file(args, machine)
    else:
        request = _request(args, state, args.k)
    settings = Settings(time_limit=seconds(args.time_limit))
    found = preempt(request.job, state, settings)
    return _answer(args, "preempt", known, found, request)


def _repair(args: argparse.Namespace) -> int:
    known = _read(args)
    machine, state = known.machine, known.state
    number = state.devices.tree.number
    lists = []
    for option in ("placed", "failed"):
        names = cluster.unfold_option([getattr(args, option)], f"--{option}")
        for name in names:
            if name not in number:
                raise InputError("is not in the topology", f"--{option}", name)
        lists.append([number[name] for name in names])
    placed, failed = lists
    mine = {x.name for x in state.jobs if not x.nodes.keys().isdisjoint(placed)}
    for job in state.jobs:
        if job.name in mine and not job.nodes.keys() <= {*placed}:
            raise InputError("holds other nodes, too", "--placed", job.name)
    free = state.devices.free.copy()
    free[placed] = 0
    others = tuple(x for x in state.jobs if x.name not in mine)
    state = RunningState(replace(state.devices, free=free), others)
    asked = _request(args, state, len(placed))
    with cluster.naming_options():
        found = repair(
            asked.job,
            {ROLE: tuple(placed)},
            failed,
            state,
            Settings(time_limit=seconds(args.time_limit)),
            name="+".join(sorted(mine)) or "job",
            spread=args.allow_spread,
        )
    kept = (state.devices.tree.nodes[i] for i in sorted({*placed} - {*failed}))
    only_work = machine.known.freeable | machine.known.only_work
    notes = [
        f"the job keeps {x}, which is {why}"
        for x in kept
        if x not in only_work
        if (why := machine.known.reasons.get(x, "busy")) != "busy"
    ]
    return _answer(args, "repair", replace(known, state=state), found, asked, notes)


def _drain(args: argparse.Namespace) -> int:
    known = _read(args)
    level = args.level or known.state.devices.tree.levels[0]
    if level == NODE_NAME:
        raise InputError("must be above that of nodes", "--level", level)
    with cluster.naming_options():
        found = drain(
            level,
            1 if args.count is None else args.count,
            known.state,
            Settings(time_limit=seconds(args.time_limit)),
            until=-1 if args.until is None else args.until,
            spread=args.allow_spread,
        )
    return _answer(args, "drain", known, found)


def _answer(
    args: argparse.Namespace,
    action: str,
    known: _KnownMachine,
    found: LeastChange,
    request: JobRequest | None = None,
    notes: Sequence[str] = (),
) -> int:
    shown = document_of_change(action, known.machine, known.state, found)
    if notes:
        shown["state"].setdefault("notes", []).extend(notes)
    if request is not None and found.status is Status.INFEASIBLE and found.room:
        shown |= _reason(args, action, known, found.room, request)
    if args.proof:
        add_proofs(args, found, shown)
    if outputs.write_json(args.json, "closeknit/change", **shown):
        show_change(shown)
    if found.status is Status.INFEASIBLE:
        return 3
    return 4 if found.status is Status.UNKNOWN else 0


def _reason(
    args: argparse.Namespace,
    action: str,
    known: _KnownMachine,
    room: NoPlace,
    request: JobRequest,
) -> dict[str, Any]:
    """Return which constraints clash, those of options about nodes among them."""
    machine = known.machine
    opened = _state(args, machine, known.stated, machine.free[0])
    leave = "endable" if action == "preempt" else "movable"
    most = opened.without(x for x in opened.jobs if getattr(x, leave))
    index = most.tree.number
    closed = [index[name] for name in machine.forbidden.reasons if name in index]
    free = room.devices.free.copy()
    free[closed] = most.free[closed]
    avoid = nodes_to_avoid(room.job, machine)
    job = replace(room.job, constraints=(*room.job.constraints, *avoid.values()))
    request = replace(request, job=job, places=(*request.places, *avoid))
    end = clock.now() + seconds(args.time_limit)
    clash = clash_of(job, replace(room.devices, free=free), end)
    if clash is None:
        return {}
    at = "-k" if action == "preempt" else "--placed"
    counts = "roles[{}].count" if getattr(args, "job", None) else at
    return {"clash": describe_clash(clash, request, counts)}
