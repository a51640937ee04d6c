"""What a solver claims is asked of other code: confirmed, contradicted, or left alone.

General solvers have bugs. Nobody but the solver vouches for an answer of grade
``solver``, so that the only way to find a wrong one is to ask code that shares
nothing with it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances import (
    Instance,
    KSubset,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    problem_of,
    write_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.instances.support import support_of
from closeknit.methods import METHODS, confirming, models
from closeknit.methods.confirming import SECOND, confirm, run_and_confirm
from closeknit.methods.interpreted_or_compiled import run_once
from closeknit.solvers import (
    Contradiction,
    Grade,
    Limit,
    Proof,
    Result,
    Settings,
    Status,
    answer,
)
from closeknit.solvers.running import clock

SQUARE = ck.ksubset(
    *(ck.Mesh(5, 5), 5),
    busy=[divmod(cell, 5) for cell in (1, 3, 8, 9, 11, 12, 13, 15, 16, 17, 19, 24)],
    name="holed",
)
"""No bound closes it, so that models call their solver."""
SETS = ProcSet(
    *("sets", ("a", "b", "c", "d"), (0, 1, 2, 3), 2),
    (ProcessorSet("s", (0, 1), (1, 2)), ProcessorSet("t", (2, 3), (1, 1))),
)
SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)
ROOM = Submesh("room", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2))
FULL = Submesh("full", (4, 4), (Resident((0, 0, 1, 3)),), (3, 3))
WORD = Proof(Grade.SOLVER, "example 1.0")
IMPOSSIBLE = Result(status=Status.INFEASIBLE, proof=WORD)


def exactly(instance: Instance) -> Result:
    return METHODS[problem_of(instance).name]["auto"](instance)


def claimed(instance: Instance, **change: Any) -> Result:
    """Return the optimum as the word of a solver."""
    known = {"proof": WORD, "certificate": None, **change}
    return replace(exactly(instance), **known)


def too_high(instance: KSubset) -> Result:
    """Return a solver's word that a choice which is not optimal is optimal."""
    chosen = tuple(range(instance.k))
    price = ck.cost(instance, chosen)
    return answer(instance, chosen, start=clock.now(), bound=price, proof=WORD)


def undecided(instance: KSubset) -> Result:
    """Return what a search leaves that its limit ends before it has proved anything."""
    chosen = tuple(range(instance.k))
    return answer(instance, chosen, start=clock.now(), limit=Limit.TIME)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "closeknit"


@pytest.mark.parametrize("instance", [SQUARE, SETS, SACK, ROOM, FULL])
def test_an_own_search_confirms_a_right_answer(instance: Instance) -> None:
    before = claimed(instance)
    after = confirm(instance, "example", before, Settings(time_limit=20))
    assert after.proof is not None
    assert after.proof.grade is Grade.CONFIRMED
    assert after.proof.by.startswith("example 1.0, ")
    assert replace(after, proof=WORD) == before  # its seconds, too


def test_a_bound_that_is_not_the_optimum_is_confirmed_too() -> None:
    low = replace(too_high(SQUARE), status=Status.FEASIBLE, bound=3)
    after = confirm(SQUARE, "example", low, Settings(time_limit=20))
    assert str(after.proof).startswith("confirmed: example 1.0, ")
    assert (after.status, after.bound) == (Status.FEASIBLE, 3)


def test_without_time_it_stays_the_word_of_the_solver() -> None:
    right, wrong = claimed(SQUARE), too_high(SQUARE)
    for result in (right, wrong):
        assert confirm(SQUARE, "example", result, Settings(time_limit=0)) is result


@pytest.mark.parametrize(
    ("instance", "found", "values"),
    [
        (SQUARE, too_high(SQUARE), ("at least 26", "cost 18")),
        (ROOM, IMPOSSIBLE, ("there is no choice", "cost 1; 4; ")),
        (SACK, claimed(SACK, chosen=(1,), objective=8, bound=8), ("least 8", "cost 5")),
    ],
)
def test_a_wrong_answer_is_an_error_that_keeps_both(
    instance: Instance, found: Result, values: tuple[str, str], state: Path
) -> None:
    with pytest.raises(Contradiction) as caught:
        confirm(instance, "example", found, Settings(time_limit=20))
    text = str(caught.value)
    assert text.startswith(f"{instance.name}: example (solver: example 1.0) claims ")
    assert all(value in text for value in values)
    [path] = state.iterdir()
    assert text.endswith(f"both answers are in {path}")
    kept = json.loads(path.read_text())
    assert kept["instance"] == json.loads(
        json.dumps(support_of(instance).document_of(instance))
    )
    first, second = kept["solutions"]
    assert (first["method"], second["method"]) == ("example", "auto")
    assert first["status"] == found.status.value
    assert second["objective"] != first.get("objective")
    assert kept["why"] in text


def test_infeasibility_against_a_solution_of_the_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other answer may be the wrong one: that is an error just as well."""
    monkeypatch.setattr(
        confirming, "run_once", lambda method, instance, settings: IMPOSSIBLE
    )
    with pytest.raises(Contradiction, match=r"auto .* claims that there is no"):
        confirm(SQUARE, "example", claimed(SQUARE), Settings(time_limit=5))


def test_a_second_solver_is_asked_where_the_own_search_does_not_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def once(method: Any, instance: Any, settings: Settings) -> Result:
        asked.append((method.name, settings.time_limit))
        if method.name == "auto":
            return undecided(SQUARE)
        return run_once(method, instance, settings)

    monkeypatch.setattr(confirming, "run_once", once)
    monkeypatch.setattr(confirming, "prove_again", lambda *_: None)
    before = claimed(SQUARE, proof=Proof(Grade.SOLVER, "cp-sat 9.15"), seconds=4)
    after = confirm(SQUARE, "pairs/cpsat", before, Settings(time_limit=40))
    assert str(after.proof).startswith("confirmed: cp-sat 9.15, highs ")
    (first, half), (second, rest) = asked
    assert (first, second) == ("auto", "rlt/highs")
    assert half == pytest.approx(20, abs=1)
    assert rest == pytest.approx(40, abs=1)  # the last has all that is left


@pytest.mark.parametrize(("spent", "most"), [(0.02, 20), (3, 30), (60, 100)])
def test_others_are_asked_for_ten_times_the_search(
    spent: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def once(method: Any, instance: Any, settings: Settings) -> Result:
        asked.append(settings.time_limit)
        return Result(status=Status.UNKNOWN, limit=Limit.TIME)

    monkeypatch.setattr(confirming, "run_once", once)
    monkeypatch.setattr(
        confirming, "prove_again", lambda _, __, seconds: asked.append(seconds)
    )
    before = replace(IMPOSSIBLE, seconds=spent)
    assert confirm(FULL, "example", before, Settings(time_limit=100)) is before
    assert asked[:2] == pytest.approx([most / 2, most / 2], rel=0.05)


def test_the_same_code_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    word = Proof(Grade.SOLVER, "migrate and cp-sat 9.15")
    result = claimed(ROOM, proof=word)
    monkeypatch.setattr(confirming, "run_once", lambda *_: result)
    monkeypatch.setattr(confirming, "prove_again", lambda *_: None)
    assert confirm(ROOM, "moves/cpsat", result, Settings(time_limit=5)) is result


def test_another_solver_of_the_same_model_confirms_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model that is wrong makes every solver wrong."""
    asked = []

    def once(method: Any, instance: Any, settings: Settings) -> Result:
        asked.append(method.name)
        return replace(claimed(SETS), proof=Proof(Grade.SOLVER, f"{method.name} 1"))

    monkeypatch.setattr(confirming, "prove_again", lambda *_: None)
    monkeypatch.setattr(confirming, "run_once", once)
    result = claimed(SETS, proof=Proof(Grade.SOLVER, "auto and highs 1"))
    after = confirm(SETS, "classes/highs", result, Settings(time_limit=5))
    assert asked == ["auto", "opb/exact"]
    assert str(after.proof) == "confirmed: auto and highs 1, opb/exact 1"


def test_an_own_proof_that_fails_is_an_error_by_itself(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = too_high(SQUARE)
    monkeypatch.setattr(confirming, "run_once", lambda *_: undecided(SQUARE))
    with pytest.raises(Contradiction, match=r"bound 26, but a choice costs \d+;"):
        confirm(SQUARE, "example", result, Settings(time_limit=5))
    assert len(list(state.iterdir())) == 1


def test_ctrl_c_ends_it_and_leaves_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(confirming, "run_once", press)
    result = claimed(SQUARE)
    assert confirm(SQUARE, "example", result, Settings(time_limit=5)) is result


def test_what_is_no_word_of_a_solver_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = exactly(SQUARE)
    monkeypatch.setattr(confirming, "run_once", None)
    assert confirm(SQUARE, "auto", result) is result


def wrong_solver(backend: str) -> Any:
    """Return a solver that claims what it started from to be optimal."""

    def solve(model: Any, *, settings: Settings, start: float) -> Result:
        proof = Proof(Grade.SOLVER, "cp-sat 9.15")
        return replace(too_high(SQUARE), proof=proof, seconds=0.25)

    return solve


def test_solve_and_the_command_line_ask(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(tmp_path / "square.json")
    write_instance(SQUARE, path)
    assert run(["solve", path, "--method", "opb/exact"]) == 0
    capsys.readouterr()
    solution = ck.solve(SETS, "classes/highs")
    assert str(solution.proof).startswith("confirmed: highs ")
    monkeypatch.setattr(models, "solver", wrong_solver)
    monkeypatch.setattr("closeknit.methods.ksubset.models.solver", wrong_solver)
    with pytest.raises(Contradiction):
        ck.solve(SQUARE, "pairs/cpsat", time_limit=20)
    assert run(["solve", path, "--method", "pairs/cpsat", "--time-limit", "20"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "closeknit: holed: pairs/cpsat (solver: cp-sat 9.15) claims" in err
    assert str(state) in err


def test_a_method_from_outside_is_called_once() -> None:
    calls = []

    def rule(instance: KSubset, settings: Settings) -> Result:
        calls.append(instance)
        return claimed(instance)

    solution = ck.solve(SQUARE, rule)
    assert len(calls) == 1
    assert solution.proof is not None
    assert solution.proof.grade is Grade.CONFIRMED


def test_the_file_lies_elsewhere_where_there_is_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(confirming, "gettempdir", lambda: str(tmp_path / "temporary"))
    path = confirming.keep_both(SQUARE, {"one": exactly(SQUARE)}, "example")
    assert path.parent == tmp_path / "temporary"


def test_the_methods_asked_exist() -> None:
    for problem, names in SECOND.items():
        assert all(METHODS[problem][name].runs_solver for name in names)


def test_run_confirmed_leaves_own_searches_alone() -> None:
    result = run_and_confirm(METHODS["ksubset"]["cuts-bb"], SQUARE)
    assert str(result.proof) == "enumerated: cuts-bb"
