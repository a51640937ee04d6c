"""Options that are the parameters of a family of instances."""

from __future__ import annotations

from typing import Any

from ...instances.families import Parameter, kind_of_network
from .parser import Parser, flag
from .shared import option


def add_parameter(where: Any, parameter: Parameter) -> None:
    """Declare the option of a family's parameter."""
    name, says = f"--{parameter.name}", parameter.help.replace("%", "%%")
    if parameter.flag:
        flag(where, name, says)
        return
    where.add_argument(
        name,
        type=option(parameter.read),
        default=parameter.default,
        required=parameter.required,
        choices=parameter.choices or None,
        metavar=None if parameter.choices else parameter.metavar,
        help=says,
    )


def add_kind(parser: Parser) -> None:
    """Declare the kind of the network whose sides are ``--shape``.

    The old ``--mesh``, ``--torus`` and ``--tree`` say both at once.
    """
    add_parameter(parser, kind_of_network())
    for kind in ("mesh", "torus", "tree"):
        parser.old_spelling(f"--{kind}", "--shape", f"--kind={kind}")
