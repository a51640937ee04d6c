"""``closeknit select --topology``: nodes of a cluster as its scheduler describes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...cli.frame import outputs
from ...cli.frame.parser import Parser
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.words import with_noun
from ...methods.interpreted_or_compiled import in_tiers
from ...solvers import Settings, Status
from ..availability import NOT_GIVEN
from ..placement import (
    NodeSelector,
    Objective,
    Placement,
    Request,
    describe_placement,
    for_kubernetes,
)
from ..placement.answer import parts_text
from ..placement.program import Flags
from ..rules import by_rule
from . import cluster, jobs, select_links
from . import select_plot as select_plot
from . import select_ranks as select_ranks

FORMAT = "closeknit/select"
"""Format of the answer as JSON."""
FORMATS = ("text", "hostlist", "json", "lines", "rankfile", "kubernetes")
OWN = (
    *("k", "state", "busy", "assume_up", "reservation", "no_boot", "tolerate"),
    *("partition", "constraint", "objective", "slice", "segment", "levels", "require"),
    *("exclude", "format", "map", "plot", "topology_name", "labels", "node_name_map"),
    *("placeholders", "links", "port_rate", "background", "purpose", "job", "proof"),
)
"""Options for use with ``--topology`` only; they are None or False if not given."""


def options(parser: Parser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("choose nodes of a cluster")
    cluster.add_machine(group, required=False)
    cluster.add_request(group)
    cluster.add_slice(group)
    cluster.add_objective(group, some=Objective)
    select_links.options(group)
    jobs.options(group)
    group.add_argument(
        "--format", choices=FORMATS, help="what is printed (default: text)"
    )
    instead = "why says why nothing fits, fragmentation what is left of each level"
    parser.refuse_old_word("--explain", instead)
    group.add_argument(
        "--map",
        metavar="PATTERN",
        help="order ranks on the nodes: ring, halo2d[:AxB], halo3d[:AxBxC], "
        "all-to-all, or a file of the bytes that ranks exchange",
    )
    group.add_argument(
        "--plot",
        type=outputs.picture,
        metavar="OUT",
        help="draw the machine with the chosen nodes: .svg, .png or .pdf",
    )


def is_for(args: argparse.Namespace) -> bool:
    """Whether a cluster is given; InputError where options do not go together."""
    if args.topology is not None:
        for option in ("config", "queue", "pes"):
            if getattr(args, option) is not None:
                raise InputError("is not for --topology", f"--{option}")
        if args.serve:
            raise InputError("is not for --topology", "--serve")
        return True
    for option in OWN:
        if getattr(args, option) not in (None, False):
            name = "-k" if option == "k" else f"--{option.replace('_', '-')}"
            raise InputError("needs --topology", name)
    return False


def run(args: argparse.Namespace, free: Sequence[str] | None) -> int:
    """Choose nodes; return the exit status. ``free`` is None if not given."""
    if args.job is not None:
        return jobs.run(args, free)
    if args.k is None and args.slice is None:
        raise InputError("is needed with --topology, or --job", "-k")
    machine = cluster.read_machine(args, free)
    selector, flags = machine.selector, machine.usable
    wish = select_links.LinkOptions(args, selector)
    goal = cluster.objective_of(args, selector)
    request = cluster.request_of(args, selector, goal, wish.search(goal))
    placement = _select(selector, request, flags, args)
    shown = describe_placement(selector, request, flags, placement)
    if request.links is not None:
        shown |= wish.document()
    if args.proof is not None:
        shown["link_proof"] = wish.prove(placement, flags[0], args.proof)
    if machine.known.ignored:
        shown["ignored"] = machine.known.ignored
    chosen = shown.get("chosen", ())
    shown["state"] = machine.document(chosen)
    if args.map and placement.objective is not None:
        settings = Settings(time_limit=seconds(args.time_limit))
        select_ranks.add_to(shown, args.map, selector, placement, settings)
    if args.plot:
        select_plot.write(args.plot, selector, flags, placement, shown)
    if outputs.write_json(args.json, FORMAT, **shown):
        lines = cluster.state_lines(shown["state"], chosen)
        _show(args, placement, shown, lines)
    return _status(placement)


def _status(placement: Placement) -> int:
    if placement.status is Status.INFEASIBLE:
        return 3
    return 4 if placement.objective is None else 0


def _select(
    selector: NodeSelector,
    request: Request,
    flags: list[Flags],
    args: argparse.Namespace,
) -> Placement:
    settings = Settings(time_limit=seconds(args.time_limit))
    with cluster.naming_options():
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


def _show(
    args: argparse.Namespace,
    placement: Placement,
    shown: dict[str, Any],
    state: list[str],
) -> None:
    form = args.format or "text"
    names = shown.get("ranks", shown.get("chosen", []))
    if form == "json":
        outputs.write_json("-", FORMAT, **shown)
        return
    if form == "text":
        _print_text(shown, state)
        return
    usual = ("state of nodes: ", "not free: ")
    for line in state:
        if not names or line.endswith(NOT_GIVEN) or not line.startswith(usual):
            print(f"closeknit: {line}", file=sys.stderr)
    if not names:
        why = _nothing(placement, args.method)
        print(f"closeknit: {why}", file=sys.stderr)
    elif form == "hostlist":
        print(shown["hostlist"])
    elif form == "kubernetes":
        outputs.write_json("-", f"{FORMAT}-kubernetes", **for_kubernetes(names))
    else:
        for i, name in enumerate(names):
            print(name if form == "lines" else f"rank {i}={name} slot=0")


def _nothing(placement: Placement, rule: str | None) -> str:
    if placement.status is Status.INFEASIBLE:
        return "infeasible: no choice of free nodes is possible"
    if rule and placement.limit is None:
        return f"{rule} finds no choice, although there is one"
    return "nothing was found within the limit"


def _print_text(shown: dict[str, Any], state: list[str]) -> None:
    print(shown["topology"])
    print(f"  free        {shown['free']} of {with_noun(shown['nodes'], 'node')}")
    for line in state:
        print(f"  {line}")
    if "ignored" in shown:
        strange = with_noun(shown["ignored"], "node")
        print(f"  ignored     {strange} not in the topology")
    if "chosen" in shown:
        print(f"  chosen      {shown['hostlist']}")
        if "cubes" in shown:
            print(f"  cubes       {' '.join(shown['cubes'])}")
        for name, value in select_links.texts(shown, "cost", "value").items():
            print(f"  {name:<11} {value}")
    if busiest := select_links.busiest_text(shown):
        print(f"  busiest     {busiest}")
    if "map" in shown:
        select_ranks.print_map(shown)
    if "bound" in shown:
        bound = parts_text(select_links.texts(shown, "bound", "value_bound"))
        used = ", ".join(shown.get("levels_used", ()))
        print(f"  bound       {bound}" + (used and f" on the levels used: {used}"))
    if "note" in shown:
        print(f"  note        {shown['note']}")
    if proof := shown.get("link_proof"):
        found = proof.get("unproved") or ", ".join(proof.get("files", [proof["proof"]]))
        print(f"  load proof  {found}")
    known = f" ({shown['proof']})" if "proof" in shown else ""
    print(f"  status      {shown['status']}{known}")
    if "limit" in shown:
        print(f"  limit       {shown['limit']}")
    print(f"  time        {shown['seconds']:.4f} s")
