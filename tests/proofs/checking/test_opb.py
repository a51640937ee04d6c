"""Formulas in OPB files: what is read, what is refused, and proofs about them."""

from __future__ import annotations

import json
import lzma
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError, Instance, write_instance
from closeknit.instances.library import bundled
from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    check_opb_proof,
    formula_of,
    opb,
)
from closeknit.proofs.checking.opb import read_opb
from closeknit.proofs.writing.opb_text import opb_text
from tests.forging.small_proofs import SACK, branching_proof

Capsys = pytest.CaptureFixture[str]

FORMULA = """\
* #variable= 3 #constraint= 3
* a comment
min: +3 xa -2 ~xb +1 xa ;
+2 xa +3 ~xb -1 xc >= 1 ;
+1 xa +1 xb = 1 ;
1 xa +1 xa >= -4 ;
"""
NOT_SAT = """\
* #variable= 2 #constraint= 4
+1 xa +1 xb >= 1 ;
+1 xa +1 ~xb >= 1 ;
+1 ~xa +1 xb >= 1 ;
+1 ~xa +1 ~xb >= 1 ;
"""
REFUTED = """\
pseudo-Boolean proof version 2.0
f 4
pol 1 2 + 2 d
rup >= 1 ;
output NONE
conclusion UNSAT : -1
end pseudo-Boolean proof
"""


def read(text: str, folder: Path) -> Formula:
    path = folder / "f.opb"
    path.write_text(text)
    return read_opb(path)


def test_a_formula_is_read_to_the_letter(tmp_path: Path) -> None:
    found = read(FORMULA, tmp_path)
    assert found.names == ["xa", "xb", "xc"]
    # 4 xa - 2 (1 - xb) is 4 xa + 2 xb - 2
    assert (found.objective, found.offset) == ({1: 4, 2: 2}, -2)
    rows = [(row.terms, row.degree) for row in found.rows]
    assert rows == [
        ({1: 2, -2: 3, -3: 1}, 2),
        ({1: 1, 2: 1}, 1),
        ({-1: 1, -2: 1}, 1),
        ({1: 2}, -4),
    ]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("+1 xa +1 xb <= 1 ;", 1, "must end with >= or = and a number, not '<='"),
        ("max: +1 xa ;", 1, "must end with >= or ="),
        ("min: +1 xa\n;\nmin: +1 xa ;", 3, "must come once, before all"),
        ("+1 xa >= 1 ;\nmin: +1 xa ;", 2, "must come once, before all constraints"),
        ("+1 xa xb >= 1 ;", 1, "is in a product: only sums can be read: 'xb'"),
        ("+1 xa +2 xb ~xc >= 1 ;", 1, "is in a product"),
        ("xa +1 xb >= 1 ;", 1, "needs a coefficient, not 'xa'"),
        ("+1 xa +1 >= 1 ;", 1, "needs a variable, not '+1'"),
        ("+1 x >= 1 ;", 1, "is no variable of 2 to 100"),
        ("+1 ~~xa >= 1 ;", 1, "is no variable"),
        ("+1 xé >= 1 ;", 1, "is no variable"),
        (f"+1 x{'a' * 100} >= 1 ;", 1, "is no variable"),
        ("+1.5 xa >= 1 ;", 1, "is no number: '+1.5'"),
        ("+1_0 xa >= 1 ;", 1, "is no number"),
        ("+1 xa >= 0x1 ;", 1, "is no number"),
        ("+1 xa >= ;", 1, "must end with >= or = and a number"),
        ("+1 xa >= 1 2 ;", 1, "must end with >= or = and a number"),
        (";", 1, "must end with >= or = and a number"),
        (f"+{'9' * 1235} xa >= 1 ;", 1, "has more than 1234 digits"),
        ("+1 xa >= 1", 1, "ends within a statement"),
        ("* #variable= 1 #constraint= 1\n+1 xa +1 xb >= 1 ;", 2, "has 2 variables and"),
        ("* #variable= 2 #constraint= 2\n+1 xa +1 xb >= 1 ;", 2, "and 1 constraint"),
        ("* #variable= two #constraint= 2\n", 1, "is no header of a formula"),
        ("* #variable= 2\n", 1, "is no header of a formula"),
    ],
)
def test_what_is_not_in_the_format_is_refused_with_its_line(
    text: str, line: int, why: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        read(text, tmp_path)
    assert f"f.opb:{line}: " in str(error.value)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("MOST_WORDS", 6, "+1 xa +1 xb >= 1 ;"),
        ("MOST_CONSTRAINTS", 2, ">= 0 ;\n>= 0 ;"),
        ("MOST_SIZE", 30, "* comment\n" * 3),
    ],
)
def test_sizes_are_limited(
    name: str, value: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opb, name, value)
    read(text, tmp_path)
    monkeypatch.setattr(opb, name, value - 1)
    with pytest.raises(InputError, match=r"has more than|is too large"):
        read(text, tmp_path)


def test_reading_counts_for_the_time_limit(tmp_path: Path) -> None:
    """A clock that a look moves on by a second."""
    clock = iter(range(10**6))
    limits = CheckLimits(seconds=30, now=lambda: next(clock))
    path = tmp_path / "f.opb"
    path.write_text("+1 xa >= 0 ;\n" * 100)
    with pytest.raises(InputError, match=r"f\.opb: takes more than 30 s to read"):
        read_opb(path, limits)
    path.write_text("+1 xa +1 xb " * 10**5 + ">= 0 ;")  # in one line
    with pytest.raises(InputError, match="takes more than 30 s to read"):
        read_opb(path, limits)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "words": lambda: b"+1 xa " * (opb.MOST_WORDS // 2 + 1),
    "rows": lambda: b">= 0 ;\n" * (opb.MOST_CONSTRAINTS + 1),
    "bomb": lambda: lzma.compress(b"* \n" * 2**20) * (opb.MOST_SIZE >> 21),
    "names": lambda: b"".join(b"+1 x%d >= 0 ;" % i for i in range(400_000)) + b"?",
    "cut off": lambda: lzma.compress(NOT_SAT.encode())[:-8],
    "binary": lambda: bytes(range(256)) * 99,
    "no end": lambda: b"9" * 2**24,
    "digits": lambda: b"+" + b"9" * 2**20 + b" xa >= 1 ;",
}
"""Made where they are used: all processes of a run collect all tests."""


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_formulas_are_one_line(
    what: str, tmp_path: Path, capsys: Capsys
) -> None:
    formula, proof = tmp_path / "f.opb", tmp_path / "p.pbp"
    formula.write_bytes(HOSTILE[what]())
    proof.write_text(REFUTED)
    begun = time.process_time()
    files = [str(formula), "--proof", str(proof)]
    assert run(["check", *files, "--time-limit", "0.3", "--plain"]) == 2, what
    assert time.process_time() - begun < 6  # of a shared machine
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert str(formula) in shown.err


# Proofs


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("options", [[], ["--plain"]])
def test_a_refutation(
    packed: bool, options: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    formula = tmp_path / ("f.opb.xz" if packed else "f.opb")
    proof = tmp_path / "p.pbp"
    text = NOT_SAT.encode()
    formula.write_bytes(lzma.compress(text) if packed else text)
    proof.write_text(REFUTED)
    assert run(["check", str(formula), "--proof", str(proof), *options]) == 0
    assert capsys.readouterr().out == f"{proof}: derived: UNSAT (6 steps)\n"
    satisfiable = NOT_SAT.replace("+1 ~xa +1 ~xb >= 1", "+1 ~xa +1 ~xb >= 0")
    formula.write_bytes(satisfiable.encode())
    assert run(["check", str(formula), "--proof", str(proof), *options]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{proof}: step 3 (line 4): ")
    assert shown.err == ""


def test_an_unknown_rule_is_named_with_its_place(
    tmp_path: Path, capsys: Capsys
) -> None:
    formula, proof = tmp_path / "f.opb", tmp_path / "p.pbp"
    formula.write_text(NOT_SAT)
    proof.write_text(REFUTED.replace("pol", "dom"))
    assert run(["check", str(formula), "--proof", str(proof)]) == 2
    assert (
        f"{proof}: step 2 (line 3): rule dom is not supported"
        in capsys.readouterr().err
    )


SMALL: tuple[Instance, ...] = (
    SACK,
    bundled("random-18-12sets-of5-l3-full-r8-s1"),
    bundled("6x6-full-k9"),
)


def test_what_export_writes_is_read_and_the_proof_followed(
    tmp_path: Path, capsys: Capsys
) -> None:
    """The bound is in the units of the formula, as its objective there."""
    file, formula, proof = (str(tmp_path / n) for n in ("a.json", "f.opb", "p.pbp"))
    write_instance(SACK, file)
    assert run(["export", file, "--to", "opb", "--out", formula]) == 0
    made = formula_of(SACK)
    Path(proof).write_text("".join(branching_proof(made, {1, 5, 6})))
    capsys.readouterr()
    assert run(["check", formula, "--proof", proof, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["bound"], found["unsatisfiable"]) == (5, False)
    assert check_opb_proof(formula, proof).bound == 5


def test_reading_counts_for_the_time_and_none_may_be_left(tmp_path: Path) -> None:
    (tmp_path / "f.opb").write_text(NOT_SAT)
    (tmp_path / "p").write_text(REFUTED + "* more\n")
    clock = chain([0, 1, *[2] * NOT_SAT.count("\n")], repeat(100))
    limits = CheckLimits(seconds=3, now=clock.__next__)
    proved = check_opb_proof(tmp_path / "f.opb", tmp_path / "p", limits)
    assert (proved.bound, proved.seconds) == (None, 100)


@pytest.mark.parametrize("instance", SMALL, ids=lambda one: one.name)
def test_exported_formulas_are_the_formula(instance: Instance, tmp_path: Path) -> None:
    made = formula_of(instance)
    path = tmp_path / "f.opb"
    path.write_text("".join(opb_text(made)))
    found = read_opb(path)

    def plain(formula: Formula) -> list[tuple[dict[str, int], int]]:
        names = ["", *formula.names]
        return [
            (
                {("~" * (x < 0)) + names[abs(x)]: a for x, a in row.terms.items()},
                row.degree,
            )
            for row in formula.rows
        ]

    assert plain(found) == plain(made)
    prices = [
        {formula.names[x - 1]: a for x, a in formula.objective.items() if a}
        for formula in (found, made)
    ]
    assert prices[0] == prices[1]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ([], "--proof: is needed with a formula"),
        (["s.json", "--proof", "p"], "SOLUTION: is not for formulas"),
        (["--proof", "p", "--prove"], "--prove: is not for formulas"),
        (["--proof", "p", "--accept", "solver"], "--accept: is not for formulas"),
        (["--proof", "p", "--certificate", "c"], "--certificate: not allowed with"),
        (["--proof", "p", "--rewrite", "o"], "--rewrite: is not for formulas"),
        (["--proof", "nowhere.pbp"], "nowhere.pbp: cannot be read"),
    ],
)
def test_options_that_do_not_fit_are_named(
    words: list[str],
    field: str,
    tmp_path: Path,
    capsys: Capsys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.opb").write_text(NOT_SAT)
    assert run(["check", "f.opb", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert field in shown.err


def test_an_instance_needs_a_solution(tmp_path: Path, capsys: Capsys) -> None:
    write_instance(SACK, tmp_path / "a.json")
    assert run(["check", str(tmp_path / "a.json"), "--proof", "p"]) == 2
    assert "SOLUTION: is missing" in capsys.readouterr().err
