"""Deriving entries of the frontier again: instances, costs, bounds and ratios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ...instances import InputError, sha256
from ...instances.escape_hidden import escape_hidden
from ...proofs.checking import CheckLimits
from ...proofs.checking.kinds import reading_proof
from ...proofs.checking.statements import TooLong
from ...reports.claims.ksubset.families import find_misstatement
from ...reports.claims.running.claim import Trial
from ...reports.frontier.entries import (
    WORST,
    FrontierEntry,
    NotHere,
    read_families,
    sizes_of,
)
from ...reports.frontier.worst import WorstInstance, read_worst
from ...solvers import Grade, Proof, solution_errors
from ..examining import examine

Listed = tuple[str, FrontierEntry | WorstInstance]
"""A family, and an entry of it."""


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """The outcome for an entry: ``holds``, ``wrong`` or ``not checked``, and why."""

    family: str
    name: str
    word: str
    why: str

    @property
    def line(self) -> str:
        """One line for people."""
        return escape_hidden(f"{self.family}: {self.name}: {self.word}: {self.why}")


def list_entries(where: Path, names: Iterable[str] = ()) -> list[Listed]:
    """Return the entries of a folder, or of the families named, in order.

    Raises InputError if a file is malformed, or there is none of that name.
    """
    names = list(names)
    found: list[Listed] = [
        (file.family, entry)
        for file in (() if names == [WORST] else read_families(where, names))
        for entry in file.entries.values()
    ]
    if WORST in names or (not names and (where / f"{WORST}.json").exists()):
        found += ((WORST, entry) for entry in read_worst(where).values())
    return found


def draw_sample(entries: list[Listed], size: int, seed: int) -> list[Listed]:
    """Draw some entries, each once, in their order."""
    drawn = Random(seed).sample(range(len(entries)), min(size, len(entries)))
    return [entries[i] for i in sorted(drawn)]


def check_entries(
    where: Path,
    entries: Iterable[Listed],
    limits: CheckLimits,
    *,
    plain: bool = False,
) -> Iterator[EntryCheck]:
    """Derive entries again, one after the other, each within the limits.

    What lies outside of the folder and is not there, or takes longer than the limit, is
    ``not checked``; what else cannot be followed is wrong.
    """
    for family, entry in entries:
        word = "wrong"
        try:
            if isinstance(entry, WorstInstance):
                why = find_misstatement(Trial(), entry)
            else:
                why = _objection(where, entry, limits, plain)
            word = "wrong" if why else "holds"
        except (NotHere, TooLong) as error:
            word, why = "not checked", str(error)
        except InputError as error:
            why = str(error)
        yield EntryCheck(family, entry.label, word, why)


def _objection(
    where: Path, entry: FrontierEntry, limits: CheckLimits, plain: bool
) -> str:
    """Return what is not true of an entry, or not shown; "" if all is."""
    instance, claimed = entry.read(), entry.claims
    if sha256(instance) != entry.sha256:
        return "sha256: the instance has another digest"
    if wrong := solution_errors(instance, claimed):
        return wrong[0]
    if (sizes := sizes_of(instance)) != (entry.n, entry.k):
        return f"n, k: are {entry.n}, {entry.k}, not {sizes[0]}, {sizes[1]}"
    path = None if entry.proof is None else entry.proof.path(where)
    if path is not None:
        with reading_proof(path) as (kind, _):
            if claimed.proof != (known := Proof(Grade.CHECKED, kind)):
                return f"proof: is {known}, not {claimed.proof}"
    found = examine(instance, claimed, path, limits=limits, plain=plain)
    return next(iter(found.wrong or found.objection((), "a proof")), "")
