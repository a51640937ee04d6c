"""Find the least change of running jobs: preempt, repair or drain.

preempt names the jobs that have to end so that a job fits: the least highest priority
of them first, then the fewest, their nodes, what is lost. repair replaces failed nodes
of a placed job: the fewest, then the fewest domains; where free nodes do not do, other
jobs are moved. drain moves the fewest jobs, or waits for some, so that domains are
free.

Jobs are those of --state, and of --running, a file closeknit/running-jobs that states
priorities, what an end costs (lost), ends, and what may not move or end. Exit status 3
when it is impossible, 4 when nothing was found within the limit.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Once, Parser, flag
from ...formulations.cluster.changes.change import LeastChange, RunningState, preempt
from ...formulations.cluster.changes.drain import drain
from ...formulations.cluster.changes.repair import repair
from ...formulations.cluster.constraints import Avoid, Require, Slices
from ...formulations.cluster.domains import NODE_NAME
from ...formulations.cluster.job import GangJob, JobConstraint, Role
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...scheduler.hostlist import fold
from ...solvers import Settings, Status
from ..jobs.running import read_running, running_state, tree_of
from ..placement import MOST_K
from ..placement.request import levels_of
from . import cluster

_ROLE = "nodes"


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    ends = parser.subcommand(actions, "preempt", help="the jobs that have to end")
    _add_machine(ends, _preempt)
    cluster.add_request(ends)
    shared.add_number(ends, "--below", "only jobs of a lower priority may end")
    ends.examples(
        "change preempt --topology topology.conf --state squeue.json sinfo.json "
        "--running jobs.json -k 36 --segment 18",
        "change preempt --topology topology.conf --running jobs.json -k 36",
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
    mends.add_argument(
        "--levels", metavar="LEVEL=N,...", action=Once, help="as for select"
    )
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
    parser.add_argument(
        "--running", metavar="FILE", action=Once, help="running jobs, as JSON"
    )
    outputs.add_json(parser, "the answer")
    shared.add_time_limit(parser, "seconds in all; then the best so far", 60.0)
    parser.set_defaults(action=action)


def run(args: argparse.Namespace) -> int:
    """Do what the action states."""
    status: int = args.action(args)
    return status


def _read(args: argparse.Namespace) -> tuple[cluster.KnownCluster, RunningState]:
    """Return the machine and its jobs."""
    machine = cluster.read_machine(args, None)
    stated = read_running(args.running) if args.running else []
    state = running_state(
        tree_of(machine.selector.cluster),
        machine.usable[0],
        machine.holders,
        machine.known.freeable.difference(machine.forbidden.reasons),
        stated,
        args.running or "",
    )
    state.refuse()
    return machine, state


def _job(args: argparse.Namespace, state: RunningState, k: int) -> GangJob:
    """Return what the options ask for."""
    tree, roles = state.devices.tree, (_ROLE,)
    found: list[JobConstraint] = []
    if args.segment is not None:
        found.append(Slices(tree.levels[0], roles, args.segment))
    for name, size in levels_of(args.levels).items():
        found.append(Slices(name, roles, size))
    for option, kind in (("require", Require), ("exclude", Avoid)):
        hostlists = getattr(args, option, None)
        if names := cluster.unfold_option(hostlists, f"--{option}"):
            found.append(kind(frozenset(names), roles))
    if not 1 <= k <= MOST_K:
        raise InputError(f"must be from 1 to {MOST_K}", "-k", k)
    job = GangJob((Role(_ROLE, k),), tuple(found))
    job.refuse(tree)
    return job


def _preempt(args: argparse.Namespace) -> int:
    if args.k is None:
        raise InputError("is needed", field="-k")
    machine, state = _read(args)
    if args.below is not None:
        jobs = tuple(
            replace(x, endable=x.endable and x.priority < args.below)
            for x in state.jobs
        )
        state = replace(state, jobs=jobs)
    job = _job(args, state, args.k)
    found = preempt(job, state, Settings(time_limit=seconds(args.time_limit)))
    return _answer(args, "preempt", machine, state, found)


def _repair(args: argparse.Namespace) -> int:
    machine, state = _read(args)
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
    asked = _job(args, state, len(placed))
    try:
        found = repair(
            asked,
            {_ROLE: tuple(placed)},
            failed,
            state,
            Settings(time_limit=seconds(args.time_limit)),
            name="+".join(sorted(mine)) or "job",
            spread=args.allow_spread,
        )
    except InputError as error:
        raise cluster.name_option(error) from None
    return _answer(args, "repair", machine, state, found)


def _drain(args: argparse.Namespace) -> int:
    machine, state = _read(args)
    level = args.level or state.devices.tree.levels[0]
    if level == NODE_NAME:
        raise InputError("must be above that of nodes", "--level", level)
    try:
        found = drain(
            level,
            1 if args.count is None else args.count,
            state,
            Settings(time_limit=seconds(args.time_limit)),
            until=-1 if args.until is None else args.until,
            spread=args.allow_spread,
        )
    except InputError as error:
        raise cluster.name_option(error) from None
    return _answer(args, "drain", machine, state, found)


def _answer(
    args: argparse.Namespace,
    action: str,
    machine: cluster.KnownCluster,
    state: RunningState,
    found: LeastChange,
) -> int:
    """Print what was found; return the exit status."""
    shown = _document(action, machine, state, found)
    if args.json:
        outputs.write_json(args.json, "closeknit/change", **shown)
    if args.json != "-":
        _show(shown)
    if found.status is Status.INFEASIBLE:
        return 3
    return 4 if found.status is Status.UNKNOWN else 0


def _document(
    action: str, machine: cluster.KnownCluster, state: RunningState, found: LeastChange
) -> dict[str, Any]:
    """Return the answer as a JSON object."""
    tree = state.devices.tree
    possible = {Status.INFEASIBLE: False, Status.UNKNOWN: None}.get(found.status, True)
    shown: dict[str, Any] = {
        "action": action,
        "topology": machine.selector.cluster.summary(),
        "jobs": len(state.jobs),
        "possible": possible,
        "proof": found.by or None,
        "limit": found.limit and found.limit.value,
        "stages": [
            {
                "name": one.name,
                "value": one.value,
                "bound": one.bound,
                "proved": one.proved,
                "proof": one.by,
            }
            for one in found.stages
        ],
    }
    if possible:
        shown |= {
            "end": list(found.ends),
            "wait": list(found.waits),
            "freed": [
                tree.names[v] if v < len(tree.names) else "" for v in found.freed
            ],
            "ordered": found.ordered,
            "moves": [
                {
                    "job": move.job,
                    "from": fold(tree.nodes[i] for i in move.sources),
                    "to": fold(tree.nodes[i] for i in move.targets),
                    "spare": move.parked,
                }
                for move in found.moves
            ],
        }
        if found.placement is not None:
            nodes = [tree.nodes[i] for some in found.placement.values() for i in some]
            shown["nodes"] = nodes
    shown["state"] = machine.known.document(machine.forbidden.reasons)
    return {key: value for key, value in shown.items() if value is not None}


def _show(shown: dict[str, Any]) -> None:
    print(shown["topology"])
    for line in cluster.state_lines(shown["state"]):
        print(f"  {line}")
    if "possible" not in shown:
        print(f"  answer      not decided: {shown['limit']} limit")
    elif not shown["possible"]:
        print(f"  answer      impossible, proved ({shown['proof']})")
    for one in shown["stages"]:
        known = f"at least {one['bound']}"
        if one["proved"]:
            known = f"proved ({one['proof']})"
        print(f"  {one['name']:<18} {one['value']}, {known}")
    for key, words in (("end", "jobs to end"), ("wait", "wait for"), ("freed", "free")):
        if shown.get(key):
            print(f"{words}: {', '.join(shown[key])}")
    if not shown.get("ordered", True):
        print("No order of these moves was found: they need more spare nodes at once.")
    for i, move in enumerate(shown.get("moves", ()), 1):
        spare = " (spare nodes, until its own are free)" * move["spare"]
        print(
            f"  {i}. {move['job']}: {move['from'] or 'failed'} -> {move['to']}{spare}"
        )
    if nodes := shown.get("nodes"):
        print(f"nodes of the job: {fold(nodes)}")
