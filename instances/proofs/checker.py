"""Checking of pseudo-Boolean proofs, step by step, in integers of any size.

A proof claims that no assignment of a formula costs less than a bound, or that there is
none; the formats are those of VeriPB 1.1, 2.0 and 3.0. Written for reviewers.

Every row in the store has a number; those of the formula come first. Steps:

- ``pol``: a combination of rows and literals in reverse Polish notation: ``+``,
  ``c *``, ``c d`` (divide and round up), ``s`` (saturate), ``x w`` (weaken);
- ``rup``: a row whose negation unit propagation refutes; after a colon (3.0) or
  semicolon, the numbers of the rows that suffice, ``~`` for the negation itself;
- ``red``: a row that may be added because a witness, a substitution, turns every
  solution into one that obeys it and costs no more;
- ``soli``: a solution; then only cheaper ones count; ``del`` forgets rows.

Invariant: if the formula has a solution cheaper than all those logged, the store has
one that costs no more; see docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic

from ..errors import InputError
from .formula import Formula
from .propagation import Propagator, refuted_by
from .rows import Row, add_to, divided, mapped, negated, normalised, saturated, times

_MOST_BITS = 4096  # of a number in a row
Operand = Row | int | tuple[Row, int]  # a row, its number, or with a factor
_WORK = 2**14  # terms looked at between two looks at the clock
VERSIONS = ("1.0", "1.1", "1.2", "2.0", "3.0")


class Refused(Exception):
    """A step does not follow: the proof is wrong."""


class NoProof(Exception):
    """The text is no proof in a known format."""


class TooLong(InputError):
    """A limit of time or size was reached before the end of the proof."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a check: proofs may come from strangers."""

    seconds: float = 600.0
    steps: int = 50_000_000
    line: int = 2**24  # characters of the longest line
    rows: int = 10_000_000  # in the store at one time
    now: Callable[[], float] = monotonic
    """The clock; another may stop while a twin of the propagator is compiled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a proof proves, in the units of the formula's objective."""

    bound: int | None
    """No assignment costs less; None if there is no assignment at all."""
    steps: int
    """Number of steps, comments left out."""


def check_proof(
    formula: Formula,
    lines: Iterable[str],
    limits: Limits | None = None,
    propagator: type[Propagator] = Propagator,
) -> Outcome:
    """Check a proof about a formula.

    Raises
    ------
    Refused
        If a step does not follow; names the step.
    NoProof
        If the text is no proof in a known format.
    TooLong
        If a limit is reached first.
    """
    checker = Checker(formula, limits or Limits(), propagator)
    step = -1
    try:
        for words in statements(lines, checker.limits):
            step += 1
            checker.read(words)
            if checker.over:
                break
        return checker.outcome(step)
    except (Refused, NoProof) as error:
        raise type(error)(f"step {step}: {error}" if step + 1 else error) from None
    except (ValueError, IndexError, OverflowError) as error:
        if isinstance(error, TooLong):
            raise
        raise NoProof(f"step {max(step, 0)}: cannot be read") from None


def statements(lines: Iterable[str], limits: Limits) -> Iterator[list[str]]:
    """Yield the words of every step, the header first."""
    version, begun, count = "", "", 0
    for line in lines:
        if len(line) + len(begun) > limits.line:
            raise TooLong(f"has a line of more than {limits.line} characters")
        if line.startswith(("*", "%")) or not line.strip():
            continue
        if not version:
            version = line.split()[-1].rstrip(";")
            if not line.startswith("pseudo-Boolean proof version") or (
                version not in VERSIONS
            ):
                raise NoProof("is no pseudo-Boolean proof of a known version")
            yield ["version", version]
            continue
        if (count := count + 1) > limits.steps:
            raise TooLong(f"has more than {limits.steps} steps")
        if version == "3.0":
            *whole, begun = f"{begun} {line}".split(";")
            yield from (each.split() for each in whole if each.strip())
        else:
            yield line.replace(";", " : ").split()
    if begun.strip() or not version:
        raise NoProof("is cut off")


class Checker:
    """The store of rows, and the rules that add to it."""

    def __init__(
        self, formula: Formula, limits: Limits, propagator: type[Propagator]
    ) -> None:
        self.formula, self.limits = formula, limits
        self.variables = {name: i for i, name in enumerate(formula.names, 1)}
        self.objective = [(a, x) for x, a in formula.objective.items() if a]
        self.rows: dict[int, Row] = {}
        self.last = 0
        self.labels: dict[str, int] = {}
        self.best: int | None = None
        self.over = self.proved = False
        self.bound: int | None = None
        self.propagator = propagator(self.spend)
        self._version, self._work = "", 0
        self._until = limits.now() + limits.seconds

    # The store.

    def add(self, row: Row) -> None:
        """Store a row under the next number."""
        self.bounded(row.degree)
        if len(self.rows) >= self.limits.rows:
            raise TooLong(f"stores more than {self.limits.rows} rows")
        self.last += 1
        self.rows[self.last] = row
        self.propagator.enter(self.last, row)
        self.spend(len(row.terms))

    def bounded(self, number: int) -> None:
        """Refuse numbers that are too large."""
        if number.bit_length() > _MOST_BITS:
            raise Refused("has numbers that are too large")

    def row(self, word: str | int) -> Row:
        """Return the row of a number, or a label; -1 is the last one."""
        return self.rows[self._number(word)]

    def _number(self, word: str | int) -> int:
        label = isinstance(word, str) and word.startswith("@")
        number = self.labels.get(str(word), 0) if label else int(word)
        number += self.last + 1 if number < 0 else 0
        if number not in self.rows:
            raise Refused(f"there is no row {str(word)[:40]}")
        return number

    def spend(self, work: int) -> None:
        """Count terms looked at; raise `TooLong` when time is over."""
        self._work += work + 1
        if self._work > _WORK:
            self._work = 0
            if self.limits.now() > self._until:
                raise TooLong(f"takes more than {self.limits.seconds:g} s to check")

    # The rules.

    def implied(
        self, row: Row, hints: list[str] | None = None, given: Row | None = None
    ) -> bool:
        """Whether unit propagation refutes the negation of a row, given another."""
        if row.degree <= 0:
            return True
        rows = [negated(row), *([given] if given else [])]
        if hints is not None:
            rows += [self.row(each) for each in hints if each != "~"]
            return refuted_by(rows, self.spend)
        return self.propagator.refuted(rows) or refuted_by(rows, self.spend)

    def combine(self, words: list[str]) -> Row:
        """Evaluate a combination in reverse Polish notation."""

        def operand(top: Operand) -> Row:
            if isinstance(top, int):
                return self.rows.get(top) or self.row(top)
            return times(*top) if isinstance(top, tuple) else top

        def owned(top: Operand) -> Row:
            row = operand(top)
            return Row(dict(row.terms), row.degree) if isinstance(top, int) else row

        stack: list[Operand] = []
        for word in words:
            if word == "+":
                top, under = stack.pop(), stack.pop()
                small, factor = top if isinstance(top, tuple) else (operand(top), 1)
                large = operand(under)
                if len(small.terms) > len(large.terms):
                    small, factor, under = large, 1, top
                self.spend(len(small.terms))
                row = add_to(large if large is under else owned(under), small, factor)
            elif word[0] in "-+@0123456789":
                stack.append(self._number(word) if word[0] == "@" else int(word))
                continue
            elif word in ("*", "d"):
                by, row = stack.pop(), operand(stack.pop())
                if not isinstance(by, int) or by < 1:
                    raise Refused(f"{word} needs a factor of at least 1")
                if word == "*":
                    self.bounded(row.degree * by)
                    stack.append((row, by))
                    continue
                self.spend(len(row.terms))
                row = divided(row, by)
            elif word == "s":
                row = saturated(operand(stack.pop()))
            elif word == "w":
                (variable,), row = operand(stack.pop()).terms, owned(stack.pop())
                for literal in (variable, -variable):
                    row.degree -= row.terms.pop(literal, 0)
            else:
                row = Row({self.literal(word): 1}, 0)
            self.bounded(row.degree)
            stack.append(row)
        row = operand(stack.pop())
        if stack:
            raise Refused("leaves more than one row")
        return row

    def solution(self, words: list[str], improve: bool) -> None:
        """Log a solution of the formula; then only cheaper ones count."""
        given = {self.literal(word) for word in words}
        true = self.propagator.closure(given)
        if true is None:
            raise Refused("the solution contradicts itself or the store")
        for number, row in enumerate(self.formula.rows, 1):
            self.spend(len(row.terms))
            if sum(a for x, a in row.terms.items() if x in true) < row.degree:
                raise Refused(f"the solution does not obey row {number}")
        if any(not ({x, -x} & true) for _, x in self.objective):
            raise Refused("the solution leaves a variable of the objective open")
        cost = sum(a for a, x in self.objective if x in true)
        self.best = cost if self.best is None else min(self.best, cost)
        if improve:
            self.add(normalised([(-a, x) for a, x in self.objective], 1 - self.best))

    def redundant(self, row: Row, words: list[str]) -> None:
        """Add a row by a witness, a list of variables and what takes their places."""
        words = [word for word in words if word != "->"]
        witness: dict[int, int | bool] = {}
        for name, image in zip(words[::2], words[1::2], strict=True):
            witness[self.literal(name)] = (
                image == "1" if image in "01" else self.literal(image)
            )
        if min(witness, default=1) < 0:
            raise Refused("the witness maps a negation")
        touched = {*witness, *(-x for x in witness)}
        concerned = [each for each in self.rows.values() if each.terms.keys() & touched]
        goals = [mapped(each, witness) for each in [*concerned, row]]
        change = [(a, x) for a, x in self.objective if x in witness]
        less = mapped(normalised([(-a, x) for a, x in change], 0), witness)
        terms = [(a, x) for x, a in less.terms.items()] + change
        goals.append(normalised(terms, less.degree))  # it costs no more
        given = negated(row)
        if not all(self.implied(goal, given=given) for goal in goals):
            raise Refused("the witness does not show that the row may be added")
        self.add(row)

    # Reading.

    def literal(self, word: str) -> int:
        """Return the literal of a word such as ``~x1``."""
        name = word.removeprefix("~")
        if name not in self.variables:
            raise Refused(f"there is no variable {name[:40]}")
        return self.variables[name] * (-1 if word != name else 1)

    def parsed(self, words: list[str], *, new: bool = False) -> Row:
        """Read a row: ``+2 x1 +3 ~x2 >= 3``; with ``new``, variables may be new."""
        at = words.index(">=")
        if at % 2 or len(words) != at + 2:
            raise NoProof("a row cannot be read")
        for name in (word.removeprefix("~") for word in words[1:at:2]):
            if new and name not in self.variables:
                self.variables[name] = len(self.variables) + 1
        pairs = zip(words[:at:2], words[1:at:2], strict=True)
        terms = [(int(a), self.literal(word)) for a, word in pairs]
        return normalised(terms, int(words[at + 1]))

    def read(self, words: list[str]) -> None:
        """Carry out one step."""
        label = words.pop(0) if words[0].startswith("@") else ""
        rule, *rest = words
        parts = " ".join(rest).split(" : ") if ":" in rest else [" ".join(rest)]
        first, *more = [part.split() for part in (p.strip(" :") for p in parts)]
        hints = more[0] if more and more[0] else None
        if rule == "version":
            self._version = rest[0]
        elif rule == "f":
            if first and int(first[0]) != len(self.formula.rows):
                raise Refused("is about a formula with another number of rows")
            for row in self.formula.rows:
                self.add(row)
        elif rule == "l":
            self.add(self.formula.rows[int(first[0]) - 1])
        elif rule in ("pol", "p"):
            self.add(self.combine(first))
        elif rule in ("rup", "u"):
            row = self.parsed(first)
            if not self.implied(row, hints):
                raise Refused("does not follow by unit propagation")
            self.add(row)
        elif rule == "red":
            self.redundant(self.parsed(first, new=True), more[0] if more else [])
        elif rule in ("soli", "o", "sol"):
            self.solution(first, rule != "sol")
        elif rule in ("e", "ea"):
            where, what = (hints or [], first) if hints else (first[:1], first[1:])
            row = self.parsed(what)
            found = self.row(where[0])
            if (row.terms, row.degree) != (found.terms, found.degree):
                raise Refused("the row is another")
        elif rule in ("d", "del", "deld", "delc"):
            kind = first.pop(0) if not first[0].lstrip("-").isdecimal() else "id"
            if kind not in ("id", "range") and not kind.startswith("@"):
                raise NoProof(f"cannot delete by {kind}")
            first = [kind, *first] if kind.startswith("@") else first
            if kind == "range":
                first = [str(n) for n in range(*map(int, first)) if n in self.rows]
            for number in map(self._number, first):
                self.propagator.remove(number, self.rows.pop(number))
        elif rule == "c":
            self._conclude_none(first[:1])
        elif rule == "conclusion":
            self._conclude(first, more)
        elif rule == "end":
            self.over = True
        elif rule not in ("output", "core"):
            raise NoProof(f"unknown rule {rule[:40]}")
        if label:
            self.labels[label] = self.last

    def _conclude_none(self, hints: list[str]) -> None:
        """Conclude that there is no solution, or none cheaper than the best."""
        if not self.implied(Row({}, 1), hints or None):
            raise Refused("there is no contradiction")
        self.proved, self.bound = True, self.best
        self.over = self._version.startswith("1")

    def _conclude(self, first: list[str], more: list[list[str]]) -> None:
        """Read a conclusion; its lower bound has to follow."""
        kind, *rest = first
        if kind == "UNSAT" or (kind == "BOUNDS" and rest[0] == "INF"):
            if self.best is not None:
                raise Refused("there is a solution")
            self._conclude_none(more[0] if more and kind == "UNSAT" else [])
        elif kind == "BOUNDS":
            most = (rest[1:] or (more[0][-1:] if more else []))[0]
            hints = (more[0] if len(rest) > 1 else more[0][:-1]) if more else []
            bound = int(rest[0])
            row = normalised(self.objective, bound)
            if not self.implied(row, None if len(rest) > 1 else hints):
                raise Refused(f"a bound of {bound} does not follow")
            if self.best is not None and bound > self.best:
                raise Refused(f"there is a solution of {self.best}")
            if most != "INF" and (self.best is None or int(most) < self.best):
                raise Refused(f"no solution of {most} was logged")
            self.proved, self.bound = True, bound
        else:
            raise Refused("concludes nothing")

    def outcome(self, steps: int) -> Outcome:
        """Return what was proved."""
        if not self.proved or not self.over:
            raise Refused("ends without a conclusion")
        return Outcome(self.bound, steps)
