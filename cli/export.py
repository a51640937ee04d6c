"""Write the model of an instance: LP, MPS, CP-SAT text, or a pseudo-Boolean formula.

The first line, a comment, names the model and the unit of the objective.

ksubset: variable x<i> is 1 where free processor i, in lexicographic order, is chosen.
Unless --bare is given, inequalities are added that exclude mirror images and shifts of
a choice, and choices that an exchange would improve. They do not change the optimum.

procset: x<k> is 1 where any processor of class k is taken. A class consists of the
available processors that lie in the same sets; classes are ordered by their first
members. y<s> is 1 where a set that several classes share is touched. All levels are
folded into one objective, such that integers compare as the vectors do. With --level,
one level is the objective, and --at-most bounds the levels before it: minimise level 1,
then level 2 with level 1 at most its optimum, and so on, which is quicker.

sukp: x<e> is 1 where element e is used. In CP-SAT text, y<j> is 1 where item j is
taken; in LP and MPS, z<j> is 1 where it is left out. The objective is the profit left
out.

submesh, as CP-SAT text: by default, the model decides whether residents and request can
be placed without overlapping, and has no objective. Box i (the residents in order, then
the request) begins at start<i>.<axis>. What migration costs, and models for other
solvers, are in the formula, opb.

With --to opb, the formula on which proofs rest is written, for solvers that log proofs;
comments say what its variables mean, and what to add to its objective.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..formulations.ksubset import catalogue
from ..formulations.ksubset.strengthening import NONE, Strengthening
from ..formulations.procset.terms import ProcsetTerms
from ..instances import (
    Instance,
    KSubset,
    ProcSet,
    Submesh,
    Sukp,
    problem_of,
    read_instance,
)
from ..instances.errors import InputError, in_file
from ..instances.submesh import ways_of
from ..instances.support import describe
from ..methods.ksubset import models as models_ksubset
from ..methods.old_names import replacement_of
from ..proofs.checking import formula_of
from ..proofs.writing.opb_text import opb_text
from ..solvers.formulation import Formulation, MipFormulation
from .frame import outputs
from .frame.parser import Parser, flag

DEFAULT = "cuts-unary"
CLASSES, UNION, NO_OVERLAP = "classes", "union", "no-overlap"
OPB = "opb"
_Builder = Callable[[Any, argparse.Namespace], "tuple[Formulation, str]"]
_DIGITS = 12
"""Digits that LP text keeps of every number; MPS keeps one more."""
_ENTRIES = {"lp": catalogue.MIP, "mps": catalogue.MIP, "cpsat": catalogue.CP}
_COMMENT = {"lp": "\\", "mps": "*", "cpsat": "#"}


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file")
    parser.add_argument(
        "--to", required=True, choices=(*_ENTRIES, OPB), help="format of the model"
    )
    known = sorted({*catalogue.CP, *catalogue.MIP})
    parser.add_argument(
        "--formulation",
        metavar="F",
        help=f"ksubset: {', '.join(known)} (default {DEFAULT}); procset: {CLASSES}; "
        f"sukp: {UNION}; submesh: {NO_OVERLAP}",
    )
    flag(parser, "--bare", "write the definition only, without strengthening")
    parser.add_argument(
        "--level",
        type=int,
        metavar="L",
        help="procset: minimise this level alone (default: all levels folded)",
    )
    parser.add_argument(
        "--at-most",
        metavar="V,V",
        help="with --level: largest costs of the levels before it (default: no bound)",
    )
    parser.add_argument(
        "--out",
        type=outputs.output,
        metavar="PATH",
        help="file to write; - for standard output (default: standard output)",
    )
    parser.examples(
        "export instance.json --to lp --out model.lp",
        "export instance.json --to cpsat --formulation cuts-unary --bare",
    )


def _refuse_others(args: argparse.Namespace, known: Iterable[str]) -> None:
    if args.formulation not in known:
        gone = replacement_of(args.formulation, ["ksubset"])
        raise InputError(
            gone or f"must be one of {', '.join(known)} for {args.to}",
            "--formulation",
            args.formulation,
        )


def _ksubset(instance: KSubset, args: argparse.Namespace) -> tuple[Formulation, str]:
    args.formulation = args.formulation or DEFAULT
    entries = _ENTRIES[args.to]
    _refuse_others(args, entries)
    if why := models_ksubset.refusal(args.formulation, instance):
        raise InputError(why, "--formulation", file=args.file)
    model = entries[args.formulation].build(
        instance, NONE if args.bare else Strengthening()
    )
    times = model.unit * instance.topology.scale
    return model, (
        f"k = {instance.k}, {model.name}; the objective is {times} times the pair sum"
    )


def _procset(instance: ProcSet, args: argparse.Namespace) -> tuple[Formulation, str]:
    from ..formulations.procset import cpsat, mip

    args.formulation = args.formulation or CLASSES
    _refuse_others(args, (CLASSES,))
    at_most = _at_most(instance.levels, args)
    backend: Any = cpsat if args.to == "cpsat" else mip
    model = backend.classes(instance, weighted=args.level is None)
    about = f"{instance.request} of {instance.n}, {model.name}"
    radix = ProcsetTerms(instance).radix
    if args.level is not None:
        backend.set_level_objective(model, args.level - 1, at_most)
        unit = radix.units[args.level - 1]
        return model, f"{about}; {unit} times the objective is level {args.level}"
    parts = (
        f"{weight} * level {number} / {unit}"
        for number, (weight, unit) in enumerate(
            zip(radix.weights, radix.units, strict=True), start=1
        )
    )
    return model, f"{about}; the objective is {' + '.join(parts)}"


def _at_most(levels: int, args: argparse.Namespace) -> list[int]:
    if args.level is not None and not 1 <= args.level <= levels:
        raise InputError(f"must lie between 1 and {levels}", "--level", args.level)
    if args.at_most is None:
        return []
    if args.level is None:
        raise InputError("needs --level", "--at-most", args.at_most)
    before = args.level - 1
    parts = args.at_most.split(",")
    if len(parts) != before or not all(part.strip().isdecimal() for part in parts):
        raise InputError(
            f"must be {before} numbers, one for each level before --level",
            "--at-most",
            args.at_most,
        )
    return [int(part) for part in parts]


def _sukp(instance: Sukp, args: argparse.Namespace) -> tuple[Formulation, str]:
    from ..formulations.sukp import cpsat, mip

    args.formulation = args.formulation or UNION
    _refuse_others(args, (UNION,))
    backend: Any = cpsat if args.to == "cpsat" else mip
    model = backend.union(instance)
    return model, (
        f"{instance.n} items, {len(instance.weights)} elements, {model.name}; the "
        f"objective is {sum(instance.profits)} less the profit"
    )


def _submesh(instance: Submesh, args: argparse.Namespace) -> tuple[Formulation, str]:
    if args.to != "cpsat":
        raise InputError(
            "was removed for submeshes: take opb, or cpsat",
            "--to",
            args.to,
            file=args.file,
        )
    args.formulation = args.formulation or NO_OVERLAP
    if args.formulation == "moves":
        problem = "was removed: --to opb has what moves cost"
        raise InputError(problem, "--formulation", "moves")
    _refuse_others(args, (NO_OVERLAP,))
    if not ways_of(instance.shape, instance.request, instance.rotate):
        raise InputError(
            "is longer than the mesh: there is no model for that",
            "request",
            list(instance.request),
            file=args.file,
        )
    from ..formulations.submesh.packing_cpsat import placement_model

    about = f"{describe(instance)}, {NO_OVERLAP}; no objective"
    return placement_model(instance), about


def _refuse_long_numbers(model: Formulation, args: argparse.Namespace) -> None:
    levels = model.unfold is not None
    if isinstance(model, MipFormulation) and model.widest >= 10**_DIGITS:
        raise InputError(
            f"has numbers of more than {_DIGITS} digits, which {args.to} text would "
            f"cut off; write cpsat{', or one --level' if levels else ''}",
            "--to",
            args.to,
            file=args.file,
        )


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


def _write_formula(instance: Instance, args: argparse.Namespace) -> None:
    """Write the formula of an instance."""
    for option in ("formulation", "level", "at_most", "bare"):
        if getattr(args, option):
            raise InputError(
                "is not for opb, which has one formula for each problem",
                f"--{option.replace('_', '-')}",
            )
    with in_file(args.file):
        formula = formula_of(instance)
    outputs.write_out(args.out or "-", "".join(opb_text(formula, describe(instance))))


_MODELS: Mapping[str, tuple[_Builder, tuple[str | None, ...]]] = {
    "ksubset": (_ksubset, ()),
    "procset": (_procset, (None, CLASSES)),
    "sukp": (_sukp, ()),
    "submesh": (_submesh, ()),
}
"""By problem: builds the model, and the formulations that --level applies to."""


def run(args: argparse.Namespace) -> int:
    """Build the model and write it."""
    instance = read_instance(args.file)
    if args.to == OPB:
        _write_formula(instance, args)
        return 0
    name = problem_of(instance).name
    if name not in _MODELS:
        raise InputError("has no model to export", "FILE", name, file=args.file)
    model_of, by_level = _MODELS[name]
    if args.formulation not in by_level:
        for option in ("level", "at_most"):
            if getattr(args, option) is not None:
                raise InputError(
                    "is for processor sets",
                    f"--{option.replace('_', '-')}",
                    file=args.file,
                )
    model, about = model_of(instance, args)
    _refuse_long_numbers(model, args)
    head = f"closeknit: {instance.name}, {about}"
    text = f"{_COMMENT[args.to]} {' '.join(head.split())}\n{_text(model, args.to)}"
    outputs.write_out(args.out or "-", text)
    return 0
