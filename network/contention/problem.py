"""The entry of the contention problem in the tables of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...instances.problems import Problem, describe_problem
from ...instances.value import Value
from . import files
from . import instance as contention
from .bounds import derive_bound
from .instance import Contention


def _text(instance: Contention, value: Value) -> str:
    if isinstance(value, int):
        return f"{value / instance.common**instance.power:.6g} of contention"
    load = f"load {value[0] / instance.common:.6g}"
    return ", ".join([load, *(f"{hops} hops" for hops in value[1:])])


PROBLEM: Problem = describe_problem(
    Contention,
    contention,
    files,
    parse=files.parse_contention,
    locate=files.locate,
    names_of=files.names_of,
    chosen_by_names=files.chosen_by_names,
    any_choice=lambda one: range(one.k),
    derive_bound=derive_bound,
    levels=lambda one: None if one.power else 2,
    dearest=contention.dearest,
    write_cost=_text,
)
"""What the core asks of a problem."""


def methods() -> Mapping[str, Any]:
    """Return the table of methods."""
    from .table import TABLE

    return TABLE


def labels(networks: Any) -> Any:
    """Return what reports state of the problem, from what they state of networks."""
    return replace(
        networks,
        title="Processors that load links little",
        costs="Costs are what a job adds to powers of how far links are used, or how "
        "far its busiest link is used, then hops.",
        scale=lambda instance: 1,
    )
