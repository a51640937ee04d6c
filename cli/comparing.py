"""``closeknit ratios compare A B``: what became better or worse between two stores."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import outputs

WORD = "compare"
OPTIONS = ("fail_on", "markdown")


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a comparison."""
    parser.add_argument(
        "--fail-on",
        choices=("worse", "answers"),
        help="compare: exit status 1 when something is worse beyond noise; answers: "
        "when a cost, a proof or a failure is, whatever the times",
    )
    parser.add_argument(
        "--markdown",
        type=outputs.file,
        metavar="FILE",
        help="compare: write the tables there too",
    )


def run(args: argparse.Namespace, names: Sequence[str]) -> int:
    """Compare two stores, print what differs."""
    from ..instances import InputError
    from ..instances.files import write_text
    from ..reports.campaigns.store import FILE, rows_in
    from ..reports.pages.markdown import markdown_of
    from ..reports.ratios.comparison import compare
    from ..reports.ratios.comparison_document import comparison_document

    if len(names) != 2:
        raise InputError(
            "wants two folders or stores: closeknit ratios compare A B", field=WORD
        )
    paths = [Path(name) for name in names]
    before, after = (rows_in(path / FILE if path.is_dir() else path) for path in paths)
    found = compare(before, after)
    text = markdown_of(comparison_document(found, names[0], names[1]))
    if args.markdown is not None:
        write_text(args.markdown, text)
    print(text, end="")
    worse = {
        None: False,
        "worse": found.worse,
        "answers": found.worse_answers,
    }
    return int(worse[args.fail_on])
