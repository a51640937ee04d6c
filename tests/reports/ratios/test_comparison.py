"""``closeknit ratios compare``: what changed is found, what is noise is not."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.campaigns.store import ResultStore
from closeknit.reports.ratios.comparison import compare
from closeknit.solvers import Grade, Proof

from ...toys import line, made, optimal, small
from ..written import comparison_text


def cheap(method: str = "mm", **changes: Any) -> Row:
    return made(small("a"), method, **{"cost": 4, "selection": (0, 1, 4)} | changes)


def found(before: Row, after: Row) -> list[tuple[str, bool, str, str]]:
    changes = compare([before], [after]).changes
    return [(c.what, c.better, c.old, c.new) for c in changes]


def unknown(**changes: Any) -> Row:
    return made(small("a"), "mm", status="unknown", limit="time", **changes)


def counts(both: int, first: int, second: int, better: int, worse: int) -> str:
    only = f"{first} only in A, {second} only in B"
    return f"{both} compared, {only}, {better} better, {worse} worse"


FAILED = made(small("a"), "mm", status="failed", error="it broke", seconds=None)
UNKNOWN = unknown()
REFUSED = made(small("a"), "mm", status="refused", error="too large", seconds=None)
PROVED = optimal(small("a"), "mm", 4, selection=(0, 1, 4))
BOUND = Proof(Grade.SOLVER, "s")


@pytest.mark.parametrize(
    ("before", "after", "what", "better", "old", "new"),
    [
        (cheap(cost=5), cheap(), "cost", True, "5", "4"),
        (cheap(), FAILED, "answer", False, "cost 4", "failed: it broke"),
        (UNKNOWN, cheap(), "answer", True, "unknown", "cost 4"),
        (PROVED, cheap(), "proof", False, "enumerated: toy", "not proven"),
        (
            optimal(small("a"), "mm", 4, selection=(0, 1, 4), proof=BOUND),
            PROVED,
            *("proof", True, "solver: s", "enumerated: toy"),
        ),
        (
            cheap(bound=3, proof=BOUND),
            cheap(bound=2, proof=BOUND),
            *("bound", False, "3", "2"),
        ),
        (cheap(), cheap(bound=2, proof=BOUND), "bound", True, "", "2"),
        (cheap(cost=(4, 2)), cheap(cost=(4, 1)), "cost", True, "4; 2", "4; 1"),
        (cheap(cost=(10, 0)), cheap(cost=(9, 9)), "cost", True, "10; 0", "9; 9"),
        (FAILED, UNKNOWN, "status", True, "failed: it broke", "unknown"),
        (REFUSED, UNKNOWN, "status", True, "refused: too large", "unknown"),
        (FAILED, REFUSED, "status", True, "failed: it broke", "refused: too large"),
        (
            cheap(bound=3, proof=BOUND),
            cheap(bound=3, proof=Proof(Grade.CHECKED, "c")),
            *("proof", True, "only its bound: solver: s", "only its bound: checked: c"),
        ),
        (
            unknown(),
            unknown(bound=3, proof=BOUND),
            *("bound", True, "", "3"),
        ),
    ],
)
def test_every_difference_is_found_both_ways(
    before: Row, after: Row, what: str, better: bool, old: str, new: str
) -> None:
    assert found(before, after) == [(what, better, old, new)]
    assert found(after, before) == [(what, not better, new, old)]
    assert compare([before], [after]).worse_answers is not better


def test_what_is_alike_is_no_difference() -> None:
    for row in (cheap(), FAILED, UNKNOWN, PROVED):
        assert found(row, row) == []
        assert not compare([row], [row]).worse_answers


@pytest.mark.parametrize(
    "other",
    [
        cheap("mc1x1"),
        cheap(seed=1),
        cheap(repeat=1),
        cheap(time_limit=600.0),
        cheap(node_limit=9),
        cheap(memory_limit=64),
        made(small("b"), "mm", cost=4, selection=(0, 1, 4)),
        made(small("a", busy=1), "mm", cost=4, selection=(0, 1, 4)),
    ],
    ids=["method", "seed", "repeat", "seconds", "nodes", "memory", "name", "content"],
)
def test_what_cannot_be_compared_is_missing_and_so_worse(other: Row) -> None:
    comparison = compare([cheap()], [other])
    assert comparison.counts == counts(0, 1, 1, 0, 0)
    assert (comparison.missing, comparison.added) == ([cheap()], [other])
    assert comparison.worse_answers
    assert not compare([cheap()], [cheap(), other]).worse_answers
    assert "## Missing in B" in comparison_text(comparison, "A", "B")


def test_instances_that_differ_in_name_only_do_not_hide_each_other() -> None:
    others = [made(small(name), "mm", cost=4, selection=(0, 1, 4)) for name in "bc"]
    worse = made(small("b"), "mm", cost=5, selection=(0, 1, 2))
    comparison = compare([cheap(), *others], [worse, others[1], cheap()])
    assert (
        comparison.counts == "3 compared, 0 only in A, 0 only in B, 0 better, 1 worse"
    )


def test_a_run_that_is_better_and_worse_counts_as_both() -> None:
    before = cheap(cost=5, bound=4, proof=BOUND)
    comparison = compare([before], [cheap(bound=3, proof=BOUND)])
    assert comparison.counts == counts(1, 0, 0, 1, 1)


def test_a_proof_that_there_is_no_solution_is_refuted_by_one() -> None:
    none = made(small("a"), "auto", status="infeasible", proof=BOUND)
    for one, other in ((none, cheap()), (cheap(), none)):
        comparison = compare([one], [other])
        assert comparison.contradictions
        assert comparison.worse_answers
        assert "| `auto` no solution (`solver: s`) | `mm` 4 |" in comparison_text(
            comparison, "A", "B"
        )


def test_the_last_of_several_versions_is_compared() -> None:
    old = cheap(cost=9, version="0.0.9", finished="2026-11-01T00:00:00+00:00")
    new = cheap(cost=4, version="0.1.0", finished="2026-11-02T00:00:00+00:00")
    (change,) = compare([new, old], [cheap(cost=5)]).changes
    assert (change.old, change.new) == ("4", "5")


def test_a_proof_that_the_other_store_refutes_is_worse() -> None:
    proved = optimal(small("a"), "auto", 5, selection=(0, 1, 2))
    comparison = compare([proved], [cheap()])
    (contradiction,) = comparison.contradictions
    assert (contradiction.proved, contradiction.found) == (proved, cheap())
    assert comparison.worse_answers
    row = "| `a` | `auto` at least 5 (`enumerated: toy`) | `mm` 4 |"
    assert row in comparison_text(comparison, "A", "B")


def timed(factor: float, *, noise: float = 0.1, count: int = 30) -> list[Row]:
    draw = random.Random(repr((factor, noise)))
    rows = []
    for i in range(count):
        instance = line(f"l{i}", *range(i + 3), k=2)
        for repeat in range(3):
            seconds = 0.1 * factor * (1 + noise * draw.uniform(-1, 1))
            run = {"seconds": seconds, "repeat": repeat, "seed": repeat}
            rows.append(made(instance, "mm", cost=1, selection=(0, 1), **run))
    return rows


def test_times_make_nothing_worse(capsys: pytest.CaptureFixture[str]) -> None:
    assert not compare(timed(1.0), timed(3.0)).worse_answers
    assert run(["ratios", "compare", "a", "b", "--fail-on", "worse"]) == 2
    assert "invalid choice: 'worse'" in capsys.readouterr().err


def stored(folder: Path, *rows: Row) -> str:
    with ResultStore(folder) as store:
        for row in rows:
            store.append(row)
    return str(folder)


def test_the_command_fails_unless_told_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    a = stored(tmp_path / "a", cheap(), cheap("random", cost=6), *timed(1.0))
    b = stored(tmp_path / "b", cheap(), cheap("random", cost=7), *timed(2.0))
    words = ["ratios", "compare", a, b]
    page = tmp_path / "page.md"
    assert run([*words, "--markdown", str(page)]) == 1
    said, complained = capsys.readouterr()
    assert said == page.read_text()
    assert complained == ""
    assert said.splitlines()[0] == counts(92, 0, 0, 0, 1)
    assert "| `a` | `random` | 0 | cost | `6` | `7` |" in said
    slower = stored(tmp_path / "c", cheap(), cheap("random", cost=6), *timed(2.0))
    part = stored(tmp_path / "d", cheap(), *timed(1.0))
    for before, after, answers in (
        (a, b, 1),
        (b, a, 0),
        (a, slower, 0),
        (a, part, 1),
        (part, a, 0),
    ):
        for how, status in (
            ((), answers),
            (("--fail-on", "answers"), answers),
            (("--fail-on", "never"), 0),
        ):
            assert run(["ratios", "compare", before, after, *how]) == status
    capsys.readouterr()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(words) == 1
    title = "::error title=closeknit ratios compare::"
    assert capsys.readouterr().err == f"{title}random on a: cost: 6, now 7\n"
    assert run([*words, "--fail-on", "never"]) == 0
    assert capsys.readouterr().err == ""


def test_nothing_compared_never_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = stored(tmp_path / "a", cheap())
    for number, rows in enumerate([(), (cheap("mc1x1"),), (cheap(seed=1),)]):
        other = stored(tmp_path / str(number), *rows)
        for before, after in ((a, other), (other, a)):
            for how in ((), ("--fail-on", "never")):
                assert run(["ratios", "compare", before, after, *how]) == 2
                said, complained = capsys.readouterr()
                assert said.startswith("0 compared, ")
                assert complained.count("\n") == 1
                assert "no run of A has one like it in B" in complained


def test_what_cannot_be_compared_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = stored(tmp_path / "a", cheap())
    for words, complaint in (
        ([a], "the following arguments are required: B"),
        ([a, "gone"], "gone: there is no store of results"),
        ([a, str(tmp_path)], f"{tmp_path}/results.sqlite: there is no store"),
        ([a, __file__], f"{__file__}: cannot be used: file is not a database"),
        ([a, a, "--jobs", "2"], "unrecognized arguments: --jobs 2"),
    ):
        assert run(["ratios", "compare", *words]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"closeknit: {complaint}")
        assert said.count("\n") == 1
