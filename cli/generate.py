"""Make instance files: from a few numbers and a seed, or from a job trace.

The paths of the files are printed, one per line. The same options give the same files,
byte for byte; parameters and seed are stored inside.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..instances.errors import InputError
from . import outputs
from .parser import Parser
from .progress import progress_bar
from .reading import option

if TYPE_CHECKING:
    from ..instances.families import Family, Parameter


def options(parser: Parser) -> None:
    """Declare the options of every family, from its parameters."""
    from ..simulation.families import FAMILIES

    families = parser.add_subparsers(metavar="FAMILY", required=True)
    for family in FAMILIES.values():
        summary = family.summary
        text = family.description or f"{summary[0].upper()}{summary[1:]}."
        one = parser.subcommand(families, family.name, help=summary, description=text)
        one.set_defaults(family=family)
        group = one.add_mutually_exclusive_group() if family.exclusive else one
        for parameter in family.parameters:
            _add(group if parameter.name in family.exclusive else one, parameter)
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


def _add(parser: Any, parameter: Parameter) -> None:
    """Declare the option of a parameter."""
    help_text = parameter.help.replace("%", "%%")
    if parameter.flag:
        parser.add_argument(f"--{parameter.name}", action="store_true", help=help_text)
        return
    parser.add_argument(
        f"--{parameter.name}",
        type=option(parameter.read),
        default=parameter.default,
        required=parameter.required,
        choices=parameter.choices or None,
        metavar=None if parameter.choices else parameter.metavar,
        help=help_text,
    )


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    from ..instances import problem_of
    from ..instances.files import folder, write_text
    from ..instances.json_text import dumps

    family: Family = args.family
    given: Mapping[str, Any] = vars(args)
    values = {one.name: given[one.name.replace("-", "_")] for one in family.parameters}
    out = folder(args.out)
    with progress_bar() as show:

        def progress(done: int, total: int | None) -> None:
            show(done, total, family.name)

        try:
            with closing(
                family.instances(values, progress=progress, note=_note)
            ) as instances:
                for instance in instances:
                    path = out / f"{instance.name}.json"
                    document = problem_of(instance).document_of(instance)
                    write_text(path, dumps(document) + "\n")
                    print(path)
        except InputError as error:
            raise family.in_terms_of_parameters(error, "--") from None
    return 0


def _note(text: str) -> None:
    print(text, file=sys.stderr)
