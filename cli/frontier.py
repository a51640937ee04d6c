"""The best values and bounds known, as data: add to them, check them, show them.

The frontier is a folder of JSON files, one for each family of instances; proofs lie in
its folder proofs, by their digests, those of more than 1 MB elsewhere.

add takes a better value only with its selection, and a better bound only with a proof,
which is followed here. check derives every entry again: instance, cost, bound, and the
worst ratios by running heuristic and exact route; what lies outside of the folder and
is not there is counted as not checked. page writes all of it as Markdown. Exit status
0 when all holds or something was taken, 1 when something does not hold or is no better,
2 when a file cannot be used or nothing was checked.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from ..instances.errors import InputError
from ..instances.escape_hidden import escape_hidden
from ..instances.option_values import seconds
from .frame import outputs, shared
from .frame.parser import Parser, flag


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = parser.subcommand(actions, "add", help="take a better value or bound")
    add.set_defaults(action=_add)
    add.add_argument("instance", metavar="INSTANCE", help="instance file")
    add.add_argument("solution", metavar="SOLUTION", help="its solution file")
    add.add_argument(
        "proof",
        metavar="PROOF",
        nargs="?",
        help="proof of the bound; what arithmetic derives needs none",
    )
    for name, metavar, says in (
        ("family", "NAME", "family of a new instance"),
        ("source", "TEXT", "where a new instance is from"),
        ("recipe", "WORDS", "what follows `closeknit generate` to make it"),
        ("again", "COMMAND", "what makes a proof of more than 1 MB again"),
    ):
        add.add_argument(f"--{name}", metavar=metavar, help=says)
    check = parser.subcommand(actions, "check", help="derive every entry again")
    check.set_defaults(action=_check)
    check.add_argument("family", metavar="FAMILY", nargs="*", help="only these")
    shared.add_number(check, "--sample", "only so many entries, drawn at random")
    shared.add_seed(check, "random seed of the sample")
    outputs.add_json(check, "what holds and what does not")
    page = parser.subcommand(actions, "page", help="write everything as Markdown")
    page.set_defaults(action=_page)
    page.add_argument(
        "--out", type=outputs.file, metavar="FILE", help="write the page there"
    )
    for one in (add, check, page):
        says = "the frontier (default: frontier, here or in the checkout)"
        one.add_argument("--folder", metavar="DIR", help=says)
    for one in (add, check):
        flag(one, "--plain", "follow proofs in plain Python, nothing compiled")
        shared.add_time_limit(one, "seconds for each proof", 600.0)
    add.examples(
        "frontier add job.json solution.json proof.xz --family towns --source here",
        "frontier add pmed11.txt.xz better.json",
    )
    check.examples("frontier check", "frontier check --sample 20 --seed 3")
    page.examples("frontier page", "frontier page --out docs/science/frontier.md")
    parser.examples("frontier check", "frontier add job.json solution.json proof.xz")


def run(args: argparse.Namespace) -> int:
    """Run the chosen subcommand on the folder, which must be there."""
    from ..reports.frontier.entries import FOLDER

    where = Path(args.folder or "frontier")
    if not (args.folder or where.is_dir()) and (FOLDER / "README.md").is_file():
        where = FOLDER
    if not where.is_dir():
        raise InputError("is needed: there is no such folder", "--folder", str(where))
    read = {"folder": outputs.InputFrontier(where), "proofs": str(where / "proofs")}
    outputs.try_all(argparse.Namespace(**vars(args) | read))
    status: int = args.action(args, where)
    return status


def _add(args: argparse.Namespace, where: Path) -> int:
    from ..api.frontier.adding import add_solution
    from ..proofs.checking import CheckLimits
    from ..proofs.checking.answers.examining import Untrue
    from ..solvers.running import clock

    names = ("instance", "solution", "proof", "family", "source", "recipe", "again")
    values = {name: getattr(args, name) for name in (*names, "plain")}
    given = {name: value for name, value in values.items() if value is not None}
    limits = CheckLimits(seconds=seconds(args.time_limit), now=clock.now)
    try:
        print(add_solution(where, **given, limits=limits))
    except Untrue as untrue:
        print(escape_hidden(f"closeknit: {untrue}"), file=sys.stderr)
        return 1
    return 0


def _check(args: argparse.Namespace, where: Path) -> int:
    from ..api.frontier.checking import check_entry
    from ..proofs.checking import CheckLimits
    from ..reports.frontier.worst import read_families
    from ..solvers.running import clock

    files = read_families(where, args.family)
    entries = [(file.family, one) for file in files for one in file.entries.values()]
    if args.sample is not None:
        draw = random.Random(shared.seed_of(args))
        entries = draw.sample(entries, min(args.sample, len(entries)))
    limits = CheckLimits(seconds=seconds(args.time_limit), now=clock.now)
    rows: dict[str, list[dict[str, str]]]
    rows = {word: [] for word in ("holds", "wrong", "not checked")}
    for family, entry in entries:
        word, why = check_entry(where, entry, limits, plain=args.plain)
        rows[word].append({"family": family, "name": entry.name, "why": why})
        if why and args.json != "-":
            print(escape_hidden(f"{family}: {entry.name}: {word}: {why}"), flush=True)
    held, wrong, left = rows.values()
    content = {"holds": len(held), "wrong": wrong, "not_checked": left}
    if outputs.write_json(args.json, "closeknit/frontier-check", **content):
        print(
            f"{len(held)} of {len(entries)} entries hold, {len(wrong)} are wrong, "
            f"{len(left)} were not checked"
        )
    return 1 if wrong else 0 if held else 2


def _page(args: argparse.Namespace, where: Path) -> int:
    from ..reports.frontier.page import frontier_document
    from ..reports.frontier.worst import read_families
    from ..reports.pages.markdown import markdown_of

    if not (files := [*read_families(where)]):
        raise InputError("has no file of a family", file=where)
    outputs.write_out(args.out or "-", markdown_of(frontier_document(files)))
    return 0
