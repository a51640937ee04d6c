"""Boards that are made: by the generators, as worst cases, from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from ...instances import InputError, KSubset
from ...instances.families import Family
from ...instances.ksubset import worst_cases
from ...instances.ksubset.families import DRAWN, GRAPHS, POINTS, WORST_CASES
from ...instances.ksubset.worst_cases import WorstCase
from ...instances.reading import fields
from ...instances.reading.suggestions import entry_named
from ...methods import KSUBSET
from ...solvers import Settings
from ..adversary.worst_known import WorstInstance, read_worst_known
from ..pages.numbers import decimal, fraction
from .board import of_instance, refuse_large
from .choices import length
from .scenes import MOST_SHOWN

_HIDDEN = ("graph", "torus")
"""A family that reads a file of the server, and one that another contains."""
_LEFT_OUT = "count"
_LONGEST = 40
_CASES: Mapping[str, Callable[..., WorstCase]] = {
    "theorem1": worst_cases.theorem1,
    "median-decoys": worst_cases.median_decoys,
    "mm-distinct": worst_cases.mm_distinct,
    "mm-blocks": worst_cases.mm_blocks,
    "ring-gap": worst_cases.ring_gap,
    "mc1x1-worst": worst_cases.mc1x1_family,
    "genalg": worst_cases.genalg,
    "genalg-tree": worst_cases.genalg_tree,
    "hilbert-gap": worst_cases.hilbert_gap,
}
_DRAGGED: Mapping[str, tuple[str, int, int]] = {
    "theorem1": ("eps", 3, 400),
    "median-decoys": ("eps", 3, 400),
    "mm-distinct": ("L", 6, 600),
    "mm-blocks": ("L", 16, 2000),
    "ring-gap": ("s", 1, 20),
    "mc1x1-worst": ("r", 4, 1000),
    "genalg": ("L", 3, 1000),
    "genalg-tree": ("L", 8, 1000),
    "hilbert-gap": ("N", 2, 6),
}
"""The parameter that a slider changes, and its ends: of eps the denominator, of N the
exponent of two."""
_SIZES: Mapping[str, Callable[[Mapping[str, Any]], int]] = {
    "dragonfly": lambda v: v["a"] * v["p"] * (v["a"] * v["h"] + 1),
    "fat-tree": lambda v: v["radix"] ** 3 // 4,
    "hypercube": lambda v: 2 ** min(v["d"], 20),
    "genalg-tree": lambda v: v["k"] ** 2,
    "hilbert-gap": lambda v: v["N"] ** 2,
    "ring-gap": lambda v: 46 * v["s"],
    "theorem1": lambda v: v["d"] * v["k"],
    "median-decoys": lambda v: v["d"] * v["k"],
    "mc1x1-worst": lambda v: v["d"] * v["k"],
}
"""Processors of an instance, where the sides or ``n`` do not say it."""


@cache
def _families() -> dict[str, Family]:
    every = (*DRAWN, *GRAPHS, *POINTS, *WORST_CASES)
    return {one.name: one for one in every if one.name not in _HIDDEN}


def families() -> list[dict[str, Any]]:
    """List the generators with their parameters."""
    return [
        {
            "name": family.name,
            "summary": family.summary,
            "worst": family.name in _CASES,
            "dragged": _DRAGGED.get(family.name),
            "parameters": [
                {
                    "name": one.name,
                    "help": one.help,
                    "value": _example(family, one.name) or one.default or "",
                    "required": one.required,
                    "choices": list(one.choices),
                    "flag": one.flag,
                    "metavar": one.metavar,
                }
                for one in family.parameters
                if one.name != _LEFT_OUT
            ],
        }
        for family in _families().values()
    ]


def _example(family: Family, name: str) -> str:
    """Return the value of a parameter in an example of the help.

    Of graphs that is the second one, as the first is large.
    """
    words = family.examples[family in GRAPHS].split()
    option = f"--{name}"
    return words[words.index(option) + 1] if option in words else ""


def make_instance(body: dict[str, Any]) -> dict[str, Any]:
    """Make an instance: ``family`` and ``values``, texts by the name of a parameter.

    Returns
    -------
    dict
        What loading its file returns; of a worst case with the ``case``: method, cost
        and optimum by the closed forms, and what the method pays when it is run.

    Raises
    ------
    InputError
        If a value is malformed, or the instance too large for the page.
    """
    fields.only(body, ("family", "values"), ("family", "values"), "")
    name = fields.string(body["family"], "family")
    entry_named(name, _families(), "family", "family")
    family = _families()[name]
    given = fields.objects(body["values"], "values")
    values: dict[str, Any] = {}
    for key, text in given.items():
        parameter = family.parameter(key)
        if parameter is None or key == _LEFT_OUT:
            raise InputError("unknown field", f"values.{key}")
        if parameter.flag:
            values[key] = text is True
            continue
        try:
            words = fields.string(text, key)
            if len(words) > _LONGEST:
                raise InputError(f"has more than {_LONGEST} characters", key)
            values[key] = parameter.value_of(words)
        except InputError as error:
            raise InputError(error.problem, key, error.value) from None
    for parameter in family.parameters:
        if parameter.required and parameter.name not in values:
            raise InputError("is missing", parameter.name)
    _refuse_large(family, values)
    try:
        (instance,) = family.instances(values)
    except InputError as error:
        raise family.in_terms_of_parameters(error) from None
    found = of_instance(cast("KSubset", instance))  # as all families here are
    if name in _CASES:
        arguments = {
            one.keyword: values.get(one.name, one.default_value)
            for one in family.parameters
        }
        found["case"] = _case(_CASES[name](**arguments))
    return found


def _refuse_large(family: Family, values: Mapping[str, Any]) -> None:
    every = {
        one.name: values.get(one.name, one.default_value) for one in family.parameters
    }
    if every.get("shape") is not None:
        if every.get("kind") == "tree" and len(every["shape"]) > 12:
            raise InputError("has more than 12 levels", "shape", list(every["shape"]))
        refuse_large(every["shape"], "shape")
    for name in ("n", "k", "d", "a", "p", "h", "radix", "degree"):
        if isinstance(every.get(name), int) and every[name] > MOST_SHOWN:
            raise InputError(f"must be at most {MOST_SHOWN}", name, every[name])
    if family.name in _SIZES and _SIZES[family.name](every) > MOST_SHOWN:
        problem = f"has more than the {MOST_SHOWN} processors that are shown"
        raise InputError(problem, family.name)


def _case(case: WorstCase) -> dict[str, Any]:
    """Describe a worst case; its method is run."""
    result = KSUBSET[case.method](case.instance, Settings(time_limit=2.0))
    paid = result.objective if isinstance(result.objective, int) else None
    return {
        "method": case.method,
        "cost": length(case.instance, case.cost),
        "optimum": length(case.instance, case.optimum),
        "ratio": decimal(case.ratio),
        "exactly": fraction(case.ratio),
        "measured": length(case.instance, paid),
        "agrees": paid == case.cost,
        "statement": case.statement,
        "source": case.source,
    }


@cache
def _ledger() -> list[WorstInstance]:
    entries = read_worst_known().values()
    return sorted(entries, key=lambda one: (one.method, -one.ratio))


def ledger() -> list[dict[str, Any]]:
    """List the worst instances known, by method, the worst first."""
    return [
        {"method": one.method, "network": one.key[1], "k": one.instance.k}
        | {"ratio": decimal(one.ratio)}
        for one in _ledger()
    ]


def worst(body: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of `ledger` by its ``index``, as the page loads a board."""
    fields.only(body, ("index",), ("index",), "")
    index = fields.integer(body["index"], "index")
    if not 0 <= index < len(_ledger()):
        raise InputError(f"must be below {len(_ledger())}", "index", index)
    entry = _ledger()[index]
    case = WorstCase(
        instance=entry.instance,
        method=entry.method,
        cost=entry.cost,
        optimum=entry.optimum,
        statement=f"the worst known for {entry.method} here: {entry.how}",
        source=f"worst_known.json, {entry.date}",
    )
    return {**of_instance(entry.instance), "case": _case(case)}
