"""``worst_known.json``: the worst instances known, method by method; read and written.

    {"format": "closeknit/worst-known", "version": 1, "entries": [
      {"method": "mm", "topology": "16x16-mesh", "n": 12, "k": 8, "ratio": "57/41",
       "cost": 342, "optimum": 246, "how": "...", "date": "2026-11-21",
       "closeknit": "0.1.0", "instance": {"format": "closeknit/ksubset", ...}}, ...]}

There is one entry for a method, a topology and a k: the largest ratio.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...instances import InputError, KSubset, Mesh, Points, Torus, fields
from ...instances.files import read_text, write_text
from ...instances.json_text import dumps
from ...instances.ksubset.generators import shape_text
from ...instances.ksubset.json import document_of, parse_ksubset
from ...instances.parsing import parse_json

FORMAT = "closeknit/worst-known"
PATH = Path(__file__).with_name("worst_known.json")
"""The ledger that belongs to the package."""
_FIELDS = (
    *("method", "topology", "n", "k", "ratio", "cost", "optimum", "how", "date"),
    *("closeknit", "instance"),
)

Key = tuple[str, str, int]
"""Method, topology and k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The worst instance known for a method on a topology, for one k.

    Parameters
    ----------
    method
        Name in the registry.
    instance
        With all that defines it.
    cost, optimum
        What the method pays there, and the least cost.
    how
        How it was found.
    date
        When, as YYYY-MM-DD.
    closeknit
        Version by which it was found.

    Raises
    ------
    InputError
        When the costs cannot be those of a heuristic and of an optimum.
    """

    method: str
    instance: KSubset
    cost: int
    optimum: int
    how: str
    date: str
    closeknit: str

    def __post_init__(self) -> None:
        if not 0 < self.optimum <= self.cost:
            raise InputError(
                f"must be above 0 and at most the cost {self.cost}",
                field="optimum",
                value=self.optimum,
            )

    @property
    def ratio(self) -> Fraction:
        """Cost over optimum, exact."""
        return Fraction(self.cost, self.optimum)

    @property
    def key(self) -> Key:
        """The key of the ledger: one entry each."""
        return self.method, topology_label(self.instance), self.instance.k

    @classmethod
    def of(
        cls, method: str, instance: KSubset, cost: int, optimum: int, how: str
    ) -> Entry:
        """Create an entry of today, found by this version."""
        return cls(
            method=method,
            instance=instance,
            cost=cost,
            optimum=optimum,
            how=how,
            date=date.today().isoformat(),
            closeknit=version("closeknit"),
        )


Entries = Mapping[Key, Entry]


def topology_label(instance: KSubset) -> str:
    """Name the network of an instance, as the ledger does.

    >>> from closeknit.instances import mesh
    >>> topology_label(mesh(4, 3, k=2))
    '4x3-mesh'
    """
    topology = instance.topology
    if isinstance(topology, Points):
        return f"points-d{topology.dimension}"
    if isinstance(topology, Mesh | Torus):
        return f"{shape_text(topology.shape)}-{topology.kind}"
    return f"{topology.kind}-{sum(1 for _ in topology.locations())}"


def read_worst_known(path: str | Path = PATH) -> Entries:
    """Read a ledger; by method, topology and k, in the order of the file.

    Whether the costs are true is not looked at: that is what the claim
    ``worst-known-ledger`` is for.

    Raises
    ------
    InputError
        One line naming the file, the field and the value.
    """
    try:
        document = fields.headed(parse_json(read_text(path), file=path), FORMAT)
        fields.only(document, ("format", "version", "entries"), ("entries",), "")
        rows = fields.lists(document["entries"], "entries")
        entries: dict[Key, Entry] = {}
        for i, row in enumerate(rows):
            entry = _parsed(row, f"entries[{i}]")
            if entry.key in entries:
                raise InputError(
                    "given twice", field=f"entries[{i}]", value=list(entry.key)
                )
            entries[entry.key] = entry
    except InputError as error:
        raise error.of_file(path) from None
    return entries


def _parsed(value: Any, where: str) -> Entry:
    row = fields.objects(value, where)
    fields.only(row, _FIELDS, _FIELDS, where)
    text = {
        name: fields.string(row[name], f"{where}.{name}")
        for name in ("method", "topology", "ratio", "how", "date", "closeknit")
    }
    numbers = {
        name: fields.integer(row[name], f"{where}.{name}")
        for name in ("n", "k", "cost", "optimum")
    }
    try:
        entry = Entry(
            method=text["method"],
            instance=parse_ksubset(row["instance"]),
            cost=numbers["cost"],
            optimum=numbers["optimum"],
            how=text["how"],
            date=date.fromisoformat(text["date"]).isoformat(),
            closeknit=text["closeknit"],
        )
    except InputError as error:
        field = f"{where}.{error.field}"
        if error.value is ...:
            raise InputError(error.problem, field=field) from None
        raise InputError(error.problem, field=field, value=error.value) from None
    except ValueError:
        raise InputError(
            "must be a date such as 2026-11-21",
            field=f"{where}.date",
            value=row["date"],
        ) from None
    for name, expected in _summary(entry).items():
        if row[name] != expected:
            raise InputError(
                f"must be {expected}, as the entry says otherwise",
                field=f"{where}.{name}",
                value=row[name],
            )
    return entry


def _summary(entry: Entry) -> dict[str, Any]:
    """Return derived fields, for readers of the file."""
    _, topology, k = entry.key
    return {
        "topology": topology,
        "n": entry.instance.n,
        "k": k,
        "ratio": str(entry.ratio),
    }


def improved(entries: Entries, new: Iterable[Entry]) -> dict[Key, Entry]:
    """Merge new entries that are worse than the known ones, or of new keys."""
    merged = dict(entries)
    for entry in new:
        old = merged.get(entry.key)
        if old is None or entry.ratio > old.ratio:
            merged[entry.key] = entry
    return merged


def write_worst_known(entries: Entries, path: str | Path = PATH) -> None:
    """Write a ledger, sorted and atomically."""
    rows = ",\n".join(dumps(_document(entries[key])) for key in sorted(entries))
    head = f'{{\n"format": "{FORMAT}",\n"version": 1,\n"entries": [\n'
    write_text(path, f"{head}{rows}\n]\n}}\n")


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "method": entry.method,
        **_summary(entry),
        "cost": entry.cost,
        "optimum": entry.optimum,
        "how": entry.how,
        "date": entry.date,
        "closeknit": entry.closeknit,
        "instance": document_of(entry.instance),
    }
