"""Jobs of several parts, and changes of running jobs: what commands write of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ...cli.frame import outputs
from ...cli.frame.parser import once
from ...formulations.cluster.changes.change import LeastChange, RunningState
from ...formulations.cluster.changes.order import Move
from ...formulations.cluster.constraints import Avoid
from ...formulations.cluster.domains import NodeDevices
from ...formulations.cluster.job import GangJob
from ...instances.errors import InputError, in_file
from ...instances.option_values import seconds
from ...instances.reading.files import read_text
from ...instances.words import with_noun
from ...methods.interpreted_or_compiled import in_tiers
from ...scheduler.hostlist import fold_in_order
from ...solvers import Grade, Settings, Status
from ..jobs import foreign, machine, placing
from ..jobs.request import JobRequest, job_of
from . import cluster

FORMAT = "closeknit/select-job"
ROLE = "nodes"
"""The role of requests for so many nodes."""
_WITHOUT = (
    *("k", "objective", "segment", "levels", "require", "slice", "format", "map"),
    *("plot", "node_limit", "memory"),
)
_MOST_BYTES = 2**26


def options(group: Any) -> None:
    """Declare the option."""
    once(
        group,
        "--job",
        "FILE",
        "a job of several parts: closeknit/job, a Workload, Job or JobSet for "
        "Kueue, or a batch script of Slurm",
    )
    group.add_argument(
        "--proof",
        metavar="NAME",
        type=outputs.file,
        help="with --job: prove that it does not fit, in NAME.recount.json or in "
        "NAME.opb and NAME.pbp.xz; with --objective links that no choice uses its "
        "busiest link less",
    )


def refuse_options_of_nodes(args: argparse.Namespace) -> None:
    """Raise InputError for options of requests for so many nodes."""
    for option in _WITHOUT:
        if getattr(args, option, None) is not None:
            name = "-k" if option == "k" else f"--{option.replace('_', '-')}"
            raise InputError("is not for --job", name)


def nodes_to_avoid(job: GangJob, known: cluster.KnownCluster) -> dict[str, Avoid]:
    """Return the nodes that options rule out, by option, as constraints of a job."""
    return {
        f"--{option}": Avoid(
            frozenset(names), job.names, f"nodes that --{option} rules out"
        )
        for option, names in known.forbidden.by_option.items()
        if names
    }


def run(args: argparse.Namespace, free: Sequence[str] | None) -> int:
    """Place the job of a file; return the exit status."""
    refuse_options_of_nodes(args)
    if args.method:
        raise InputError("is not for --job", "--method")
    known = cluster.read_machine(args, free)
    request = read_job(args.job, known)
    fabrics = known.selector.cluster.fabrics
    parts = [
        machine.node_devices(fabric, flags, known.known, request.device)
        if request.counts_devices
        else machine.whole_nodes(fabric, flags)
        for fabric, flags in zip(fabrics, known.free, strict=True)
    ]
    avoid = [*nodes_to_avoid(request.job, known).values()]
    with in_file(args.job):
        placed = in_tiers(
            lambda how: placing.place(request, parts, how, avoid=avoid),
            lambda found: found.limit,
            size=len(known.selector.cluster.index),
            settings=Settings(
                time_limit=seconds(args.time_limit),
                seed=args.seed,
                threads=args.threads,
            ),
        )
    shown = {"topology": known.selector.cluster.summary(), **placing.describe(placed)}
    if args.proof and placed.answer.fits is False:
        shown |= _prove(placed, parts, args)
    if known.known.ignored:
        shown["strange"] = known.known.ignored
    shown["state"] = known.document(chain(*shown.get("placement", {}).values()))
    if outputs.write_json(args.json, FORMAT, **shown):
        _show(placed, shown)
    status = placed.answer.status
    return 0 if placed.answer.fits else 3 if status is Status.INFEASIBLE else 4


def _prove(
    placed: placing.JobOutcome, parts: list[NodeDevices], args: argparse.Namespace
) -> dict[str, Any]:
    from ...formulations.cluster.proof import NoFitProof, prove_no_fit

    if len(parts) > 1:
        problem = "is for clusters whose parts are connected"
        raise InputError(problem, "--proof")
    job = replace(placed.job, objective=())
    limit = seconds(args.time_limit)
    found = prove_no_fit(job, placed.devices, args.proof, limit)
    if isinstance(found, NoFitProof):
        proof = f"{Grade.CHECKED.value}: {found.kind}"
        return {"proof": proof, "files": list(found.files)}
    return {"unproved": f"stopped by {found.value}"}


def read_job(path: str, known: cluster.KnownCluster) -> JobRequest:
    """Read a job from a file; InputError names it."""
    running: dict[str, set[str]] = {}
    for node, jobs in known.holders.items():
        for job in jobs:
            running.setdefault(job, set()).add(node)
    nodes = known.selector.cluster.index
    levels = machine.tree_of(known.selector.cluster.fabrics[0]).levels
    with in_file(path):
        value = foreign.parse(read_text(path, most=_MOST_BYTES), levels, path)
        if isinstance(value, JobRequest):
            return value
        of_jobs = {job: frozenset(some) for job, some in running.items()}
        return job_of(value, of_jobs, nodes)


def _show(placed: placing.JobOutcome, shown: dict[str, Any]) -> None:
    answer, job = placed.answer, placed.job
    print(shown["topology"])
    for line in cluster.state_lines(shown["state"], ()):
        print(f"  {line}")
    roles = ", ".join(f"{with_noun(x.count, 'pod')} of {x.name}" for x in job.roles)
    print(f"  job         {shown['job']}: {roles}")
    if "ignored" in shown:
        print(f"  ignored     {', '.join(shown['ignored'])}")
    words = {True: "it fits", False: "it does not fit", None: "not decided"}
    by = f" ({shown['proof']})" if "proof" in shown else ""
    print(f"  answer      {words[answer.fits]}{by}")
    if "files" in shown:
        print(f"  proof       {', '.join(shown['files'])}")
    if "unproved" in shown:
        print(f"  proof       none: {shown['unproved']}")
    for role, nodes in shown.get("placement", {}).items():
        print(f"  {role:<11} {_by_rank(nodes)}")
    for name, value in shown.get("cost", {}).items():
        least = shown["bound"][name]
        proved = "proved" if answer.status is Status.OPTIMAL else f"at least {least}"
        print(f"  {name:<11} {value} ({proved})")
    if "limit" in shown:
        print(f"  limit       {shown['limit']}")
    print(f"  time        {shown['seconds']:.4f} s")
    if placed.clash is None:
        return
    show_clash(shown["clash"])


def show_clash(clash: dict[str, Any]) -> None:
    """Print which constraints clash, and what would help."""
    kind = "smallest" if clash["smallest"] else "smallest found"
    rest = "each left out, the others fit"
    if not clash["irreducible"]:
        rest = "whether all of them are needed was not decided"
    print(f"The {kind} set of constraints that clash; {rest}:")
    for one in clash["members"]:
        print(f"  {one['text']}" + (f" [{one['place']}]" if "place" in one else ""))
        for what, value in one.get("instead", {}).items():
            print(f"    it fits with {what.replace('_', ' ')} {value}")
        if one["without"]:
            print("    it fits without")
    if "limit" in clash:
        print("The time limit ended the search: more changes than these may help.")


def _by_rank(nodes: list[str]) -> str:
    """Write nodes in the order of ranks, those in a row together.

    >>> _by_rank(["n1", "n2", "n2", "n5"])
    'n1, n2 x2, n5'
    """
    runs: list[tuple[str, int]] = []
    for name in nodes:
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + 1)
        else:
            runs.append((name, 1))
    if len(runs) > 16 or all(n == 1 for _, n in runs):
        return fold_in_order(dict.fromkeys(nodes))
    return ", ".join(name + f" x{n}" * (n > 1) for name, n in runs)


# changes of running jobs


def add_proofs(
    args: argparse.Namespace, found: LeastChange, shown: dict[str, Any]
) -> None:
    """Write proofs that nothing is less; add what is known of them to the answer."""
    from ...formulations.cluster.proof import NoFitProof, prove_impossible

    limit = seconds(args.time_limit)
    wanted = [
        (x.name.replace(" ", "-"), x.less, entry)
        for x, entry in zip(found.stages, shown["stages"], strict=True)
        if x.proved and x.less is not None
    ]
    if found.status is Status.INFEASIBLE and (refuted := found.refuted) is not None:
        wanted = [("impossible", lambda: refuted, shown)]
    for name, less, entry in wanted:
        proof = prove_impossible(less(), f"{args.proof}-{name}", limit)
        if isinstance(proof, NoFitProof):
            entry["proof"] = f"{Grade.CHECKED.value}: {proof.kind}"
            entry["files"] = list(proof.files)
        else:
            entry["unproved"] = f"stopped by {proof.value}"


def document_of_change(
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
            "moves": list_moves(found.moves, tree.nodes, fold_in_order),
        }
        if found.placement is not None:
            nodes = {
                role: [tree.nodes[i] for i in some]
                for role, some in found.placement.items()
            }
            shown["nodes"] = [*chain(*nodes.values())]
            if [*nodes] != [ROLE]:
                shown["roles"] = nodes
    shown["state"] = machine.known.document(machine.forbidden.reasons)
    return {key: value for key, value in shown.items() if value is not None}


def list_moves(
    moves: Iterable[Move],
    nodes: Sequence[str],
    write: Callable[[Iterable[str]], str],
) -> list[dict[str, Any]]:
    """Return moves as JSON objects, with nodes written as a hostlist."""
    return [
        {
            "job": move.job,
            "from": write(nodes[i] for i in move.sources),
            "to": write(nodes[i] for i in move.targets),
            "spare": move.parked,
        }
        for move in moves
    ]


def show_moves(shown: dict[str, Any], what: str = "") -> None:
    """Print the moves of an answer, or that no order of them was found."""
    if not shown.get("ordered", True):
        print("No order of these moves was found: they need more spare nodes at once.")
    for i, move in enumerate(shown.get("moves", ()), 1):
        spare = " (spare nodes, until its own are free)" * move["spare"]
        ways = f"{move['from'] or 'failed'} -> {move['to']}"
        print(f"  {i}. {what}{move['job']}: {ways}{spare}")


def show_change(shown: dict[str, Any]) -> None:
    """Print what is known of a change as text."""
    print(shown["topology"])
    for line in cluster.state_lines(shown["state"]):
        print(f"  {line}")
    if "possible" not in shown:
        print(f"  answer      not decided: {shown['limit']} limit")
    elif not shown["possible"]:
        print(f"  answer      impossible, proved ({shown['proof']})")
        _show_files(shown)
    if "clash" in shown:
        show_clash(shown["clash"])
    for one in shown["stages"]:
        known = f"at least {one['bound']}"
        if one["proved"]:
            known = f"proved ({one['proof']})"
        print(f"  {one['name']:<18} {one['value']}, {known}")
        _show_files(one)
    for key, words in (("end", "jobs to end"), ("wait", "wait for"), ("freed", "free")):
        if shown.get(key):
            print(f"{words}: {', '.join(shown[key])}")
    show_moves(shown)
    if roles := shown.get("roles"):
        for role, nodes in roles.items():
            print(f"nodes of {role}: {fold_in_order(nodes)}")
    elif nodes := shown.get("nodes"):
        print(f"nodes of the job: {fold_in_order(nodes)}")


def _show_files(entry: dict[str, Any]) -> None:
    if files := entry.get("files"):
        print(f"    proof in {', '.join(files)}")
    elif "unproved" in entry:
        print(f"    no proof: {entry['unproved']}")
