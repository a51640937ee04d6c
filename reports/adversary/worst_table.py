"""The ledger of worst known instances as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ...methods import KSUBSET
from .worst_known import Entries, Entry

COMMAND = "closeknit worst --table"
OPEN = (
    *("mm-inc", "mm-inc-first", "mm-inc-all", "mc", "mbs", "paging", "plas"),
    *("mc-elongated", "hilbert/best-fit", "thrifty"),
)
"""Methods for which no tight constant is known, and which are asked about most."""
_SEVERAL = 8
"""Bounds for two or three processors say little: they are distances."""
_EMPTY, _FREE = "·", "o"
_LARGEST_DRAWN = 16


def worst_page(entries: Entries) -> str:
    """Return the page: a table by method and k, the open questions, pictures."""
    kinds: dict[str, list[Entry]] = {}
    for entry in entries.values():
        kinds.setdefault(_kind(entry), []).append(entry)
    lines = [
        "# The worst instances known",
        "",
        f"Written by `{COMMAND}` from the ledger `reports/worst_known.json`. Every",
        "ratio is a cost over a proven optimum; `closeknit verify worst-known-ledger`",
        "runs method and exact route again on every instance. `closeknit worst METHOD`",
        "looks for worse ones. A ratio is the largest *found*, hence a lower bound on",
        "what the method can do; **bold** where its guarantee for this k is attained.",
        "Ties are broken by coordinates, and an instance may owe its ratio to that.",
        "",
    ]
    for kind in sorted(kinds, key=lambda kind: (kind != "mesh", kind)):
        lines += _table(kind, kinds[kind])
    lines += _open_questions(entries.values())
    lines += _pictures(entries.values())
    return "\n".join(lines) + "\n"


def _kind(entry: Entry) -> str:
    """Meshes, tori, points and trees have a table each."""
    return entry.instance.topology.kind


def _table(kind: str, entries: list[Entry]) -> list[str]:
    titles = {
        "mesh": "Occupancies of meshes",
        "torus": "Occupancies of tori and rings",
        "points": "Points in space",
        "tree": "Trees",
    }
    ks = sorted({entry.instance.k for entry in entries})
    head = " | ".join(f"k = {k}" for k in ks)
    lines = [f"## {titles[kind]}", "", f"| method | {head} | guarantee |"]
    lines.append("|---" * (len(ks) + 2) + "|")
    best: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        key = entry.method, entry.instance.k
        if key not in best or entry.ratio > best[key].ratio:
            best[key] = entry
    methods = [name for name in KSUBSET if any(m == name for m, _ in best)]
    for method in methods:
        cells = [_cell(best.get((method, k))) for k in ks]
        promised = KSUBSET[method].says("Guarantee").rstrip(".").partition(",")[0]
        lines.append(f"| {method} | {' | '.join(cells)} | {_short(promised)} |")
    return [*lines, ""]


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    _, topology, _ = entry.key
    shown = f"{float(entry.ratio):.4f} = {entry.ratio}"
    if entry.ratio == guarantee(entry):
        shown = f"**{shown}**"
    proved = ", proved" if entry.how.startswith("exhaustive") else ""
    return f"{shown} ({topology}, n = {entry.instance.n}{proved})"


def guarantee(entry: Entry) -> Fraction | None:
    """Return what the method promises on the instance; None if nothing."""
    promise = KSUBSET[entry.method].guarantee
    return None if promise is None else promise(entry.instance)


def _short(text: str) -> str:
    text = text.partition(";")[0].partition(". ")[0]
    return text if len(text) <= 60 else text[:57] + "..."


def _open_questions(entries: Iterable[Entry]) -> list[str]:
    """Say the best lower bounds where no tight constant is known."""
    lines = ["## Where no tight constant is known", ""]
    known = list(entries)
    for name in OPEN:
        own = [entry for entry in known if entry.method == name]
        lines += _lower_bounds(name, own)
    curves = [
        entry
        for entry in known
        if entry.method.startswith("hilbert/")
        and entry.instance.topology.kind == "mesh"
        and entry.instance.topology.dimension == 3
    ]
    lines += _lower_bounds("hilbert/... on meshes of three axes", curves)
    return [*lines, ""]


def _lower_bounds(name: str, entries: list[Entry]) -> list[str]:
    """Return a line with the largest ratio, and with that for more than two."""
    if not entries:
        return []
    worst = max(entries, key=lambda entry: entry.ratio)
    text = f"- {name}: at least {_bound(worst)}"
    more = [entry for entry in entries if entry.instance.k >= _SEVERAL]
    if worst not in more and more:
        text += f"; for k ≥ {_SEVERAL}, {_bound(max(more, key=lambda e: e.ratio))}"
    return [text]


def _bound(entry: Entry) -> str:
    _, topology, k = entry.key
    shown = f"{entry.ratio} = {float(entry.ratio):.4f}"
    return f"{shown} at k = {k} ({entry.method}, {topology}; {entry.how})"


def _pictures(entries: Iterable[Entry]) -> list[str]:
    """Draw the worst instance of the methods asked about, where it is small."""
    lines = ["## Pictures", ""]
    best: dict[str, Entry] = {}
    for entry in entries:
        topology = entry.instance.topology
        drawn = topology.kind == "mesh" and topology.dimension == 2
        if not drawn or max(_sides(entry)) > _LARGEST_DRAWN:
            continue
        name = entry.method
        if name in (*OPEN, "mm", "mm-free", "mc1x1") and (
            name not in best or entry.ratio > best[name].ratio
        ):
            best[name] = entry
    for name in sorted(best):
        entry = best[name]
        height, width = _sides(entry)
        free = set(entry.instance.free)
        lines += [
            f"{name}, k = {entry.instance.k}: {entry.cost} against {entry.optimum} "
            f"(o free)",
            "",
            "```",
            *(
                " ".join(_FREE if (x, y) in free else _EMPTY for y in range(width))
                for x in range(height)
            ),
            "```",
            "",
        ]
    return lines[:-1]


def _sides(entry: Entry) -> tuple[int, ...]:
    return entry.instance.topology.shape  # type: ignore[attr-defined, no-any-return]
