"""Draw steps of pseudo-Boolean proofs, true and forged, and judge those accepted.

The checker is fed line by line; after each that it accepts, its store is compared with
all assignments of eight variables. A row is the set of those that obey it, an integer
with one bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np

from closeknit.instances.proofs import (
    Formula,
    Limits,
    NoProof,
    Propagator,
    Refused,
    TooLong,
    check_proof,
)
from closeknit.instances.proofs.checker import VERSIONS, Checker
from closeknit.instances.proofs.rows import Row

VARIABLES = 8
"""Of a formula and those that steps introduce, together."""
ALL = 2 ** 2**VARIABLES - 1
_VALUES = np.arange(2**VARIABLES)[:, None] >> np.arange(VARIABLES) & 1
NAMES = ("a", "b", "c", "d", "e", "z1", "z2", "z3")
_FORMULA = 5
"""The first of the names are the formula's, at most."""
_LENGTHS, _REFUSED = (3, 5, 5, 8, 8, 12, 20), 8
"""Lines of a proof, and steps of it that may be refused."""
_NEVER = 0
"""Line of a proof in which the formula is loaded."""
_BY_TWIN = 0.3
"""Share of the refused steps that the twin is asked about, too."""
NUMBERS = (*range(-3, 5), *range(-1, 3), 7, 2**31, 2**61, -(2**62), 10**25)
RULES = (
    *("f", "l", "pol", "p", "rup", "u", "red", "soli", "o", "sol", "e", "ea"),
    *("d", "del", "deld", "delc", "c", "conclusion", "end", "output", "core"),
    *("eobj", "j", "dom", "version", "", "F"),
)
TOKENS = (
    *("+", "*", "d", "s", "w", ":", ";", ">=", "=", "->", "~", "INF", "id", "range"),
    *("BOUNDS", "UNSAT", "SAT", "NONE", "@p", "@q", "0", "1", "-1", "2", "x", "~~a"),
)
Terms = list[tuple[int, int]]


class Forged(AssertionError):
    """The checker accepted a step that is false."""


def models(terms: Terms, degree: int) -> int:
    """Return the assignments in which a sum of literals is at least a degree."""
    total = np.zeros(2**VARIABLES, object if too_large(terms, degree) else np.int64)
    for a, x in terms:
        column = _VALUES[:, abs(x) - 1]
        total = total + a * (column if x > 0 else 1 - column).astype(total.dtype)
    return _as_set(total >= degree)


def too_large(terms: Terms, degree: int) -> bool:
    return sum(abs(a) for a, _ in terms) + abs(degree) >= 2**60


def _as_set(holds: np.ndarray) -> int:
    packed = np.packbits(holds.astype(np.bool_), bitorder="little")
    return int.from_bytes(packed.tobytes(), "little")


def text_of(literal: int) -> str:
    return ("~" if literal < 0 else "") + NAMES[abs(literal) - 1]


def sum_of(terms: Terms) -> str:
    return " ".join(f"{a:+d} {text_of(x)}" for a, x in terms)


@dataclass
class Problem:
    """A formula, and what is true of it by enumeration."""

    formula: Formula
    feasible: int = field(init=False)
    cost: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.feasible = ALL
        for row in self.formula.rows:
            self.feasible &= models([(a, x) for x, a in row.terms.items()], row.degree)
        prices = np.zeros(VARIABLES, np.int64)
        for x, a in self.formula.objective.items():
            prices[x - 1] = a
        self.cost = (_VALUES @ prices).tolist()
        self._below = {
            c: _as_set(np.array(self.cost) < c)
            for c in range(min(self.cost) - 1, max(self.cost) + 3)
        }
        self._known: dict[tuple[tuple[tuple[int, int], ...], int], int] = {}

    def below(self, cost: int | None) -> int:
        """Return the assignments that cost less."""
        return ALL if cost is None else self._below[min(cost, max(self._below))]

    def least(self, among: int) -> int | None:
        """Return the least cost of some assignments."""
        return next((c - 1 for c, cheap in self._below.items() if cheap & among), None)

    def models(self, row: Row) -> int:
        """Return the assignments that obey a row."""
        key = tuple(row.terms.items()), row.degree
        if key not in self._known:
            self._known[key] = models([(a, x) for x, a in key[0]], row.degree)
        return self._known[key]


def draw_problem(random: Random) -> Problem:
    """Draw a formula, small enough to be enumerated."""
    n = random.randint(1, _FORMULA)
    formula = Formula([*NAMES[:n]])
    for _ in range(random.randint(0, 5)):
        terms = draw_terms(random, n)
        if random.random() < 0.6:
            formula.clause(*{x for _, x in terms})
        else:
            formula.at_least(terms, random.randint(-1, 3))
    for x in range(1, n + 1):
        if random.random() < 0.7:
            formula.charge(random.choice((1, 1, 2, 3, -1, -2, 0)), x)
    return Problem(formula)


def draw_terms(random: Random, n: int, most: int = 3) -> Terms:
    return [
        (
            random.choice((1, 1, 1, 2, 3, -1, -2)),
            random.choice((-1, 1)) * random.randint(1, n),
        )
        for _ in range(random.randint(1, most))
    ]


class Walk:
    """One proof, drawn step by step; each step sees what the last one left behind."""

    def __init__(self, random: Random, problem: Problem) -> None:
        self.random, self.problem = random, problem
        self.version = random.choice(VERSIONS)
        self.lines = [f"pseudo-Boolean proof version {self.version}\n"]
        self.formula_at = random.choice((*[1] * 16, 2, 3, 4, _NEVER))
        self.checker: Checker | None = None
        self.steps = 0

    def more(self, length: int) -> Iterator[str]:
        """Yield the lines so far and new ones, each judged when the next is due."""
        yield from [*self.lines]
        self._look()
        while len(self.lines) < length:
            if len(self.lines) == self.formula_at:
                self.formula_at = _NEVER
                yield from self._step(f"f {len(self.problem.formula.rows)}")
            yield from self._step(self._drawn())
        yield from self._step(self._conclusion())
        yield from self._step("output NONE" if self.random.random() < 0.5 else "core")
        yield from self._step("end pseudo-Boolean proof")

    def _step(self, text: str) -> Iterator[str]:
        if self.random.random() < 0.12:
            text = altered(self.random, text)
        label = ""
        if self.random.random() < (0.2 if self.version == "3.0" else 0.02):
            label = self.random.choice(("@p ", "@q "))
        end = " ;\n" if self.version == "3.0" or self.random.random() < 0.3 else "\n"
        self.lines.append(f"{label}{text}{end}")
        yield self.lines[-1]
        self.steps += 1
        self._judge(text)

    # The oracle.

    def _look(self) -> None:
        self.rows, self.best = dict(self.checker.rows), self.checker.best
        self.store = self._models(self.rows)

    def _models(self, rows: dict[int, Row]) -> int:
        store = ALL
        for row in rows.values():
            store &= self.problem.models(row)
        return store

    def _require(self, holds: bool, what: str) -> None:
        if not holds:
            raise Forged(f"{what}:\n{self.text()}")

    def text(self) -> str:
        """Return the formula and the proof so far."""
        return "".join([*self.problem.formula.text(), "---\n", *self.lines])

    def _judge(self, text: str) -> None:
        """Compare the store with what the step that was accepted may have changed."""
        checker, problem = self.checker, self.problem
        if len(checker.variables) > VARIABLES:
            raise NoProof("too many variables to judge")
        before, store, best = self.rows, self.store, self.best
        kept = {n for n, row in before.items() if checker.rows.get(n) is row}
        new = {n: row for n, row in checker.rows.items() if before.get(n) is not row}
        self._look()
        rule = text.split()[0] if text.split() else ""
        several = text.count(";") > (self.version != "3.0")
        only_added = kept == set(before)
        if several or rule in ("", "*", "%"):
            pass
        elif rule in ("rup", "u", "pol", "p"):
            self._require(only_added and len(new) == 1, "adds one row")
            self._require(self.store == store, "excludes what obeys the store")
        elif rule in ("soli", "o", "sol"):
            self._solved(text, best)
            cheaper = ALL if rule == "sol" else problem.below(self.best)
            self._require(only_added, "deletes nothing")
            self._require(len(new) == (rule != "sol"), "adds the row 'only cheaper'")
            self._require(self.store == store & cheaper, "is the row 'only cheaper'")
        elif rule in ("d", "del", "deld", "delc"):
            self._require(not new, "adds nothing")
            self._deleted(text, set(before) - kept)
        elif rule == "red":
            self._require(only_added and len(new) == 1, "adds one row")
        elif rule in ("f", "l"):
            self._require(only_added, "deletes nothing")
            self._require(
                not self.problem.feasible & ~self._models(new), "adds the formula's"
            )
        elif rule in ("e", "ea"):
            self._require(only_added and not new, "changes nothing")
            self._equals(text)
        else:
            self._require(
                rule in ("c", "conclusion", "end", "output", "core"), "is no rule"
            )
            self._require(only_added and not new, "changes nothing")
            if checker.proved:
                self._concluded(checker.bound)
        if not several and rule not in ("soli", "o", "sol"):
            self._require(self.best == best, "logs no solution")
        least = problem.least(problem.feasible & problem.below(self.best))
        if least is not None:
            there = problem.least(self.store)
            self._require(
                there is not None and there <= least, "excludes all that are cheaper"
            )

    def _solved(self, text: str, best: int | None) -> None:
        """A solution obeys the formula, agrees with what is given, and has its cost."""
        given = ALL
        for word in text.replace(";", " ").split()[1:]:
            literal = NAMES.index(word.removeprefix("~")) + 1
            given &= models([(1, -literal if word[0] == "~" else literal)], 1)
        new = self.best
        self._require(new is not None, "has a cost")
        assert new is not None
        some = self.problem.feasible & given
        costs = {self.problem.cost[i] for i in range(2**VARIABLES) if some >> i & 1}
        self._require(any(new == min([c, *([] if best is None else [best])]) for c in costs), "is a solution of this cost")

    def _deleted(self, text: str, gone: set[int]) -> None:
        """What is named is deleted, nothing else."""
        words = text.replace(";", ":").split(":")[0].split()[1:]
        if words[:1] == ["range"]:
            self._require(gone <= set(range(*map(int, words[1:3]))), "is in the range")
        elif all(word.lstrip("-+").isdecimal() or word == "id" for word in words):
            named = {int(word) for word in words if word != "id"}
            if min(named, default=0) >= 0:
                self._require(gone == named, "deletes what is named")

    def _equals(self, text: str) -> None:
        """The row that was written is equal to the one in the store."""
        words = text.split(" : ")
        number = words[1] if len(words) > 1 else text.split()[1]
        row = words[0].split()[1:] if len(words) > 1 else text.split()[2:]
        if number.strip().isdecimal() and row[-2:-1] == [">="]:
            pairs = zip(row[:-2:2], row[1:-2:2], strict=True)
            terms = [
                (int(a), (NAMES.index(x.lstrip("~")) + 1) * (-1 if x[0] == "~" else 1))
                for a, x in pairs
            ]
            same = models(terms, int(row[-1])) == self.problem.models(
                self.rows[int(number)]
            )
            self._require(same, "is equal")

    def _concluded(self, bound: int | None) -> None:
        least = self.problem.least(self.problem.feasible)
        if bound is None:
            self._require(least is None, "there is a solution")
        elif least is not None:
            self._require(bound <= least, f"there is a solution of {least}")

    # The draw.

    def _number(self) -> str:
        numbers = [*self.rows]
        if numbers and self.random.random() < 0.92:
            number = self.random.choice(numbers)
            if self.random.random() < 0.1:
                number -= self.checker.last + 1
            return str(number)
        return self.random.choice(("0", "-1", "1", "@p", "@q", "99", "-99", "2"))

    def _literal(self, n: int | None = None) -> str:
        n = n or min(len(self.checker.variables), VARIABLES)
        return text_of(self.random.choice((-1, 1)) * self.random.randint(1, n))

    def _row(self, n: int | None = None) -> tuple[Terms, int]:
        terms = draw_terms(self.random, n or min(len(self.checker.variables), VARIABLES))
        if self.random.random() < 0.05:
            terms[0] = self.random.choice(NUMBERS), terms[0][1]
        if self.random.random() < 0.05:
            return terms, self.random.choice(NUMBERS)
        if self.random.random() < 0.05:
            return [], self.random.randint(-1, 1)
        return terms, sum(min(a, 0) for a, _ in terms) + self.random.randint(1, 2)

    def _drawn(self) -> str:
        """Draw a step; most of them follow, or nearly so."""
        kind = self.random.choices(
            ("pol", "rup", "red", "del", "soli", "e", "l", "any"),
            (30, 25, 22, 10, 5, 3, 8 if self.version[0] == "1" else 2, 3),
        )[0]
        if kind == "pol":
            rule = self.random.choice(("pol", "p"))
            return f"{rule} {' '.join(self._combination(self.random.randint(1, 3)))}"
        if kind == "rup":
            return self._implied()
        if kind == "red":
            return self._redundant()
        if kind == "del":
            return self._deletion()
        if kind == "soli":
            return self._solution()
        if kind == "e":
            return self._equality()
        if kind == "l":
            rule = self.random.choice(("l", "f"))
            return f"{rule} {self.random.randint(0, len(self.problem.formula.rows))}"
        words = [self.random.choice((*TOKENS, *NAMES)) for _ in range(4)]
        return f"{self.random.choice(RULES)} {' '.join(words)}"

    def _combination(self, depth: int) -> list[str]:
        if depth == 0 or self.random.random() < 0.2:
            return [self._number() if self.random.random() < 0.8 else self._literal()]
        first = self._combination(depth - 1)
        op = self.random.choice(("+", "+", "*", "d", "d", "s", "w"))
        if op == "+":
            return [*first, *self._combination(depth - 1), "+"]
        if op in ("*", "d"):
            factor = self.random.choice(("2", "3", "2", "5", "1", "0", "-1", "7"))
            if self.random.random() < 0.02:
                factor = str(self.random.choice(NUMBERS))
            return [*first, factor, op]
        return [*first, op] if op == "s" else [*first, self._literal(), "w"]

    def _implied(self) -> str:
        """Draw a row; if it does not follow, draw again, seven times in eight."""
        for _ in range(8):
            terms, degree = self._row()
            if not self.store & ~models(terms, degree) or self.random.random() < 0.15:
                break
        hints = ""
        if self.random.random() < 0.25:
            few = [self._number() for _ in range(self.random.randint(0, 3))]
            hints = f" : {' '.join(few)} {self.random.choice(('', '~'))}"
        rule = self.random.choice(("rup", "u"))
        return f"{rule} {sum_of(terms)} >= {degree}{hints}"

    def _redundant(self) -> str:
        known = min(len(self.checker.variables), VARIABLES)
        arrow = self.random.choice((" ->", ""))
        if known < VARIABLES and self.random.random() < 0.4:  # a definition
            terms, degree = self._row()
            new, back = NAMES[known], self.random.random() < 0.5
            if self.random.random() < 0.5:  # its other half, or what looks like it
                new = NAMES[self.random.randrange(known)]
            high = max(1, degree - sum(min(a, 0) for a, _ in terms))
            first = f"{high} {'~' if back else ''}{new}"
            return (
                f"red {sum_of(terms)} {first} >= {degree} : "
                f"{new}{arrow} {'0' if back else '1'}"
            )
        terms, degree = self._row(min(known + (self.random.random() < 0.1), VARIABLES))
        witness = []
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3))):
            image = self.random.choice(("0", "1", self._literal()))
            name = self._literal() if self.random.random() < 0.1 else self._literal()
            witness.append(f"{name.removeprefix('~')}{arrow} {image}")
        if self.random.random() < 0.5:  # the row's own literals, made true
            witness = [
                f"{NAMES[abs(x) - 1]}{arrow} {int((a > 0) == (x > 0))}" for a, x in terms
            ]
        return f"red {sum_of(terms)} >= {degree} : {' '.join(witness)}"

    def _deletion(self) -> str:
        rule = self.random.choice(("del id", "del", "d", "deld", "delc", "del range"))
        if rule == "del range":
            first = self.random.randint(0, self.checker.last + 1)
            return f"{rule} {first} {first + self.random.randint(0, 2)}"
        some = [self._number() for _ in range(self.random.choice((1, 1, 1, 2, 0)))]
        return f"{rule} {' '.join(some)}"

    def _solution(self) -> str:
        n = len(self.problem.formula.names)
        good = [i for i in range(2**n) if self.problem.feasible >> i & 1]
        every = good if good and self.random.random() < 0.8 else range(2**n)
        values = self.random.choice([*every])
        words = [
            text_of(x if values >> (x - 1) & 1 else -x)
            for x in range(1, n + 1)
            if self.random.random() < 0.95
        ]
        if self.random.random() < 0.1:
            words.append(self._literal())
        return f"{self.random.choice(('soli', 'o', 'sol'))} {' '.join(words)}"

    def _equality(self) -> str:
        number = self._number()
        row = self.rows.get(int(number)) if number.isdecimal() else None
        terms, degree = self._row()
        if row is not None and self.random.random() < 0.7:
            terms = [(a, x) for x, a in row.terms.items() if abs(x) <= VARIABLES]
            degree = row.degree
        rule = self.random.choice(("e", "ea"))
        text = f"{sum_of(terms)} >= {degree}"
        late = self.random.random() < 0.5
        return f"{rule} {text} : {number}" if late else f"{rule} {number} {text}"

    def _conclusion(self) -> str:
        hint = f" : {self._number()}" if self.random.random() < 0.4 else ""
        if self.random.random() < 0.25:
            return f"c {self._number()}"
        if self.random.random() < 0.3:
            return f"conclusion UNSAT{hint}"
        least = self.problem.least(self.problem.feasible)
        about = 0 if least is None else least
        low = about + self.random.randint(-3, 2)
        high = self.random.choice(("INF", str(self.checker.best), str(about)))
        return f"conclusion BOUNDS {low}{hint} {high}"


def altered(random: Random, text: str) -> str:
    """Change a few words of a line: left out, twice, in another order, another."""
    words = text.split()
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(words) + 1)
        other = random.choice((*TOKENS, *NAMES, *map(str, NUMBERS)))
        kind = random.randrange(5)
        if kind == 0:
            del words[at : at + 1]
        elif kind == 1:
            words[at:at] = words[at : at + 1]
        elif kind == 2:
            words[at : at + 2] = words[at : at + 2][::-1]
        elif kind == 3:
            words.insert(at, other)
        else:
            words[at : at + 1] = [random.choice((other, random.choice(RULES)))]
    return " ".join(words)


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

    class Watched(Propagator):
        def __init__(self, spend: Callable[[int], None]) -> None:
            walk.checker = spend.__self__  # type: ignore[attr-defined]
            super().__init__(spend)

    length = random.choice(_LENGTHS)
    for left in reversed(range(_REFUSED)):
        said = verdict(walk.problem.formula, walk.more(length), Watched)
        refused = said.startswith(("Refused: step", "NoProof: step"))
        if "Error" in said:
            raise Forged(f"the checker fails with {said}:\n{walk.text()}")
        if twin and not (refused and left and random.random() > _BY_TWIN):
            told = verdict(walk.problem.formula, walk.lines, twin)
            if told != said:
                raise Forged(f"the twins disagree, {said} and {told}:\n{walk.text()}")
        if not refused:
            break
        walk.lines.pop()
    return walk.steps


def verdict(
    formula: Formula, lines: Iterable[str], propagator: type[Propagator]
) -> str:
    """Return what is said of a proof."""
    try:
        return str(check_proof(formula, lines, Limits(), propagator))
    except (Refused, NoProof, TooLong) as error:
        return f"{type(error).__name__}: {error}"
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"
