"""Show what became better or worse from one result folder to another.

A and B are folders that closeknit ratios filled, or their results.sqlite files. Runs
are compared that have instance, method, seed, repeat and limits in common; the first
line counts them. Exit status 1 when a cost, a bound, a proof or a status is worse or a
run of A is missing in B, whatever the times; with --fail-on never, not for any of this.
Exit status 2 when no run is in both, or both are the same store.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ...instances import InputError
from ...instances.writing.files import write_text
from ...reports.campaigns.store import FILE, rows_in
from ...reports.pages.markdown import markdown_of
from ...reports.ratios.comparison import compare
from ...reports.ratios.comparison_page import comparison_document
from ..frame import outputs, streams
from ..frame.parser import Parser


def options(parser: Parser) -> None:
    """Declare the options."""
    for name, letter in (("before", "A"), ("after", "B")):
        parser.add_argument(
            name, metavar=letter, help=f"results {name}: a folder or a store"
        )
    parser.add_argument(
        "--fail-on",
        choices=("answers", "never"),
        default="answers",
        help="what makes the exit status 1 (default: %(default)s)",
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
    """Compare two stores, and print the differences."""
    paths = [Path(name) for name in (args.before, args.after)]
    paths = [path / FILE if path.is_dir() else path for path in paths]
    before, after = map(rows_in, paths)
    if paths[0].samefile(paths[1]):
        raise InputError("is A itself: nothing was compared", "B", args.after)
    found = compare(before, after)
    tables = markdown_of(comparison_document(found, args.before, args.after))
    text = f"{found.counts}\n\n{tables}"
    if args.markdown is not None:
        write_text(args.markdown, text)
    print(text, end="")
    if not found.pairs:
        raise InputError("no run of A has one like it in B: nothing was compared")
    if args.fail_on != "never":
        streams.annotate("closeknit ratios compare", list(found.problems))
    return int(args.fail_on != "never" and found.worse_answers)
