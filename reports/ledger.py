"""``results.jsonl``: rows appended one by one, safe against being killed."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from ..instances import InputError
from ..instances.files import folder
from .interrupts import undisturbed
from .rows import Key, Row, line_of, parse_row

FILE = "results.jsonl"


class Ledger:
    """The rows of a folder; one process at a time may hold it.

    Every row is on disk before the next is taken. A last line without its end
    was being written when a run was killed: it is dropped, and the run is due
    again. Anything else that is not a row is refused.

    Parameters
    ----------
    where
        The folder; made if it is not there.

    Raises
    ------
    InputError
        When the folder cannot be written, another process holds the file, or a
        line is not a row or repeats one; the message names file and line.
    """

    def __init__(self, where: str | Path) -> None:
        self.path = folder(where) / FILE
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}", file=self.path
            ) from None
        try:
            self._lock()
            self.rows: dict[Key, Row] = self._read()
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def append(self, row: Row) -> None:
        """Add a row and wait until it is on disk.

        Raises
        ------
        InputError
            When it cannot be written, for instance because the disk is full.
        """
        assert row.key not in self.rows
        left = (line_of(row) + "\n").encode()
        with undisturbed():
            try:
                while left:
                    left = left[os.write(self._descriptor, left) :]
                os.fsync(self._descriptor)
            except OSError as error:
                raise InputError(
                    f"cannot be written: {error.strerror}", file=self.path
                ) from None
            self.rows[row.key] = row

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("another run is writing here", file=self.path) from None

    def _read(self) -> dict[Key, Row]:
        whole, _, cut_off = self.path.read_bytes().rpartition(b"\n")
        if whole:
            whole += b"\n"
        rows: dict[Key, Row] = {}
        lines: dict[Key, int] = {}
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            file = f"{self.path}:{number}"
            try:
                row = parse_row(line.decode())
            except UnicodeDecodeError:
                raise InputError("is not UTF-8 text", file=file) from None
            except InputError as error:
                raise error.of_file(file) from None
            if row.key in rows:
                raise InputError(f"the same run as line {lines[row.key]}", file=file)
            rows[row.key], lines[row.key] = row, number
        if cut_off:
            os.ftruncate(self._descriptor, len(whole))
        os.lseek(self._descriptor, len(whole), os.SEEK_SET)
        return rows
