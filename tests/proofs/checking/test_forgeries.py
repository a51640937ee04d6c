"""No step that is false is accepted, as judged by all assignments of small formulas.

After ``rup``, ``pol``, ``e``, ``f`` and ``l`` as much obeys the store as before; after
``soli`` what is cheaper; after ``del`` at least as much, and only what was named is
gone. After any step, if the formula has a solution cheaper than those logged, the store
has one that costs no more. A conclusion is not above the optimum.
"""

from __future__ import annotations

import pytest

from closeknit.proofs.writing.propagation_kernels import FastPropagator
from tests.faults.planting import Edit
from tests.forging.forged_steps import Forged, forge

QUICK, SLOW = 3600, 80_000
"""Proofs that are drawn, of about six steps each."""
WITHIN = 4000
"""Proofs within which a planted hole is found."""
ROWS, RULES = "proofs.checking.rows", "proofs.checking.rules"
STORE, COMBINATION = "proofs.checking.store", "proofs.checking.combination"
PROPAGATION = "proofs.checking.propagation"

HOLES = {
    "division rounds coefficients down": Edit(
        ROWS, "{x: -(-a // by) for", "{x: max(1, a // by) for"
    ),
    "saturation to a degree below 0": Edit(
        ROWS, "most = max(row.degree, 0)", "most = row.degree"
    ),
    "a sum cancels, its degree stays": Edit(
        ROWS, "            large.degree -= a\n", "            large.degree -= 0\n"
    ),
    "a sum cancels the other way, too": Edit(
        ROWS, "            large.degree -= other\n", "            large.degree -= 0\n"
    ),
    "a negation is too strong": Edit(
        ROWS, "total - row.degree + 1)", "total - row.degree + 2)"
    ),
    "coefficients below 0 are turned, the degree stays": Edit(
        ROWS, "            degree -= coefficient\n", "            degree -= 0\n"
    ),
    "a variable twice counts once": Edit(
        ROWS, "found.get(literal, 0) + coefficient", "coefficient"
    ),
    "a literal is substituted for its negation": Edit(
        ROWS, "image if x > 0 else -image", "image"
    ),
    "weakening keeps the degree": Edit(
        COMBINATION,
        "row.degree -= row.terms.pop(literal, 0)",
        "row.terms.pop(literal, 0)",
    ),
    "factors below 0": Edit(COMBINATION, "if by < 1:", "if by == 0:"),
    "a stored row is changed by a sum": Edit(
        ROWS, "return Row(dict(row.terms), row.degree)", "return row"
    ),
    "red: the row itself is no goal": Edit(
        RULES, "for each in [*concerned, row]]", "for each in concerned]"
    ),
    "red: the objective is no goal": Edit(
        RULES, "goals.append(normalise(terms, less.degree))", "pass"
    ),
    "red: rows with a negation are no goals": Edit(
        RULES, "touched = {*witness, *(-x for x in witness)}", "touched = {*witness}"
    ),
    "red: rows of the formula are no goals": Edit(
        RULES,
        "in store.all_rows():",
        "in list(store.all_rows())[len(store.formula.rows) :]:",
    ),
    "red: rows of one variable are no goals": Edit(
        RULES,
        "if each.terms.keys() & touched:",
        "if each.terms.keys() & touched and len(each.terms) > 1:",
    ),
    "red: one goal is enough": Edit(
        RULES, "if not all(store.implies(goal", "if not any(store.implies(goal"
    ),
    "soli: rows of the formula are not looked at": Edit(
        RULES, "if x in true) < row.degree", "if x in true) < -99"
    ),
    "soli: only much cheaper ones count": Edit(
        RULES, "1 - store.best", "2 - store.best"
    ),
    "soli: as cheap ones count": Edit(RULES, "1 - store.best", "-store.best"),
    "a bound above a solution": Edit(
        RULES, "if best is not None and bound > best:", "if False:"
    ),
    "a bound that is off by one": Edit(
        RULES,
        "row = normalise(self.store.objective, bound)",
        "row = normalise(self.store.objective, bound - 1)",
    ),
    "UNSAT though there is a solution": Edit(
        RULES, "self.proved, self.bound = True, self.store.best", "self.proved = True"
    ),
    "other rows are equal": Edit(
        RULES,
        "(row.terms, row.degree) != (found.terms, found.degree)",
        "row.terms != found.terms",
    ),
    "a range ends one later": Edit(
        RULES, "begin <= key < end]", "begin <= key <= end]"
    ),
    "deleted rows propagate": Edit(
        STORE, "self.propagator.remove(key + self._shift, row)", "pass"
    ),
    "rows of the formula come back": Edit(
        STORE, "if key in self._given:", "if key in self._given and False:"
    ),
    "a row that is just obeyed is contradicted": Edit(
        PROPAGATION,
        "            if slack < 0:\n                return True",
        "            if slack <= 0:\n                return True",
    ),
    "a row forces too much": Edit(
        PROPAGATION,
        "if a > slack and literal not in",
        "if a >= slack and literal not in",
    ),
    "what a deleted row forced stays": Edit(
        PROPAGATION, "        while forced:\n", "        while False:\n"
    ),
}


def forged(first: int, last: int) -> str | None:
    """Return the first false step that is accepted."""
    for seed in range(first, last):
        try:
            forge(seed)
        except Forged as error:
            return str(error)
    return None


@pytest.mark.parametrize("hole", HOLES)
def test_a_planted_hole_is_found(hole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this the other tests might pass since they draw nothing of interest."""
    HOLES[hole].plant(monkeypatch)
    assert forged(0, WITHIN)


def test_no_forged_step_is_accepted() -> None:
    """The proofs among which the holes are found, and both propagators agree."""
    assert sum(forge(seed, FastPropagator) for seed in range(QUICK)) > 20_000


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_no_forged_step_of_many_is_accepted(part: int) -> None:
    first = WITHIN + part * SLOW // 10
    steps = sum(
        forge(seed, FastPropagator) for seed in range(first, first + SLOW // 10)
    )
    assert steps > 50_000
