"""Reproduce a table or figure of a paper, and compare it with what was printed.

Writes OUT/report.html, OUT/report.md and a CSV file for each table. Whether a paper's
statement holds is reported, but does not change the exit status.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser, flag, once
from ...cli.frame.progress import progress_bar
from ...cli.frame.screen import wrap_text
from ...instances.errors import InputError
from ...instances.reading.suggestions import entry_named
from ...instances.writing.files import refuse_links, try_folder
from ...reports.pages.document import Finding
from ...reports.pages.writing import write_document
from ..catalogue import RunOptions
from ..table import REPRODUCTIONS

_FIELDS = {"shape": "mesh"}
"""What the reproductions call an option, where that is another name."""


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "table", nargs="?", metavar="TABLE", help="what to reproduce; see --list"
    )
    flag(parser, "--list", "list what can be reproduced")
    parser.refuse_old_word(
        "oeis", "docs/papers/oeis has the terms; see also tools/oeis.py"
    )
    parser.refuse_old_word("frontier", "closeknit frontier page shows what is known")
    parser.refuse_old_word(
        "network-validation", "docs/science/network.md has the table, which tests hold"
    )
    once(
        parser,
        "--trace",
        "FILE",
        "SWF trace in place of the synthetic stream (default: synthetic)",
    )
    parser.old_spelling("--swf", "--trace")
    once(
        parser,
        "--traffic",
        "PATH",
        "measured communication, as simulate network reads it: a folder, for "
        "task-mapping (default: data/comm in the folder that CLOSEKNIT_DATA names)",
    )
    parser.add_argument(
        "--out",
        type=outputs.folder,
        metavar="DIR",
        help="folder of the report (default: out/TABLE)",
    )
    shared.add_number(
        parser, "--seed", "random seed of the stream and of every method (default: 0)"
    )
    shared.add_number(
        parser,
        "--first",
        "only the first N jobs of the stream (default: as in the paper)",
    )
    parser.add_argument(
        "--shape",
        type=shared.shape,
        metavar="16x16",
        help="sides of the mesh (default: as in the paper)",
    )
    parser.old_spelling("--mesh", "--shape")
    parser.add_argument(
        "--load",
        type=shared.fraction,
        metavar="L",
        help="stretch the times of submission until the stream offers this share of "
        "what the machine can do, such as 0.7 (default: as they are)",
    )
    shared.add_number(
        parser,
        "--every",
        "run expensive methods, such as optima, only on every N-th job; 1 for all "
        "(default: depends on the table)",
    )
    flag(
        parser,
        "--full",
        "sizes as in the paper, where the default has smaller ones to be quicker; with "
        "mache-table2, the table of what the paper leaves open",
    )
    shared.add_jobs(parser)
    parser.examples(
        "reproduce --list", "reproduce mache-dispersal --first 1000 --out out/mache"
    )


def run(args: argparse.Namespace) -> int:
    """Run it, write the report, print what was found."""
    if args.list:
        wide = max(map(len, REPRODUCTIONS))
        for name, entry in REPRODUCTIONS.items():
            begun = f"{name:{wide}}  "
            print(
                wrap_text(f"{entry.source}: {entry.summary}", begun, " " * len(begun))
            )
        return 0
    if args.table is None:
        raise InputError("is needed; see --list", "TABLE")
    entry = entry_named(args.table, REPRODUCTIONS, "TABLE", "reproduction")
    for option in ("first", "every"):
        if getattr(args, option) == 0:
            raise InputError("must be at least 1", f"--{option}", 0)
    if args.load == 0:
        raise InputError("must be above 0", "--load", 0)
    for option in (
        "trace",
        "traffic",
        "seed",
        "first",
        "shape",
        "load",
        "every",
        "full",
        "jobs",
    ):
        taken = _FIELDS.get(option, option) in entry.takes
        value = getattr(args, option)
        if value is not None and value is not False and not taken:
            raise InputError(f"is not for {entry.name}", f"--{option}")
    out = Path(args.out or f"out/{entry.name}")
    try_folder(out)
    refuse_links(out, "report.*", "parts")
    with progress_bar() as progress:
        options = RunOptions(
            trace=args.trace,
            traffic=args.traffic,
            seed=args.seed or 0,
            first=args.first,
            mesh=args.shape,
            load=args.load,
            every=args.every,
            full=args.full,
            jobs=shared.processes(args.jobs),
            keep=str(out / "parts"),
            out=str(out),
            progress=progress,
        )
        study = entry(options)
    page = write_document(study, out)
    for text in study.lead:
        print(text)
    for finding in study.findings:
        print(
            f"- {finding.claim}: paper {finding.paper or 'silent'}, "
            f"here {finding.ours}{_describe_finding(finding)}"
        )
    print(page)
    return 0


def _describe_finding(finding: Finding) -> str:
    """Describe whether a statement holds, by which criterion, and what is known."""
    mark = {True: "holds", False: "does not hold", None: "not judged"}[finding.holds]
    remark = finding.remark if finding.holds is None else ""
    reasons = "; ".join(filter(None, (finding.criterion, remark)))
    return f" ({mark}: {reasons})" if reasons or finding.holds is not None else ""
