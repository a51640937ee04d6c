"""Make instance files: from a few numbers and a seed, or from a job trace.

The paths of the files are printed, one a line. The same options give the same
files, byte for byte; parameters and seed are stored inside.
"""

from __future__ import annotations

import argparse
from contextlib import closing

from ..instances.errors import InputError
from . import (
    generating_ksubset,
    generating_procset,
    generating_submesh,
    generating_sukp,
    generating_trace,
)

HELP = "make instance files, from generators or a job trace"


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options, family by family."""
    families = parser.add_subparsers(metavar="FAMILY", required=True)
    generating_ksubset.add(families)
    generating_procset.add(families)
    generating_sukp.add(families)
    generating_submesh.add(families)
    generating_trace.add(families)


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    from ..instances import problem_of
    from ..instances.files import folder, write_text
    from ..instances.json_text import dumps

    out = folder(args.out)
    try:
        with closing(args.instances(args)) as instances:
            for instance in instances:
                path = out / f"{instance.name}.json"
                document = problem_of(instance).document_of(instance)
                write_text(path, dumps(document) + "\n")
                print(path)
    except InputError as error:
        raise _in_options(error, args) from None
    return 0


def _in_options(error: InputError, args: argparse.Namespace) -> InputError:
    """Name the option, where it is an option that is wrong."""
    name = error.field.removeprefix("topology.").partition("[")[0]
    if error.file or name not in args:
        return error
    option = "--" + name.replace("_", "-")
    return InputError(error.problem, field=option, value=error.value)
