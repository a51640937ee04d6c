"""Answers of a campaign are derived again, and a wrong one is found.

Machine code once answered 308 where 307 is the optimum, and every report said
"enumerated". A certificate of 308 cannot be written: so one is written of every answer.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from closeknit.cli.app import run
from closeknit.instances import (
    Graph,
    Instance,
    KSubset,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    cost,
    mesh,
    problem_of,
    write_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.methods import METHODS, confirming, rederiving
from closeknit.methods.rederiving import OPEN, Rederived, draw_some, interpret, rederive
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.campaigns.store import ResultStore
from closeknit.reports.campaigns.study.inputs import instances_of
from closeknit.solvers import Grade, Proof, Result, Settings, Status, answer
from closeknit.solvers.running import clock

from ...in_process import stay_in_process

PETERSEN = Graph.from_networkx(nx.petersen_graph())
BY = Proof(Grade.ENUMERATED, "example")
SETS = ProcSet(
    *("sets", ("a", "b", "c", "d"), (0, 1, 2, 3), 2),
    (ProcessorSet("s", (0, 1), (1, 2)), ProcessorSet("t", (2, 3), (1, 1))),
)
WRONG = [
    (mesh(4, 4, k=5), (0, 1, 2, 3, 4)),
    (KSubset("petersen", PETERSEN, tuple(PETERSEN.locations()), 4), (0, 2, 4, 6)),
    (SETS, (0, 1)),
    (Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6), (1,)),
    (Submesh("room", (4, 4), (Resident((1, 0, 2, 3)),), (2, 4)), None),
]
"""Instances, and choices that are not optimal."""


def answered(instance: Instance, chosen: tuple[int, ...] | None) -> Result:
    """Return the claim of a search that the choice is optimal."""
    if chosen is None:
        return Result(status=Status.INFEASIBLE, proof=BY)
    bound = cost(instance, chosen)
    return answer(instance, chosen, start=clock.now(), bound=bound, proof=BY)


@pytest.mark.parametrize(("instance", "chosen"), WRONG)
def test_a_wrong_answer_of_any_problem_is_found(
    instance: Instance, chosen: tuple[int, ...] | None, tmp_path: Path
) -> None:
    result = answered(instance, chosen)
    found = rederive(instance, "example", result, 10, tmp_path)
    right = METHODS[problem_of(instance).name]["auto"](instance)
    assert found.wrong.startswith("example (enumerated: example) claims ")
    for value in (result.objective, right.objective):
        numbers = value if isinstance(value, tuple) else (value,)
        assert value is None or "; ".join(map(str, numbers)) in found.wrong
    [path] = tmp_path.iterdir()
    assert str(path) in found.wrong


def test_a_refuted_answer_stays_refuted_where_nobody_knows_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its proof may take too long when it is written once more."""
    instance, chosen = SETS, (0, 1)
    once = iter([confirming.prove_again])
    monkeypatch.setattr(rederiving, "prove_again", lambda *what: next(once)(*what))
    monkeypatch.setattr(confirming, "prove_again", lambda *_: None)
    monkeypatch.setattr(confirming, "_LEAST", 99.0)
    found = rederive(instance, "example", answered(instance, chosen), 10, tmp_path)
    assert found.wrong.startswith("example (enumerated: example) claims optimal")
    assert found.wrong.endswith(f"the answer is in {next(tmp_path.iterdir())}")


@pytest.mark.parametrize("instance", [instance for instance, _ in WRONG])
def test_a_right_answer_holds(instance: Instance) -> None:
    right = METHODS[problem_of(instance).name]["auto"](instance)
    assert rederive(instance, "auto", replace(right, proof=BY), 10) == Rederived()


def test_what_takes_too_long_is_not_finished() -> None:
    [large] = [i for i in instances_of(["bundled"]) if i.name.startswith("6x6x6")]
    result = METHODS["ksubset"]["auto"](large)
    assert rederive(large, "auto", result, 0.0) == OPEN


def test_one_row_in_twenty_is_drawn_by_the_seed() -> None:
    assert [len(draw_some(range(n), 0)) for n in (0, 1, 20, 21, 400)] == [
        0,
        1,
        1,
        2,
        20,
    ]
    assert (
        draw_some(range(400), 1) == draw_some(range(400), 1) != draw_some(range(400), 2)
    )


def test_the_source_of_kernels_is_compared() -> None:
    method, instance = METHODS["ksubset"]["mm"], mesh(5, 5, k=7)
    result = method(instance)
    right = result.objective, result.bound, result.status.value
    settings = Settings(time_limit=10)
    assert interpret(method, instance, "mm", right, settings) == Rederived()
    for wrong in ((1, None, "feasible"), (result.objective, 3, "feasible")):
        found = interpret(method, instance, "mm", wrong, settings)
        assert found.wrong.startswith(f"mm answers feasible, cost {wrong[0]}")
        assert f"and feasible, cost {result.objective}, bound -" in found.wrong


def planted(out: Path, method: str, chosen: tuple[int, ...], instance: Instance) -> Row:
    """Replace what a method answered in a store by another choice, called optimal."""
    with ResultStore(out) as store:
        [row] = [row for row in store.rows.values() if row.method == method]
        price = cost(instance, chosen)
        optimal = row.status == "optimal"
        other = replace(
            row, selection=chosen, cost=price, bound=price if optimal else row.bound
        )
        store.forget([row.key])
        store.append(other)
    return other


def of_cost(instance: KSubset, chosen: tuple[int, ...], wanted: int) -> tuple[int, ...]:
    """Return a choice of this cost that differs in one processor."""
    for one in chosen:
        for other in set(range(instance.n)) - set(chosen):
            found = tuple(sorted({*chosen, other} - {one}))
            if cost(instance, found) == wanted:
                return found
    raise AssertionError


def test_ratios_ends_with_an_error_that_names_both_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    [hard] = [i for i in instances_of(["bundled"]) if i.name.startswith("8x8-random")]
    assert isinstance(hard, KSubset)
    path, out = str(tmp_path / "hard.json"), tmp_path / "out"
    write_instance(hard, path)
    command = ["ratios", path, "--out", str(out), "--methods", "random", "--jobs", "1"]
    assert run(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == (
        "1 of 1 proven answers derived again; 1 of 1 rows interpreted."
    )
    with ResultStore(out) as store:
        [best] = [r.selection for r in store.rows.values() if r.method == "auto"]
    assert best is not None
    assert cost(hard, best) == 113
    planted(out, "auto", of_cost(hard, best, 114), hard)
    for _ in range(2):  # it is no less wrong the second time
        assert run(command) == 1
        out_text, err = capsys.readouterr()
        assert "1 instance with a contradicted proof" in out_text
        [line] = [line for line in err.splitlines() if "claims" in line]
        assert f"closeknit: {hard.name}: auto (enumerated: cuts-bb) claims" in line
        assert "114" in line
        assert "113" in line
    [kept] = out.glob("contradiction-*.json")
    assert str(kept) in line
    text = json.loads(kept.read_text())
    assert text["solutions"][0]["objective"] == 114
    assert "113" in text["why"]  # by an own proof, or a second answer that is kept, too
    assert "Contradicted proof" in (out / "report.md").read_text()


def test_ratios_finds_machine_code_that_answers_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    small = mesh(4, 4, k=5)
    path, out = str(tmp_path / "small.json"), tmp_path / "out"
    write_instance(small, path)
    command = ["ratios", path, "--out", str(out), "--methods", "mm", "--jobs", "1"]
    command += ["--exact", "cuts-bb"]
    for seed in range(20):  # until the row of mm is drawn
        assert run([*command, "--seed", str(seed)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "derived again; 1 of 1 rows interpreted" in lines[-1]
        words = json.loads((out / "rederived.json").read_text())
        if any(word.startswith("interpreted") and " mm " in word for word in words):
            break
    with ResultStore(out) as store:
        rows = [r for r in store.rows.values() if r.method == "mm" and r.seed != seed]
        store.forget([row.key for row in rows])
    row = planted(out, "mm", (0, 1, 2, 3, 15), small)
    (out / "rederived.json").unlink()
    assert run([*command, "--seed", str(seed)]) == 1
    err = capsys.readouterr().err
    assert f"mm answers feasible, cost {row.cost}, bound - by machine code" in err


def test_what_was_derived_again_is_remembered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    path, out = str(tmp_path / "small.json"), tmp_path / "out"
    write_instance(SETS, path)
    command = ["ratios", path, "--out", str(out), "--methods", "first-fit"]
    command = [*command[:4], "--jobs", "1"]
    assert run(command) == 0
    first = capsys.readouterr().out
    kept = out / "rederived.json"
    words = json.loads(kept.read_text())
    kept.write_text(json.dumps(dict.fromkeys(words, "not finished")))
    assert run(command) == 0
    assert "(1 not finished in time)" in capsys.readouterr().out.splitlines()[-1]
    assert run([*command, "--retry-failed"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == first.splitlines()[-1]
    kept.write_text('{"a": "b"}')
    assert run(command) == 2
    assert "rederived.json: is not a list of what was derived again" in (
        capsys.readouterr().err
    )


def test_an_unusable_outcome_is_no_good_news(monkeypatch: pytest.MonkeyPatch) -> None:
    from closeknit.reports.campaigns.pool import Failure, OutOfMemory
    from closeknit.reports.proofs.rederivation import _understand

    assert _understand(OutOfMemory("took 9 MiB", 1.0, 9), "x") == OPEN
    assert _understand(Failure("still running after 9 s; killed"), "x") == OPEN
    assert "its process ended" in _understand(Failure("its process ended"), "x").wrong
