"""The checker alone on hostile files: one line, its status, and an end."""

from __future__ import annotations

import errno
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

import pytest

from closeknit.instances import InputError, KSubset
from closeknit.instances.reading import packed
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.topologies import Torus
from closeknit.proofs.checking import folder
from closeknit.proofs.checking.answers.command import main
from closeknit.proofs.checking.formulas import formula_of
from tests.paths import ROOT

from .wheel import gathered

WORDS = [sys.executable, "-m", "closeknit.proofs.checking"]


class Endless:
    """A packed file that goes on for ever; gives up where a test would hang."""

    def __init__(self, start: bytes, piece: bytes) -> None:
        self.start, self.piece, self.given = start, piece, 0

    def read(self, most: int) -> bytes:
        self.given += most
        assert self.given < 2**28, "it is read for ever"
        found, self.start = self.start, b""
        return found or self.piece * (most // len(self.piece))


@pytest.mark.parametrize(
    ("new", "start", "piece"),
    [
        (packed._new_xz, lzma.compress(b"text"), b"\0"),
        (packed._Gunzip, b"\x1f\x8b\x08\x08" + bytes(6), b"a"),
        (packed._Gunzip, b"\x1f\x8b\x08\0" + bytes(6), b"\0\0\0\xff\xff"),
    ],
    ids=["padding", "a name without end", "empty blocks"],
)
def test_what_is_packed_without_content_ends(
    new: Callable[[], Any], start: bytes, piece: bytes
) -> None:
    opened: Any = Endless(start, piece)
    stream = BufferedReader(packed._Unpacked(opened, new))
    with pytest.raises(lzma.LZMAError, match="too many bytes without content"):
        stream.read()


def test_a_string_without_end_is_looked_at_once() -> None:
    with pytest.raises(InputError):
        parse_json("[" * 65 + '"' + '\\"' * 1_000_000)


def test_cuts_are_counted_before_their_members_are_listed() -> None:
    """In a time that does not grow with the product of both."""
    ring = Torus((200_000,))
    with pytest.raises(InputError, match="its formula would have 20000000000 terms"):
        formula_of(KSubset("ring", ring, tuple(ring.locations()), 3))


@pytest.fixture
def nothing_yet() -> Iterator[int]:
    """A pipe that does not wait, with nothing in it."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading
    os.close(reading)
    os.close(writing)


def test_input_that_does_not_wait_is_named(nothing_yet: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [*WORDS, "-", "solution.json"],
        stdin=nothing_yet,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"cannot be read: {os.strerror(errno.EAGAIN)}")


def test_files_of_a_folder_are_read_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_BYTES", 2**20)
    (tmp_path / "p").write_bytes(bytes(2**20))
    assert len(folder.digest_of(tmp_path / "p")) == 64
    (tmp_path / "p").write_bytes(bytes(2**20 + 1))
    with pytest.raises(InputError, match="p: is larger than 1 MiB"):
        folder.digest_of(tmp_path / "p")


@pytest.mark.parametrize("words", [["a\x1b" * 200], ["--\x1b[31m", "a"]])
def test_names_are_shown_escaped_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("closeknit-check: ")
    assert "\x1b" not in line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_outputs_that_are_full_leave_the_status() -> None:
    for words, output, error, status in (
        ("--help", "/dev/full", os.devnull, 2),
        ("nosuch nosuch", os.devnull, "/dev/full", 2),
    ):
        with Path(output).open("w") as out, Path(error).open("w") as err:
            done = subprocess.run(
                [*WORDS, *words.split()],
                stdout=out,
                stderr=err,
                check=False,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        assert done.returncode == status, words


def test_ctrl_c_while_it_is_imported_is_one_line(tmp_path: Path) -> None:
    gathered(tmp_path)
    code = """
import sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name.endswith(".command"):
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupts())
from closeknit_check import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (130, "closeknit-check: interrupted\n")
