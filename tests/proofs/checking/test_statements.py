"""Each kind of statement comes as often, and where, as docs/science/proofs.md says."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from closeknit.proofs.checking import (
    CheckLimits,
    NoProof,
    Propagator,
    ProvenResult,
    Refused,
    TooLong,
    check_proof,
)
from closeknit.proofs.checking.checker import KINDS, Where
from closeknit.proofs.checking.statements import VERSIONS, TimeBudget
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from tests.forging.small_proofs import cover

PAGE = (Path(__file__).parents[3] / "docs/science/proofs.md").read_text()
OLD = ["1.0", "1.1", "1.2"]
END = "end pseudo-Boolean proof"
TWO = {
    "f": ["f 3", "f 3"],
    "l": ["l 1", "l 2"],
    "pol": ["pol 1 2 +", "pol 1 a +"],
    "p": ["p 1 2 +", "p 1 a +"],
    "rup": ["rup +1 a +1 b >= 1", "rup +2 a +2 b >= 2"],
    "u": ["u +1 a +1 b >= 1", "u +2 a +2 b >= 2"],
    "red": ["red +1 y >= 1 : y -> 1", "red +1 ~z >= 1 : z 0"],
    "soli": ["soli a b c", "soli a b ~c"],
    "o": ["o a b c", "o a b ~c"],
    "sol": ["sol a b c", "sol a b ~c"],
    "e": ["e +1 a +1 b >= 1 : 1", "e +1 b +1 c >= 1 : 2"],
    "del": ["del id 1", "del range 2 3"],
    "d": ["d 1", "d 2 3"],
    "delc": ["delc 1", "delc 2 3"],
    "deld": ["deld 1", "deld 2 3"],
    "core": ["core id 1", "core range 1 3"],
    "output": ["output NONE", "output NONE"],
    "c": ["c", "c"],
    "conclusion": ["conclusion BOUNDS 0 INF", "conclusion BOUNDS 0 : 1 INF"],
    "end": [END, END],
}
"""Two statements of each kind, each right where it may come."""


def table() -> Iterator[tuple[str, str, str]]:
    """Yield every cell of the table in the docs: statement, version, text."""
    rows = PAGE.partition("<!-- table: statements -->")[2].strip().split("\n\n")[0]
    head, _, *body = rows.splitlines()
    versions = [cell.strip() for cell in head.strip("|").split("|")][1:]
    for line in body:
        name, *cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        for version, cell in zip(versions, cells, strict=True):
            yield name, version, cell


CELLS = list(table())


def text(version: str, *steps: str) -> list[str]:
    """Write a proof; where a version has it, semicolons end statements."""
    lines = []
    for step in steps:
        if version < "2" and step.startswith("e "):
            row, _, number = step[2:].partition(" : ")
            step = f"e {number} {row}"
        ends = ";" if version == "3.0" or step.startswith(("u ", "rup ")) else ""
        middle = " : " if version == "3.0" else " ; "
        lines.append(step.replace(" : ", middle) + ends + "\n")
    return [f"pseudo-Boolean proof version {version}\n", *lines]


def rest(version: str, name: str = "") -> list[str]:
    """Return what ends a proof: steps, and its last statements."""
    if version < "2":
        best = [] if name in ("o", "soli") else ["o a b ~c"]
        return [*best, "u +1 a >= 1", "u >= 1", "c"]
    return ["output NONE", "conclusion BOUNDS 0 INF", END]


def numbered(version: str, name: str) -> list[str]:
    """Give the rows of the formula numbers, unless the statement does."""
    return ["f 3"] if version < "2" and name not in ("f", "l") else []


def accepted(version: str, *steps: str) -> ProvenResult:
    plain, fast = (
        check_proof(cover(), text(version, *steps), None, each)
        for each in (Propagator, FastPropagator)
    )
    assert plain == fast
    return plain


def refused(version: str, at: int, why: str, *steps: str) -> None:
    for each in (Propagator, FastPropagator):
        with pytest.raises((NoProof, Refused), match=why) as raised:
            check_proof(cover(), text(version, *steps), None, each)
        where = rf"step {at} \(line {at + 1}\): "
        assert re.match(where, str(raised.value)), str(raised.value)


def test_the_table_is_that_of_the_checker() -> None:
    cells = {(name, version): text for name, version, text in CELLS}
    assert len(cells) == len(CELLS) == len(KINDS) * len(VERSIONS)
    for name, kind in KINDS.items():
        for version in VERSIONS:
            where = kind.where.get(version)
            assert cells[name, version] == (where.value if where else "–")
    assert {text for _, _, text in CELLS} == {"–", *(each.value for each in Where)}


@pytest.mark.parametrize(
    ("name", "version"), [cell[:2] for cell in CELLS if cell[2] == "–"]
)
def test_no_statement_of_another_version(name: str, version: str) -> None:
    before = numbered(version, "")
    why = f"rule {name} is not supported in version {version}"
    refused(version, len(before) + 1, why, *before, TWO[name][0], *rest(version))


@pytest.mark.parametrize(
    ("name", "version"), [cell[:2] for cell in CELLS if cell[2] == "any"]
)
def test_any_number_of_times_before_the_end(name: str, version: str) -> None:
    before, after = numbered(version, name), rest(version, name)
    one, two = TWO[name]
    assert accepted(version, *before, one, two, *after).steps == len(before + after) + 2
    accepted(version, *before, *rest(version))
    if version >= "2":
        for i, what in enumerate(("the output", "the conclusion"), 1):
            why = f"{name} may not come behind {what}"
            refused(version, i + 1, why, *after[:i], one, *after[i:])
    accepted(version, *before, *rest(version), one, one)  # counts for nothing


@pytest.mark.parametrize(
    ("name", "version", "cell"), [cell for cell in CELLS if cell[2].startswith("once")]
)
def test_at_most_once_and_where(name: str, version: str, cell: str) -> None:
    after = rest(version)
    one, two = TWO[name]
    step = "red +1 y >= 1 : y -> 1"
    if cell in ("once", "once, first"):
        accepted(version, one, step, *after)
        accepted(version, *after)
        refused(version, 2, f"{name} may not come again", one, two, *after)
        refused(version, 3, f"{name} may not come again", one, step, two, *after)
        if cell == "once":
            accepted(version, step, one, *after)
        else:
            why = f"{name} may not come behind a step"
            refused(version, 2, why, step, one, *after)
        return
    if cell == "once, last":
        accepted(version, *after, two, step)
        refused(version, 3, "without a conclusion", *after[:-1])
        refused(version, 1, "there is no contradiction", one)
        return
    at = after.index(one)
    behind = {"output": "the output", "conclusion": "the conclusion", "end": ""}[name]
    again = f"{name} may not come again"
    if behind:
        refused(version, at + 2, again, *after[: at + 1], two, *after[at + 1 :])
        refused(version, at + 2, f"come behind {behind}", *after[: at + 1], step, END)
    else:
        accepted(version, *after, two, step)
        refused(version, 1, "end may not come behind the header", END)
        refused(version, 2, "end may not come behind the output", after[0], END)
    without = after[:at] + after[at + 1 :]
    if name == "output":
        accepted(version, *without)
        refused(version, 2, "come behind the conclusion", *without[:1], one, END)
    else:
        refused(version, 2, "may not come behind|without", *without)


def test_rules_that_are_not_supported_are_listed_and_refused_by_name() -> None:
    listed = PAGE.partition("<!-- list: unsupported -->")[2].partition(";")[0]
    names = re.findall(r"`([^`]+)`", listed)
    assert len(names) > 30
    for name in [*names, "magic"]:
        for version in VERSIONS:
            why = f"rule {name} is not supported in version {version}"
            refused(version, 2, why, "f 3", f"{name} 1 a >= 1", *rest(version))


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("red +1 y >= 1 : y -> 1 : subproof", "not supported: subproof"),
        ("pol 1 : begin", "not supported: begin"),
        ("del spec +1 a >= 1", "del spec is not supported"),
        ("output DERIVABLE FILE", "output DERIVABLE FILE is not supported"),
        ("conclusion SAT", "concludes nothing"),
        ("conclusion BOUNDS 0 : 1 INF : a", "not supported: a"),
        ("rup +1 a = 1", "a row cannot be read"),
        ("e +1 a +1 b >= 1", "cannot be read"),
        ("e +1 a +1 b >= 1 : 1 : 2", "not supported: 2"),
        ("pol 1 2 m", "no variable m"),
        ("red +1 y >= 1 : ~y -> 0", "maps a negation"),
        ("red +1 y >= 1 : y -> 1 y -> 1", "maps a variable twice"),
        ("red +1 y >= 1 : y -> 01", "no variable 01"),
        ("version 1.0", "rule version is not supported"),
    ],
)
def test_parts_that_are_not_supported(version: str, step: str, why: str) -> None:
    refused(version, 1, why, step, *rest(version))


def test_what_has_no_terms_spends_time_too() -> None:
    budget = TimeBudget(CheckLimits(seconds=0.5, now=count().__next__))
    with pytest.raises(TooLong, match=r"takes more than 0\.5 s"):
        [budget.spend(0) for _ in range(2**15)]  # type: ignore[func-returns-value]


def test_labels_are_of_version_3() -> None:
    accepted("3.0", "@one pol 1 2 +", "pol @one 2 d", "del id @one", *rest("3.0"))
    accepted("3.0", "@two e +1 b +1 c >= 1 : 2", "del id @two", *rest("3.0"))
    for version in ("1.1", "2.0"):
        refused(version, 2, "pol takes no label", "f 3", "@one pol 1 2 +")
    refused("3.0", 1, "del takes no label", "@one del id 1", *rest("3.0"))
    refused("3.0", 1, "cannot be read", "@one", *rest("3.0"))
    refused("3.0", 1, "there is no row @one", "pol @one", *rest("3.0"))


@pytest.mark.parametrize("version", OLD)
def test_a_nought_may_end_statements_of_old_versions(version: str) -> None:
    steps = [
        "f 3 0",
        "p 1 2 + 3 + 2 d 0",
        "del id 4 0",
        "l 1 0",
        "d 5 0",
        *rest(version),
    ]
    assert accepted(version, *steps[:-1], "c -1 0").bound == 2
    for newer in ("2.0", "3.0"):
        refused(newer, 1, "no row 0|more than one", "pol 1 2 + 0", *rest(newer))


@pytest.mark.parametrize("version", OLD)
def test_semicolons_behind_rows_of_old_versions_may_be_missing(version: str) -> None:
    lines = [line.replace(";", "") for line in text(version, *rest(version))]
    assert check_proof(cover(), lines).bound == 2


def test_comments() -> None:
    old = text("2.0", *rest("2.0"))
    old[1:1] = ["* a comment\n", "  * another\n", "% one more\n", "\n"]
    assert check_proof(cover(), old) == ProvenResult(0, 3)
    before = ["* before the header\n", "% and so is this\n", "\n"]
    assert check_proof(cover(), before + old) == ProvenResult(0, 3)
    new = text("3.0", *rest("3.0"))
    new[1:1] = ["% a comment; with a semicolon\n", "pol 1 2 % and\n * 3 + ; % so on\n"]
    new[2:3] = ["pol 1 2 % twice\n", "* 2 + ;\n"]
    assert check_proof(cover(), new) == ProvenResult(0, 4)
