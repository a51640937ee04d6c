"""Writing pseudo-Boolean proofs about the formula of an instance, and keeping them.

A search that proves its answer writes its steps to a `ProofLog`; `keep_proof` packs
them into a file and lets the checker derive every one.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from ...instances import Instance
from ...instances.result import Limit
from ...instances.writing.files import write_bytes
from ...solvers.running import clock
from ...solvers.running.errors import SolverError
from ...solvers.running.interrupt import run_alarmed
from ..checking import (
    CheckLimits,
    Formula,
    Proved,
    Refused,
    TooLong,
    check_proof_file,
    formula_of,
)
from ..checking.rows import normalise
from .opb_text import linear
from .twins import FAST

MOST_BYTES = 2**31
"""Maximal size of a proof, unpacked."""


_FEW = 200
"""Rows up to which a sum is written from left to right."""


class OutOfRoom(Exception):
    """A proof reached its limit of time or size while it was written."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit.value)
        self.limit = limit


class ProofLog:
    """The steps of a proof in the format of VeriPB 3.0, numbered as they are written.

    Literal v > 0 is variable v of the formula, -v its negation. Rows 1 to
    ``len(formula.rows)`` are those of the formula. Every method that adds a row returns
    its number.

    Parameters
    ----------
    formula
        The formula.
    stream
        Receives the text.
    deadline
        When writing ends, as read from ``clock.now``.
    most_bytes
        Length of the text at which writing ends.

    Raises
    ------
    OutOfRoom
        By any method, when the time or the room is used up.
    """

    def __init__(
        self,
        formula: Formula,
        stream: TextIO,
        *,
        deadline: float = float("inf"),
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.formula, self._stream, self._deadline = formula, stream, deadline
        self.names = list(formula.names)
        self._room = most_bytes
        self.last = 0
        self._write("pseudo-Boolean proof version 3.0\n", 0)
        self._write(f"f {len(formula.rows)} ;\n", len(formula.rows))

    def _write(self, text: str, rows: int) -> int:
        self._room -= len(text)
        if self._room < 0:
            raise OutOfRoom(Limit.MEMORY)
        self.check_time()
        self._stream.write(text)
        self.last += rows
        return self.last

    def check_time(self) -> None:
        """Raise `OutOfRoom` if the time is used up."""
        if clock.now() > self._deadline:
            raise OutOfRoom(Limit.TIME)

    def variable(self, name: str) -> int:
        """Name a variable that a step `red` introduces; return its number."""
        self.names.append(name)
        return len(self.names)

    def rup(
        self,
        terms: Iterable[tuple[int, int]],
        degree: int,
        hints: Iterable[int] = (),
    ) -> int:
        """Add a row of (coefficient, literal) pairs that propagation confirms.

        ``hints`` are rows that suffice, together with the negation.
        """
        row = normalise(terms, degree)
        text = f"rup {linear(row.terms, self.names)} >= {row.degree}"
        some = " ".join(map(str, hints))
        return self._write(f"{text} : {some} ~ ;\n" if some else f"{text} ;\n", 1)

    def clause(self, literals: Iterable[int], hints: Iterable[int] = ()) -> int:
        """Add a clause that propagation confirms."""
        return self.rup([(1, x) for x in literals], 1, hints)

    def pol(self, parts: Iterable[int | str]) -> int:
        """Add a combination of rows in reverse Polish notation.

        Numbers are rows or factors; words are operators and literals, see `word`.
        """
        return self._write(f"pol {' '.join(map(str, parts))} ;\n", 1)

    def combine(self, rows: Iterable[tuple[int, int | str]], *after: int | str) -> int:
        """Add a sum of (factor, row) pairs with positive factors, or what follows it.

        Words are literals, see `word`; ``after`` ends the line. Long sums are added up
        in pairs, pairs of pairs and so on, so that no long row is copied often.
        """
        parts: list[int | str] = [
            row if factor == 1 else f"{row} {factor} *" for factor, row in rows
        ]
        if len(parts) <= _FEW:
            return self.pol([*parts[:1], *(f"{part} +" for part in parts[1:]), *after])
        terms, parts = parts, []
        for count, term in enumerate(terms, 1):
            parts += [term] + ["+"] * ((count & -count).bit_length() - 1)
        parts += ["+"] * (len(terms).bit_count() - 1)
        return self.pol([*parts, *after])

    def red(
        self,
        terms: Iterable[tuple[int, int]],
        degree: int,
        witness: dict[int, int | bool],
    ) -> int:
        """Add a row by a witness, from variables to literals or values."""
        row = normalise(terms, degree)
        images = " ".join(
            f"{self.names[x - 1]} -> "
            + (str(int(y)) if isinstance(y, bool) else self.word(y))
            for x, y in witness.items()
        )
        text = f"red {linear(row.terms, self.names)} >= {row.degree}"
        return self._write(f"{text} : {images} ;\n", 1)

    def solution(self, true: Iterable[int]) -> int:
        """Log the solution in which exactly these variables hold.

        Returns the number of the row that asks for a cheaper one.
        """
        chosen = set(true)
        words = [
            name if v in chosen else f"~{name}"
            for v, name in enumerate(self.formula.names, 1)
        ]
        return self._write(f"soli {' '.join(words)} ;\n", 1)

    def delete(self, rows: Sequence[int]) -> None:
        """Forget rows."""
        if rows:
            self._write(f"del id {' '.join(map(str, rows))} ;\n", 0)

    def word(self, literal: int) -> str:
        """Return the word of a literal."""
        return ("~" if literal < 0 else "") + self.names[abs(literal) - 1]

    def infeasible(self, contradiction: int) -> None:
        """End: there is no solution.

        In those words, since ``UNSAT`` is for formulas without an objective.
        """
        self._end(f"BOUNDS INF : {contradiction} INF")

    def optimal(self, contradiction: int, objective: int) -> None:
        """End: nothing is cheaper than the cheapest logged solution.

        ``objective`` is its value in the objective of the formula, without offset.
        """
        self._end(f"BOUNDS {objective} : {contradiction} {objective}")

    def _end(self, conclusion: str) -> None:
        end = "end pseudo-Boolean proof"
        self._write(f"output NONE ;\nconclusion {conclusion} ;\n{end} ;\n", 0)


def packing(formula: Formula) -> list[dict[str, int]]:
    """Return how `xz` packs proofs: setting up a large dictionary takes its time."""
    size = min(max(64 * len(formula.rows), 2**16), 2**20)
    return [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": size}]


def keep_proof(
    instance: Instance,
    path: str | Path,
    write: Callable[[ProofLog], object],
    *,
    seconds: float,
    most_bytes: int = MOST_BYTES,
) -> Proved | Limit:
    """Write a proof to a file, packed by ``xz``, and check it.

    Parameters
    ----------
    instance
        The instance; the proof is about its formula.
    path
        Receives the proof.
    write
        Writes its steps.
    seconds
        Limit on writing, and ten times that on checking.
    most_bytes
        Maximal size, unpacked.

    Returns
    -------
    Proved or Limit
        What the checked proof proves; the limit that ended writing or checking, and
        then no file is left.

    Raises
    ------
    SolverError
        If the proof does not hold.
    """
    deadline = clock.now() + seconds
    formula, _ = run_alarmed(seconds, lambda: formula_of(instance))
    if formula is None or clock.now() >= deadline:
        return Limit.TIME
    with TemporaryDirectory(prefix="closeknit-") as folder:
        draft = Path(folder) / "proof.xz"
        try:
            with lzma.open(
                draft, "wt", encoding="ascii", filters=packing(formula)
            ) as stream:
                write(
                    ProofLog(formula, stream, deadline=deadline, most_bytes=most_bytes)
                )
        except OutOfRoom as ended:
            return ended.limit
        proved = check_own_proof(instance, draft, 10 * seconds)
        if isinstance(proved, Proved):
            write_bytes(path, draft.read_bytes())
        return proved


def check_own_proof(
    instance: Instance, path: str | Path, seconds: float
) -> Proved | Limit:
    """Check a proof of our own making; that it does not hold is an error."""
    try:
        return check_proof_file(
            instance,
            path,
            CheckLimits(seconds=max(seconds, 1.0), now=clock.now),
            FAST,
        )
    except TooLong:
        return Limit.TIME
    except Refused as refused:
        raise SolverError(f"a proof does not hold: {refused}") from None
