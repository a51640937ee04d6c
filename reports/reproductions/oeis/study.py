"""b-files of least pair sums, a certificate for each new term, and a letter."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ....formulations.ksubset.bounds.towns import known_towns, restore_towns
from ....instances import KSubset, Site
from ....instances.reading.files import file_in, read_text, write_text
from ....proofs.checking.folder import Entry
from ....proofs.checking.kinds import CERTIFICATE
from ....solvers import Grade, Proof, answer
from ....solvers.running import clock
from ...campaigns.pool import Call
from ...pages.document import Document, Section, Table
from ...proofs.library import fill
from ...proofs.proving import Proven, prove
from ..catalogue import RunOptions
from .sequences import SEQUENCES, OeisSequence, b_file, side_of, spans

SECONDS, SECONDS_FULL = 40.0, 600.0
"""Limits on writing a certificate, and on checking it."""
_GRACE = 120.0
_ABOUT = "least pair sums of points of a grid: terms of A193452 and A290190"
_KEPT_EVERY = 10
"""Terms after which the table is kept, so that a killed run can be resumed."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What is known of a sequence: terms from its offset on, entries by n."""

    sequence: OeisSequence
    terms: Sequence[int]
    certified: Mapping[int, Entry]
    missing: Mapping[int, str]

    @property
    def last(self) -> int:
        return self.sequence.offset + len(self.terms) - 1


def study(options: RunOptions) -> Document:
    """Fill the folder of the report; what it holds already is not made again."""
    if options.out is not None:
        return _study(Path(options.out), options)
    with TemporaryDirectory(prefix="closeknit-") as name:
        return _study(Path(name), options)


def _study(where: Path, options: RunOptions) -> Document:
    lasts = {
        one: min(one.full if options.full else one.default, options.first or one.full)
        for one in SEQUENCES
    }
    beyond = {one: range(one.listed + 1, last + 1) for one, last in lasts.items()}
    steps = sum(lasts.values())
    total = steps + sum(map(len, beyond.values()))
    done = 0
    for one, last in lasts.items():
        kept = Path(options.keep) / f"{one.name}.json" if options.keep else None
        _restored(one, kept)
        for n in range(1, last + 1):
            one.term(n)
            done += 1
            options.progress(done, total, f"a({n}) of {one.name}")
            if kept and (n == last or not n % _KEPT_EVERY):
                _keep(one, kept)
    seconds = SECONDS_FULL if options.full else SECONDS
    rooms = {(one, n): one.room(n) for one, new in beyond.items() for n in new}
    wanted = {}
    for (one, n), room in rooms.items():
        run = partial(_certified, room, one.sites(n), one.term(n), seconds)
        call = Call(run, 12 * seconds + _GRACE, preparing=900.0)
        wanted[room.name] = room, call

    def progress(made: int, _: int, what: str) -> None:
        options.progress(steps + made, total, what)

    entries, missing = fill(
        where, wanted, about=_ABOUT, jobs=options.jobs, progress=progress
    )
    found = []
    for one, last in lasts.items():
        named = {n: rooms[one, n].name for n in beyond[one]}
        found.append(
            _Found(
                one,
                [one.term(n) for n in range(one.offset, last + 1)],
                {n: entries[name] for n, name in named.items() if name in entries},
                {n: missing[name] for n, name in named.items() if name in missing},
            )
        )
    for each in found:
        text = b_file(each.sequence, each.terms, list(each.certified))
        write_text(file_in(where, each.sequence.file), text)
    write_text(file_in(where, "to-send.txt"), _letter(found))
    return _document(found)


def _restored(sequence: OeisSequence, kept: Path | None) -> None:
    """Continue the table of an earlier run; one that is damaged is left aside."""
    if kept is not None and kept.is_file():
        with suppress(ValueError, TypeError, KeyError):
            restore_towns(sequence.dimension, json.loads(read_text(kept)))


def _keep(sequence: OeisSequence, kept: Path) -> None:
    write_text(
        file_in(kept.parent, kept.name),
        json.dumps(known_towns(sequence.dimension)) + "\n",
    )


def _certified(
    room: KSubset, sites: Sequence[Site], term: int, seconds: float
) -> Proven:
    """Certify a term in its room, by a search that knows nothing of towns."""
    place = {site: i for i, site in enumerate(room.free)}
    by = Proof(Grade.ENUMERATED, "search over partitions")
    chosen = [place[site] for site in sites]
    result = answer(room, chosen, start=clock.now(), bound=term, proof=by)
    return prove(room, "town", result, seconds, (CERTIFICATE,))


def _letter(found: Sequence[_Found]) -> str:
    """Write what a person may send, with what they have to fill in."""
    parts = [
        "For the On-Line Encyclopedia of Integer Sequences, to be sent by a person who "
        "has checked it.\n"
    ]
    for each in found:
        one = each.sequence
        if each.last <= one.listed:
            parts.append(f"{one.name}: no term beyond those listed.\n")
            continue
        parts.append(
            f"{one.name}: a b-file, n = {one.offset}..{each.last} (the entry lists n = "
            f"{one.offset}..{one.listed}).\n"
            f"  File: {one.file}\n"
            f"  Link: <your name>, Table of n, a(n) for n = {one.offset}..{each.last}\n"
            "  Method: some cheapest n points form a centred "
            f"{'Young diagram' if one.dimension == 2 else 'plane partition'}, so an "
            "exhaustive search with bounds over these gives every term.\n"
            "  Certificates, independent of that search: n = "
            f"{spans(list(each.certified))}. Each shows that no n points of a box cost "
            "less; a bound on the extent shows that the box is large enough.\n"
        )
    parts.append(
        "To check: closeknit verify --proofs FOLDER, or without search and solver: "
        "python -m closeknit.proofs.checking FOLDER. Proofs of both statements: "
        "docs/theory.md, section 5.\n"
    )
    return "\n".join(parts)


def _document(found: Sequence[_Found]) -> Document:
    sections = []
    for each in found:
        one = each.sequence
        new = range(one.listed + 1, each.last + 1)
        rows = []
        for n in new:
            entry = each.certified.get(n)
            rows.append(
                (
                    *(n, one.term(n), side_of(one, n)),
                    *("search" if entry is None else "certificate",),
                    *((entry.size, entry.writing, entry.checking) if entry else ()),
                    *((None,) * 3 if entry is None else ()),
                )
            )
        caption = f"Terms of {one.name} beyond n = {one.listed}, the last it lists"
        columns = ("n", "a(n)", "side of the box", "*proof", "bytes")
        table = Table(
            name=one.name,
            caption=caption,
            columns=(*columns, "seconds to write", "to check"),
            rows=rows,
        )
        items = tuple(f"n = {n}: {why}" for n, why in each.missing.items())
        text = (
            f"`{one.file}` has a({one.offset}) to a({each.last}); with a certificate: "
            f"{spans(list(each.certified))}.",
        )
        sections.append(
            Section(
                title=one.name, text=text, tables=(table,) * bool(rows), items=items
            )
        )
    counts = [
        f"{len(each.certified)} of {len(each.certified) + len(each.missing)} new terms "
        f"of {each.sequence.name} have a certificate"
        for each in found
    ]
    return Document(
        name="oeis",
        title="Least pair sums of points of a grid, for the OEIS",
        source="OEIS A193452 and A290190; docs/theory.md, section 5",
        lead=(
            f"{'; '.join(counts)}. Every term is proved by an exhaustive search, too.",
            "`closeknit verify --proofs FOLDER` checks all certificates again; "
            "`to-send.txt` is written for a person to send.",
        ),
        sections=tuple(sections),
    )
