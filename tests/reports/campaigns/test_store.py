"""The store of a campaign: damage and altered rows are named, never shown."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import closeknit.methods
from closeknit.cli.app import run as run_command
from closeknit.instances import InputError, mesh, write_ksubset
from closeknit.instances.problems import Instance, cost
from closeknit.instances.procset.instance import ProcessorSet, ProcSet
from closeknit.instances.submesh import Resident, Submesh
from closeknit.instances.sukp.instance import Sukp
from closeknit.methods import METHODS
from closeknit.reports.campaigns import store as storing
from closeknit.reports.campaigns.audit import audit
from closeknit.reports.campaigns.row_fields import NAMES
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.campaigns.store import FILE, ResultStore, rows_in
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers import Grade, Proof

from ...in_process import stay_in_process
from ...toys import TOYS, made, optimal, small

A, B = small("a"), small("b", 4, busy=2)


def rows() -> list[Row]:
    """Two instances; one method is optimal, another not, one broke."""
    return [
        optimal(A, "auto", 4, selection=(0, 1, 4)),
        made(A, "first", cost=4, selection=(0, 1, 2), memory_peak=80),
        made(A, "last", cost=4, selection=(9, 10, 11), repeat=1, seed=1),
        made(A, "slow", status="failed", error="it broke", seconds=None),
        optimal(B, "auto", 8, selection=(0, 1, 4, 5)),
        made(
            B,
            "first",
            cost=10,
            bound=7,
            proof=Proof(Grade.SOLVER, "cp-sat 9.15"),
            selection=(0, 1, 2, 3),
            limit="time",
            trace=((0.1, 12, None), (0.25, 10, 6), (3.5, 10, 7)),
        ),
    ]


def filled(where: Path) -> Path:
    with ResultStore(where) as store:
        for row in rows():
            store.append(row)
    return where / FILE


def said_of(path: Path) -> str:
    """What is said of a store, to whoever writes there and to whoever reads only."""
    complaints = []
    for call in (partial(rows_in, path), partial(ResultStore, path.parent)):
        with pytest.raises(InputError) as caught:
            call()
        complaints.append(str(caught.value))
    assert "\n" not in complaints[0]
    assert complaints[0] == complaints[1]
    return complaints[0].removeprefix(f"{path}: ")


def complaint_on(path: Path) -> str:
    """What is said of a store to whoever reads it; nothing if it is read."""
    try:
        rows_in(path)
    except InputError as error:
        return str(error)
    return ""


def changed(path: Path, *commands: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for command in commands:
            database.execute(command)


# Changes by accident, and without care


FIELDS = ("cost", "selection", "bound", "k", "status")


def one_byte(value: Any, draw: random.Random) -> Any:
    """Change one character of a cell; or the one of a cell that is empty."""
    if value is None:
        return draw.choice((0, 7, "[1]", "x"))
    text = list(str(value))
    place = draw.randrange(len(text))
    text[place] = draw.choice([c for c in "0123456789abc,[]" if c != text[place]])
    new = "".join(text)
    return int(new) if isinstance(value, int) and new.isdigit() else new


MANY = [500, pytest.param(5000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", MANY)
def test_no_changed_field_passes(tmp_path: Path, count: int) -> None:
    path, draw = filled(tmp_path), random.Random(1)
    silent, met = [], 0
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("PRAGMA synchronous=OFF")
        while met < count:
            row, field = draw.randint(1, len(rows())), draw.choice(FIELDS)
            ask = f"SELECT {field} FROM results WHERE rowid = ?"
            ((old,),) = database.execute(ask, (row,))
            put = f"UPDATE results SET {field} = ? WHERE rowid = ?"
            try:
                database.execute(put, (one_byte(old, draw), row))
            except sqlite3.IntegrityError:  # a text where a number must be
                continue
            ((new,),) = database.execute(ask, (row,))
            if new == old:  # a blank more in a number
                continue
            met += 1
            if "was changed after it was written" not in complaint_on(path):
                silent.append((row, field, old, new))
            database.execute(put, (old, row))
    assert silent == []
    assert rows_in(path) == rows()


@pytest.mark.parametrize("count", MANY)
def test_no_changed_byte_of_the_file_passes(tmp_path: Path, count: int) -> None:
    path, draw = filled(tmp_path), random.Random(2)
    whole = path.read_bytes()
    silent, noticed = [], 0
    for _ in range(count):
        place, byte = draw.randrange(len(whole)), draw.randrange(1, 256)
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ byte]) + whole[place + 1 :]
        )
        if complaint_on(path):
            noticed += 1
        elif rows_in(path) != rows():
            silent.append((place, byte))
    assert silent == []
    assert noticed > count / 10


@pytest.mark.parametrize("end", [0, 1, 100, 4096, 5000, 8192])
def test_a_file_cut_short_is_refused(tmp_path: Path, end: int) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(InputError, match=r"results\.sqlite: "):
        rows_in(path)


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ("cost = cost + 7", 1),
        ("seconds = seconds / 2", 1),
        ("machine = 'mine' WHERE rowid = 4", 4),
        ("cost = x'00' WHERE rowid = 5", 5),
        ("address = 'x' WHERE rowid = 2", 2),
        ("digest = '' WHERE rowid = 3", 3),
    ],
)
def test_a_changed_row_is_named(tmp_path: Path, change: str, row: int) -> None:
    path = filled(tmp_path)
    changed(path, f"UPDATE results SET {change}")
    assert said_of(path).startswith(f"row {row}: was changed after it was written")


def test_a_changed_store_gives_no_report(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stay_in_process(monkeypatch)
    monkeypatch.setattr(closeknit.methods, "METHODS", {**METHODS, "ksubset": TOYS})
    write_ksubset(A, tmp_path / "a.json")
    out = tmp_path / "out"
    words = ["ratios", str(tmp_path / "a.json"), "--out", str(out), "--jobs", "1"]
    assert run_command(words) == 0
    before = (out / "report.html").read_bytes()
    capsys.readouterr()
    whole = (out / FILE).read_bytes()

    def refused(command: str, *, sealed: bool = False) -> str:
        (out / FILE).write_bytes(whole)
        changed(out / FILE, command)
        if sealed:
            seal(out / FILE)
        assert run_command(words) == 2
        said, complained = capsys.readouterr()
        assert (said, complained.count("\n")) == ("", 1)
        assert (out / "report.html").read_bytes() == before
        return complained.removeprefix(f"closeknit: {out / FILE}: ").rstrip()

    add = "UPDATE results SET cost = cost + 7, bound = bound + 7"
    assert refused(add).startswith("row 1: was changed after it was written")
    assert refused(add, sealed=True) == (
        "auto on a: cost: must be 4, as the selection is priced, not 11"
    )


# A schema that is none


@pytest.mark.parametrize(
    "commands",
    [
        ["DROP TABLE results"],
        ["ALTER TABLE results RENAME COLUMN cost TO price"],
        ["ALTER TABLE results DROP COLUMN machine"],
        ["ALTER TABLE results ADD COLUMN mine TEXT"],
        [
            "ALTER TABLE results RENAME TO old",
            "CREATE VIEW results AS SELECT * FROM old",
        ],
        [
            "CREATE TRIGGER t AFTER INSERT ON results BEGIN "
            "UPDATE results SET cost = 0; END"
        ],
        ["CREATE TABLE other (x)"],
        ["PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET sql = 'CREATE TABLE'"],
        ["PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET sql = NULL"],
        ["PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET rootpage = 77"],
        ["PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET name = x'ff00'"],
        ["PRAGMA writable_schema=ON", "DELETE FROM sqlite_schema"],
        [
            "PRAGMA writable_schema=ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'cost', 'kost')",
        ],
        ["PRAGMA user_version=1"],
        ["PRAGMA user_version=2"],
        ["PRAGMA user_version=0"],
        ["PRAGMA user_version=3"],
        ["PRAGMA user_version=5"],
        ["PRAGMA application_id=0"],
    ],
)
def test_a_damaged_schema_is_one_line(tmp_path: Path, commands: list[str]) -> None:
    path = filled(tmp_path)
    changed(path, *commands)
    said = said_of(path)
    known = ("is damaged: ", "cannot be used: ", "is not a store", "has form ")
    assert said.startswith(known)


def test_what_others_add_to_ask_faster_is_let_be(tmp_path: Path) -> None:
    path = filled(tmp_path)
    changed(
        path,
        "CREATE INDEX mine ON results (method)",
        "CREATE VIEW means AS SELECT method, avg(seconds) FROM results GROUP BY 1",
        "ANALYZE",
    )
    assert rows_in(path) == rows()
    with ResultStore(tmp_path) as store:
        assert list(store.rows.values()) == rows()


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"no database " * 500, b"\0" * 8192]
)
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"results\.sqlite: "):
        rows_in(path)
    if content:
        with pytest.raises(InputError, match=r"results\.sqlite: "):
            ResultStore(tmp_path)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("SET cost = 3 WHERE rowid = 1", "row 1: status: Bound 4 is above"),
        ("SET status = 'good'", "row 1: status: must be one of"),
        ("SET selection = '[0'", "row 1: is not a list of numbers"),
        (f"SET selection = '{'[' * 100_000}'", "row 1: is not a list of numbers"),
        ("SET trace = '[7]'", "row 1: trace[0]: must be"),
        ("SET trace = '[[1, 2]]'", "row 1: trace[0]: must be seconds, cost and bound"),
        ("SET trace = '[[1, null, 2]]'", "row 1: trace[0]: has no cost"),
        ("SET trace = '[[NaN, 1, 2]]'", "row 1: trace[0]: must be at least 0"),
        ("SET trace = '[[2, 1, 1], [1, 1, 1]]'", "row 1: trace[1]: is earlier"),
        (f"SET trace = '[{','.join(['[1,2,1]'] * 65)}]'", "row 1: trace: has more"),
        ("SET seed = 5", "row 1: its address is not its own"),
    ],
)
def test_rows_that_contradict_themselves_are_refused_even_if_sealed(
    tmp_path: Path, command: str, complaint: str
) -> None:
    path = filled(tmp_path)
    changed(path, f"UPDATE results {command}")
    seal(path)
    assert said_of(path).startswith(complaint)


def test_another_database_and_a_later_form_are_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with pytest.raises(InputError, match=r"there is no store of results$"):
        rows_in(path)
    changed(path, "CREATE TABLE t (x)")
    assert said_of(path) == "is not a store of results"
    path.unlink()
    changed(filled(tmp_path), "PRAGMA user_version = 7")
    assert said_of(path) == "has form 7, this closeknit knows 4"


# An older form


def as_form(path: Path, form: int) -> None:
    """Rewrite a store as it was before rows had codes, traces, or digests."""
    addresses = [storing.address(row.key[:-1]) for row in rows_in(path)]
    names = ", ".join(f'"{name}"' for name in storing._names(form))
    listed = f"address, digest, {names}" if form > 1 else f"address, {names}"
    with closing(sqlite3.connect(path)) as database, database:
        fields = database.execute(f"SELECT {names} FROM results").fetchall()
        kept = [
            [old, *([storing._digest([old, *cells])] if form > 1 else []), *cells]
            for old, cells in zip(addresses, fields, strict=True)
        ]
        database.execute("DROP TABLE results")
        database.execute(storing._TABLES[form])
        marks = ", ".join("?" * len(kept[0]))
        database.executemany(f"INSERT INTO results ({listed}) VALUES ({marks})", kept)
        database.execute(f"PRAGMA user_version={form}")


@pytest.mark.parametrize("form", [1, 2, 3])
def test_a_store_of_an_older_form_is_read_and_rewritten(
    tmp_path: Path, form: int
) -> None:
    path = filled(tmp_path)
    as_form(path, form)
    before = [replace(row, trace=row.trace if form > 2 else None) for row in rows()]
    assert rows_in(path) == before
    with ResultStore(tmp_path) as store:
        assert list(store.rows.values()) == before
        store.append(
            made(B, "last", cost=9, selection=(0, 1, 2, 5), trace=((0.5, 9, 3),))
        )
    assert rows_in(path)[-1].trace == ((0.5, 9, 3),)
    assert rows_in(path)[:-1] == before
    changed(path, "UPDATE results SET cost = cost + 7")
    assert said_of(path).startswith("row 1: was changed")


@pytest.mark.parametrize(
    ("form", "change", "complaint"),
    [
        (2, "cost = cost + 7", "row 1: was changed"),
        (1, "cost = 3 WHERE rowid = 1", "row 1: status: Bound 4 is above cost 3"),
    ],
)
def test_a_store_of_an_older_form_that_is_damaged_is_left_as_it_is(
    tmp_path: Path, form: int, change: str, complaint: str
) -> None:
    path = filled(tmp_path)
    as_form(path, form)
    changed(path, f"UPDATE results SET {change}")
    before = path.read_bytes()
    assert said_of(path).startswith(complaint)
    assert path.read_bytes() == before


# Changes with care: digests written anew


def seal(path: Path) -> None:
    """Give every row the address and the digest that fit what it says now."""
    names = ", ".join(f'"{name}"' for name in ("address", *NAMES))
    with closing(sqlite3.connect(path)) as database, database:
        for number, *cells in database.execute(
            f"SELECT rowid, {names} FROM results"
        ).fetchall():
            database.execute(
                "UPDATE results SET digest = ? WHERE rowid = ?",
                (storing._digest(cells), number),
            )


def of_every_problem() -> list[tuple[Instance, tuple[int, ...]]]:
    """Small instances, each with a solution that is not the only one."""
    sets = tuple(ProcessorSet(f"s{i}", (i, i + 1), (1 + i % 2, 3)) for i in range(4))
    return [
        (mesh(3, 4, k=3), (0, 1, 4)),
        (mesh(4, 4, k=10), tuple(range(10))),
        (ProcSet("sets", tuple("abcde"), (0, 1, 2, 3), 2, sets), (0, 1)),
        (Sukp("items", (1, 2, 3), (1, 1, 1), ((0, 1), (1, 2), (2,)), 2), (1,)),
        (
            Submesh("boxes", (6, 6), (Resident((0, 0, 1, 1)),), (4, 2)),
            (2, 0, 5, 1),
        ),
    ]


@pytest.mark.parametrize(("instance", "chosen"), of_every_problem())
def test_a_selection_is_priced_again(
    instance: Instance, chosen: tuple[int, ...]
) -> None:
    draw = random.Random(3)
    true = made(instance, "first", cost=cost(instance, chosen), selection=chosen)
    assert audit([instance], [true]) == [true]
    other = replace(true, instance="other", sha256="0" * 64, cost=0)
    assert audit([instance], [true, other]) == [true]
    changes: list[dict[str, Any]] = [
        {"n": true.n + 1},
        {"k": true.k + 1},
        {"d": true.d + 1},
        {"locations": true.locations - 1},
        {"shape": (*true.shape, 1)},
        {"topology": "ring"},
        {"problem": "procset" if true.problem != "procset" else "sukp"},
        {"selection": (*chosen, chosen[-1])},
        {"selection": (-1, *chosen[1:])},
        {"selection": (10**30, *chosen[1:])},
    ]
    value = true.cost
    assert value is not None
    for _ in range(20):
        by = draw.choice((-7, -1, 1, 7))
        new = value + by if isinstance(value, int) else (value[0] + by, *value[1:])
        changes.append({"cost": new})
    for change in changes:
        (field,) = change
        with pytest.raises(InputError) as caught:
            audit([instance], [true, replace(true, **change)], "store")
        about = f"store: first on {instance.name}: {field}: "
        assert str(caught.value).startswith(about)


def test_other_names_count_as_far_as_they_are_solutions_here() -> None:
    renamed = replace(A, name="renamed")
    true = made(renamed, "first", cost=4, selection=(0, 1, 2))
    false = replace(true, method="last", cost=3)
    assert audit([A], [true, false]) == [true]


def reported(*changes: tuple[int, dict[str, Any]]) -> Report:
    found = rows()
    for place, change in changes:
        found[place] = replace(found[place], **change)
    found = audit([A, B], found)
    return report_on([A, B], found, {"ksubset": TOYS})


@pytest.mark.parametrize(
    ("place", "change", "complaint"),
    [
        (  # a bound above a known cost
            5,
            {"bound": 9},
            "first (solver: cp-sat 9.15) claims at least 9, but auto found 8",
        ),
        (  # two optima
            5,
            {"bound": 10, "status": "optimal"},
            "first (solver: cp-sat 9.15) claims at least 10, but auto found 8",
        ),
        (  # no solution, where there is one
            4,
            {"status": "infeasible", "cost": None, "bound": None, "selection": None},
            "auto (enumerated: toy) claims that there is no solution, "
            "but first found one",
        ),
    ],
)
def test_rows_that_contradict_one_another_are_told(
    place: int, change: dict[str, Any], complaint: str
) -> None:
    assert reported().contradictions == []
    found = reported((place, change))
    assert [verdict.contradiction for verdict in found.contradictions] == [complaint]
    assert not found.holds
