"""The mixed-integer model of the set-union knapsack problem, in PuLP."""

from __future__ import annotations

from collections.abc import Sequence

from ...instances import Sukp
from ...solvers.formulation import MipFormulation
from ...solvers.modelling import load_pulp
from ...solvers.running.tolerances import MOST_PROVED

MOST_WEIGHT = 800_000
"""Solvers accept a row violated by a millionth of its size: less than one unit."""


def refusal(instance: Sukp) -> str | None:
    """Return why floating-point solvers cannot prove an optimum; None if they can."""
    if (profits := sum(instance.profits)) > MOST_PROVED:
        return (
            f"profits add up to {profits}: floating-point solvers prove up to "
            f"{MOST_PROVED}; use union/cpsat"
        )
    if (weights := sum(instance.weights)) > MOST_WEIGHT and weights > (
        instance.capacity
    ):
        return (
            f"weights add up to {weights}: from {MOST_WEIGHT} on, an excess can be "
            "within the tolerances of floating-point solvers; use union/cpsat"
        )
    return None


def union(instance: Sukp, *, hint: tuple[int, ...] | None = None) -> MipFormulation:
    r"""One binary per excluded item, z, and one per element, x.

    .. math::

        \min \sum_j p_j z_j, \quad \sum_e w_e x_e \le C, \quad
        z_j + x_e \ge 1 \text{ for } e \text{ in item } j

    The same as with y_j = 1 - z_j ≤ x_e, but for the constant in the objective. Size:
    a binary per item and per element, a row for each element of each item, and one.
    """
    pulp = load_pulp()
    constants = pulp.constants
    model = pulp.LpProblem("union", 1)
    z = [model.add_variable(f"z{j}", 0, 1, "Integer") for j in range(instance.n)]
    x = [
        model.add_variable(f"x{e}", 0, 1, "Integer")
        for e in range(len(instance.weights))
    ]
    if hint is not None:
        chosen = set(hint)
        needed = {e for j in hint for e in instance.items[j]}
        for j, variable in enumerate(z):
            variable.setInitialValue(int(j not in chosen))
        for e, variable in enumerate(x):
            variable.setInitialValue(int(e in needed))
    weights = [(x[e], w) for e, w in enumerate(instance.weights) if w]
    if sum(instance.weights) > instance.capacity:
        total = pulp.LpAffineExpression(weights)
        most = constants.LpConstraintLE
        model.addConstraint(pulp.LpConstraint(total, most, None, instance.capacity))
    for j, elements in enumerate(instance.items):
        for e in elements:
            either = pulp.LpAffineExpression([(z[j], 1), (x[e], 1)])
            row = pulp.LpConstraint(either, constants.LpConstraintGE, None, 1)
            model.addConstraint(row)
    for j in instance.required:
        kept = pulp.LpAffineExpression([(z[j], 1)])
        model.addConstraint(pulp.LpConstraint(kept, constants.LpConstraintEQ, None, 0))
    # also worthless items: otherwise one without elements would not be in the model
    prices = list(zip(z, instance.profits, strict=True))
    model.setObjective(pulp.LpAffineExpression(prices))
    return MipFormulation(
        name="union",
        instance=instance,
        model=model,
        variables=z,
        decode=decode,
        hint=hint,
    )


def decode(values: Sequence[int]) -> tuple[int, ...]:
    """Return the items that are not excluded."""
    return tuple(j for j, value in enumerate(values) if not value)
