"""The model of the set-union knapsack problem for CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence

from ...instances import Sukp
from ...solvers.formulation import CpFormulation
from ...solvers.later import cp_model


def union(instance: Sukp, *, hint: tuple[int, ...] | None = None) -> CpFormulation:
    r"""One boolean per item, y, and one per element, x; an item needs its elements.

    .. math::

        \min \sum_j p_j (1 - y_j), \quad \sum_e w_e x_e \le C, \quad
        y_j \le x_e \text{ for } e \text{ in item } j

    Size: a boolean per item and per element, a clause for each element of each item,
    and a row.
    """
    model = cp_model.CpModel()
    model.name = "union"
    y = [model.new_bool_var(f"y{j}") for j in range(instance.n)]
    x = [model.new_bool_var(f"x{e}") for e in range(len(instance.weights))]
    for j, elements in enumerate(instance.items):
        for e in elements:
            model.add_implication(y[j], x[e])
    for j in instance.required:
        model.add(y[j] == 1)
    weigh = cp_model.LinearExpr.weighted_sum
    if sum(instance.weights) > instance.capacity:
        model.add(weigh(x, instance.weights) <= instance.capacity)
    if hint is not None:
        needed = {e for j in hint for e in instance.items[j]}
        for j, variable in enumerate(y):
            model.add_hint(variable, int(j in set(hint)))
        for e, variable in enumerate(x):
            model.add_hint(variable, int(e in needed))
    left_out = [1 - variable for variable in y]
    model.minimize(weigh(left_out, instance.profits))
    return CpFormulation(
        name="union",
        instance=instance,
        model=model,
        variables=y,
        decode=decode,
        hint=hint,
        parameters="linearization_level: 2",
    )


def decode(values: Sequence[int]) -> tuple[int, ...]:
    """Return the items whose variables are 1."""
    return tuple(j for j, value in enumerate(values) if value)
