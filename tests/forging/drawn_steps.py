"""Draw steps of pseudo-Boolean proofs about small formulas, true ones and others."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from closeknit.proofs.checking import Formula
from closeknit.proofs.checking.checker import KINDS, Checker
from closeknit.proofs.checking.rows import Row
from closeknit.proofs.checking.statements import VERSIONS
from closeknit.proofs.checking.store import Store

VARIABLES = 8
"""Of a formula and those that steps introduce, together."""
ALL = 2**2**VARIABLES - 1
_VALUES = np.arange(2**VARIABLES)[:, None] >> np.arange(VARIABLES) & 1
NAMES = ("a", "b", "c", "d", "e", "z1", "z2", "z3")
_FORMULA = 5
"""The first of the names are the formula's, at most."""
NUMBERS = (*range(-3, 5), *range(-1, 3), 7, 2**31, 2**61, -(2**62), 10**25)
RULES = (*KINDS,)
NO_RULES = (
    *("#", "a", "aux", "dom", "ea", "fail", "i", "obju", "w", "version", "F", "1", "-"),
)
TOKENS = (
    *("+", "*", "d", "s", "w", ":", ";", ">=", "=", "->", "~", "INF", "id", "range"),
    *("BOUNDS", "UNSAT", "SAT", "NONE", "@p", "@q", "0", "1", "-1", "2", "x", "~~a"),
)
Terms = list[tuple[int, int]]


def models(terms: Terms, degree: int) -> int:
    """Return the assignments in which a sum of literals is at least a degree."""
    total = np.zeros(2**VARIABLES, object if too_large(terms, degree) else np.int64)
    for a, x in terms:
        column = _VALUES[:, abs(x) - 1]
        total = total + a * (column if x > 0 else 1 - column).astype(total.dtype)
    return _as_set(total >= degree)


def too_large(terms: Terms, degree: int) -> bool:
    return sum(abs(a) for a, _ in terms) + abs(degree) >= 2**60


def _as_set(holds: npt.NDArray[Any]) -> int:
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


class Draw:
    """Draws the next step of a proof from what the checker knows by now.

    Attributes
    ----------
    checker
        The checker of the proof.
    rows, allowed, best
        Of its store, when it was looked at last.
    """

    checker: Checker

    def __init__(self, random: Random, problem: Problem) -> None:
        self.random, self.problem = random, problem
        self.version = random.choice(VERSIONS)
        self.rows: dict[int, Row] = {}
        self.allowed = ALL
        self.best: int | None = None

    @property
    def store(self) -> Store:
        """The store of the checker."""
        return self.checker.store

    def _rule(self, *names: str) -> str:
        """Draw one of some rules, mostly one of this version."""
        here = [name for name in names if self.version in KINDS[name].where]
        return self.random.choice(
            here if here and self.random.random() < 0.99 else names
        )

    def _number(self) -> str:
        numbers = [*self.rows]
        if numbers and self.random.random() < 0.92:
            number = self.random.choice(numbers)
            if self.random.random() < 0.1:
                number -= self.store.last + 1
            return str(number)
        return self.random.choice(("0", "-1", "1", "@p", "@q", "99", "-99", "2"))

    def _literal(self, n: int | None = None) -> str:
        n = n or min(len(self.store.variables), VARIABLES)
        return text_of(self.random.choice((-1, 1)) * self.random.randint(1, n))

    def _row(self, n: int | None = None) -> tuple[Terms, int]:
        terms = draw_terms(self.random, n or min(len(self.store.variables), VARIABLES))
        if self.random.random() < 0.05:
            terms[0] = self.random.choice(NUMBERS), terms[0][1]
        if self.random.random() < 0.05:
            return terms, self.random.choice(NUMBERS)
        if self.random.random() < 0.05:
            return [], self.random.randint(-1, 1)
        return terms, sum(min(a, 0) for a, _ in terms) + self.random.randint(1, 2)

    def step(self) -> str:
        """Draw a step; most of them follow, or nearly so."""
        kind = self.random.choices(
            ("pol", "rup", "red", "del", "soli", "e", "l", "any"),
            (30, 25, 22, 10, 5, 3, 8 if self.version[0] == "1" else 2, 3),
        )[0]
        if kind == "pol":
            rule = self._rule("pol", "p")
            return f"{rule} {' '.join(self._combination(self.random.randint(1, 3)))}"
        if kind == "rup":
            return self._implied()
        if kind == "red":
            return self._redundant()
        if kind == "del":
            return self._deletion()
        if kind == "soli":
            return self.solution()
        if kind == "e":
            return self._equality()
        if kind == "l":
            rule = self._rule("l", "l", "f")
            return f"{rule} {self.random.randint(0, len(self.problem.formula.rows))}"
        words = [self.random.choice((*TOKENS, *NAMES)) for _ in range(4)]
        return f"{self.random.choice(RULES + NO_RULES)} {' '.join(words)}"

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
            if not self.allowed & ~models(terms, degree) or self.random.random() < 0.15:
                break
        hints = ""
        if self.random.random() < 0.25:
            few = [self._number() for _ in range(self.random.randint(0, 3))]
            hints = f" : {' '.join(few)} {self.random.choice(('', '~'))}"
        rule = self._rule("rup", "u")
        return f"{rule} {sum_of(terms)} >= {degree}{hints}"

    def _redundant(self) -> str:
        known = min(len(self.store.variables), VARIABLES)
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
            name = self._literal()
            if self.random.random() < 0.9:
                name = name.removeprefix("~")
            witness.append(f"{name}{arrow} {image}")
        if self.random.random() < 0.5:  # the row's own literals, made true
            witness = [
                f"{NAMES[abs(x) - 1]}{arrow} {int((a > 0) == (x > 0))}"
                for a, x in terms
            ]
        return f"red {sum_of(terms)} >= {degree} : {' '.join(witness)}"

    def _deletion(self) -> str:
        rule = self._rule("del", "del", "d", "deld", "delc")
        if rule == "del":
            rule = self.random.choice(("del id", "del id", "del range"))
        if rule == "del range":
            first = self.random.randint(0, self.store.last + 1)
            return f"{rule} {first} {first + self.random.randint(0, 2)}"
        some = [self._number() for _ in range(self.random.choice((1, 1, 1, 2, 0)))]
        return f"{rule} {' '.join(some)}"

    def solution(self, *, cheapest: bool = False) -> str:
        """Draw an assignment; most of them obey the formula."""
        n = len(self.problem.formula.names)
        good = [i for i in range(2**n) if self.problem.feasible >> i & 1]
        every = good if good and self.random.random() < 0.8 else range(2**n)
        values = self.random.choice([*every])
        if cheapest and good:
            values = min(good, key=self.problem.cost.__getitem__)
        words = [
            text_of(x if values >> (x - 1) & 1 else -x)
            for x in range(1, n + 1)
            if cheapest or self.random.random() < 0.95
        ]
        if not cheapest and self.random.random() < 0.1:
            words.append(self._literal())
        return f"{self._rule('soli', 'o', 'sol')} {' '.join(words)}"

    def _equality(self) -> str:
        number = self._number()
        row = self.rows.get(int(number)) if number.isdecimal() else None
        terms, degree = self._row()
        if row is not None and self.random.random() < 0.7:
            terms = [(a, x) for x, a in row.terms.items() if abs(x) <= VARIABLES]
            degree = row.degree
        text = f"{sum_of(terms)} >= {degree}"
        late = (self.random.random() < 0.9) == (self.version >= "2")
        return f"e {text} : {number}" if late else f"e {number} {text}"

    def conclusion(self) -> str:
        hint = f" : {self._number()}" if self.random.random() < 0.4 else ""
        if self._rule("c", "conclusion") == "c":
            return f"c {self._number() if self.random.random() < 0.2 else ''}"
        if self.random.random() < 0.2:
            return f"conclusion {self.random.choice(('UNSAT', 'BOUNDS INF INF'))}{hint}"
        least = self.problem.least(self.problem.feasible)
        about = 0 if least is None else least
        low = about + self.random.randint(-3, 2)
        high = self.random.choice(("INF", str(self.store.best), str(about)))
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
            words[at : at + 1] = [
                random.choice((other, random.choice(RULES + NO_RULES)))
            ]
    return " ".join(words)
