"""Plan which running jobs to move so that racks, switches or blocks are free of jobs.

Prints the exact front: for every number of domains freed the fewest nodes (or jobs)
that have to move; with --target or --fit the moves, in an order in which every job goes
to nodes that are free at that moment. No job gets onto more leaf switches than it is
on, or onto nodes of another kind. Only jobs that simply run are moved: nodes of
jobs that are completing are coming free, jobs in other states stay where they are.
Jobs that share nodes are moved together. Of meshes and tori planes across an axis
are freed (--level plane-x), of graphs leaf switches.

Exit status 3 when it is impossible, 4 when nothing was found within the limit.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser, flag
from ...cli.frame.screen import print_table
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.words import with_noun
from ...scheduler.hostlist import fold
from ...solvers import Settings, Status
from ..availability import NAMELESS
from ..placement import MOST_K
from ..state import ENDING
from . import cluster

if TYPE_CHECKING:
    from ...formulations.cluster.changes.change import LeastChange
    from ..advice.layout import ClusterLayout

_MOST_SHOWN = 6
"""Jobs that a note names."""


def options(parser: Parser) -> None:
    """Declare the options."""
    cluster.add_machine(parser)
    cluster.add_exclude(parser, "free nodes that no job is moved to")
    parser.add_argument(
        "--level", metavar="LEVEL", help="what is freed (default: the lowest level)"
    )
    goal = parser.add_mutually_exclusive_group()
    shared.add_number(goal, "--target", "free so many domains, and print the moves")
    shared.add_number(
        goal, "--fit", "make room for a job of so many nodes in one domain"
    )
    parser.add_argument(
        "--objective",
        choices=("nodes", "jobs"),
        default="nodes",
        help="what is counted first of what is moved",
    )
    parser.add_argument("--stay", metavar="JOB,JOB", help="jobs that may not be moved")
    flag(parser, "--allow-spread", "let jobs get onto more leaf switches than before")
    outputs.add_json(parser, "the front and all plans")
    shared.add_time_limit(parser, "seconds in all; then the best so far", 60.0)
    parser.examples(
        "defrag --topology topology.conf --state squeue.json sinfo.json",
        "defrag --topology topology.conf --state squeue.json sinfo.json --target 3",
        "defrag --topology nodes.json --state pods.json --level rack --fit 48",
    )


def run(args: argparse.Namespace) -> int:
    """Print the front or a plan; return the exit status."""
    from ..advice.defrag import fewest, front
    from ..advice.layout import layout_of

    if args.busy is None and args.state is None:
        raise InputError("is needed: which job holds which nodes", "--state")
    machine = cluster.read_machine(args, None)
    ending, kept = _jobs_to_keep(machine)
    other_kinds = machine.forbidden.other_kinds
    freeable = machine.known.freeable.difference(other_kinds)
    stay = [name.strip() for name in args.stay.split(",")] if args.stay else []
    stay += kept
    nameless = _nameless(machine)
    stay += [NAMELESS] * bool(nameless)
    stay += [job for name in other_kinds for job in machine.holders.get(name, ())]
    with cluster.naming_options():
        layout = layout_of(
            machine.selector,
            _usable(machine),
            {**machine.holders, **nameless},
            level=args.level,
            stay=stay,
            kinds=machine.known.kinds,
            ending=ending,
            freeable=freeable,
        )
    settings = Settings(time_limit=seconds(args.time_limit))
    how = {"by_jobs": args.objective == "jobs", "spread": args.allow_spread}
    for option, value in (("--fit", args.fit), ("--target", args.target)):
        if value is not None and not 1 <= value <= MOST_K:
            raise InputError(f"must be from 1 to {MOST_K}", option, value)
    wanted = "target" if args.fit is None else "fit"
    if args.fit is not None:
        points = [(args.fit, fewest(layout, 1, settings, room=args.fit, **how))]
    elif args.target is not None:
        points = [(args.target, fewest(layout, args.target, settings, **how))]
    else:
        points = list(front(layout, settings, **how))
    shown = _document(machine, layout, args.objective)
    rows = [_point(layout, wanted, args.objective, *one) for one in points]
    shown["front"] = rows
    shown["state"] = machine.document()
    if ending:
        soon = [
            name
            for name in machine.selector.cluster.index
            if name in freeable and machine.holders[name].keys() <= {*ending}
        ]
        shown["coming_free"] = {"jobs": ending, "nodes": len(soon)}
        shown["coming_free"] |= {"hostlist": fold(soon)} if soon else {}
    if kept:
        listed = [{"job": job, "state": state} for job, state in kept.items()]
        shown["kept"] = listed
    if notes := list(_notes(shown, fold(nameless))):
        shown["state"].setdefault("notes", []).extend(notes)
    if outputs.write_json(args.json, "closeknit/defrag", **shown):
        lines = cluster.state_lines(shown["state"])
        _show(shown, lines, with_plan=len(points) == 1)
    if any("nodes" in point for point in shown["front"]) or not points:
        return 0
    return 3 if "bound" not in shown["front"][0] else 4


def _jobs_to_keep(machine: cluster.KnownCluster) -> tuple[list[str], dict[str, str]]:
    """Return the jobs that end, and the states of others that must not be moved.

    Only jobs in the topology count.
    """
    index = machine.selector.cluster.index
    there = dict.fromkeys(
        job for name, jobs in machine.holders.items() if name in index for job in jobs
    )
    states = {job: x for job, x in machine.known.states.items() if job in there}
    for name, jobs in machine.holders.items():
        at_end = "COMPLETING" in machine.known.reasons.get(name, "").split("+")
        if at_end and ENDING.isdisjoint(map(states.get, jobs)):
            states |= {job: "on a node that is COMPLETING" for job in jobs}
    kept = {job: state for job, state in states.items() if state not in ENDING}
    return [job for job, state in states.items() if state in ENDING], kept


def _nameless(machine: cluster.KnownCluster) -> dict[str, dict[str, None]]:
    """Return the nodes that are busy, but no report of jobs states with which."""
    if not machine.holders.keys() & machine.selector.cluster.index.keys():
        return {}  # there is no report of the jobs of this cluster
    return {name: {NAMELESS: None} for name in sorted(machine.known.nameless)}


def _notes(shown: dict[str, Any], nameless: str) -> Iterator[str]:
    """Yield what has to be stated about jobs that are not moved."""
    if nameless:
        yield f"busy with jobs that no report names, which stay: {nameless}"
    if coming := shown.get("coming_free"):
        nodes = coming.get("hostlist", "none")
        jobs = _few(coming["jobs"])
        yield f"coming free: {nodes}; no job is moved there (jobs that end: {jobs})"
    if kept := shown.get("kept"):
        jobs = _few([f"{one['job']} {one['state']}" for one in kept])
        yield f"jobs not moved, as they do not simply run or are bound: {jobs}"


def _few(listed: list[str]) -> str:
    more = len(listed) - _MOST_SHOWN
    return ", ".join([*listed[:_MOST_SHOWN], *([f"{more} more"] if more > 0 else [])])


def _usable(machine: cluster.KnownCluster) -> list[Any]:
    for name in machine.forbidden.by_option["exclude"]:
        if name in machine.holders:
            problem = "is held by a job: only free nodes can be excluded"
            raise InputError(problem, "--exclude", name)
    return machine.usable


def _document(
    machine: cluster.KnownCluster, layout: ClusterLayout, objective: str
) -> dict[str, Any]:
    jobs = layout.state.jobs
    return {
        "topology": machine.selector.cluster.summary(),
        "objective": objective,
        "jobs": sum(job.name != NAMELESS for job in jobs),
        "held": sum(len(job.nodes) for job in jobs),
        "free": int((layout.state.devices.free > 0).sum()),
        "level": layout.level,
        "domains": len(layout.domains),
        "free_domains": layout.taken().count(0),
    }


def _point(
    layout: ClusterLayout,
    wanted: str,
    objective: str,
    count: int,
    point: LeastChange,
) -> dict[str, Any]:
    from ...solvers import cpsat
    from .jobs import list_moves

    values = {stage.name: stage.value for stage in point.stages}
    some = values.get("devices") is not None
    impossible = point.status is Status.INFEASIBLE
    nodes = layout.state.devices.tree.nodes
    found: dict[str, Any] = {
        wanted: count,
        "nodes": values.get("devices"),
        "jobs": values.get("jobs"),
        "objective": objective,
        "bound": point.stages[0].bound if point.stages else None if impossible else 0,
        "proved": impossible or (bool(point.stages) and point.stages[0].proved),
        "possible": True if some else False if impossible else None,
        "proof": cpsat.BY,
        "limit": point.limit.value if point.limit else None,
        "freed": [layout.names[g] for g in point.freed] or None,
    }
    if some:
        found["ordered"] = point.ordered
        found["moves"] = list_moves(point.moves if point.ordered else (), nodes, fold)
    return {key: value for key, value in found.items() if value is not None}


def _show(shown: dict[str, Any], state: list[str], *, with_plan: bool) -> None:
    print(shown["topology"])
    for line in state:
        print(f"  {line}")
    held, empty = shown["held"], shown["free_domains"]
    on = f"{shown['jobs']} on {with_noun(held, 'node')}"
    print(f"  jobs     {on}, {shown['free']} free")
    print(f"  {shown['level']:<8} {shown['domains']}, {empty} without a job")
    if not shown["front"]:
        print("  all are free of jobs")
        return
    fits = "fit" in shown["front"][0]
    columns = (
        "job of" if fits else "free",
        "moved nodes",
        "moved jobs",
        "known",
        "proof",
    )
    rows = []
    for point in shown["front"]:
        known, moved = _known(point), ("–", "–")
        if "nodes" in point:
            moved = str(point["nodes"]), str(point["jobs"])
        count = point["fit"] if fits else point["target"]
        rows.append((str(count), *moved, known, point["proof"]))
    print_table(columns, rows, right=columns[:3], drop=("proof", "moved jobs"))
    if not with_plan:
        print("--target N prints the moves that free N; --json has all plans")
    elif "nodes" in shown["front"][0]:
        _show_plan(shown["front"][0])


def _known(point: dict[str, Any]) -> str:
    if "nodes" in point and point["proved"]:
        return "proved"
    if "nodes" not in point and "bound" not in point:
        return "impossible, proved"
    least = with_noun(point["bound"], point["objective"].removesuffix("s"))
    return f"at least {least}, {point['limit']} limit"


def _show_plan(point: dict[str, Any]) -> None:
    from .jobs import show_moves

    if point["ordered"]:
        goal = "with room" if "fit" in point else "free"
        print(f"Moves, then {goal}: {fold(point['freed'])}")
    show_moves(point, "job ")
