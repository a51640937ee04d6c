"""Standard streams of any encoding, full or closed: no traceback, never exit 1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from closeknit.instances import mesh, write_ksubset

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LATIN = {"PYTHONIOENCODING": "latin-1"}


def closeknit(command: str, *, env: dict[str, str] | None = None, stdin: bytes = b""):  # type: ignore[no-untyped-def]
    """Run a shell command in which CLOSEKNIT stands for the command."""
    program = f"'{sys.executable}' -m closeknit"
    return subprocess.run(
        ["sh", "-c", command.replace("CLOSEKNIT", program)],
        env=os.environ | (env or {}),
        input=stdin,
        capture_output=True,
        check=False,
    )


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from dataclasses import replace

    folder = tmp_path_factory.mktemp("grün–ß")
    path = folder / "größe–1.json"
    write_ksubset(replace(mesh(3, 3, k=2), name="größe–1"), path)
    return path


@pytest.mark.parametrize("command", ["methods", "--help", "--version"])
def test_a_full_standard_output_is_one_line_and_exit_2(command: str) -> None:
    ended = closeknit(f"CLOSEKNIT {command} > /dev/full")
    assert ended.returncode == 2
    assert ended.stderr == (
        b"closeknit: standard output: cannot be written: No space left on device\n"
    )


def test_a_closed_standard_output_is_one_line_and_exit_2() -> None:
    ended = closeknit("CLOSEKNIT methods >&-")
    assert ended.returncode == 2
    assert ended.stderr == b"closeknit: standard output: is closed\n"


@pytest.mark.parametrize("command", ["methods", "config show drakenberg-figure-6"])
def test_a_reader_that_is_gone_is_silence_and_141(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run(
        [sys.executable, "-m", "closeknit", *command.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (gone.returncode, gone.stderr) == (141, b"")


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_errors_that_cannot_be_told_keep_their_status(where: str) -> None:
    assert closeknit(f"CLOSEKNIT solve nofile {where}").returncode == 2


def test_an_instance_from_standard_input(instance: Path) -> None:
    ended = closeknit("CLOSEKNIT export - --to lp", stdin=instance.read_bytes())
    assert ended.returncode == 0, ended.stderr
    for command, said in (
        ("CLOSEKNIT solve - < /dev/null", b"closeknit: -: not JSON: "),
        ("CLOSEKNIT solve - <&-", b"closeknit: standard input: is closed"),
    ):
        ended = closeknit(command)
        assert ended.returncode == 2
        assert ended.stderr.startswith(said)


def test_names_in_an_encoding_without_their_letters(instance: Path) -> None:
    for env, shown in ((ASCII, b"gr\\xf6\\xdfe-1"), (LATIN, b"gr\xf6\xdfe-1")):
        ended = closeknit(f"CLOSEKNIT export '{instance}' --to lp", env=env)
        assert ended.returncode == 0, ended.stderr
        assert shown in ended.stdout


def test_files_and_tables_in_ascii(instance: Path, tmp_path: Path) -> None:
    out = tmp_path / "ä–.svg"
    ended = closeknit(f"CLOSEKNIT plot '{instance}' --out '{out}'", env=ASCII)
    assert ended.returncode == 0, ended.stderr
    assert "größe–1" in out.read_text(encoding="utf-8")
    for command in (
        "methods",
        f"solve '{instance.parent}/fehlt–.json'",
        "reproduce --list",
    ):
        ended = closeknit(f"CLOSEKNIT {command}", env=ASCII)
        assert ended.returncode in (0, 2), command
        assert b"Traceback" not in ended.stderr, command
        assert ended.stderr.count(b"\n") <= 1, command


def test_paths_are_printed_as_they_are(tmp_path: Path) -> None:
    out = f"{tmp_path}/ö–"
    for env in (ASCII, {}):
        ended = closeknit(
            f"CLOSEKNIT generate random --shape 3x3 --k 2 --out '{out}'", env=env
        )
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith(out.encode())
