"""Make instance files: from a few numbers and a seed, or from a job trace.

The paths of the files are printed, one per line. The same options give the same files,
byte for byte; parameters and seed are stored inside.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Any

from ..instances import write_instance
from ..instances.errors import InputError
from ..instances.families import Family
from ..instances.writing.files import file_in
from ..simulation.families import FAMILIES
from .frame import outputs
from .frame.families import add_parameter
from .frame.parser import Parser
from .frame.progress import progress_bar


def options(parser: Parser) -> None:
    """Declare the options of every family, from its parameters."""
    families = parser.add_subparsers(metavar="FAMILY", required=True)
    for family in FAMILIES.values():
        summary = family.summary
        text = family.description or f"{summary[0].upper()}{summary[1:]}."
        one = parser.subcommand(families, family.name, help=summary, description=text)
        one.set_defaults(family=family)
        group = one.add_mutually_exclusive_group() if family.exclusive else one
        for parameter in family.parameters:
            where = group if parameter.name in family.exclusive else one
            add_parameter(where, parameter)
            for old, implied in parameter.aliases.items():
                words = [f"--{name}={value}" for name, value in implied.items()]
                one.old_spelling(f"--{old}", f"--{parameter.name}", *words)
        one.add_argument(
            "--out",
            type=outputs.folder,
            default=".",
            metavar="DIR",
            help="folder for the files (default: the current folder)",
        )
        one.examples(*(f"generate {family.name} {each}" for each in family.examples))
    parser.examples(
        "generate random --shape 16x16 --k 32 --seed 7 --count 10 --out instances",
        "generate drakenberg --request 48 --free 40%",
    )


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    family: Family = args.family
    given: Mapping[str, Any] = vars(args)
    values = {one.name: given[one.name.replace("-", "_")] for one in family.parameters}
    with progress_bar() as show:
        made = family.instances(
            values,
            progress=lambda done, total: show(done, total, family.name),
            note=partial(print, file=sys.stderr),
        )
        try:
            with closing(made) as instances:
                for instance in instances:
                    path = file_in(args.out, f"{instance.name}.json")
                    write_instance(instance, path)
                    print(path)
                    topology = getattr(instance, "topology", None)
                    for note in getattr(topology, "notes", ()):
                        print(f"closeknit: {path}: {note}", file=sys.stderr)
        except InputError as error:
            raise family.in_terms_of_parameters(error, "--") from None
    return 0
