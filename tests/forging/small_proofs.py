"""Proofs for tests: by hand, and by branching until propagation ends every branch."""

from collections.abc import Sequence
from functools import cache

import pytest

from closeknit.instances import ProcessorSet, ProcSet, Sukp, mesh
from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    NoProof,
    Propagator,
    ProvenResult,
    Refused,
    TooLong,
    check_proof,
    formula_of,
)
from closeknit.proofs.checking.rows import Row, negate, normalise
from closeknit.proofs.writing.opb_text import linear
from closeknit.proofs.writing.propagation_kernels import FastPropagator

PROPAGATORS = Propagator, FastPropagator
by_both = pytest.mark.parametrize("propagator", PROPAGATORS)
SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)
"""Items 0 and 1 do not fit together; 1 and 2 do, and leave 5 out."""


def words(literals: Sequence[int], names: Sequence[str]) -> str:
    """Write a clause."""
    return f"{linear(dict.fromkeys(literals, 1), names)} >= 1".lstrip()


def assignment(formula: Formula, true: set[int]) -> str:
    """Write a full assignment, given the variables that are 1."""
    return " ".join(
        name if v in true else f"~{name}" for v, name in enumerate(formula.names, 1)
    )


def priced(formula: Formula, true: set[int]) -> int:
    """Return the objective of an assignment, without what is always paid."""
    return sum(a for v, a in formula.objective.items() if v in true)


def branching_proof(
    formula: Formula, solution: set[int] | None, version: str = "3.0"
) -> list[str]:
    """Prove that nothing is cheaper than a solution, or that there is none.

    Branches on the variables in order; every node that propagation refutes becomes a
    ``rup`` step, and so does every node whose children are refuted.
    """
    end = ";" if version == "3.0" else ""
    lines = [f"pseudo-Boolean proof version {version}", f"f {len(formula.rows)}{end}"]
    store = Propagator(lambda work: None)
    number = 0
    for row in formula.rows:
        number += 1
        store.enter(number, row)
    cost = None
    if solution is not None:
        lines.append(f"soli {assignment(formula, solution)}{end}")
        cost = priced(formula, solution)
        number += 1
        better = [(-a, v) for v, a in formula.objective.items()]
        store.enter(number, normalise(better, 1 - cost))

    def close(prefix: list[int]) -> int:
        """Refute a branch; return the number of the clause."""
        nonlocal number
        clause = Row(dict.fromkeys((-x for x in prefix), 1), 1)
        if not store.refuted([negate(clause)] if prefix else []):
            v = len(prefix) + 1
            children = [close([*prefix, v]), close([*prefix, -v])]
        else:
            children = []
        number += 1
        mine = number
        lines.append(f"rup {words([-x for x in prefix], formula.names)} ;")
        store.enter(mine, clause)
        if children:
            lines.append(f"del id {children[0]} {children[1]}{end}")
            for child, sign in zip(children, (1, -1), strict=True):
                terms = dict.fromkeys([*(-x for x in prefix), -sign * v], 1)
                store.remove(child, Row(terms, 1))
        return mine

    last = close([])
    lines.append(f"output NONE{end}")
    if cost is None:
        lines.append(f"conclusion UNSAT : {last}{end}")
    else:
        middle = f"{cost} : {last} {cost}" if version == "3.0" else f"{cost} {cost}"
        lines.append(f"conclusion BOUNDS {middle}{end}")
    lines.append(f"end pseudo-Boolean proof{end}")
    return [f"{line}\n" for line in lines]


HEAD = ["pseudo-Boolean proof version 3.0\n"]


def pigeons(n: int) -> Formula:
    """n + 1 pigeons in n holes: there is no assignment."""
    formula = Formula()
    x = [[formula.variable(f"x{i}_{j}") for j in range(n)] for i in range(n + 1)]
    for row in x:
        formula.clause(*row)
    for j in range(n):
        formula.at_least([(-1, row[j]) for row in x], -1)
    return formula


def cover() -> Formula:
    """Cover the edges of a triangle by its nodes: two are needed."""
    formula = Formula()
    a, b, c = (formula.variable(name) for name in "abc")
    for pair in ((a, b), (b, c), (a, c)):
        formula.clause(*pair)
    for x in (a, b, c):
        formula.charge(1, x)
    return formula


def proof(*steps: str) -> list[str]:
    """Return the text of a proof in version 3.0."""
    return HEAD + [f"{step};\n" for step in steps]


PIGEONS = proof(
    "f 7",
    "pol 1 2 + 3 + 4 + 5 + 6 + 7 +",
    "output NONE",
    "conclusion UNSAT : 8",
    "end pseudo-Boolean proof",
)
COVER = proof(
    "f 3",
    "soli a b ~c",
    "pol 1 2 + 3 + 2 d",
    "pol 5 4 +",
    "conclusion BOUNDS 2 : 6 2",
    "end pseudo-Boolean proof",
)


@cache
def proof_texts() -> list[tuple[Formula, list[str], int | None]]:
    """Proofs of several kinds, and what they prove; none is of less than there is."""
    formula = formula_of(mesh(2, 3, k=3))
    chosen = cheapest_assignment(formula)
    return [
        (pigeons(3), PIGEONS, None),
        (cover(), COVER, 2),
        (pigeons(2), branching_proof(pigeons(2), None), None),
        (formula, branching_proof(formula, chosen), 4),
    ]


def cheapest_assignment(formula: Formula) -> set[int] | None:
    """Return the variables that are 1, by CP-SAT; None if there is no assignment."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = [model.new_bool_var(name) for name in formula.names]
    for row in formula.rows:
        terms = (
            a * (x[v - 1] if v > 0 else 1 - x[-v - 1]) for v, a in row.terms.items()
        )
        model.add(sum(terms) >= row.degree)
    model.minimize(sum(a * x[v - 1] for v, a in formula.objective.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return {v for v, each in enumerate(x, 1) if solver.value(each)}


def accepted(formula: Formula, lines: list[str], least: int | None) -> bool:
    """Return whether a proof is; it must be true then, and both propagators agree."""
    found, fast = (_proved(formula, lines, each) for each in PROPAGATORS)
    assert found == fast
    if found is None:
        return False
    assert least is None or (found.bound is not None and found.bound <= least)
    return True


def _proved(
    formula: Formula, lines: list[str], propagator: type[Propagator]
) -> ProvenResult | None:
    """Check a proof; None if it is refused in any of the ways that a proof may be."""
    try:
        return check_proof(formula, lines, CheckLimits(seconds=20), propagator)
    except (Refused, NoProof, TooLong):
        return None


def follows(rows: Sequence[Row]) -> set[int] | None:
    """Propagate rows from nothing, by the definition; None for a contradiction."""
    true: set[int] = set()
    while True:
        before = len(true)
        for row in rows:
            left = {x: a for x, a in row.terms.items() if -x not in true}
            if sum(left.values()) < row.degree:
                return None
            true |= {x for x, a in left.items() if sum(left.values()) - a < row.degree}
        if len(true) == before:
            return true


LEANING = ProcSet(
    "leaning",
    ("a", "b"),
    (0, 1),
    1,
    tuple(
        ProcessorSet(f"s{i}", members, price)
        for i, (members, price) in enumerate(
            [
                ((0, 1), (1, 1, 1)),
                ((1,), (1, 1, 0)),
                ((0,), (1, 0, 1)),
                ((0, 1), (1, 0, 0)),
            ]
        )
    ),
)
"""Its proof leans on a clause of one literal that was once deleted."""
