"""b-files, boxes that hold an optimum, certificates of terms, and resumed tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.formulations.ksubset.bounds import towns
from closeknit.formulations.ksubset.bounds.diagrams import partition_cost
from closeknit.instances import cost
from closeknit.instances.ksubset.towns import _across
from closeknit.methods import METHODS
from closeknit.proofs.checking.folder import read_index
from closeknit.reports.claims.ksubset.towns import A193452, A290190
from closeknit.reports.reproductions.oeis import sequences
from closeknit.reports.reproductions.oeis.sequences import (
    PLANE,
    SPACE,
    b_file,
    side_of,
    spans,
)
from closeknit.solvers.running import clock


def partitions(n: int, most: int) -> Iterator[tuple[int, ...]]:
    if not n:
        yield ()
    for first in range(min(n, most), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def test_the_listed_terms_are_those_of_the_encyclopedia() -> None:
    assert [PLANE.term(n) for n in range(PLANE.offset, PLANE.listed + 1)] == [*A193452]
    spatial = [SPACE.term(n) for n in range(SPACE.offset, SPACE.listed + 1)]
    assert spatial == [*A290190][1:]


@pytest.mark.parametrize("n", range(1, 23))
def test_the_box_holds_every_optimal_diagram(n: int) -> None:
    optimal = [one for one in partitions(n, n) if partition_cost(one) == PLANE.term(n)]
    assert optimal
    longest = max(max(len(one), one[0]) for one in optimal)
    assert longest <= side_of(PLANE, n) <= longest + 2


def test_sums_across_by_hand() -> None:
    assert _across(7, 3, 2) == 4  # rows of 3 at 0, of 3 and 1 beside it
    assert _across(20, 2, 3) == 1 * 8 + 2 * 10


@pytest.mark.parametrize("sequence", [PLANE, SPACE])
@pytest.mark.parametrize("n", [3, 8, 12])
def test_the_room_costs_what_the_term_says(
    sequence: sequences.OeisSequence, n: int
) -> None:
    room = sequence.room(n)
    where = {site: i for i, site in enumerate(room.free)}
    assert cost(room, [where[site] for site in sequence.sites(n)]) == sequence.term(n)
    assert METHODS["ksubset"]["cuts-bb"](room).objective == sequence.term(n)


def test_the_first_new_terms_are_certified() -> None:
    for sequence in (PLANE, SPACE):
        n = sequence.listed + 1
        nodes = record(sequence.room(n), sequence.term(n), clock.now() + 60)
        assert isinstance(nodes, list)


def test_files_certificates_and_a_resumed_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "oeis"
    command = ["reproduce", "oeis", "--out", str(out), "--jobs", "1", "--first"]
    assert run([*command, "14"]) == 0
    lines = (out / "b290190.txt").read_bytes().decode("ascii")
    assert lines.endswith("\n13 168\n14 201\n")
    found = re.findall(r"^(\d+) (\d+)$", lines, re.M)
    assert [int(n) for n, _ in found] == list(range(2, 15))
    assert "14 227\n" in (out / "b193452.txt").read_text()
    assert [one.cost for one in read_index(out)] == [201]
    letter = (out / "to-send.txt").read_text()
    assert "<your name>, Table of n, a(n) for n = 2..14" in letter
    assert "A193452: no term beyond those listed" in letter
    capsys.readouterr()
    assert run(["verify", "--proofs", str(out), "--plain"]) == 0
    assert capsys.readouterr().out.endswith("1 of 1 hold\n")
    before = (out / "proofs" / "A290190-n14.xz").stat().st_mtime_ns
    assert run([*command, "14"]) == 0
    assert (out / "proofs" / "A290190-n14.xz").stat().st_mtime_ns == before
    files = [
        str(out / part / "A290190-n14.json") for part in ("instances", "solutions")
    ]
    certificate = str(out / "proofs" / "A290190-n14.xz")
    assert run(["check", *files, "--proof", certificate]) == 0


def test_a_kept_table_is_used_and_a_wrong_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for d, k in ((2, 30), (3, 20)):
        towns.town(k)
        towns.town_in_space(k)
        table = towns.known_towns(d)[: k + 1]
        name = "_known" if d == 2 else "_known_in_space"
        with monkeypatch.context() as patched:
            patched.setattr(towns, name, table[:5])
            towns.restore_towns(d, [(cost, [*shape]) for cost, shape in table])
            assert towns.known_towns(d) == table
            patched.setattr(towns, name, table[:5])
            wrong = [*table[:7], (table[7][0] - 1, table[7][1])]
            with pytest.raises(ValueError, match="town of 7 does not cost"):
                towns.restore_towns(d, wrong)
            assert towns.known_towns(d) == table[:7]


def test_b_files_by_hand() -> None:
    text = b_file(SPACE, [1, 4, 8], [3])
    assert text.splitlines()[-3:] == ["2 1", "3 4", "4 8"]
    assert text.splitlines()[3].endswith(": 3")
    assert text.isascii()
    assert spans([1, 2, 3, 7, 9, 10]) == "1..3, 7, 9..10"
