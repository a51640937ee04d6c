"""Show what became better or worse from one result folder to another.

A and B are folders that closeknit ratios filled, or their results.sqlite files. With
--fail-on worse, the exit status is 1 when something is worse beyond noise; with
--fail-on answers, when a cost, a proof or a failure is worse, whatever the times.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..instances.files import write_text
from ..reports.campaigns.store import FILE, rows_in
from ..reports.pages.markdown import markdown_of
from ..reports.ratios.comparison import compare, comparison_document
from . import outputs
from .parser import Parser


def options(parser: Parser) -> None:
    """Declare the options."""
    for name, letter in (("before", "A"), ("after", "B")):
        parser.add_argument(
            name, metavar=letter, help=f"results {name}: a folder or a store"
        )
    parser.add_argument(
        "--fail-on",
        choices=("worse", "answers"),
        help="what makes the exit status 1 (default: nothing)",
    )
    parser.add_argument(
        "--markdown",
        type=outputs.file,
        metavar="FILE",
        help="write the tables there too",
    )
    parser.examples(
        "ratios compare results-1.0 results-1.1",
        "ratios compare main branch --fail-on answers --markdown changes.md",
    )


def run(args: argparse.Namespace) -> int:
    """Compare two stores, print what differs."""
    paths = [Path(name) for name in (args.before, args.after)]
    before, after = (rows_in(path / FILE if path.is_dir() else path) for path in paths)
    found = compare(before, after)
    text = markdown_of(comparison_document(found, args.before, args.after))
    if args.markdown is not None:
        write_text(args.markdown, text)
    print(text, end="")
    worse = {
        None: False,
        "worse": found.worse,
        "answers": found.worse_answers,
    }
    return int(worse[args.fail_on])
