"""The commands: one module per command, imported when the command is used.

A command is a module with ``options(parser)`` and ``run(args) -> int``; its docstring
is the text of its help. What takes time to import is imported in ``run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from ..sources import doc_of
from .frame.parser import Parser


class Module(Protocol):
    """What a command's module offers."""

    __doc__: str | None

    def options(self, parser: Parser) -> None:
        """Declare the options."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; return the exit status."""


COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "solve": "choose processors and prove how good the choice is",
        "compare": "print a table of ratios to the optimum",
        "ratios": "run methods on instances; report the ratios",
        "ratios compare": "show what changed between two result folders",
        "verify": "test every bound and formula exactly; for continuous integration",
        "worst": "find instances on which a method does badly",
        "reproduce": "reproduce a paper's table or figure",
        "check": "check a solution file independently",
        "plot": "draw an instance or a solution as SVG, PNG or PDF",
        "methods": "list the methods, or explain one",
        "generate": "make instance files, from generators or a job trace",
        "export": "write the model itself: LP, MPS or CP-SAT text",
        "simulate": "simulate job streams on a mesh, torus or tree",
        "select": "choose processors for a job, by a configuration",
        "serve": "choose nodes of a cluster over HTTP",
        "explore": "look at choices and proofs on a local page in the browser",
        "batsim": "schedule the jobs of a simulation by Batsim",
        "slurm": "let closeknit choose the nodes of jobs of a running Slurm",
        "why": "say why a job does not fit on a cluster, and what would help",
        "fragmentation": "say how large a job still fits on a cluster",
        "defrag": "plan the fewest moves of jobs that free racks or switches",
        "grade": "grade a scheduler's decisions against the optimum",
        "whatif": "replay a trace on a cluster under other schedulers' rules",
        "config": "check the configuration of a selector",
        "warm": "compile the kernels of the methods beforehand",
        "completion": "print a completion script for bash, zsh or fish",
    }
)
"""What each command does, in the order in which the help lists them."""


def module_of(name: str) -> Module:
    """Import the module of a command."""
    match name:
        case "solve":
            from . import solve

            return solve
        case "compare":
            from . import compare

            return compare
        case "ratios":
            from .ratios import command as ratios

            return ratios
        case "ratios compare":
            from .ratios import compare as ratios_compare

            return ratios_compare
        case "verify":
            from . import verify

            return verify
        case "worst":
            from . import worst

            return worst
        case "reproduce":
            from . import reproduce

            return reproduce
        case "check":
            from . import check

            return check
        case "plot":
            from . import plot

            return plot
        case "methods":
            from . import methods

            return methods
        case "generate":
            from . import generate

            return generate
        case "export":
            from . import export

            return export
        case "simulate":
            from .simulate import command as simulate

            return simulate
        case "select":
            from .select import command as select

            return select
        case "serve":
            from .select import serve

            return serve
        case "explore":
            from . import explore

            return explore
        case "batsim":
            from .clusters import batsim

            return batsim
        case "slurm":
            from .clusters import slurm

            return slurm
        case "why":
            from .clusters import why

            return why
        case "fragmentation":
            from .clusters import fragmentation

            return fragmentation
        case "defrag":
            from .clusters import defrag

            return defrag
        case "grade":
            from .clusters import grade

            return grade
        case "whatif":
            from .clusters import whatif

            return whatif
        case "config":
            from .select import config

            return config
        case "warm":
            from . import warm

            return warm
        case "completion":
            from .frame import completion

            return completion
    raise KeyError(name)


def parser_of(name: str) -> tuple[Parser, Module]:
    """Return the parser of a command, and its module."""
    module = module_of(name)
    said = module.__doc__ or doc_of(module)
    parser = Parser(prog=f"closeknit {name}", description=said)
    module.options(parser)
    return parser, module
