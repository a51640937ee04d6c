"""``results.sqlite``: the rows of a folder, one transaction per row."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from time import monotonic, time
from typing import Any

from ...instances import InputError
from ...instances.writing.files import folder, refuse_links
from ...methods.old_names import current, spellings
from .interrupts import undisturbed
from .row_fields import NAMES, document_of, parse_row
from .rows import Key, Row

FILE = "results.sqlite"
LOCK = ".results.lock"
SCRATCH = ".results.scratch"
_FORMER = "results.jsonl"
_FORM = 4
"""`PRAGMA user_version` of the table below; form 1 had no digests of rows, 2 no traces,
3 no digests of the code that made a row."""
_MARK = 0x636B6E74
"""`PRAGMA application_id`: whose file it is."""
_SYNCED = 1.0
"""Seconds of results that a failure of the power may take, at most."""
_ENDS = ("", "-wal", "-shm")
"""What SQLite appends to the name of a database."""
_OURS = ("results.*", ".results.*", "report.*", "ratios.csv", "proofs")
"""Names that a campaign gives to what it makes in its folder."""
_STALE = 60.0
"""Seconds after which a temporary file that was never renamed is abandoned."""
_BROKEN = (sqlite3.Error, UnicodeDecodeError)
"""What is raised for a damaged file: its names, too, may be no text."""

_LISTS = ("shape", "selection", "trace")
_COLUMNS = {
    **dict.fromkeys(NAMES, "TEXT NOT NULL"),
    **dict.fromkeys(("proof", "limit", "selection", "trace"), "TEXT"),
    **dict.fromkeys(("n", "k", "d", "locations", "seed", "repeat"), "INTEGER NOT NULL"),
    **dict.fromkeys(("node_limit", "memory_limit", "memory_peak"), "INTEGER"),
    **dict.fromkeys(("cost", "bound"), "ANY"),
    "time_limit": "REAL NOT NULL",
    "seconds": "REAL",
}


def _names(form: int) -> list[str]:
    """Return the columns of a form that are fields of rows."""
    since = {"trace": 3, "code": 4}
    return [name for name in NAMES if form >= since.get(name, 1)]


def _table(form: int) -> str:
    first = "address TEXT PRIMARY KEY" + ", digest TEXT NOT NULL" * (form > 1)
    return f"""
CREATE TABLE results (
    {first},
    {", ".join(f'"{name}" {_COLUMNS[name]}' for name in _names(form))},
    grade TEXT GENERATED ALWAYS AS (substr(proof, 1, instr(proof, ':') - 1)) VIRTUAL
) STRICT
"""


_TABLES = {form: _table(form) for form in range(1, _FORM + 1)}
"""By form, as `sqlite_schema` must hold it."""


class ResultStore:
    """The rows of a folder; one process at a time may write there.

    The folder is made if it is not there; with ``fresh``, an existing store is renamed
    to ``results.sqlite.old``. A row is in the file when `append` returns, whatever
    happens to this process then. Others may read meanwhile. A store of an earlier form
    is rewritten. Until the store is closed, ``scratch`` is a
    folder for temporary files of runs; one that a killed process left behind is
    cleared.

    Raises InputError when the folder cannot be written, another process writes there,
    the file is not such a store, or a row in it contradicts itself.
    """

    def __init__(self, where: str | Path, *, fresh: bool = False) -> None:
        self.path = folder(where) / FILE
        self.scratch = self.path.with_name(SCRATCH).absolute()
        if (old := self.path.with_name(_FORMER)).exists():
            raise InputError(
                "is of a former version, which wrote no results.sqlite: choose "
                "another folder, or move the file",
                file=old,
            )
        self._synced = -_SYNCED
        refuse_links(self.path.parent, *_OURS)
        with ExitStack() as held:
            held.callback(os.close, _lock(self.path))
            try:
                if fresh:
                    self._put_aside()
                self._database = held.enter_context(closing(_open(self.path)))
                self.rows: dict[Key, Row] = {row.key: row for row in self._prepare()}
                self._clear()
                self.scratch.mkdir(exist_ok=True)
            except _BROKEN as error:
                raise InputError(f"cannot be used: {error}", file=self.path) from None
            except OSError as error:
                why = f"cannot be written: {error.strerror}"
                raise InputError(why, file=error.filename or self.path) from None
            self._held = held.pop_all()

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(self, *_: object) -> None:
        with undisturbed(), self._held:
            self._clear()

    def _clear(self) -> None:
        """Remove temporary files, also half-written outputs of a process long gone."""
        rmtree(self.scratch, ignore_errors=True)
        for half in self.path.parent.glob(".closeknit-*"):
            with suppress(OSError):
                if time() - half.stat().st_mtime > _STALE:
                    half.unlink()

    def append(self, row: Row) -> None:
        """Add a row, in a transaction of its own; InputError when the disk is full."""
        assert row.key not in self.rows
        with undisturbed():
            due = monotonic() - self._synced >= _SYNCED
            with self._writing():
                self._database.execute(
                    f"PRAGMA synchronous={'FULL' if due else 'NORMAL'}"
                )
                with self._database:
                    self._database.execute("BEGIN IMMEDIATE")
                    self._fill([row])
            if due:
                self._synced = monotonic()
            self.rows[row.key] = row

    def set_aside(self, keys: Collection[Key]) -> Path:
        """Take rows out, after all rows were copied; return where to."""
        aside = self._free_aside()[0]
        with undisturbed(), self._writing(), closing(_open(aside)) as copy:
            self._database.backup(copy)
        self.forget(keys)
        return aside

    def forget(self, keys: Iterable[Key]) -> None:
        """Take rows out, so that these runs are due again."""
        gone = list(keys)
        with undisturbed():
            with self._writing(), self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(
                    "DELETE FROM results WHERE address = ?",
                    [
                        (address((*key[:2], name, *key[3:])),)
                        for key in gone
                        for name in spellings(key[2])  # the present one, and old ones
                    ],
                )
            for key in gone:
                del self.rows[key]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"cannot be written: {error}", file=self.path) from None

    def _fill(self, rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{name}"' for name in ("address", "digest", *NAMES))
        marks = ", ".join("?" * (2 + len(NAMES)))
        self._database.executemany(
            f"INSERT INTO results ({names}) VALUES ({marks})",
            [_record(row) for row in rows],
        )

    def _prepare(self) -> list[Row]:
        """Return the rows; make the table, or rewrite that of the earlier form."""
        database = self._database
        form = _form(database, self.path, new=True)
        database.execute("PRAGMA journal_mode=WAL")
        rows = _rows_in(database, self.path, form) if form else []
        if form != _FORM:
            with undisturbed(), database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("DROP TABLE IF EXISTS results")
                database.execute(_TABLES[_FORM])
                self._fill(rows)
                database.execute(f"PRAGMA application_id={_MARK}")
                database.execute(f"PRAGMA user_version={_FORM}")
        return rows

    def _put_aside(self) -> None:
        for end, aside in zip(_ENDS, self._free_aside(), strict=True):
            part = self.path.with_name(self.path.name + end)
            if part.exists():
                part.rename(aside)

    def _free_aside(self) -> list[Path]:
        """Return the names of files that are set aside, and remove earlier ones."""
        aside = [self.path.with_name(f"{self.path.name}.old{end}") for end in _ENDS]
        for path in aside:
            path.unlink(missing_ok=True)
        return aside


def address(key: tuple[str | float, ...]) -> str:
    """Return the primary key of a row: SHA-256 of what makes it the same run."""
    text = json.dumps(key, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def rows_in(path: Path) -> list[Row]:
    """Read a store without writing to it, also while another process does."""
    if not path.is_file():
        raise InputError("there is no store of results", file=path)
    writing = path.with_name(f"{path.name}-wal")
    try:
        if not writing.exists():  # nothing is left behind, not even in passing
            rows = _query(path, "mode=ro&immutable=1")
            if not writing.exists():
                return rows
        return _query(path, "mode=ro")
    except _BROKEN as error:
        raise InputError(f"cannot be used: {error}", file=path) from None


def _query(path: Path, how: str) -> list[Row]:
    uri = f"{path.absolute().as_uri()}?{how}"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        return _rows_in(database, path, _form(database, path))


def _form(database: sqlite3.Connection, path: Path, *, new: bool = False) -> int:
    """Return the form of a store that is sound as a database; 0 for an empty file.

    What others add is let be, except triggers, which would change what is written.
    """
    (form,) = database.execute("PRAGMA user_version").fetchone()
    (mark,) = database.execute("PRAGMA application_id").fetchone()
    schema = database.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' "
        "OR name = 'results' OR type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    if new and not schema and form == mark == 0:
        return 0
    if mark != _MARK:
        raise InputError("is not a store of results", file=path)
    if form not in _TABLES:
        raise InputError(f"has form {form}, this closeknit knows {_FORM}", file=path)
    wanted = [("table", "results", "results", _TABLES[form].strip())]
    if [(*about, str(sql).strip()) for *about, sql in schema] != wanted:
        raise InputError("is damaged: its schema is not that of a store", file=path)
    for (complaint,) in database.execute("PRAGMA integrity_check(1)"):
        if complaint != "ok":
            told = " ".join(str(complaint).split())
            raise InputError(f"is damaged: {told}", file=path)
    return int(form)


def _rows_in(database: sqlite3.Connection, path: Path, form: int) -> list[Row]:
    columns = _names(form)
    names = ", ".join(f'"{name}"' for name in columns)
    mark = "digest" if form > 1 else "NULL"
    found: dict[Key, Row] = {}
    for number, digest, *cells in database.execute(
        f"SELECT rowid, {mark}, address, {names} FROM results ORDER BY rowid"
    ):
        where = f"{path}: row {number}"
        if digest is not None and digest != _digest(cells):
            raise InputError(
                "was changed after it was written: its digest is not its own",
                file=where,
            )
        try:
            row = parse_row(_document(columns, cells[1:]))
        except InputError as error:
            raise error.of_file(where) from None
        except (ValueError, RecursionError):
            raise InputError("is not a list of numbers", file=where) from None
        if address(row.key if form > 3 else row.key[:-1]) != cells[0]:
            raise InputError("its address is not its own", file=where)
        row = replace(row, method=current(row.problem, row.method))
        found[row.key] = row  # one that was made again under the present name counts
    return list(found.values())


def _record(row: Row) -> list[Any]:
    """Write a row as the cells of the table: address, digest, then its fields."""
    cells = [address(row.key), *_cells(row)]
    return [cells[0], _digest(cells), *cells[1:]]


def _digest(cells: Iterable[Any]) -> str:
    """Return SHA-256 of the address and all fields of a row, as they are stored."""
    text = json.dumps(
        list(cells), ensure_ascii=False, separators=(",", ":"), default=repr
    )
    return sha256(text.encode()).hexdigest()


def _cells(row: Row) -> list[Any]:
    """Write the fields: lists as JSON text, and a lexicographic cost is one."""
    document = document_of(row)
    whole = {"error": "", "solvers": "", "code": ""}
    cells = []
    for name in NAMES:
        cell = document.get(name, whole.get(name))
        if isinstance(cell, list):
            cell = json.dumps(cell, separators=(",", ":"))
        elif name in ("time_limit", "seconds") and cell is not None:
            cell = float(cell)  # as the columns hold it, and so the digest
        cells.append(cell)
    return cells


def _document(names: Iterable[str], cells: Iterable[Any]) -> dict[str, Any]:
    document = {}
    for name, cell in zip(names, cells, strict=True):
        listed = name in _LISTS or name in ("cost", "bound")
        if listed and isinstance(cell, str):
            cell = json.loads(cell)
        if cell is not None:
            document[name] = cell
    return document


def _open(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(f"cannot be written: {error}", file=path) from None


def _lock(path: Path) -> int:
    """Hold the folder: a file of its own, since SQLite's locks come and go."""
    lock = path.with_name(LOCK)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError("another run is writing here", file=path) from None
    return descriptor
