"""Tables of all commands fit every width, in a terminal and in a pipe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any
from unittest import mock

import pytest

from closeknit.cli.app import run
from closeknit.cli.commands import module_of
from closeknit.cli.frame import screen
from closeknit.instances import write_instance
from closeknit.instances.ksubset.generators import mesh
from closeknit.solvers.running.kernels import interpreted

from ...paths import ROOT

FOLDERS = ("cli", "clusters/commands", "network/commands", "papers/commands")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
OWN = re.compile(r"[lr]just|\bcenter\(|:[^{}\"' ]?>\d|:[^{}\"' ]?>\{|rich\.table")
"""How a table is laid out by hand: with numbers on the right."""
CASES = ROOT / "examples" / "grade"
BLOCKS = (
    "BlockName=b1 Nodes=p[01-18]\nBlockName=b2 Nodes=q[01-18]\n"
    "BlockName=b3 Nodes=r[01-12]\nBlockSizes=12\n"
)
JOBS = '{"id": 1, "nodes": "p[01-07]"}\n{"id": 2, "nodes": ["q[01-03]", "r12"]}\n'
SWF = "; Version: 2\n" + "".join(
    f"{i} {10 * i} -1 {60 + 7 * i} {3 + 5 * (i % 7)} {'-1 ' * 3}200 {'-1 ' * 8}-1\n"
    for i in range(1, 13)
)
COMMANDS = {
    "compare": "compare JOB --methods mm,mc1x1,hilbert/best-fit",
    "defrag": "defrag --topology BLOCKS --state JOBS --assume-up",
    "fragmentation": "fragmentation --topology BLOCKS --busy p[01-07] --sizes 6,12",
    "grade": f"grade {CASES}/kueue-10574.jsonl --topology {CASES}/kueue-10574.conf",
    "verify": "verify bender-lemma-3 --quick",
    "whatif": f"whatif --topology {CASES}/kueue-10574.conf --trace SWF",
}
"""By its module, a command that prints tables."""
Call = tuple[tuple[Any, ...], Mapping[str, Any]]


def test_only_one_module_lays_tables_out() -> None:
    found = {}
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        if file.stem == "screen":
            assert "rich.table" in text
        elif by_hand := OWN.findall(text):
            found[file.stem] = by_hand
    assert not found
    assert {
        file.stem
        for file in FILES
        if "print_table(" in file.read_text(encoding="utf-8")
    } == {*COMMANDS, "screen", "worst"}


@pytest.mark.parametrize(
    "line", ["x.rjust(3)", 'f"{n:>8}"', 'f"{n:>{wide}}"', "from rich.table import T"]
)
def test_tables_by_hand_are_found(line: str) -> None:
    assert OWN.search(line)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Call]]:
    """Run the commands once; return what each gave to be printed as a table."""
    folder = tmp_path_factory.mktemp("tables")
    for name, text in (("BLOCKS", BLOCKS), ("JOBS", JOBS), ("SWF", SWF)):
        (folder / name).write_text(text, encoding="utf-8")
    write_instance(mesh(6, 6, k=9), folder / "JOB")
    found: dict[str, list[Call]] = {}
    for name, line in COMMANDS.items():
        words = [str(folder / w) if w.isupper() else w for w in line.split()]
        module = module_of(name)
        with mock.patch.object(module, "print_table") as printed, interpreted():
            assert run(words) == 0, name
        found[name] = [(call.args, call.kwargs) for call in printed.call_args_list]
    return found


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("kind", [StringIO, Terminal])
@pytest.mark.parametrize("width", [40, 60, 79, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_table_is_wider_than_the_screen_or_breaks_a_number(
    name: str,
    width: int,
    tables: dict[str, list[Call]],
    kind: type[StringIO],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    assert tables[name]
    for given, how in tables[name]:
        with redirect_stdout(kind()) as shown:
            screen.print_table(*given, **how)
        text = re.sub(r"\x1b\[[\d;]*m", "", shown.getvalue())
        columns, rows = given
        rows = [[str(cell) for cell in row] for row in rows]
        assert max(map(len, text.splitlines())) <= width
        _, _, note = text.partition("not shown, for lack of width: ")
        left_out = [one.strip() for one in " ".join(note.split()).split(", ") if note]
        assert set(left_out) <= set(how.get("drop", ()))
        assert width < 120 or not left_out
        table = text.replace(note, "")
        for i, column in enumerate(columns):
            if column in left_out:
                continue
            for word in column.split():
                assert word in table
            for number in re.findall(r"\S*\d\S*", " ".join(row[i] for row in rows)):
                assert column not in how["right"] or number.rstrip(";") in table
