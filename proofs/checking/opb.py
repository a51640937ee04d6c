"""Reading formulas in the OPB format, strictly, and checking proofs about them.

    * #variable= 2 #constraint= 2
    min: +3 xa -1 xb ;
    +1 xa +2 ~xb >= 1 ;
    +1 xa +1 xb = 1 ;

Comments begin with ``*``; the first line may count variables and constraints, and is
then held to it. ``min:`` comes at most once, before all constraints, and every
statement ends with ``;``. An equation counts as two rows of the proof, ``>=`` first. A
variable that comes twice in a statement counts twice. ``<=``, ``max:`` and products are
not in the format. Formulas may come from strangers: sizes and time are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...instances.errors import InputError
from ...instances.reading.packed import reading_unpacked
from ...instances.words import with_noun
from .kinds import LOG, reading_proof
from .proof_file import Proved, follow, lines_of
from .propagation import Propagator
from .rows import Formula
from .statements import MOST_DIGITS, CheckLimits, TooLong

MOST_SIZE = 2**28
"""Characters of a formula, unpacked."""
MOST_WORDS = 2**22
"""Of all statements; a term has two."""
MOST_CONSTRAINTS = 2**20

_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_LITERAL = re.compile(r"~?[A-Za-z_][A-Za-z0-9_\[\]{}^-]{1,99}", re.ASCII)
_WORD = re.compile(r"[^\s;]+|;", re.ASCII)
_HEADER = re.compile(
    r"\*\s*#variable=\s*([0-9]{1,18})\s+#constraint=\s*([0-9]{1,18})(\s.*)?", re.ASCII
)


def is_opb(path: str | Path) -> bool:
    """Whether a file is named as a formula: ``.opb``, maybe packed.

    >>> is_opb("a.opb"), is_opb("a.opb.xz"), is_opb("opb.json")
    (True, True, False)
    """
    return re.search(r"\.opb(\.xz|\.gz)?$", str(path)) is not None


def check_opb_proof(
    formula: str | Path,
    proof: str | Path,
    limits: CheckLimits | None = None,
    propagator: type[Propagator] = Propagator,
) -> Proved:
    """Check a proof about the formula in a file; its bound is on the objective there.

    Reading the formula counts for the time limit. Raises as `check_proof_file` does.
    """
    limits = (limits or CheckLimits()).from_now()
    read = read_opb(formula, limits)
    with reading_proof(proof, (LOG,)) as (_, stream):
        outcome = follow(read, stream, proof, limits, propagator)
    return Proved(outcome.bound, outcome.steps, seconds=limits.spent())


def read_opb(path: str | Path, limits: CheckLimits | None = None) -> Formula:
    """Read a formula.

    Raises
    ------
    InputError
        If it is malformed, too large, or not read in time: one line with the file, the
        number of the line, and what is wrong.
    """
    limits = (limits or CheckLimits()).from_now()
    reader, number = _Reader(), 0
    size = 0
    try:
        with reading_unpacked(path) as stream:
            for number, line in enumerate(lines_of(stream), 1):
                size += len(line)
                if size > MOST_SIZE or len(line) > limits.line:
                    raise InputError("is too large")
                for _ in reader.read(line, first=number == 1):
                    if limits.spent() > limits.seconds:
                        raise TooLong(f"takes more than {limits.seconds:g} s to read")
            return reader.whole()
    except TooLong as error:
        raise TooLong(error.problem, file=path) from None
    except InputError as error:
        raise error.of_file(f"{path}:{number}") from None


class _Reader:
    """Reads a formula line by line."""

    def __init__(self) -> None:
        self.formula = Formula()
        self.variables: dict[str, int] = {}
        self.counts: tuple[int, int] | None = None
        """Variables and constraints by the header."""
        self.constraints = self.words = 0
        self.begun: list[str] = []
        self.has_objective = False

    def read(self, line: str, *, first: bool) -> Iterator[None]:
        """Read a line; pause after every few words, for a look at the clock."""
        yield
        if line.startswith("*"):
            if first and "#variable" in line:
                found = _HEADER.fullmatch(line.strip())
                if found is None:
                    raise InputError("is no header of a formula")
                self.counts = int(found[1]), int(found[2])
            return
        for word in _WORD.finditer(line):
            if word[0] == ";":
                self._statement(self.begun)
                self.begun = []
                continue
            self.words += 1
            if self.words > MOST_WORDS:
                raise InputError(f"has more than {MOST_WORDS} words")
            if not self.words % 2**12:
                yield
            self.begun.append(word[0])

    def _statement(self, words: list[str]) -> None:
        """Read an objective or a constraint."""
        if words[:1] == ["min:"]:
            if self.has_objective or self.constraints:
                raise InputError("must come once, before all constraints", value="min:")
            self.has_objective = True
            for coefficient, literal in self._terms(words[1:]):
                self.formula.charge(coefficient, literal)
            return
        self.constraints += 1
        if self.constraints > MOST_CONSTRAINTS:
            raise InputError(f"has more than {MOST_CONSTRAINTS} constraints")
        if len(words) < 2 or words[-2] not in (">=", "="):
            relation = words[-2] if len(words) > 1 else " ".join(words)
            raise InputError("must end with >= or = and a number", value=relation)
        terms, degree = self._terms(words[:-2]), _number(words[-1])
        if words[-2] == "=":
            self.formula.equal(terms, degree)
        else:
            self.formula.at_least(terms, degree)

    def _terms(self, words: list[str]) -> list[tuple[int, int]]:
        """Read coefficients and literals by turns."""
        terms = []
        for i in range(0, len(words), 2):
            if _LITERAL.fullmatch(words[i]):
                what = "is in a product: only sums can be read"
                raise InputError(what if i else "needs a coefficient", value=words[i])
            coefficient = _number(words[i])
            if i + 1 == len(words):
                raise InputError("needs a variable", value=words[i])
            terms.append((coefficient, self._literal(words[i + 1])))
        return terms

    def _literal(self, word: str) -> int:
        if not _LITERAL.fullmatch(word):
            raise InputError(
                "is no variable of 2 to 100 letters, digits and _[]{}^-", value=word
            )
        name = word.removeprefix("~")
        if name not in self.variables:
            self.variables[name] = self.formula.variable(name)
        return self.variables[name] * (1 if word == name else -1)

    def whole(self) -> Formula:
        """Return the formula, if it has ended, and is what the header states."""
        if self.begun:
            raise InputError("ends within a statement")
        names = len(self.variables)
        if self.counts and (
            names > self.counts[0] or self.constraints != self.counts[1]
        ):
            rows = with_noun(self.constraints, "constraint")
            found = f"{with_noun(names, 'variable')} and {rows}"
            raise InputError(f"has {found}, but another header")
        return self.formula


def _number(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise InputError("is no number", value=word)
    if len(word) > MOST_DIGITS + 1:  # and a sign
        raise InputError(f"has more than {MOST_DIGITS} digits", value=word)
    return int(word)
