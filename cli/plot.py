"""Draw an instance, alone or with a solution, as SVG, PNG or PDF.

ksubset: the network, free and busy processors. procset: processors host by host, and
the shared sets. submesh: the mesh with its residents (outlined: may not be moved) and
the request next to it; with a solution, before and after, with an arrow for every move.
sukp: items across, elements down, profits and weights as bars. The solution is checked
first, as closeknit check does; exit status 1 when something in it is not true.
"""

from __future__ import annotations

import argparse
import sys

from ..instances import InputError, problem_of, read_instance
from ..reports.drawing.drawing import drawing_of
from ..solvers import read_solution
from .frame import outputs
from .frame.parser import Parser, once


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file")
    parser.add_argument("solution", metavar="SOLUTION", nargs="?", help="solution file")
    parser.add_argument(
        "--out",
        type=outputs.picture,
        required=True,
        metavar="PICTURE",
        help=f"picture to write; ends in {', '.join(outputs.PICTURES)}",
    )
    once(parser, "--proof", "FILE", "proof of any kind, where the solution rests on it")
    parser.old_spelling("--certificate", "--proof")
    parser.examples(
        "plot instance.json --out instance.svg",
        "plot instance.json solution.json --out solution.png",
    )


def run(args: argparse.Namespace) -> int:
    """Check what is to be drawn, draw it, and write the picture."""
    from ..api.examining import examine
    from ..api.solution import Drawing

    instance = read_instance(args.file)
    if args.solution is None:
        if args.proof is not None:
            raise InputError("is for a SOLUTION", "--proof")
        drawing = drawing_of(instance, {})
    else:
        solution = read_solution(args.solution)
        if wrong := examine(instance, solution, args.proof).wrong:
            print(f"closeknit: {args.solution}: {'; '.join(wrong)}", file=sys.stderr)
            return 1
        if solution.selection is None:
            why = f" ({solution.proof})" if solution.proof else ""
            remark = f"{solution.method}: {solution.status.value}{why}"
            drawing = drawing_of(instance, {}, remark=remark)
        else:
            chosen = problem_of(instance).chosen_of(instance, solution.selection)
            drawing = drawing_of(instance, {solution.method: chosen})
    Drawing(drawing).write(args.out)
    return 0
