"""What is known to be bad: the families and the ledger, for ``closeknit worst``."""

from __future__ import annotations

import argparse
import sys


def families(args: argparse.Namespace) -> int:
    """Print every family; exit status 1 if one is not as predicted."""
    from ..instances.ksubset.json import dumps
    from ..reports.adversary.family_table import family_rows
    from ..solvers import Settings

    rows = list(family_rows(Settings(seed=args.seed)))
    if args.json == "-":
        print(
            dumps(
                {
                    "format": "closeknit/worst-families",
                    "version": 1,
                    "families": [
                        {
                            "family": row.family,
                            "method": row.case.method,
                            "predicted": str(row.case.ratio),
                            "measured": str(row.measured),
                            "tends_to": row.tends_to,
                        }
                        for row in rows
                    ],
                }
            )
        )
    else:
        from .screen import screen, table

        shown = table("family", "method", "n", "k", "ratio", "", "tends to")
        for column in shown.columns[2:]:
            column.justify = "right"
        for column in shown.columns[1:]:
            column.no_wrap = True
        for row in rows:
            wrong = "" if row.agrees else f" (!), predicted {row.case.ratio}"
            shown.add_row(
                row.family,
                row.case.method,
                str(row.case.instance.n),
                str(row.case.instance.k),
                f"{row.measured}{wrong}",
                f"{float(row.measured):.6f}",
                row.tends_to,
            )
        screen().print(shown)
        print("Ratios are measured, and equal to those predicted unless marked (!).")
    return 0 if all(row.agrees for row in rows) else 1


def ledger(args: argparse.Namespace) -> int:
    """Print the ledger as Markdown."""
    from ..reports.adversary.worst_known import (
        PATH,
        read_worst_known,
        worst_document,
    )
    from ..reports.pages.markdown import markdown_of

    entries = read_worst_known(args.ledger or PATH)
    sys.stdout.write(markdown_of(worst_document(entries)))
    return 0
