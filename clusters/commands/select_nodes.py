"""``closeknit select --topology``: nodes of a cluster as its scheduler describes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...cli.frame import outputs
from ...cli.frame.parser import Parser, flag
from ...instances import IntArray
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.words import with_noun
from ...methods.interpreted_or_compiled import in_tiers
from ...solvers import Settings, Status
from ..availability import NOT_GIVEN
from ..placement import (
    NodeSelector,
    Placement,
    Request,
    describe_placement,
    for_kubernetes,
)
from ..placement.answer import parts_text
from ..placement.domains import SWITCH, domains_of
from ..placement.program import Chooser, Flags
from ..placement.space import SpaceChooser, largest_in
from ..rules import by_rule
from . import cluster, jobs, select_links
from . import select_plot as select_plot
from . import select_ranks as select_ranks

FORMAT = "closeknit/select"
"""Format of the answer as JSON."""
FORMATS = ("text", "hostlist", "json", "lines", "rankfile", "kubernetes")
OWN = {
    "k": None,
    "state": None,
    "busy": None,
    "assume_up": False,
    "reservation": None,
    "no_boot": False,
    "tolerate": None,
    "partition": None,
    "constraint": None,
    "objective": None,
    "slice": None,
    "segment": None,
    "levels": None,
    "require": None,
    "exclude": None,
    "format": None,
    "explain": False,
    "map": None,
    "plot": None,
    "topology_name": None,
    "labels": None,
    "node_name_map": None,
    "placeholders": None,
    "links": None,
    "port_rate": None,
    "background": None,
    "purpose": None,
    "job": None,
    "proof": None,
}
"""Options for use with ``--topology`` only, and their defaults."""


def _page_or_picture(text: str) -> outputs.OutputFile:
    """Read an option that names a drawing or a page; its ending is the form."""
    endings = (*outputs.PICTURES, ".html")
    if Path(text).suffix.lower() not in endings:
        raise argparse.ArgumentTypeError(
            f"must end in {', '.join(endings)}, not {text!r}"
        )
    return outputs.OutputFile(text)


def options(parser: Parser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("choose nodes of a cluster")
    cluster.add_machine(group, required=False)
    cluster.add_request(group)
    cluster.add_slice(group)
    cluster.add_objective(group, links=True)
    select_links.options(group)
    jobs.options(group)
    group.add_argument(
        "--format", choices=FORMATS, help="what is printed (default: text)"
    )
    flag(group, "--explain", "say what is taken of each switch, and what is left")
    group.add_argument(
        "--map",
        metavar="PATTERN",
        help="order ranks on the nodes: ring, halo2d[:AxB], halo3d[:AxBxC], "
        "all-to-all, or a file of the bytes that ranks exchange",
    )
    group.add_argument(
        "--plot",
        type=_page_or_picture,
        metavar="OUT",
        help="draw the machine with the chosen nodes: .svg, .png, .pdf or .html",
    )


def is_for(args: argparse.Namespace) -> bool:
    """Whether a cluster is given; InputError where options do not go together."""
    if args.topology is not None:
        for option in ("config", "queue", "pes"):
            if getattr(args, option) is not None:
                raise InputError("is not for --topology", field=f"--{option}")
        if args.serve:
            raise InputError("is not for --topology", field="--serve")
        return True
    for option, default in OWN.items():
        if getattr(args, option) != default:
            name = "-k" if option == "k" else f"--{option.replace('_', '-')}"
            raise InputError("needs --topology", field=name)
    return False


def run(args: argparse.Namespace, free: Sequence[str] | None) -> int:
    """Choose nodes; return the exit status. ``free`` is None if not given."""
    if args.job is not None:
        return jobs.run(args, free)
    if args.proof is not None:
        raise InputError("needs --job", field="--proof")
    if args.k is None and args.slice is None:
        raise InputError("is needed with --topology, or --job", field="-k")
    machine = cluster.read_machine(args, free)
    selector, flags = machine.selector, machine.usable
    wish = select_links.LinkOptions(args, selector)
    request = cluster.request_of(args, selector, args.objective, wish.search)
    placement = _select(selector, request, flags, args)
    shown = describe_placement(selector, request, flags, placement)
    if request.links is not None:
        shown |= wish.document()
    if machine.ignored:
        shown["ignored"] = machine.ignored
    chosen = shown.get("chosen", ())
    shown["state"] = machine.document(chosen)
    if args.map and placement.objective is not None:
        settings = Settings(time_limit=seconds(args.time_limit))
        select_ranks.add_to(shown, args.map, selector, placement, settings)
    if args.plot:
        select_plot.write(args.plot, selector, flags, placement, shown)
    if args.json:
        outputs.write_json(args.json, FORMAT, **shown)
    if args.json != "-":
        lines = cluster.state_lines(shown["state"], chosen)
        _show(args, selector, request, flags, placement, shown, lines)
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
        raise cluster.name_option(error) from None


def _show(
    args: argparse.Namespace,
    selector: NodeSelector,
    request: Request,
    flags: list[Flags],
    placement: Placement,
    shown: dict[str, Any],
    state: list[str],
) -> None:
    """Print the answer in the form that was asked for."""
    form = args.format or "text"
    names = shown.get("ranks", shown.get("chosen", []))
    if form == "json":
        outputs.write_json("-", FORMAT, **shown)
        return
    if form == "text":
        _print_text(shown, state)
        if args.explain:
            _explain(selector, request, flags, placement)
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
    if "map" in shown:
        select_ranks.print_map(shown)
    if "bound" in shown:
        bound = parts_text(select_links.texts(shown, "bound", "value_bound"))
        used = ", ".join(shown.get("levels_used", ()))
        print(f"  bound       {bound}" + (used and f" on the levels used: {used}"))
    if "note" in shown:
        print(f"  note        {shown['note']}")
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
    for i, chooser in enumerate(selector.choosers):
        taken = np.zeros_like(flags[i])
        if placement.objective is not None:
            if i != placement.fabric:
                continue
            taken[list(placement.chosen)] = True
            names, counts = _by_leaf(chooser)
            at, used = counts(flags[i]), counts(taken)
            for v in np.flatnonzero(used).tolist():
                print(f"  {names[v]}: {used[v]} of {with_noun(at[v], 'free node')}")
        else:
            _against(chooser, request, flags[i])
        after = largest_in(chooser, flags[i] & ~taken)
        for level, most in largest_in(chooser, flags[i]).items():
            print(f"  largest job in one {level}: {most} nodes, then {after[level]}")


def _by_leaf(
    chooser: Chooser | SpaceChooser,
) -> tuple[tuple[str, ...], Callable[[Flags], IntArray]]:
    """Return the names of leaf domains, and what counts nodes at them."""
    if isinstance(chooser, SpaceChooser):
        leaves = next(iter(domains_of(chooser.alike)), None)
        if leaves is None:
            return (), lambda nodes: np.zeros(0, dtype=np.int64)
        return leaves.names, leaves.counts
    fabric = chooser.fabric
    return fabric.domains, lambda nodes: fabric.count(np.flatnonzero(nodes))


def _against(chooser: Chooser | SpaceChooser, request: Request, free: Flags) -> None:
    """Print how many groups each level has room for."""
    nodes = with_noun(int(np.count_nonzero(free)), "node")
    print(f"  {nodes} free, {request.k} wanted")
    if isinstance(chooser, SpaceChooser):
        size = request.size
        if size > 1:
            from ..advice.grouping import largest_groups

            found = largest_groups(chooser.alike, size, free)
            wanted = request.k // size
            print(f"  groups of {size} in one {SWITCH}: {found}, {wanted} wanted")
        return
    fabric = chooser.fabric
    below = fabric.below(fabric.count(np.flatnonzero(free)))
    for level, size in request.sizes(fabric).items():
        groups = int((below[fabric.level == level] // size).sum())
        name = fabric.levels[level]
        print(f"  groups of {size} in one {name}: {groups}, {request.k // size} wanted")
