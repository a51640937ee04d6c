"""The mixed-integer model of the processor-set selection problem, in PuLP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...instances import ProcSet
from ...solvers.formulation import Level, MipFormulation
from ...solvers.modelling import load_pulp
from ...solvers.running.tolerances import MOST_PROVED
from .terms import ProcsetTerms, Terms

_FLOAT_BITS = 50


def refusal(instance: ProcSet) -> str | None:
    """Return why floating-point solvers cannot prove an optimum; None if they can."""
    terms = ProcsetTerms(instance)
    for number in range(instance.levels):
        if (most := sum(w for _, w in terms.level(number))) > MOST_PROVED:
            return (
                f"costs of level {number + 1} add up to {most} units: floating-point "
                f"solvers prove up to {MOST_PROVED}; use classes/cpsat"
            )
    return None


def classes(
    instance: ProcSet, *, hint: tuple[int, ...] | None = None, weighted: bool = False
) -> MipFormulation:
    """One binary per class of like processors and one per set that classes share.

    The same model as ``cpsat.classes``, where its parameters are described. Its
    relaxation opens all of the cheapest sets fractionally.

    Raises
    ------
    InputError
        If the levels do not fit into one objective of 50 bits.
    """
    terms = ProcsetTerms(instance)
    pulp = load_pulp()
    constants = pulp.constants
    model = pulp.LpProblem("classes", 1)
    sizes = terms.grouped.sizes
    names = [f"x{k}" for k in range(len(sizes))]
    names += [f"y{s}" for s in range(terms.n - len(sizes))]
    variables = [model.add_variable(name, 0, 1, "Integer") for name in names]
    if hint is not None:
        for variable, value in zip(variables, terms.values(hint), strict=True):
            variable.setInitialValue(value)

    def row(numbered: Terms, sense: int, right: int) -> None:
        left = pulp.LpAffineExpression([(variables[i], w) for i, w in numbered])
        model.addConstraint(pulp.LpConstraint(left, sense, None, right))

    row(list(enumerate(sizes)), constants.LpConstraintGE, terms.grouped.request)
    for k in terms.grouped.must_open:
        row([(k, 1)], constants.LpConstraintEQ, 1)
    for k, s in terms.implications:
        row([(k, 1), (s, -1)], constants.LpConstraintLE, 0)

    def with_variables(numbered: Terms) -> list[tuple[Any, int]]:
        return [(variables[i], weight) for i, weight in numbered]

    levels: tuple[Level, ...] = ()
    if weighted:
        model.setObjective(
            pulp.LpAffineExpression(with_variables(terms.fold(_FLOAT_BITS)))
        )
    else:
        levels = tuple(
            Level(terms=with_variables(terms.level(number)), unit=unit)
            for number, unit in enumerate(terms.radix.units)
        )
        model.setObjective(pulp.LpAffineExpression(levels[0].terms))
    return MipFormulation(
        name="classes",
        instance=instance,
        model=model,
        variables=variables[: len(sizes)],
        decode=terms.decode,
        unfold=terms.radix.unfold if weighted else None,
        levels=levels,
        hint=hint,
    )


def set_level_objective(
    model: MipFormulation, number: int, at_most: Sequence[int] = ()
) -> None:
    """Minimise one level and bound those before it, as ``cpsat`` does."""
    pulp = load_pulp()
    for level, most in zip(model.levels, at_most, strict=False):
        left = pulp.LpAffineExpression(level.terms)
        sense = pulp.constants.LpConstraintLE
        row = pulp.LpConstraint(left, sense, None, most // level.unit)
        model.model.addConstraint(row)
    model.model.setObjective(pulp.LpAffineExpression(model.levels[number].terms))
