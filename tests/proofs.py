"""Proofs for tests: by branching until unit propagation ends every branch."""

from collections.abc import Sequence

from closeknit.instances.proofs import Formula, Propagator
from closeknit.instances.proofs.rows import Row, linear, negated, normalised


def words(literals: Sequence[int], names: Sequence[str]) -> str:
    """Write a clause."""
    return f"{linear(dict.fromkeys(literals, 1), names)} >= 1".lstrip()


def assignment(formula: Formula, true: set[int]) -> str:
    """Write a full assignment, given the variables that are 1."""
    return " ".join(
        name if v in true else f"~{name}" for v, name in enumerate(formula.names, 1)
    )


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
        cost = sum(a for v, a in formula.objective.items() if v in solution)
        number += 1
        better = [(-a, v) for v, a in formula.objective.items()]
        store.enter(number, normalised(better, 1 - cost))

    def close(prefix: list[int]) -> int:
        """Refute a branch; return the number of the clause."""
        nonlocal number
        clause = Row(dict.fromkeys((-x for x in prefix), 1), 1)
        if not store.refuted([negated(clause)] if prefix else []):
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
