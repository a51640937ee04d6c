"""The model of the processor-set selection problem for CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence

from ...instances import ProcSet
from ...solvers.formulation import CpFormulation, Level
from ...solvers.later import cp_model
from .terms import ProcsetTerms, Terms

PARAMETERS = "linearization_level: 2, cp_model_presolve: false"
"""Clauses must be in the relaxation, or larger requests are not proved; presolve finds
nothing. Measured in docs/science/procset-models.md."""


def classes(
    instance: ProcSet, *, hint: tuple[int, ...] | None = None, weighted: bool = False
) -> CpFormulation:
    r"""One boolean per class of like processors and one per set that classes share.

    .. math::

        \operatorname{lexmin} \sum_k p_k x_k + \sum_s c_s y_s, \quad
        \sum_k f_k x_k \ge r, \quad x_k \le y_s \text{ for } k \text{ in } s

    f_k is the number of processors of class k, p_k the cost of its private sets, paid
    once for the class, however many of it are taken. Size: a boolean per class and per
    shared set, a clause per class and shared set that contains it, and a row.

    Parameters
    ----------
    instance
        An instance with at least the request available.
    hint
        A choice from which the solver starts.
    weighted
        Whether all levels are folded into one objective, for comparison, instead
        of being minimised one by one.

    Raises
    ------
    InputError
        If the levels do not fit into one objective of 62 bits.
    """
    terms = ProcsetTerms(instance)
    model = cp_model.CpModel()
    model.name = "classes"
    sizes = terms.grouped.sizes
    x = [model.new_bool_var(f"x{k}") for k in range(len(sizes))]
    variables = x + [model.new_bool_var(f"y{s}") for s in range(terms.n - len(x))]
    for k, s in terms.implications:
        model.add_implication(variables[k], variables[s])
    for k in terms.grouped.must_open:
        model.add(x[k] == 1)
    weigh = cp_model.LinearExpr.weighted_sum
    model.add(weigh(x, sizes) >= terms.grouped.request)
    if hint is not None:
        for variable, value in zip(variables, terms.values(hint), strict=True):
            model.add_hint(variable, value)

    def with_variables(numbered: Terms) -> list[tuple[cp_model.IntVar, int]]:
        return [(variables[i], weight) for i, weight in numbered]

    levels: tuple[Level, ...] = ()
    if weighted:
        folded = with_variables(terms.fold())
        model.minimize(weigh([y for y, _ in folded], [w for _, w in folded]))
    else:
        levels = tuple(
            Level(terms=with_variables(terms.level(number)), unit=unit)
            for number, unit in enumerate(terms.radix.units)
        )
    return CpFormulation(
        name="classes",
        instance=instance,
        model=model,
        variables=x,
        decode=terms.decode,
        unfold=terms.radix.unfold if weighted else None,
        levels=levels,
        hint=hint,
        parameters=PARAMETERS,
    )


def set_level_objective(
    model: CpFormulation, number: int, at_most: Sequence[int] = ()
) -> None:
    """Minimise one level, the first being number 0, and limit those before it.

    The model, made by `classes`, is modified.
    """
    weigh = cp_model.LinearExpr.weighted_sum

    def total(level: Level) -> cp_model.LinearExprT:
        return weigh([x for x, _ in level.terms], [w for _, w in level.terms])

    for level, most in zip(model.levels, at_most, strict=False):
        model.model.add(total(level) <= most // level.unit)
    model.model.minimize(total(model.levels[number]))
