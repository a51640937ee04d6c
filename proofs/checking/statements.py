"""Reading pseudo-Boolean proofs: statements, words, numbers, and what they may cost.

Proofs may come from strangers. All that is read and done spends from a `TimeBudget`;
docs/science/proofs.md lists the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from time import monotonic

from ...instances.errors import TooLong as TooLong

_HEADER = ["pseudo-Boolean", "proof", "version"]
VERSIONS = ("1.0", "1.1", "1.2", "2.0", "3.0")
MOST_BITS = 4096
"""Of a number in a row."""
SHORT_BITS = 256
"""Each so many bits of the largest number of a row make its terms count once more."""
MOST_DIGITS = 1234
"""Of a number in the text; numbers of `MOST_BITS` bits have 1234 at most."""
_WORK = 2**14
"""Work between two looks at the clock: terms, or a quarter of the characters read."""
_ENDED = ("f", "l", "p", "pol", "d", "del", "c")
"""Statements of versions 1.0 to 1.2 that a 0 may end."""
_FEW = 1024
"""Words that are worked on before the next work is spent."""


class Refused(Exception):
    """A step does not follow: the proof is wrong.

    ``step`` is its number, 0 where what is wrong is no step.
    """

    def __init__(self, problem: str, step: int = 0) -> None:
        super().__init__(problem)
        self.step = step


class NoProof(Exception):
    """The text is no proof in a known format."""


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Limits of a check; those of rows and terms leave the formula out."""

    seconds: float = 600.0
    steps: int = 50_000_000
    line: int = 2**23  # characters of the longest line, or step
    rows: int = 2**20  # in the store at one time
    terms: int = 2**23  # of these rows
    stack: int = 2**21  # terms of the rows on the stack of a combination
    names: int = 500_000  # labels, and variables that are not in the formula
    name: int = 128  # characters of one of them
    now: Callable[[], float] = monotonic
    """The clock; another may stop while a twin of the propagator is compiled."""
    begun: float | None = None
    """When the time began, by the clock; None: when the next work begins."""

    def from_now(self) -> CheckLimits:
        """Return the same limits, whose time has begun now, if it had not before."""
        return self if self.begun is not None else replace(self, begun=self.now())

    def spent(self) -> float:
        """Return the seconds since the time began."""
        assert self.begun is not None  # else no limit would ever be reached
        return self.now() - self.begun

    def left(self) -> float:
        """Return the seconds that are left; 0 if the time is over."""
        return max(0.0, self.seconds - self.spent())


class TimeBudget:
    """The time that a check may take."""

    def __init__(self, limits: CheckLimits) -> None:
        self._limits, self._work = limits.from_now(), 0

    def spend(self, work: int) -> None:
        """Count work, such as terms looked at; raise `TooLong` when time is over."""
        self._work += work + 1
        if self._work > _WORK:
            self._work = 0
            if self._limits.spent() > self._limits.seconds:
                raise TooLong(f"takes more than {self._limits.seconds:g} s to check")


class Statements:
    """The statements of a proof, as lists of words; the header is read first.

    In version 3.0 a semicolon ends a statement and a colon separates its parts; before,
    the line ends it, and semicolons separate parts, too. Parts are separated by a word
    ``:`` here.

    Parameters
    ----------
    lines
        The lines of the text.
    limits
        Limits of size.
    spend
        Receives the work that reading is.
    """

    def __init__(
        self,
        lines: Iterable[str],
        limits: CheckLimits,
        spend: Callable[[int], None] = lambda work: None,
    ) -> None:
        self._limits, self._spend = limits, spend
        self.line = 0
        """Number of the line that was read last."""
        self._lines = self._read(lines)
        self.version = self._header()

    def _read(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self.line += 1
            self._spend(len(line) // 4)
            if len(line) > self._limits.line:
                raise self._too_long()
            yield line

    def _too_long(self) -> TooLong:
        return TooLong(
            f"has a line or step of more than {self._limits.line} characters"
        )

    def _header(self) -> str:
        for line in self._lines:
            if line.startswith(("*", "%")) or not line.strip():
                continue
            words = line.replace(";", " ").split()
            if words[:-1] == _HEADER and words[-1] in VERSIONS:
                return words[-1]
            break
        raise NoProof("is no pseudo-Boolean proof of a known version")

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the words of every statement."""
        count = 0
        for text in self._whole() if self.version == "3.0" else self._lines:
            words = text.replace(";", " : ").replace(":", " : ").split()
            self._spend(len(words))
            if not words or (words[0][0] in "*%" and self.version != "3.0"):
                continue
            if (count := count + 1) > self._limits.steps:
                raise TooLong(f"has more than {self._limits.steps} steps")
            if self.version < "2" and words[0] in _ENDED and words[-1] == "0":
                words.pop()
            yield words

    def _whole(self) -> Iterator[str]:
        """Yield what semicolons end; it may begin many lines before."""
        begun = StringIO()
        for line in self._lines:
            *whole, rest = line.partition("%")[0].split(";")
            for each in whole:
                if begun.tell():
                    begun.write(each)
                    each, begun = begun.getvalue(), StringIO()
                    if len(each) > self._limits.line:
                        raise self._too_long()
                yield each
            if begun.tell() or not rest.isspace():
                begun.write(rest)
            if begun.tell() > self._limits.line:
                raise self._too_long()
        if begun.getvalue().strip():
            raise NoProof("is cut off")


def split(words: list[str], most: int) -> list[list[str]]:
    """Return the parts of a statement; there is at least one, and the last has words.

    >>> split(["+1", "x", ":", "2", ":"], 2)
    [['+1', 'x'], ['2']]
    """
    parts: list[list[str]] = []
    begin = 0
    while begin <= len(words) and len(parts) < most:
        end = words.index(":", begin) if ":" in words[begin:] else len(words)
        parts.append(words[begin:end])
        begin = end + 1
    if rest := words[begin:]:
        what = " ".join(rest[:9])[:40]
        raise NoProof(f"has a part that is not supported: {what}")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def pace(words: Sequence[str], spend: Callable[[int], None]) -> Iterator[str]:
    """Yield words; spend for every few of them first."""
    for begin in range(0, len(words), _FEW):
        spend(2 * _FEW)
        yield from words[begin : begin + _FEW]


def number(word: str) -> int:
    """Read a whole number; refuse one of too many digits.

    >>> number("-12")
    -12
    """
    digits = word if word.isdecimal() else word.lstrip("+-")
    if not digits.isdecimal():
        raise NoProof(f"{word[:40]} is no number")
    if len(digits) > MOST_DIGITS:
        raise Refused("has numbers that are too large")
    return int(word)


def room(terms: int, bits: int) -> int:
    """Return the number of terms, weighted by how many bits their numbers have.

    >>> room(5, 255), room(5, 256)
    (5, 10)
    """
    return terms * (1 + bits // SHORT_BITS)


def refuse_large(value: int) -> None:
    """Refuse a number that is too large."""
    if value.bit_length() > MOST_BITS:
        raise Refused("has numbers that are too large")
