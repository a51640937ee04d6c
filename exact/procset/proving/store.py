"""The rows of a proof as far as a prover needs them: what propagates from which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ....proofs.checking.rows import Row, negate, normalise
from ....proofs.writing.proof_log import ProofLog
from ....proofs.writing.propagation_kernels import FastPropagator, Flags

Terms = Iterable[tuple[int, int]]
"""Pairs of a coefficient and a literal."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A logged clause."""

    literals: tuple[int, ...]
    number: int


class LoggedRows:
    """A proof log, and a propagator that holds some of its rows.

    It holds no row that the checker does not, so that what propagates here does so
    there. Rows are left out only where others here propagate as much.
    """

    def __init__(self, log: ProofLog) -> None:
        self.log = log
        self._held = dict(enumerate(log.formula.rows, 1))
        self._kept: set[int] = set()  # literals that are rows
        self._propagator = FastPropagator(lambda work: None)
        self._propagator.enter_all(self._held)

    def enter(self, number: int, row: Row) -> None:
        """Let a logged row propagate."""
        self._held[number] = row
        if _is_single(row):
            self._kept |= row.terms.keys()
        self._propagator.enter(number, row)

    def hold(self, number: int, terms: Terms, degree: int) -> None:
        """Let a logged row of (coefficient, literal) pairs propagate."""
        self.enter(number, normalise(terms, degree))

    def forget(self, numbers: Sequence[int]) -> None:
        """Delete rows of the proof, but nothing that propagates from them alone.

        Checkers forget what deleted rows forced, and later steps lean on it. So rows
        of one literal stay, what others force becomes such a row, and nothing is
        deleted once there is a contradiction.
        """
        true = self._propagator.after(())
        if true is None:
            return
        gone = [n for n in numbers if not _is_single(self._held.get(n))]
        for number in gone:
            row = self._held.get(number)
            for x in _find_forced(row, true) if row else ():
                if x not in self._kept:
                    self._clause([x], ())
        self.log.delete(gone)
        for number in gone:
            if row := self._held.pop(number, None):
                self._propagator.remove(number, row)

    def refutes(self, literals: Collection[int]) -> bool:
        """Whether propagation shows that not all of the literals can be true."""
        return self._propagator.after(literals) is None

    def implies(self, terms: Terms, degree: int) -> bool:
        """Whether propagation confirms a row."""
        return self._propagator.refuted([negate(normalise(terms, degree))])

    def after(self, literals: Collection[int]) -> Flags | None:
        """Return which literals propagate from some, by index; None if refuted.

        Literal v > 0 has index 2 v, its negation 2 v + 1.
        """
        return self._propagator.after(literals)

    def learn(self, literals: Sequence[int]) -> Clause:
        """Log a clause that refuted literals violate, without those not needed."""
        return self._clause([-x for x in self._propagator.minimise(literals)], ())

    def _clause(self, literals: Iterable[int], hints: Sequence[int]) -> Clause:
        clause = Clause(tuple(literals), self.log.clause(literals, hints))
        self.enter(clause.number, Row(dict.fromkeys(clause.literals, 1), 1))
        return clause

    def resolve(self, literal: int, first: Clause, second: Clause) -> Clause:
        """Log the resolvent of clauses with a literal and with its negation.

        They are forgotten. The second may follow without the negation.
        """
        hints = [first.number, second.number]
        if -literal not in second.literals:
            self.forget(hints[:1])
            return second
        both = {*first.literals, *second.literals} - {literal, -literal}
        clause = self._clause(both, hints)
        self.forget(hints)
        return clause


def _is_single(row: Row | None) -> bool:
    """Whether a row states that a literal is true."""
    return row is not None and len(row.terms) == 1 and row.degree > 0


def _find_forced(row: Row, true: Flags) -> list[int]:
    """Return which of the literals that are true a row forces."""
    open_ = {x: a for x, a in row.terms.items() if not true[_index(-x)]}
    slack = sum(open_.values()) - row.degree
    return [x for x, a in open_.items() if a > slack and true[_index(x)]]


def _index(literal: int) -> int:
    return 2 * literal if literal > 0 else 1 - 2 * literal


@dataclass(frozen=True, slots=True)
class Members:
    """Sums of rows that processors need a set, logged where they are needed first."""

    log: ProofLog
    rows: Sequence[dict[int, int]]
    """For every processor, the number of such a row by set."""
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def total(self, processors: Sequence[int], s: int) -> int:
        """Return the number of a sum."""
        if len(processors) == 1:
            return self.rows[processors[0] - 1][s]
        key = (s, *processors)
        if key not in self._known:
            own = [(1, self.rows[x - 1][s]) for x in processors]
            self._known[key] = self.log.combine(own)
        return self._known[key]
