"""Write the model of an instance: LP or MPS for mixed-integer solvers, or CP-SAT text.

Variable x<i> is 1 where free processor i, in lexicographic order, is chosen. The first
line, a comment, says what the objective is in units of the pair sum. Unless --bare is
given, inequalities are added that rule out mirror images and shifts of a choice, and
choices that an exchange would better: they leave the optimum as it is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..formulations import catalogue
from ..instances.errors import InputError

if TYPE_CHECKING:
    from ..instances import KSubset
    from ..solvers.formulation import Formulation

HELP = "write the model itself: LP, MPS or CP-SAT text"
DEFAULT = "cuts-unary"
_ENTRIES = {"lp": catalogue.MIP, "mps": catalogue.MIP, "cpsat": catalogue.CP}
_COMMENT = {"lp": "\\", "mps": "*", "cpsat": "#"}


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file")
    parser.add_argument("--to", required=True, choices=_ENTRIES, help="which format")
    known = sorted({*catalogue.CP, *catalogue.MIP})
    parser.add_argument(
        "--formulation",
        default=DEFAULT,
        metavar="F",
        help=f"{', '.join(known)} (default {DEFAULT})",
    )
    parser.add_argument(
        "--bare", action="store_true", help="the definition alone, nothing that helps"
    )
    parser.add_argument("--out", metavar="PATH", help="standard output if left out")


def run(args: argparse.Namespace) -> int:
    """Build the model and write it."""
    from ..formulations.aids import NONE, Aids
    from ..heuristics.models import refusal
    from ..instances import KSubset, problem_of, read_instance
    from ..instances.files import write_text

    entries = _ENTRIES[args.to]
    if why := catalogue.NOT_EXPORTED.get(args.formulation):
        raise InputError(why, field=f"--formulation {args.formulation}")
    if args.formulation not in entries:
        raise InputError(
            f"must be one of {', '.join(entries)} for {args.to}",
            field="--formulation",
            value=args.formulation,
        )
    instance = read_instance(args.file)
    if not isinstance(instance, KSubset):
        raise InputError(
            "only models of ksubset instances are exported",
            field="format",
            value=problem_of(instance).form,
            file=args.file,
        )
    if why := refusal(args.formulation, instance):
        raise InputError(why, field="--formulation", file=args.file)
    model = entries[args.formulation].build(instance, NONE if args.bare else Aids())
    text = _header(instance, model, args.to) + _text(model, args.to)
    if args.out:
        write_text(args.out, text)
    else:
        sys.stdout.write(text)
    return 0


def _header(instance: KSubset, model: Formulation, form: str) -> str:
    times = model.unit * instance.topology.scale
    about = (
        f"closeknit: {instance.name}, k = {instance.k}, {model.name}; "
        f"the objective is {times} times the pair sum"
    )
    return f"{_COMMENT[form]} {' '.join(about.split())}\n"


def _text(model: Formulation, form: str) -> str:
    """Let the modelling library write its own format."""
    with TemporaryDirectory(prefix="closeknit-") as folder:
        file = Path(folder) / "model.txt"
        if form == "cpsat":
            model.model.export_to_file(str(file))
        elif form == "mps":
            model.model.writeMPS(str(file))
        else:
            model.model.writeLP(str(file))
        return file.read_text(encoding="utf-8")
