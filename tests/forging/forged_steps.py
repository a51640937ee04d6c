"""Draw steps of pseudo-Boolean proofs, true and forged, and judge those accepted.

The checker is fed line by line; after each that it accepts, its store is compared with
all assignments of eight variables. A row is the set of those that obey it, an integer
with one bit for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from unittest.mock import patch

from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    NoProof,
    Propagator,
    Refused,
    TooLong,
    check_proof,
)
from closeknit.proofs.checking import checker as checker_module
from closeknit.proofs.checking.checker import Checker
from closeknit.proofs.checking.store import Store
from closeknit.proofs.writing.opb_text import opb_text

from .drawn_steps import (
    ALL,
    RULES,
    VARIABLES,
    Draw,
    Problem,
    altered,
    draw_problem,
    models,
)

_LENGTHS, _REFUSED = (3, 5, 5, 8, 8, 12, 20), 8
"""Lines of a proof, and steps of it that may be refused."""
_NEVER = 0
"""Line of a proof in which the formula is loaded."""
_BY_TWIN = 0.3
"""Share of the refused steps that the twin is asked about, too."""


class Forged(AssertionError):
    """The checker accepted a step that is false."""


class Unjudged(Exception):
    """There are too many variables to look at all assignments."""


class Walk(Draw):
    """One proof, drawn step by step; each step sees what the last one left behind."""

    def __init__(self, random: Random, problem: Problem) -> None:
        super().__init__(random, problem)
        self.lines = [f"pseudo-Boolean proof version {self.version}\n"]
        self.formula_at = random.choice((*[1] * 16, 2, 3, 4, _NEVER))
        self.steps = 0

    def more(self, length: int) -> Iterator[str]:
        """Yield the lines so far and new ones, each judged when the next is due."""
        yield from [*self.lines]
        self.checker = Shown.last
        self._look()
        while len(self.lines) < length:
            if len(self.lines) == self.formula_at:
                self.formula_at = _NEVER
                yield from self._step(f"f {len(self.problem.formula.rows)}")
            else:
                yield from self._step(self.step())
        if self.random.random() < 0.3:
            yield from self._step(self.solution(cheapest=True))
        if not self.allowed and self.random.random() < 0.5:
            yield from self._step("rup >= 1")
        yield from self._step(self.conclusion())
        yield from self._step("end pseudo-Boolean proof")

    def _step(self, text: str) -> Iterator[str]:
        if self.random.random() < 0.12:
            text = altered(self.random, text)
        label = ""
        if self.random.random() < (0.2 if self.version == "3.0" else 0.01):
            label = self.random.choice(("@p ", "@q "))
        end = " ;\n" if self.version == "3.0" or self.random.random() < 0.1 else "\n"
        self.lines.append(f"{label}{text}{end}")
        yield self.lines[-1]
        self.steps += 1
        try:
            self._judge(text)
        except (ValueError, LookupError) as error:  # the checker would catch it
            raise RuntimeError(self.text()) from error

    # The oracle.

    def _look(self) -> None:
        self.rows, self.best = dict(self.store.rows), self.store.best
        self.allowed = ALL
        for row in self.store.all_rows():
            self.allowed &= self.problem.models(row)

    def _require(self, holds: bool, what: str) -> None:
        if not holds:
            raise Forged(f"{what}:\n{self.text()}")

    def text(self) -> str:
        """Return the formula and the proof so far."""
        return "".join([*opb_text(self.problem.formula), "---\n", *self.lines])

    def _judge(self, text: str) -> None:
        """Compare the store with what the step that was accepted may have changed."""
        problem = self.problem
        if len(self.store.variables) > VARIABLES:
            raise Unjudged
        before, allowed, best = self.rows, self.allowed, self.best
        kept = {n for n, row in before.items() if self.store.rows.get(n) is row}
        new = [n for n, row in self.store.rows.items() if before.get(n) is not row]
        self._look()
        if text.startswith("@"):
            text = text.partition(" ")[2]
        rule = (text.split() or "*")[0]
        if (self.version == "3.0" and ";" in text) or rule[0] in "*%;:":
            return  # several steps, or none
        self._require(rule in RULES, "is no rule")
        adds = rule in ("rup", "u", "pol", "p", "red", "soli", "o")
        if rule not in ("f", "l"):
            self._require(len(new) == adds, "adds one row, or none")
        if rule in ("d", "del", "deld", "delc"):
            self._deleted(text, set(before) - kept)
            self._require(not allowed & ~self.allowed, "allows less")
        else:
            self._require(kept == set(before), "deletes nothing")
        if rule in ("soli", "o", "sol"):
            self._solved(text, best)
            cheaper = ALL if rule == "sol" else problem.below(self.best)
            self._require(self.allowed == allowed & cheaper, "is 'only cheaper'")
        else:
            self._require(self.best == best, "logs no solution")
            if rule != "red" and not rule.startswith("d"):
                self._require(self.allowed == allowed, "excludes what obeys all rows")
        if rule == "e":
            self._equals(text)
        least = problem.least(problem.feasible & problem.below(self.best))
        if least is not None:
            there = problem.least(self.allowed)
            self._require(
                there is not None and there <= least, "excludes all that are cheaper"
            )

    def _solved(self, text: str, best: int | None) -> None:
        """A solution obeys the formula, agrees with what is given, and has its cost."""
        given = ALL
        for word in text.replace(";", ":").partition(":")[0].split()[1:]:
            given &= models([(1, self._literal_of(word))], 1)
        some = self.problem.feasible & given
        costs = {self.problem.cost[i] for i in range(2**VARIABLES) if some >> i & 1}
        known = costs if best is None else {min(cost, best) for cost in costs}
        self._require(self.best in known, "is a solution of this cost")

    def _literal_of(self, word: str) -> int:
        variable = self.store.variables[word.removeprefix("~")]
        return -variable if word.startswith("~") else variable

    def _deleted(self, text: str, gone: set[int]) -> None:
        """What is named is deleted, nothing else."""
        words = text.replace(";", ":").split(":")[0].split()[1:]
        if self.version < "2" and self.lines[-1].rstrip().endswith(" 0"):
            words.pop()  # it ends the step
        if words[:1] == ["range"]:
            begin, end = map(int, words[1:3])
            within = all(begin <= each < end for each in gone)
            self._require(within, "is in the range")
        elif all(word.lstrip("-+").isdecimal() or word == "id" for word in words):
            named = {int(word) for word in words if word != "id"}
            if min(named, default=0) >= 0:
                self._require(gone == named, "deletes what is named")

    def _equals(self, text: str) -> None:
        """The row that was written is equal to the one in the store."""
        words, _, number = text[1:].partition(":")
        row = words.split()
        if self.version < "2":
            number = row.pop(0)
        if row[-2:-1] == [">="] and number.strip().isdecimal():
            pairs = zip(row[:-2:2], row[1:-2:2], strict=True)
            terms = [(int(a), self._literal_of(x)) for a, x in pairs]
            same = models(terms, int(row[-1])) == self.problem.models(
                self.rows[int(number)]
            )
            self._require(same, "is equal")

    def conclude(self) -> None:
        """Compare what the whole proof proves with the optimum."""
        bound = self.checker.bound
        least = self.problem.least(self.problem.feasible)
        if bound is None:
            self._require(least is None, "there is a solution")
        elif least is not None:
            self._require(bound <= least, f"there is a solution of {least}")


class Shown(Checker):
    """A checker that can be looked at while it works."""

    last: Checker

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        Shown.last = self


def forge(seed: int, twin: type[Propagator] | None = None) -> int:
    """Draw a proof, and judge each step that is accepted; return how many were drawn.

    One that is refused is drawn again, some times.

    Raises
    ------
    Forged
        If a false one is accepted, or the twin of the propagator disagrees.
    """
    random = Random(seed)
    walk = Walk(random, draw_problem(random))
    formula, length = walk.problem.formula, random.choice(_LENGTHS)
    for left in reversed(range(_REFUSED)):
        try:
            said = verdict(formula, walk.more(length))
        except Unjudged:
            break
        refused = said.startswith(("Refused: step", "NoProof: step"))
        if "Error" in said or said.startswith("TooLong"):
            raise Forged(f"the checker fails with {said}:\n{walk.text()}")
        if twin and not (refused and left and random.random() > _BY_TWIN):
            told = verdict(formula, walk.lines, twin)
            if told != said:
                raise Forged(f"the twins disagree, {said} and {told}:\n{walk.text()}")
        if not refused:
            walk.conclude()
            break
        walk.lines.pop()
    return walk.steps


def verdict(
    formula: Formula, lines: Iterable[str], propagator: type[Propagator] = Propagator
) -> str:
    """Return what is said of a proof; its checker can be looked at."""
    try:
        with patch.object(checker_module, "Checker", Shown):
            return str(check_proof(formula, lines, CheckLimits(), propagator))
    except (Refused, NoProof, TooLong) as error:
        return f"{type(error).__name__}: {error}"
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"
