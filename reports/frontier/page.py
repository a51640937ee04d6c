"""The frontier as a page: a table a family, and the worst ratios with pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...instances.words import with_noun
from ...methods import KSUBSET
from ...solvers import Status
from ..pages.document import Cell, Document, Name, Preformatted, Section, Strong, Table
from ..pages.numbers import price
from .entries import WORST, FrontierEntry, FrontierFile
from .worst import WorstInstance, guarantee, worst_by

COMMAND = "closeknit frontier page"
_DRAWN = (
    *("mm", "mm-free", "mm-inc", "mm-inc-first", "mm-inc-all", "mc1x1", "mc", "mbs"),
    *("paging", "plas", "mc-elongated", "hilbert/best-fit", "thrifty"),
)
_SETTLED = (Status.OPTIMAL, Status.INFEASIBLE)
_EMPTY, _FREE = "·", "o"
_LARGEST_DRAWN = 16


def frontier_document(files: Iterable[FrontierFile]) -> Document:
    """Build the page: a table a family, then the worst ratios, and pictures."""
    listed = {file.family: file for file in files}
    worst = listed.pop(WORST, None)
    entries: list[WorstInstance] = list(worst.entries.values() if worst else ())
    kinds: dict[str, list[WorstInstance]] = {}
    for entry in entries:
        kinds.setdefault(entry.instance.topology.kind, []).append(entry)
    every = [entry for file in listed.values() for entry in file.entries.values()]
    optimal = sum(entry.claims.status in _SETTLED for entry in every)
    bare = sum("proof" not in entry.solution for entry in every)
    return Document(
        name="frontier",
        title="The frontier: best values, bounds and proofs",
        lead=(
            f"Written by `{COMMAND}` from the files in `frontier/`; see its README. "
            "Every choice is priced by the definition; each bound has a proof that was "
            "followed, or is derived by arithmetic alone. `closeknit frontier check` "
            "does both again, `closeknit frontier add` takes what is better. On the "
            "site, the name of a proven instance opens the page that checks it there.",
            f"{with_noun(len(every), 'instance')}, of which {optimal} are settled; "
            f"{bare} have a value without a bound, the others a gap. "
            "Costs of knapsacks are the profit left out; k is their capacity.",
        ),
        sections=(
            *(_family(file) for file in listed.values()),
            Section(
                title="Worst ratios",
                text=(
                    "Every ratio is a cost over a proven optimum. `closeknit worst "
                    "METHOD --record` looks for worse ones. A ratio is the largest one "
                    "found, hence a lower bound on what the method can do; it is bold "
                    "where its guarantee for this k is attained. Ties are broken by "
                    "coordinates, and an instance may owe its ratio to that.",
                ),
            ),
            *(
                _table(kind, kinds[kind])
                for kind in sorted(kinds, key=lambda kind: (kind != "mesh", kind))
            ),
            _pictures(entries),
        ),
    )


def _family(file: FrontierFile) -> Section:
    """Write the table of a family."""
    heads = ("*instance", "n", "k", "best", "bound", "gap, %", "*proof")
    table = Table(
        columns=(*heads, "bytes", "*found by", "*found", "*where from"),
        rows=[tuple(_cells(entry)) for entry in file.entries.values()],
    )
    title = file.family.replace("-", " ").capitalize()
    return Section(title=title, text=(f"From: {file.source}.",), tables=(table,))


def _cells(entry: FrontierEntry) -> Iterator[Cell]:
    claimed = entry.claims
    cost, bound = claimed.objective, claimed.bound
    gap: Cell = 0 if claimed.status in _SETTLED or bound == cost is not None else ""
    if isinstance(cost, int) and isinstance(bound, int) and 0 != cost > bound:
        gap = 100 * (cost - bound) / cost
    none = "none fits" if claimed.status is Status.INFEASIBLE else ""
    yield from (Name(entry.name), entry.n, entry.k, none or price(cost), price(bound))
    yield gap
    yield "" if claimed.proof is None else str(claimed.proof)
    yield None if entry.proof is None else entry.proof.size
    yield from (Name(claimed.method), entry.found, entry.source)


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
    title = titles.get(kind, f"Networks of kind {kind}")
    return Section(title=title, tables=(table,))


def _cell(entry: WorstInstance | None) -> Cell:
    if entry is None:
        return ""
    _, topology, _ = entry.key
    shown = f"{float(entry.ratio):.4f} = {entry.ratio}"
    tried = ", all tried" if entry.how.startswith("exhaustive") else ""
    return (
        Strong(shown) if entry.ratio == guarantee(entry) else shown,
        f" ({topology}, n = {entry.instance.n}{tried})",
    )


def _short(text: str) -> str:
    text = text.partition(";")[0].partition(". ")[0]
    return text if len(text) <= 60 else text[:57] + "..."


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
