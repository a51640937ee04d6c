"""The concave quadratic cost of the counts, for spatial branch and bound."""

from __future__ import annotations

from ...instances import KSubset
from ...solvers.formulation import QuadraticFormulation
from ...solvers.quadratic import QuadraticModel
from .counts import Counts
from .strengthening import Strengthening, chosen_of, symmetry_of

ALL = Strengthening()


def cuts_quadratic(
    instance: KSubset, strengthening: Strengthening = ALL
) -> QuadraticFormulation:
    r"""Price counts by the quadratic itself: z_h ≥ c_h (k - c_h).

    .. math::

        \min \sum_h w_h z_h, \quad z_h \ge c_h (k - c_h), \quad
        c_h = \sum_{i \in h} x_i, \quad \sum_i x_i = k

    No values are enumerated; the solver splits ranges of counts and underestimates the
    concave cost on each by its secant. Size, with m cuts: n binaries, 2m integers,
    m + 1 linear rows and m quadratic ones. Bound: initially 0, then
    that of the secants as ranges are split. Frontier: k = 16 on half of 24x24 in 7 s,
    k = 32 on half of 16x16 in 36 s, all of 8x8 with k = 25 in 3 s;
    docs/science/models.md.
    """
    model = QuadraticModel()
    found, hint = symmetry_of(instance, strengthening)
    chosen = set(hint or ())
    counts = Counts(instance, strengthening.nesting)
    x = [
        model.variable(f"x{i}", int(i in found.fixed), 1, int(i in chosen))
        for i in range(instance.n)
    ]
    model.row([(i, 1) for i in x], instance.k, instance.k)
    for row in found.rows:
        model.row(list(zip(x, row.tolist(), strict=True)), None, 0)
    known = counts.of(sorted(chosen))
    c = [
        model.variable(f"c{h}", low, high, known[h])
        for h, (low, high) in enumerate(counts.ranges)
    ]
    for h, (low, high) in enumerate(counts.ranges):
        terms = [(x[i], 1) for i in counts.own[h]]
        terms += [(c[g], 1) for g in counts.inside[h]]
        model.row([*terms, (c[h], -1)], 0, 0)
        costs = [counts.cost(t) for t in range(low, high + 1)]
        z = model.variable(
            f"z{h}", min(costs), max(costs), counts.cost(known[h]), implied=True
        )
        model.concave(z, c[h], instance.k)
        model.price(z, counts.weights[h])
    if strengthening.bound is not None and model.prices:
        model.row(model.prices, strengthening.bound * counts.unit, None)
    return QuadraticFormulation(
        name="cuts-quadratic",
        instance=instance,
        model=model,
        variables=[f"x{i}" for i in range(instance.n)],
        decode=chosen_of,
        unit=counts.unit,
        hint=hint,
        bound=strengthening.bound,
        proof=strengthening.proof,
    )
