"""The worst instances known, method by method: the family of worst ratios.

    {"method": "mm", "ratio": "57/41", "cost": 342, "optimum": 246, "how": "...",
     "date": "2026-11-21", "closeknit": "0.1.0",
     "instance": {"format": "closeknit/ksubset", ...}}

There is one entry for a method, a topology and a k: the largest ratio. The method is
run with seed 0 and lexicographic ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from ...instances import InputError, KSubset
from ...instances.ksubset.json import parse_ksubset
from ...instances.reading import fields
from ...instances.support.ksubset import document_of
from ...instances.value import LARGEST
from ...methods import KSUBSET
from ..adversary.hunt import topology_label
from .entries import (
    FOLDER,
    WORST,
    FrontierFile,
    day,
    parse_entry,
    read_entries,
    write_entries,
)

SOURCE = "closeknit worst, which searches; and the worst cases of papers"
_FIELDS: dict[str, fields.Shape[Any]] = {
    **dict.fromkeys(("method", "ratio"), fields.string),
    **dict.fromkeys(("cost", "optimum"), fields.between(1, LARGEST)),
    "how": fields.string,
    "date": day,
    "closeknit": fields.string,
}
"""Fields of an entry in their order, with what reads them; its instance comes last."""
_ENTRY = fields.record({**_FIELDS, "instance": fields.objects})

K = TypeVar("K")
Key = tuple[str, str, int]
"""Method, topology and k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstInstance:
    """The worst instance known for a method on a topology, for one k.

    ``how`` states how it was found, ``closeknit`` by which version, ``date`` when.
    """

    method: str
    instance: KSubset
    cost: int
    optimum: int
    how: str
    date: str
    closeknit: str

    @property
    def ratio(self) -> Fraction:
        """Cost over optimum, exact."""
        return Fraction(self.cost, self.optimum)

    @property
    def key(self) -> Key:
        """What no other entry has."""
        return self.method, topology_label(self.instance.topology), self.instance.k

    @property
    def name(self) -> str:
        """The key in words."""
        return "{} on {}, k = {}".format(*self.key)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of the entry."""
        row = {name: getattr(self, name) for name in _FIELDS}
        instance = document_of(replace(self.instance, source=""))
        return row | {"ratio": str(self.ratio), "instance": instance}

    @classmethod
    def of(
        cls, method: str, instance: KSubset, cost: int, optimum: int, how: str
    ) -> WorstInstance:
        """Create an entry of today, found by this version."""
        found = {"date": date.today().isoformat(), "closeknit": version("closeknit")}
        bare = replace(instance, source="")
        return cls(
            method=method, instance=bare, cost=cost, optimum=optimum, how=how, **found
        )


Entries = Mapping[Key, WorstInstance]


def read_families(where: Path, names: Iterable[str] = ()) -> Iterator[FrontierFile]:
    """Yield the families of a folder, or those named; raises InputError.

    Also if two of them have an instance of the same name or definition.
    """
    seen: dict[str, Path] = {}
    listed = names or sorted(path.stem for path in where.glob("*.json"))
    for name in dict.fromkeys(listed):
        path = where / f"{name}.json"
        file = read_entries(path, parse_worst if name == WORST else parse_entry)
        if file.family != name:
            raise InputError(f"must be {name!r}", "family").of_file(path)
        for entry in file.entries.values():
            for key in {entry.name, getattr(entry, "sha256", entry.name)}:
                if seen.setdefault(key, path) != path:
                    what = f"is in {seen[key]}, too"
                    raise InputError(what, "entries", entry.name).of_file(path)
        yield file


def read_worst(where: str | Path = FOLDER) -> Entries:
    """Read the worst ratios of a frontier, in the order of the file.

    Whether the costs are true is not looked at. Raises InputError: one line naming the
    file, the field and the value.
    """
    found = read_entries(Path(where, f"{WORST}.json"), parse_worst).entries
    return {entry.key: entry for entry in found.values()}


def parse_worst(value: Any, where: str) -> WorstInstance:
    """Decode an entry; raises InputError that names the field and the value."""
    given = _ENTRY(value, where)
    ratio = given.pop("ratio")
    try:
        given["instance"] = parse_ksubset(given["instance"])
        entry = WorstInstance(**given)
        if ratio != str(entry.ratio):
            raise InputError(f"must be {entry.ratio}", "ratio", ratio)
    except InputError as error:
        field = f"{where}.{error.field}"
        raise InputError(error.problem, field, error.value) from None
    return entry


def worst_by(
    entries: Iterable[WorstInstance], key: Callable[[WorstInstance], K]
) -> dict[K, WorstInstance]:
    """Return the entry of the largest ratio for each key; of equal ones the first."""
    worst: dict[K, WorstInstance] = {}
    for entry in entries:
        at = key(entry)
        if at not in worst or entry.ratio > worst[at].ratio:
            worst[at] = entry
    return worst


def merge_worse(
    entries: Entries, new: Iterable[WorstInstance]
) -> dict[Key, WorstInstance]:
    """Merge new entries that are worse than the known ones, or of new keys."""
    return worst_by((*entries.values(), *new), lambda entry: entry.key)


def write_worst(entries: Entries, where: str | Path = FOLDER) -> None:
    """Write the worst ratios of a frontier, sorted and atomically."""
    rows = {entries[key].name: entries[key] for key in sorted(entries)}
    write_entries(Path(where), FrontierFile(WORST, SOURCE, rows), parse_worst)


def guarantee(entry: WorstInstance) -> Fraction | None:
    """Return what the method promises on the instance; None if nothing."""
    promise = KSUBSET[entry.method].guarantee
    return None if promise is None else promise(entry.instance)
