"""The files of the frontier: a family each, and an entry on each line.

An entry names an instance, the cheapest choice known of it, the best bound that was
proved, and the proof by its digest. Files are read strictly, and nothing they claim is
believed: `closeknit.api.frontier` derives all of it again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ...instances import InputError, Instance, problem_of, read_instance
from ...instances.problems import parse_instance
from ...instances.reading import fields
from ...instances.reading.files import file_in, folder, read_text, write_text
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from ...instances.reading.suggestions import entry_named
from ...instances.solution import FORMAT as SOLUTION
from ...proofs.checking.folder import digest_of
from ...simulation.families import FAMILIES
from ...solvers import Grade
from ...solvers.running.solution_json import SolutionFile, parse_solution

FORMAT = "closeknit/frontier"
FOLDER = Path(__file__).parents[2] / "frontier"
"""That of the checkout; in an installed package it has the worst ratios alone."""
WORST = "worst-ratios"
"""The family of the worst ratios known, whose entries are those of `worst`."""
MOST_KEPT = 10**6
"""Maximal size of a proof in the folder itself, in bytes, packed."""
_NO_RECIPE = ("file", "trace", "count")
"""Options of generators that read a file, or make several instances."""
_FAMILY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class NotHere(InputError):
    """Data or a proof lies outside of the frontier, and is not there."""


class Keyed(Protocol):
    """What is listed: an entry with a key of its own."""

    @property
    def key(self) -> Any:
        """What no other entry of the file has."""

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of the entry."""


E = TypeVar("E", bound=Keyed)


@dataclass(frozen=True, slots=True)
class FrontierFile(Generic[E]):
    """A family: its name, where its instances are from, and its entries by key."""

    family: str
    source: str
    entries: Mapping[Any, E]


@dataclass(frozen=True, slots=True)
class ProofReference:
    """A proof by digest and size; ``again`` is the command that makes it again."""

    sha256: str
    size: int
    again: str = ""

    def path(self, where: Path) -> Path:
        """Return the path of the file; it has the digest and the size stated.

        Raises InputError if it has others, or is missing though small enough to be
        kept; `NotHere` if it is larger and not in the folder of data.
        """
        name = f"{self.sha256}.xz"
        path = where / "proofs" / name
        if not path.exists() and self.size > MOST_KEPT:
            path = data_file(f"proofs/{name}")
        if path.is_symlink() or not path.is_file():
            raise InputError("is no file", file=path)
        if (path.stat().st_size, digest_of(path)) != (self.size, self.sha256):
            raise InputError("has another digest or size than the entry", file=path)
        return path


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierEntry:
    """What is known of an instance.

    ``instance`` is its document, the words after ``closeknit generate`` that make it,
    or the name of a file in the folder of data; ``sha256`` its digest. ``solution`` has
    the fields of a solution file that these do not give. ``found`` and ``proved``
    are the days of the choice and of the bound.
    """

    name: str
    n: int
    k: int
    instance: Mapping[str, Any]
    sha256: str
    solution: Mapping[str, Any]
    proof: ProofReference | None = None
    found: str
    proved: str = ""
    source: str = ""

    @property
    def key(self) -> str:
        """The name of the instance."""
        return self.name

    label = key

    @property
    def claims(self) -> SolutionFile:
        """The content of a solution file; raises InputError if it is malformed."""
        head = {"format": SOLUTION, "version": 1, "instance": self.name}
        return parse_solution({**head, "sha256": self.sha256, **self.solution})

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of the entry, without what is empty."""
        row = {name: getattr(self, name) for name in (*_NEEDED, *_OPTIONAL)}
        if self.proof is not None:
            again = {"again": self.proof.again} if self.proof.again else {}
            size = {"sha256": self.proof.sha256, "bytes": self.proof.size}
            row["proof"] = size | again
        return {name: value for name, value in row.items() if value not in (None, "")}

    def read(self) -> Instance:
        """Make, parse or read the instance; its digest is not looked at.

        Raises InputError if it is malformed, `NotHere` if its file is not there.
        """
        [(way, given)] = self.instance.items()
        return _WAYS[way](given, self.name)


def day(value: Any, field: str) -> str:
    """Return a value that must be a date, as YYYY-MM-DD."""
    try:
        return date.fromisoformat(fields.string(value, field)).isoformat()
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        problem = "must be a date such as 2026-11-21"
        raise InputError(problem, field, value) from None


def _hexadecimal(value: Any, field: str) -> str:
    if not re.fullmatch("[0-9a-f]{64}", fields.string(value, field)):
        raise InputError("must be a SHA-256", field, value)
    return str(value)


def data_file(name: str) -> Path:
    """Return a file in the folder that ``CLOSEKNIT_DATA`` names; `NotHere` if none."""
    path = Path(os.environ.get("CLOSEKNIT_DATA") or os.devnull, name)
    if ".." in Path(name).parts or Path(name).is_absolute():
        raise InputError("leads out of the folder", value=name)
    if not path.is_file():
        raise NotHere("is not in the folder that CLOSEKNIT_DATA names", value=name)
    return path


def generate(recipe: str) -> Instance:
    """Make an instance by the words that follow ``closeknit generate``.

    Raises InputError if they do not make one instance, or read a file.

    >>> generate("full --shape 4x4 --k 4").name
    '4x4-full-k4'
    """
    name, *words = recipe.split() or [""]
    family = entry_named(name, FAMILIES, "generate", "family")
    values: dict[str, Any] = {}
    given = iter(words)
    for word in given:
        one = family.parameter(word.removeprefix("--"))
        if one is None or word != f"--{one.name}" or one.name in _NO_RECIPE:
            raise InputError("is no option of a recipe", "generate", word)
        values[one.name] = True if one.flag else one.value_of(next(given, ""))
    for one in family.parameters:
        if one.required and one.name not in values:
            raise InputError("is missing", f"generate --{one.name}")
    [instance] = family.instances(values)
    return instance


_WAYS: dict[str, Callable[[Any, str], Instance]] = {
    "document": lambda given, name: parse_instance(given, default_name=name),
    "generate": lambda given, name: generate(fields.string(given, "generate")),
    "file": lambda given, name: read_instance(data_file(fields.string(given, "file"))),
}
"""By the only field of the reference to an instance, what makes the instance."""


def _reference(value: Any, field: str) -> dict[str, Any]:
    if len(fields.objects(value, field)) != 1 or not value.keys() <= _WAYS.keys():
        raise InputError(f"must have one of {', '.join(_WAYS)}", field)
    return dict(value)


def _proof(value: Any, field: str) -> ProofReference:
    needed = {"sha256": _hexadecimal, "bytes": fields.between(1, 2**32)}
    given = fields.record(needed, {"again": fields.string})(value, field)
    return ProofReference(given["sha256"], given["bytes"], given.get("again", ""))


_NEEDED: dict[str, fields.Shape[Any]] = {
    "name": fields.string,
    **dict.fromkeys(("n", "k"), fields.integer),
    "instance": _reference,
    "sha256": _hexadecimal,
    "solution": fields.objects,
}
_OPTIONAL = {"proof": _proof, "found": day, "proved": day, "source": fields.string}
_ENTRY = fields.record({**_NEEDED, "found": day}, _OPTIONAL)
_FILE = fields.file(
    FORMAT, {"family": fields.string, "source": fields.string, "entries": fields.lists}
)


def parse_entry(value: Any, field: str) -> FrontierEntry:
    """Decode an entry; raises InputError that names the field and the value."""
    entry = FrontierEntry(**_ENTRY(value, field))
    try:
        proof = entry.claims.proof
        if proof is not None and proof.grade is not Grade.CHECKED:
            raise InputError("must be checked", "proof.grade", proof.grade.value)
    except InputError as error:
        where = f"{field}.solution.{error.field}"
        raise InputError(error.problem, where, error.value) from None
    return entry


def read_entries(path: Path, parse: Callable[[Any, str], E]) -> FrontierFile[E]:
    """Read a file of the frontier.

    Raises InputError: one line naming the file, the field and the value.
    """
    try:
        document = _FILE(parse_json(read_text(path), file=path))
        found: dict[Any, E] = {}
        for i, row in enumerate(document["entries"]):
            entry = parse(row, f"entries[{i}]")
            if found.setdefault(entry.key, entry) is not entry:
                raise InputError("given twice", f"entries[{i}]", entry.key)
    except InputError as error:
        raise error.of_file(path) from None
    return FrontierFile(document["family"], document["source"], found)


def write_entries(
    where: Path, family: str, source: str, entries: Iterable[Keyed]
) -> None:
    """Write a file of the frontier atomically: a line for each entry."""
    if not _FAMILY.fullmatch(family):
        raise InputError("must be in lower case, with hyphens", "family", family)
    head = _line({"format": FORMAT, "version": 1, "family": family, "source": source})
    rows = ",\n".join(_line(entry.document) for entry in entries)
    path = file_in(folder(where), f"{family}.json")
    write_text(path, f'{head[:-1]}, "entries": [\n{rows}\n]}}\n')


def _line(document: Mapping[str, Any]) -> str:
    return dumps(document).replace("\n  ", " ").replace("\n", "").replace("{ ", "{", 1)


def read_families(
    where: Path, names: Iterable[str] = ()
) -> Iterator[FrontierFile[FrontierEntry]]:
    """Yield the families of a folder, or those named; not that of the worst ratios."""
    for name in names or sorted(path.stem for path in where.glob("*.json")):
        if name != WORST:
            file = read_entries(where / f"{name}.json", parse_entry)
            if file.family != name:
                wrong = InputError("must name the file", "family", file.family)
                raise wrong.of_file(where / f"{name}.json")
            yield file


def write_family(where: Path, file: FrontierFile[FrontierEntry]) -> None:
    """Write a family, small instances first."""
    rows = sorted(file.entries.values(), key=lambda one: (one.n, one.k, one.name))
    write_entries(where, file.family, file.source, rows)


def sizes_of(instance: Instance) -> tuple[int, int]:
    """Return how many there are to choose from, and how many are wanted."""
    found = problem_of(instance).features(instance)
    return found.n, found.k
