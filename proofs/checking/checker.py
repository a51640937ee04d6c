"""Checking of pseudo-Boolean proofs, step by step, in integers of any size.

A proof claims that no assignment of a formula costs less than a bound, or that there is
none; the formats are those of VeriPB 1.0 to 3.0. `KINDS` states which rules there are,
how often and where they may come, and `rules` what they do and why that is sound;
docs/science/proofs.md has the same table. Written for reviewers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from .propagation import Propagator
from .rows import Formula
from .rules import Parts, Rules
from .statements import (
    VERSIONS,
    CheckLimits,
    NoProof,
    Refused,
    Statements,
    TimeBudget,
    TooLong,
    split,
)
from .store import Store


@dataclass(frozen=True, slots=True)
class ProvenResult:
    """What a proof proves, in the units of the formula's objective."""

    bound: int | None
    """No assignment costs less; None if there is no assignment at all."""
    steps: int
    """Number of steps, comments left out."""


def check_proof(
    formula: Formula,
    lines: Iterable[str],
    limits: CheckLimits | None = None,
    propagator: type[Propagator] = Propagator,
) -> ProvenResult:
    """Check a proof about a formula.

    Raises
    ------
    Refused
        If a step does not follow; names the step and its line.
    NoProof
        If the text is no proof in a known format; names the step and its line.
    TooLong
        If a limit is reached first.
    """
    limits = limits or CheckLimits()
    spend = TimeBudget(limits).spend
    statements = Statements(lines, limits, spend)
    store = Store(formula, statements.version, limits, spend, propagator)
    checker, steps = Checker(store), 0
    try:
        for words in statements:
            steps += 1
            checker.carry_out(words)
            if checker.place is Place.OVER:
                break
        if not checker.proved or checker.place is not Place.OVER:
            raise Refused("ends without a conclusion")
        return ProvenResult(checker.bound, steps)
    except TooLong:
        raise
    except (Refused, NoProof, ValueError, IndexError, OverflowError) as error:
        where = f"step {steps} (line {statements.line})"
        if isinstance(error, Refused):
            raise Refused(f"{where}: {error}", steps) from None
        why = error if isinstance(error, NoProof) else "cannot be read"
        raise NoProof(f"{where}: {why}") from None


class Place(Enum):
    """How far a proof has come."""

    HEADER = "the header"
    STEP = "a step"
    OUTPUT = "the output"
    CONCLUSION = "the conclusion"
    OVER = "the end"


class Where(Enum):
    """How often a kind of statement may come, and where, in the words of the docs."""

    ANY = "any"
    ONCE = "once"
    FIRST = "once, first"
    OUTPUT = "once, then the conclusion"
    CONCLUSION = "once, then the end"
    END = "once, behind the conclusion"
    LAST = "once, last"


_STEPS = (Place.HEADER, Place.STEP)
_MAY_FOLLOW = {
    Where.ANY: (_STEPS, Place.STEP),
    Where.ONCE: (_STEPS, Place.STEP),
    Where.FIRST: ((Place.HEADER,), Place.STEP),
    Where.OUTPUT: (_STEPS, Place.OUTPUT),
    Where.CONCLUSION: ((*_STEPS, Place.OUTPUT), Place.CONCLUSION),
    Where.END: ((Place.CONCLUSION,), Place.OVER),
    Where.LAST: (_STEPS, Place.OVER),
}
"""What statements may come behind, and where a proof is then."""


class Checker(Rules):
    """Carries out the statements of a proof, each only where it may come."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.place = Place.HEADER
        self._once: set[str] = set()

    def carry_out(self, words: list[str]) -> None:
        """Carry out a statement, if it may come here."""
        label = words.pop(0) if words[0].startswith("@") else ""
        name, version = words.pop(0), self.store.version
        kind = KINDS.get(name)
        where = kind.where.get(version) if kind else None
        if kind is None or where is None:
            problem = f"is not supported in version {version}"
            raise NoProof(f"rule {name[:40]} {problem}")
        before, after = _MAY_FOLLOW[where]
        if self.place not in before or name in self._once:
            times = "again" if name in self._once else f"behind {self.place.value}"
            raise NoProof(f"{name} may not come {times}")
        if label and not (kind.labelled and version == "3.0"):
            raise NoProof(f"{name} takes no label")
        key = kind.rule(self, split(words, kind.parts))
        if label:
            self.store.label(label, self.store.last if key is None else key)
        self.place = after
        if where is not Where.ANY:
            self._once.add(name)


class Kind(NamedTuple):
    """A kind of statement."""

    rule: Callable[[Rules, Parts], int | None]
    where: dict[str, Where]
    """How often and where it may come, by version; none if it is not part of one."""
    parts: int = 1
    """Most parts that colons or semicolons separate."""
    labelled: bool = False
    """Whether a label may name a row by it, in version 3.0."""


def _in(where: Where, since: str = "1.0", until: str = "3.0") -> dict[str, Where]:
    return {version: where for version in VERSIONS if since <= version <= until}


KINDS = {
    "f": Kind(Rules.formula, _in(Where.ONCE, until="1.2") | _in(Where.FIRST, "2.0")),
    "l": Kind(Rules.load, _in(Where.ANY, until="1.2")),
    "pol": Kind(Rules.combine, _in(Where.ANY), labelled=True),
    "p": Kind(Rules.combine, _in(Where.ANY, until="2.0")),
    "rup": Kind(Rules.propagate, _in(Where.ANY), 2, labelled=True),
    "u": Kind(Rules.propagate, _in(Where.ANY, until="2.0"), 2),
    "red": Kind(Rules.redundance, _in(Where.ANY), 2, labelled=True),
    "soli": Kind(Rules.improve, _in(Where.ANY), labelled=True),
    "o": Kind(Rules.improve, _in(Where.ANY, until="2.0")),
    "sol": Kind(Rules.log, _in(Where.ANY, "2.0")),
    "e": Kind(Rules.compare, _in(Where.ANY), 2, labelled=True),
    "del": Kind(Rules.delete, _in(Where.ANY)),
    "d": Kind(Rules.delete_listed, _in(Where.ANY, until="2.0")),
    "delc": Kind(Rules.delete_listed, _in(Where.ANY, "2.0")),
    "deld": Kind(Rules.delete_listed, _in(Where.ANY, "2.0")),
    "core": Kind(Rules.skip, _in(Where.ANY, "2.0")),
    "output": Kind(Rules.output, _in(Where.OUTPUT, "2.0")),
    "c": Kind(Rules.contradict, _in(Where.LAST, until="1.2")),
    "conclusion": Kind(Rules.conclude, _in(Where.CONCLUSION, "2.0"), 2),
    "end": Kind(Rules.end, _in(Where.END, "2.0")),
}
"""The rules by their names."""
