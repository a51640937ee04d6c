"""The ledger of worst known instances as a document."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...instances import Mesh
from ...methods import KSUBSET
from ..pages.document import Cell, Document, Preformatted, Section, Strong, Table
from .worst_known import Entries, Entry

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
    kinds: dict[str, list[Entry]] = {}
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


def _table(kind: str, entries: list[Entry]) -> Section:
    titles = {
        "mesh": "Occupancies of meshes",
        "torus": "Occupancies of tori and rings",
        "points": "Points in space",
        "tree": "Trees",
    }
    ks = sorted({entry.instance.k for entry in entries})
    best: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        key = entry.method, entry.instance.k
        if key not in best or entry.ratio > best[key].ratio:
            best[key] = entry
    rows: list[tuple[Cell, ...]] = []
    for method in KSUBSET:
        if any(name == method for name, _ in best):
            promised = (
                KSUBSET[method].doc_entry("Guarantee").rstrip(".").partition(",")[0]
            )
            cells = (_cell(best.get((method, k))) for k in ks)
            rows.append((method, *cells, _short(promised)))
    table = Table(
        columns=("*method", *(f"*k = {k}" for k in ks), "*guarantee"),
        rows=rows,
    )
    return Section(title=titles[kind], tables=(table,))


def _cell(entry: Entry | None) -> Cell:
    if entry is None:
        return ""
    _, topology, _ = entry.key
    shown = f"{float(entry.ratio):.4f} = {entry.ratio}"
    proved = ", proved" if entry.how.startswith("exhaustive") else ""
    return (
        Strong(shown) if entry.ratio == guarantee(entry) else shown,
        f" ({topology}, n = {entry.instance.n}{proved})",
    )


def guarantee(entry: Entry) -> Fraction | None:
    """Return what the method promises on the instance; None if nothing."""
    promise = KSUBSET[entry.method].guarantee
    return None if promise is None else promise(entry.instance)


def _short(text: str) -> str:
    text = text.partition(";")[0].partition(". ")[0]
    return text if len(text) <= 60 else text[:57] + "..."


def _open_questions(entries: Iterable[Entry]) -> Section:
    """List the best lower bounds where no tight constant is known."""
    known = list(entries)
    items = []
    for name in OPEN:
        items += _lower_bounds(name, [entry for entry in known if entry.method == name])
    curves = [
        entry
        for entry in known
        if entry.method.startswith("hilbert/")
        and entry.instance.topology.kind == "mesh"
        and entry.instance.topology.dimension == 3
    ]
    items += _lower_bounds("hilbert/... on meshes of three axes", curves)
    return Section(title="Where no tight constant is known", items=tuple(items))


def _lower_bounds(name: str, entries: list[Entry]) -> list[str]:
    """Return an item with the largest ratio, and with that for more than two."""
    if not entries:
        return []
    worst = max(entries, key=lambda entry: entry.ratio)
    text = f"{name}: at least {_bound(worst)}"
    more = [entry for entry in entries if entry.instance.k >= _SEVERAL]
    if worst not in more and more:
        text += f"; for k ≥ {_SEVERAL}, {_bound(max(more, key=lambda e: e.ratio))}"
    return [text]


def _bound(entry: Entry) -> str:
    _, topology, k = entry.key
    shown = f"{entry.ratio} = {float(entry.ratio):.4f}"
    return f"{shown} at k = {k} ({entry.method}, {topology}; {entry.how})"


def _pictures(entries: Iterable[Entry]) -> Section:
    """Draw the worst instances of the methods in `_DRAWN`, if small."""
    best: dict[str, tuple[Entry, Mesh]] = {}
    for entry in entries:
        mesh, name = entry.instance.topology, entry.method
        if not isinstance(mesh, Mesh) or mesh.dimension != 2:
            continue
        if max(mesh.shape) > _LARGEST_DRAWN or name not in _DRAWN:
            continue
        if name not in best or entry.ratio > best[name][0].ratio:
            best[name] = entry, mesh
    text: list[str] = []
    for name in sorted(best):
        entry, mesh = best[name]
        height, width = mesh.shape
        free = set(entry.instance.free)
        cost = f"{entry.cost} against {entry.optimum} (o free)"
        text.append(f"{name}, k = {entry.instance.k}: {cost}")
        lines = (
            " ".join(_FREE if (x, y) in free else _EMPTY for y in range(width))
            for x in range(height)
        )
        text.append(Preformatted("\n".join(lines)))
    return Section(title="Pictures", text=tuple(text))
