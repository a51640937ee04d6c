"""``results.sqlite``: the rows of a folder, a transaction each, safe against kills."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from ..instances import InputError
from ..instances.files import folder
from .interrupts import undisturbed
from .old_results import old_results
from .row_fields import NAMES, document_of, parse_row
from .rows import Key, Row

FILE = "results.sqlite"
LOCK = ".results.lock"
_FORM = 1
"""`PRAGMA user_version` of the table below."""
_MARK = 0x636B6E74
"""`PRAGMA application_id`: whose file it is."""
_SYNCED = 1.0
"""Seconds of results that a failure of the power may take, at most."""

_LISTS = ("shape", "selection")
_COLUMNS = {
    **dict.fromkeys(NAMES, "TEXT NOT NULL"),
    **dict.fromkeys(("proof", "limit", "selection"), "TEXT"),
    **dict.fromkeys(("n", "k", "d", "locations", "seed", "repeat"), "INTEGER NOT NULL"),
    **dict.fromkeys(("node_limit", "memory_limit", "memory_peak"), "INTEGER"),
    **dict.fromkeys(("cost", "bound"), "ANY"),
    "time_limit": "REAL NOT NULL",
    "seconds": "REAL",
}
_TABLE = f"""
CREATE TABLE results (
    address TEXT PRIMARY KEY,
    {", ".join(f'"{name}" {kind}' for name, kind in _COLUMNS.items())},
    grade TEXT GENERATED ALWAYS AS (substr(proof, 1, instr(proof, ':') - 1)) VIRTUAL
) STRICT
"""


class Store:
    """The rows of a folder; one process at a time may write there.

    A row is in the file when `append` returns, whatever happens to this process
    then. Others may read meanwhile. Rows of an older ``results.jsonl`` are taken
    over, and that file is renamed to ``results.jsonl.imported``.

    Parameters
    ----------
    where
        The folder; made if it is not there.
    fresh
        Put what is there aside, as ``results.sqlite.old``, and begin anew.

    Raises
    ------
    InputError
        When the folder cannot be written, another process writes there, the file
        is not such a store, or a row in it contradicts itself.
    """

    def __init__(self, where: str | Path, *, fresh: bool = False) -> None:
        self.path = folder(where) / FILE
        self._synced = -_SYNCED
        self._lock = _locked(self.path)
        try:
            if fresh:
                self._put_aside()
            self._database = _opened(self.path)
            try:
                self._prepare()
                self.rows: dict[Key, Row] = {row.key: row for row in self._read()}
                self._take_over(self.path.with_name("results.jsonl"))
            except BaseException:
                self._database.close()
                raise
        except sqlite3.Error as error:
            os.close(self._lock)
            raise InputError(f"cannot be used: {error}", file=self.path) from None
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with undisturbed():
            self._database.close()
            os.close(self._lock)

    def append(self, row: Row) -> None:
        """Add a row, in a transaction of its own.

        Raises
        ------
        InputError
            When it cannot be written, for instance because the disk is full.
        """
        assert row.key not in self.rows
        with undisturbed():
            due = monotonic() - self._synced >= _SYNCED
            try:
                self._database.execute(
                    f"PRAGMA synchronous={'FULL' if due else 'NORMAL'}"
                )
                self._insert([row])
            except sqlite3.Error as error:
                raise InputError(
                    f"cannot be written: {error}", file=self.path
                ) from None
            if due:
                self._synced = monotonic()
            self.rows[row.key] = row

    def forget(self, keys: Iterable[Key]) -> None:
        """Take rows out, so that these runs are due again."""
        gone = list(keys)
        with undisturbed(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(
                "DELETE FROM results WHERE address = ?",
                [(address(key),) for key in gone],
            )
            for key in gone:
                del self.rows[key]

    def _insert(self, rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{name}"' for name in ("address", *NAMES))
        marks = ", ".join("?" * (1 + len(NAMES)))
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(
                f"INSERT INTO results ({names}) VALUES ({marks})",
                [(address(row.key), *_cells(row)) for row in rows],
            )

    def _prepare(self) -> None:
        """Make the table; refuse a file that is not ours or of a later form."""
        (form,) = self._database.execute("PRAGMA user_version").fetchone()
        (mark,) = self._database.execute("PRAGMA application_id").fetchone()
        (tables,) = self._database.execute(
            "SELECT count(*) FROM sqlite_schema"
        ).fetchone()
        if tables and mark != _MARK:
            raise InputError("is not a store of results", file=self.path)
        if form not in (0, _FORM):
            raise InputError(
                f"has form {form}, this closeknit knows {_FORM}", file=self.path
            )
        self._database.execute("PRAGMA journal_mode=WAL")
        if not form:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.execute(_TABLE)
                self._database.execute(f"PRAGMA application_id={_MARK}")
                self._database.execute(f"PRAGMA user_version={_FORM}")

    def _read(self) -> list[Row]:
        return _rows_in(self._database, self.path)

    def _take_over(self, old: Path) -> None:
        """Import the rows of an older file, at once or not at all."""
        if not old.is_file():
            return
        new = [row for row in old_results(old) if row.key not in self.rows]
        with undisturbed():
            self._insert(new)
            self.rows.update((row.key, row) for row in new)
            old.rename(old.with_name(f"{old.name}.imported"))

    def _put_aside(self) -> None:
        for path in (self.path, self.path.with_name("results.jsonl")):
            for end in ("", "-wal", "-shm"):
                part = path.with_name(path.name + end)
                aside = path.with_name(f"{path.name}.old{end}")
                aside.unlink(missing_ok=True)
                if part.exists():
                    part.rename(aside)


def address(key: Key) -> str:
    """Return the primary key of a row: SHA-256 of what makes it the same run."""
    text = json.dumps(key, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def rows_in(path: Path) -> list[Row]:
    """Read a store without writing to it, also while another process does.

    Raises
    ------
    InputError
        When there is none, or it cannot be used.
    """
    if not path.is_file():
        raise InputError("there is no store of results", file=path)
    writing = path.with_name(f"{path.name}-wal")
    try:
        if not writing.exists():  # nothing is left behind, not even in passing
            rows = _asked(path, "mode=ro&immutable=1")
            if not writing.exists():
                return rows
        return _asked(path, "mode=ro")
    except sqlite3.Error as error:
        raise InputError(f"cannot be used: {error}", file=path) from None


def _asked(path: Path, how: str) -> list[Row]:
    uri = f"{path.absolute().as_uri()}?{how}"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        if mark != _MARK:
            raise InputError("is not a store of results", file=path)
        return _rows_in(database, path)


def _rows_in(database: sqlite3.Connection, path: Path) -> list[Row]:
    names = ", ".join(f'"{name}"' for name in NAMES)
    found = []
    for number, place, *cells in database.execute(
        f"SELECT rowid, address, {names} FROM results ORDER BY rowid"
    ):
        where = f"{path}: row {number}"
        try:
            row = parse_row(_document(cells))
        except InputError as error:
            raise error.of_file(where) from None
        except ValueError:
            raise InputError("is not a list of integers", file=where) from None
        if address(row.key) != place:
            raise InputError("its address is not its own", file=where)
        found.append(row)
    return found


def _cells(row: Row) -> list[Any]:
    """Write a row as cells: lists as JSON text, and a lexicographic cost is one."""
    document = document_of(row)
    cells = [document.get(name) for name in NAMES]
    whole = {"error": "", "solvers": ""}
    return [
        json.dumps(cell, separators=(",", ":"))
        if isinstance(cell, list)
        else whole.get(name, cell)
        if cell is None
        else cell
        for name, cell in zip(NAMES, cells, strict=True)
    ]


def _document(cells: Iterable[Any]) -> dict[str, Any]:
    document = {}
    for name, cell in zip(NAMES, cells, strict=True):
        listed = name in _LISTS or name in ("cost", "bound")
        if listed and isinstance(cell, str):
            cell = json.loads(cell)
        if cell is not None:
            document[name] = cell
    return document


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(f"cannot be written: {error}", file=path) from None


def _locked(path: Path) -> int:
    """Hold the folder: a file of its own, since SQLite's locks come and go."""
    lock = path.with_name(LOCK)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError("another run is writing here", file=path) from None
    return descriptor
