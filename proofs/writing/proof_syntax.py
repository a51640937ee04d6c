"""Rewriting a pseudo-Boolean proof from one version of its syntax to another.

The steps stay the same; rows get other numbers where a proof loads the rows of the
formula one by one (``l``), as versions 2.0 and 3.0 load them all at once. Hints of
``rup`` are kept in version 3.0 only; rows of the formula are no longer deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...instances import InputError
from ..checking import CheckLimits, Formula
from ..checking.kinds import LOG, reading_proof
from ..checking.proof_file import lines_of
from ..checking.statements import Statements

SYNTAXES = ("1.1", "2.0", "3.0")
"""Versions that can be written."""


def rewrite(formula: Formula, lines: Iterable[str], version: str) -> Iterator[str]:
    """Yield the lines of a proof about a formula in another version of the syntax.

    Parameters
    ----------
    formula
        What the proof is about.
    lines
        A proof that the checker accepts, in any version that it reads.
    version
        One of `SYNTAXES`.

    Raises
    ------
    InputError
        If a step cannot be stated in that version.
    """
    rewriter = _Rewriter(formula, version)
    yield f"pseudo-Boolean proof version {version}\n"
    yield rewriter.line(f"f {len(formula.rows)}")
    statements = Statements(lines, CheckLimits())
    if statements.version >= "2":  # where `f` only counts the rows of the formula
        rewriter.load_all()
    for words in statements:
        if words[0] != "f" or statements.version < "2":
            yield from rewriter.step(words)
        if rewriter.over:
            return


@contextmanager
def proof_lines(path: str | Path) -> Iterator[Iterator[str]]:
    """Open a pseudo-Boolean proof; its lines are unpacked."""
    with reading_proof(path, (LOG,)) as (_, stream):
        yield lines_of(stream)


class _Rewriter:
    """Keeps which number a row has in either proof."""

    def __init__(self, formula: Formula, version: str) -> None:
        self.version = version
        self.over = False
        self._count = len(formula.rows)
        self._numbers = {name: i for i, name in enumerate(formula.names, 1)}
        self._objective = {x: a for x, a in formula.objective.items() if a}
        self._new: dict[int, int] = {}
        self._labels: dict[str, int] = {}
        self._last = 0
        self._last_new = self._count
        self._best: int | None = None

    def line(self, *parts: str) -> str:
        """Write a step; its parts are separated as in the version."""
        if self.version == "3.0":
            return " : ".join(parts) + " ;\n"
        return " ; ".join(parts) + "\n"

    def step(self, words: list[str]) -> Iterator[str]:
        """Rewrite one step."""
        label = words.pop(0) if words[0].startswith("@") else ""
        rule, *rest = words
        parts = " ".join(rest).split(" : ") if ":" in rest else [" ".join(rest)]
        first, *more = (part.strip(" :") for part in parts)
        if rule == "f":
            self.load_all()
        elif rule == "l":
            self._load(int(first))
        elif rule in ("pol", "p"):
            yield self.line(f"pol {' '.join(self._combination(first.split()))}")
            self._count_row()
        elif rule in ("rup", "u"):
            yield self._write_rup(first, more[0] if more else "")
            self._count_row()
        elif rule == "red":
            yield self.line(f"red {first}", *more[:1])
            self._count_row()
        elif rule in ("soli", "o"):
            self._note_objective(first.split())
            yield self.line(f"{'o' if self.version == '1.1' else 'soli'} {first}")
            self._count_row()
        elif rule == "sol":
            if self.version == "1.1":
                raise InputError("version 1.1 logs no solution without improving on it")
            self._note_objective(first.split())
            yield self.line(f"sol {first}")
        elif rule in ("d", "del", "deld", "delc"):
            if gone := self._delete(first.split()):
                yield self.line(f"del id {' '.join(map(str, gone))}")
        elif rule == "c":
            yield from self._none(_rows_of(first))
        elif rule == "conclusion":
            yield from self._conclude(first.split(), more)
        elif rule not in ("output", "core", "end", "e"):
            raise InputError(f"unknown rule {rule[:40]}")
        if label:
            self._labels[label] = self._old(more[0]) if rule == "e" else self._last

    def load_all(self) -> None:
        """Give the rows of the formula the next numbers."""
        for number in range(1, self._count + 1):
            self._load(number)

    def _load(self, number: int) -> None:
        self._last += 1
        self._new[self._last] = number

    def _count_row(self) -> None:
        self._last += 1
        self._last_new += 1
        self._new[self._last] = self._last_new

    def _old(self, word: str) -> int:
        number = self._labels[word] if word.startswith("@") else int(word)
        return number + self._last + 1 if number < 0 else number

    def _row(self, word: str) -> str:
        return str(self._new[self._old(word)])

    def _combination(self, words: list[str]) -> Iterator[str]:
        for word, then in zip(words, [*words[1:], ""], strict=True):
            is_row = word.startswith("@") or word.lstrip("+-").isdecimal()
            yield self._row(word) if is_row and then not in ("*", "d") else word

    def _write_rup(self, row: str, hints: str) -> str:
        if self.version == "3.0":
            named = (w if w == "~" else self._row(w) for w in hints.split())
            return self.line(f"rup {row}", *([" ".join(named)] if hints else []))
        return f"{'u' if self.version == '1.1' else 'rup'} {row} ;\n"

    def _delete(self, words: list[str]) -> list[int]:
        if words[:1] == ["range"]:
            begin, end = map(int, words[1:])
            rows = [n for n in self._new if begin <= n < end]
        else:
            rows = [self._old(word) for word in words[words[:1] == ["id"] :]]
        return [new for n in rows if (new := self._new.pop(n)) > self._count]

    def _note_objective(self, words: list[str]) -> None:
        """Remember the objective of the best solution."""
        true = {w.removeprefix("~"): not w.startswith("~") for w in words}
        known = self._numbers  # which new variables are not among
        given = {known[name]: value for name, value in true.items() if name in known}
        if not self._objective.keys() <= given.keys():
            raise InputError("a solution leaves a variable of the objective open")
        cost = sum(a for x, a in self._objective.items() if given[x])
        self._best = cost if self._best is None else min(self._best, cost)

    def _none(self, hints: list[str]) -> Iterator[str]:
        """Conclude that there is no solution, or none cheaper than the best.

        Only one row can be named for it; without any, all count.
        """
        if self.version == "1.1":
            yield from ("u >= 1 ;\n", "c -1\n")
            self.over = True
            return
        best = "INF" if self._best is None else self._best
        named = ""
        if self.version == "3.0" and len(hints) == 1:
            named = f": {self._row(hints[0])} "
        yield from self._end(f"conclusion BOUNDS {best} {named}{best}")

    def _conclude(self, first: list[str], more: list[str]) -> Iterator[str]:
        kind, *rest = first
        hints = _rows_of(more[0]) if more else []
        if kind == "UNSAT":
            yield from self._none(hints)
            return
        if kind != "BOUNDS":
            raise InputError("concludes nothing")
        most = rest[1] if len(rest) > 1 else hints.pop()
        if rest[0] == "INF":
            yield from self._none(hints)
            return
        if self.version == "1.1":
            if self._best is None or int(rest[0]) != self._best:
                raise InputError("version 1.1 has no bound below the best solution")
            yield from self._none([])
        elif self.version == "2.0" or not hints or len(rest) > 1:
            yield from self._end(f"conclusion BOUNDS {rest[0]} {most}")
        else:
            named = " ".join(map(self._row, hints))
            yield from self._end(f"conclusion BOUNDS {rest[0]} : {named} {most}")

    def _end(self, conclusion: str) -> Iterator[str]:
        for line in ("output NONE", conclusion, "end pseudo-Boolean proof"):
            yield self.line(line)
        self.over = True


def _rows_of(hints: str) -> list[str]:
    """Leave the negation of what follows out of hints."""
    return [word for word in hints.split() if word != "~"]
