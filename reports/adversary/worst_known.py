"""``worst_known.json``: the worst instances known, method by method; also as a page.

    {"format": "closeknit/worst-known", "version": 1, "entries": [
      {"method": "mm", "topology": "16x16-mesh", "n": 12, "k": 8, "ratio": "57/41",
       "cost": 342, "optimum": 246, "how": "...", "date": "2026-11-21",
       "closeknit": "0.1.0", "instance": {"format": "closeknit/ksubset", ...}}, ...]}

There is one entry for a method, a topology and a k: the largest ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from ...instances import InputError, KSubset
from ...instances.ksubset.json import document_of, parse_ksubset
from ...instances.reading import fields
from ...instances.reading.files import read_text, write_text
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from ...methods import KSUBSET
from ..pages.document import Cell, Document, Preformatted, Section, Strong, Table
from .hunt import topology_label

FORMAT = "closeknit/worst-known"
PATH = Path(__file__).with_name("worst_known.json")
"""The ledger that belongs to the package."""
_FIELDS = {
    **dict.fromkeys(("method", "topology"), fields.string),
    **dict.fromkeys(("n", "k"), fields.integer),
    "ratio": fields.string,
    **dict.fromkeys(("cost", "optimum"), fields.integer),
    **dict.fromkeys(("how", "date", "closeknit"), fields.string),
}
"""Fields of an entry in their order, with what reads them; its instance comes last."""

K = TypeVar("K")
Key = tuple[str, str, int]
"""Method, topology and k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstInstance:
    """The worst instance known for a method on a topology, for one k.

    ``how`` states how it was found, ``closeknit`` by which version, ``date`` when, as
    YYYY-MM-DD. Costs that cannot be those of a heuristic and an optimum are refused.
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
        return self.method, topology_label(self.instance.topology), self.instance.k

    @classmethod
    def of(
        cls, method: str, instance: KSubset, cost: int, optimum: int, how: str
    ) -> WorstInstance:
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


Entries = Mapping[Key, WorstInstance]

_DERIVED: dict[str, Callable[[WorstInstance], Any]] = {
    "topology": lambda entry: entry.key[1],
    "n": lambda entry: entry.instance.n,
    "k": lambda entry: entry.instance.k,
    "ratio": lambda entry: str(entry.ratio),
}
"""Fields that follow from others, for readers of the file."""


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
        document = fields.check_header(parse_json(read_text(path), file=path), FORMAT)
        fields.only(document, ("format", "version", "entries"), ("entries",), "")
        rows = fields.lists(document["entries"], "entries")
        entries: dict[Key, WorstInstance] = {}
        for i, row in enumerate(rows):
            entry = _parse(row, f"entries[{i}]")
            if entry.key in entries:
                raise InputError(
                    "given twice", field=f"entries[{i}]", value=list(entry.key)
                )
            entries[entry.key] = entry
    except InputError as error:
        raise error.of_file(path) from None
    return entries


def _parse(value: Any, where: str) -> WorstInstance:
    row = fields.objects(value, where)
    known = (*_FIELDS, "instance")
    fields.only(row, known, known, where)
    given: dict[str, Any]
    given = {name: read(row[name], f"{where}.{name}") for name, read in _FIELDS.items()}
    derived = {name: given.pop(name) for name in _DERIVED}
    try:
        given["date"] = date.fromisoformat(row["date"]).isoformat()
        entry = WorstInstance(**given, instance=parse_ksubset(row["instance"]))
    except InputError as error:
        field = f"{where}.{error.field}"
        raise InputError(error.problem, field=field, value=error.value) from None
    except ValueError:
        raise InputError(
            "must be a date such as 2026-11-21",
            field=f"{where}.date",
            value=row["date"],
        ) from None
    for name, stated in derived.items():
        if stated != (expected := _DERIVED[name](entry)):
            raise InputError(
                f"must be {expected}, as the entry says otherwise",
                field=f"{where}.{name}",
                value=stated,
            )
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


def write_worst_known(entries: Entries, path: str | Path = PATH) -> None:
    """Write a ledger, sorted and atomically."""
    rows = ",\n".join(dumps(_document(entries[key])) for key in sorted(entries))
    head = f'{{\n"format": "{FORMAT}",\n"version": 1,\n"entries": [\n'
    write_text(path, f"{head}{rows}\n]\n}}\n")


def _document(entry: WorstInstance) -> dict[str, Any]:
    row = {
        name: _DERIVED[name](entry) if name in _DERIVED else getattr(entry, name)
        for name in _FIELDS
    }
    return row | {"instance": document_of(entry.instance)}


# The ledger as a page

COMMAND = "closeknit worst --table"
OPEN = (
    *("mm-inc", "mm-inc-first", "mm-inc-all", "mc", "mbs", "paging", "plas"),
    *("mc-elongated", "hilbert/best-fit", "thrifty"),
)
"""Methods for which no tight constant is known."""
_DRAWN = (*OPEN, "mm", "mm-free", "mc1x1")
_SEVERAL = 8
"""Bounds for two or three processors say little: they are distances."""
_EMPTY, _FREE = "·", "o"
_LARGEST_DRAWN = 16


def worst_document(entries: Entries) -> Document:
    """Build the page: a table by method and k, the open questions, pictures."""
    kinds: dict[str, list[WorstInstance]] = {}
    for entry in entries.values():
        kinds.setdefault(entry.instance.topology.kind, []).append(entry)
    return Document(
        name="worst-known",
        title="The worst instances known",
        lead=(
            f"Written by `{COMMAND}` from the ledger "
            "`reports/adversary/worst_known.json`. Every ratio is a cost over a proven "
            "optimum; `closeknit verify "
            "worst-known-ledger` runs method and exact route again on every instance. "
            "`closeknit worst METHOD` looks for worse ones. A ratio is the largest one "
            "found, hence a lower bound on what the method can do; it is bold where "
            "its guarantee for this k is attained. Ties are broken by coordinates, and "
            "an instance may owe its ratio to that.",
        ),
        sections=(
            *(
                _table(kind, kinds[kind])
                for kind in sorted(kinds, key=lambda kind: (kind != "mesh", kind))
            ),
            _open_questions(entries.values()),
            _pictures(entries.values()),
        ),
    )


def _table(kind: str, entries: list[WorstInstance]) -> Section:
    titles = {
        "mesh": "Occupancies of meshes",
        "torus": "Occupancies of tori and rings",
        "points": "Points in space",
        "tree": "Trees",
    }
    ks = sorted({entry.instance.k for entry in entries})
    best = worst_by(entries, lambda entry: (entry.method, entry.instance.k))
    rows: list[tuple[Cell, ...]] = []
    for name, method in KSUBSET.items():
        if name in {known for known, _ in best}:
            promised = method.doc_entry("Guarantee").rstrip(".").partition(",")[0]
            cells = (_cell(best.get((name, k))) for k in ks)
            rows.append((name, *cells, _short(promised)))
    table = Table(
        columns=("*method", *(f"*k = {k}" for k in ks), "*guarantee"),
        rows=rows,
    )
    return Section(title=titles[kind], tables=(table,))


def _cell(entry: WorstInstance | None) -> Cell:
    if entry is None:
        return ""
    _, topology, _ = entry.key
    shown = f"{float(entry.ratio):.4f} = {entry.ratio}"
    proved = ", proved" if entry.how.startswith("exhaustive") else ""
    return (
        Strong(shown) if entry.ratio == guarantee(entry) else shown,
        f" ({topology}, n = {entry.instance.n}{proved})",
    )


def guarantee(entry: WorstInstance) -> Fraction | None:
    """Return what the method promises on the instance; None if nothing."""
    promise = KSUBSET[entry.method].guarantee
    return None if promise is None else promise(entry.instance)


def _short(text: str) -> str:
    text = text.partition(";")[0].partition(". ")[0]
    return text if len(text) <= 60 else text[:57] + "..."


def _open_questions(entries: Iterable[WorstInstance]) -> Section:
    """List the best lower bounds where no tight constant is known."""
    known = list(entries)
    items = []
    for name in OPEN:
        items += _lower_bounds(name, [entry for entry in known if entry.method == name])
    curves = [
        entry
        for entry in known
        if entry.method.startswith("hilbert/")
        and entry.instance.topology.is_mesh
        and entry.instance.topology.dimension == 3
    ]
    items += _lower_bounds("hilbert/... on meshes of three axes", curves)
    return Section(title="Where no tight constant is known", items=tuple(items))


def _lower_bounds(name: str, entries: list[WorstInstance]) -> list[str]:
    """Return an item with the largest ratio, and with that for more than two."""
    if not entries:
        return []
    worst = max(entries, key=lambda entry: entry.ratio)
    text = f"{name}: at least {_bound(worst)}"
    more = [entry for entry in entries if entry.instance.k >= _SEVERAL]
    if worst not in more and more:
        text += f"; for k ≥ {_SEVERAL}, {_bound(max(more, key=lambda e: e.ratio))}"
    return [text]


def _bound(entry: WorstInstance) -> str:
    _, topology, k = entry.key
    shown = f"{entry.ratio} = {float(entry.ratio):.4f}"
    return f"{shown} at k = {k} ({entry.method}, {topology}; {entry.how})"


def _pictures(entries: Iterable[WorstInstance]) -> Section:
    """Draw the worst instances of the methods in `_DRAWN`, if small."""
    text: list[str] = []
    worst = worst_by(filter(_drawn, entries), lambda entry: entry.method)
    for name, entry in sorted(worst.items()):
        free = set(entry.instance.free)
        cost = f"{entry.cost} against {entry.optimum} (o free)"
        text.append(f"{name}, k = {entry.instance.k}: {cost}")
        height, width = entry.instance.topology.size
        lines = (
            " ".join(_FREE if (x, y) in free else _EMPTY for y in range(width))
            for x in range(height)
        )
        text.append(Preformatted("\n".join(lines)))
    return Section(title="Pictures", text=tuple(text))


def _drawn(entry: WorstInstance) -> bool:
    mesh = entry.instance.topology
    return entry.method in _DRAWN and mesh.is_plane and max(mesh.size) <= _LARGEST_DRAWN
