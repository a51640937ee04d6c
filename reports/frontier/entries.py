"""The files of the frontier: a family each, and an entry on each line.

An entry names an instance, the cheapest choice known of it, the best bound that was
proved, and the proof by its digest. Files are read strictly, and nothing they claim is
believed: `closeknit.api.frontier` derives all of it again.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ...instances import InputError, Instance, read_instance
from ...instances.errors import TooLong, in_file
from ...instances.problems import parse_instance
from ...instances.reading import fields
from ...instances.reading.files import MOST_BYTES, read_text
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from ...instances.reading.suggestions import entry_named
from ...instances.solution import FORMAT as SOLUTION
from ...instances.solution import SolutionFile, parse_solution
from ...instances.writing.files import file_in, folder, write_text
from ...proofs.checking import CheckLimits
from ...proofs.checking.folder import digest_of
from ...simulation.families import FAMILIES
from ...solvers import Grade
from ...solvers.running.interrupt import run_alarmed

FORMAT = "closeknit/frontier"
FOLDER = Path(__file__).parents[2] / "frontier"
"""That of the checkout; in an installed package it has the worst ratios alone."""
WORST = "worst-ratios"
"""The family of the worst ratios known, whose entries are those of `worst`."""
MOST_KEPT = 10**6
"""Maximal size of a proof in the folder itself, in bytes, packed."""
_NO_RECIPE = ("file", "trace", "count")
"""Options of generators that read a file, or make several instances."""


class NotHere(InputError):
    """Data or a proof lies outside of the frontier, and is not there."""


@dataclass(frozen=True, slots=True)
class FrontierFile:
    """A family: its name, where its instances are from, and its entries by name."""

    family: str
    source: str
    entries: Mapping[str, Any]

    @property
    def instances(self) -> Collection[FrontierEntry]:
        """Its entries, if they are of instances: there are none among worst ratios."""
        return () if self.family == WORST else tuple(self.entries.values())


@dataclass(frozen=True, slots=True)
class ProofReference:
    """A proof by digest and size; ``again`` is the command that makes it again."""

    sha256: str
    size: int
    again: str = ""

    def path(self, where: Path) -> Path:
        """Return the path of the file, which has the digest and the size stated.

        Raises InputError if it has not; `NotHere` if it is large and not in the folder
        of data.
        """
        path = where / "proofs" / f"{self.sha256}.xz"
        if not path.exists() and self.size > MOST_KEPT:
            path = data_file(f"proofs/{path.name}")
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
    the fields of a solution file that these do not give. ``found`` and ``proved`` are
    the days of the choice and of the bound.
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
    def claims(self) -> SolutionFile:
        """The content of a solution file; raises InputError if it is malformed."""
        return parse_solution(self.solution_document)

    @property
    def solution_document(self) -> dict[str, Any]:
        """The JSON object of a solution file."""
        head = {"format": SOLUTION, "version": 1, "instance": self.name}
        return {**head, "sha256": self.sha256, **self.solution}

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of the entry, without what is empty."""
        row = {name: getattr(self, name) for name in (*_NEEDED, *_OPTIONAL)}
        if self.proof is not None:
            row["proof"] = {"sha256": self.proof.sha256, "bytes": self.proof.size}
            if self.proof.again:
                row["proof"]["again"] = self.proof.again
        return {name: value for name, value in row.items() if value not in (None, "")}

    def read(self) -> Instance:
        """Make, parse or read the instance; its digest is not looked at.

        Raises InputError if it is malformed, `NotHere` if its file is not there.
        """
        [(way, given)] = self.instance.items()
        if way == "document":
            return parse_instance(given, default_name=self.name)
        text = fields.string(given, way)
        return generate(text) if way == "generate" else read_instance(data_file(text))


def data_folder() -> Path:
    """Return the folder that ``CLOSEKNIT_DATA`` names; nothing is in it if unset."""
    return Path(os.environ.get("CLOSEKNIT_DATA") or os.devnull)


def data_file(name: str) -> Path:
    """Return a file in the folder that ``CLOSEKNIT_DATA`` names; `NotHere` if none."""
    if ".." in Path(name).parts or Path(name).is_absolute():
        raise InputError("leads out of the folder", value=name)
    path = data_folder() / name
    with suppress(OSError):  # of a name that is too long
        if path.is_file():
            return path
    raise NotHere("is not in the folder that CLOSEKNIT_DATA names", value=name)


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


def make_within(limits: CheckLimits, make: Callable[[], Instance]) -> Instance:
    """Make an instance; raises `TooLong` if the time that is left is over before."""
    made, _ = run_alarmed(limits.left(), make)
    if made is None:
        raise TooLong(f"takes more than {limits.seconds:g} s to make")
    return made


def matching(pattern: str, what: str) -> fields.Shape[str]:
    """Return the shape of a string that has a form."""

    def decode(value: Any, field: str) -> str:
        if not re.fullmatch(pattern, fields.string(value, field)):
            raise InputError(f"must be {what}", field, value)
        return str(value)

    return decode


def day(value: Any, field: str) -> str:
    """Decode a date of the calendar."""
    text = fields.string(value, field)
    with suppress(ValueError):
        if date.fromisoformat(text).isoformat() == text:
            return text
    raise InputError("must be a date such as 2026-11-21", field, text)


def _reference(value: Any, field: str) -> dict[str, Any]:
    ways = ("document", "generate", "file")
    if len(fields.objects(value, field)) != 1 or not value.keys() <= {*ways}:
        raise InputError(f"must have one of {', '.join(ways)}", field)
    return dict(value)


_DIGEST = matching("[0-9a-f]{64}", "a SHA-256")
_PROOF = fields.record(
    {"sha256": _DIGEST, "bytes": fields.between(1, 2**32)}, {"again": fields.string}
)
_NEEDED: dict[str, fields.Shape[Any]] = {
    "name": fields.string,
    **dict.fromkeys(("n", "k"), fields.integer),
    "instance": _reference,
    "sha256": _DIGEST,
    "solution": fields.objects,
}
_OPTIONAL = {"proof": _PROOF, "found": day, "proved": day, "source": fields.string}
_ENTRY = fields.record({**_NEEDED, "found": day}, _OPTIONAL)
_FAMILY = matching("[a-z0-9]+(-[a-z0-9]+)*", "in lower case, with hyphens")
_FILE = fields.file(
    FORMAT, {"family": _FAMILY, "source": fields.string, "entries": fields.lists}
)


def parse_entry(value: Any, field: str) -> FrontierEntry:
    """Decode an entry; raises InputError that names the field and the value."""
    given = _ENTRY(value, field)
    if proof := given.pop("proof", None):
        kept = (proof["sha256"], proof["bytes"], proof.get("again", ""))
        given["proof"] = ProofReference(*kept)
    entry = FrontierEntry(**given)
    try:
        shown = entry.claims.proof
        if shown is not None and shown.grade is not Grade.CHECKED:
            raise InputError("must be checked", "proof.grade", shown.grade.value)
    except InputError as error:
        where = f"{field}.solution.{error.field}"
        raise InputError(error.problem, where, error.value) from None
    return entry


def read_entries(path: Path, parse: Callable[[Any, str], Any]) -> FrontierFile:
    """Read a file of the frontier, whose rows ``parse`` makes entries with a name.

    Raises InputError: one line naming the file, the field and the value.
    """
    return _file_of(read_text(path), path, parse)


def _file_of(text: str, path: Path, parse: Callable[[Any, str], Any]) -> FrontierFile:
    """Decode the text of a file; raises as `read_entries` does."""
    with in_file(path):
        document = _FILE(parse_json(text, file=path))
        found: dict[str, Any] = {}
        for i, row in enumerate(document["entries"]):
            entry = parse(row, f"entries[{i}]")
            if found.setdefault(entry.name, entry) is not entry:
                raise InputError("given twice", f"entries[{i}]", entry.name)
    return FrontierFile(document["family"], document["source"], found)


def write_entries(
    where: Path, file: FrontierFile, parse: Callable[[Any, str], Any]
) -> None:
    """Write a file of the frontier atomically: a line for each entry, in order.

    Raises InputError, and writes nothing, if `read_entries` could not read it again.
    """
    family = _FAMILY(file.family, "family")
    head = {"format": FORMAT, "version": 1, "family": family, "source": file.source}
    rows = ",\n".join(_line(entry.document) for entry in file.entries.values())
    text = f'{_line(head)[:-1]}, "entries": [\n{rows}\n]}}\n'
    path = file_in(folder(where), f"{family}.json")
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise InputError(f"would be larger than {MOST_BYTES // 2**20} MiB", file=path)
    _file_of(text, path, parse)
    write_text(path, text)


@contextmanager
def changing(where: Path) -> Iterator[None]:
    """Let no other process read a frontier and change it meanwhile."""
    held = os.open(folder(where), os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _line(document: Mapping[str, Any]) -> str:
    return dumps(document).replace("\n  ", " ").replace("\n", "").replace("{ ", "{", 1)
