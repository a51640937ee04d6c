"""Proofs that the solver Exact logs: they hold, about the formula of the instance."""

import json
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import (
    KSubset,
    Mesh,
    ProcessorSet,
    ProcSet,
    Submesh,
    write_instance,
)
from closeknit.instances.problems import Instance
from closeknit.instances.result import Limit
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh.generators import waiting_state
from closeknit.methods import SUKP
from closeknit.proofs.checking import Proved
from closeknit.proofs.writing import exact_log
from closeknit.proofs.writing.exact_log import Unusable, solve_by_exact
from closeknit.proofs.writing.proof_log import ProofLog, keep_proof
from closeknit.solvers.running.errors import SolverError
from tests.forging.small_proofs import SACK
from tests.oracles import cheapest, cheapest_placement, least_left_out, optimum

CELLS = tuple((i, j) for i in range(3) for j in range(3))
SETS = ProcSet(
    "sets",
    ("a", "b", "c", "d"),
    (0, 1, 2, 3),
    2,
    (
        ProcessorSet("s", (0, 1), (1, 2)),
        ProcessorSet("t", (2, 3), (1, 1)),
        ProcessorSet("u", (0, 2), (2, 0)),
    ),
)
ROOM = Submesh("room", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2))
TORUS = Submesh("ring", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2), torus=True)
FULL = Submesh("full", (4, 4), (Resident((1, 1, 2, 2)),), (4, 3))


def proved_by_exact(
    instance: Instance, path: Path, seconds: float
) -> Proved | Limit | Unusable:
    """What the checked log proves, which is kept."""
    return solve_by_exact(instance, seconds=seconds, checking=seconds, keep=path).proved


@pytest.mark.parametrize(
    ("instance", "cost"),
    [
        (KSubset("mesh", Mesh((3, 3)), CELLS, 4), optimum),
        (SETS, cheapest),
        (SACK, least_left_out),
        (ROOM, cheapest_placement),
        (TORUS, cheapest_placement),
        (FULL, cheapest_placement),  # nothing fits
    ],
)
def test_proves_the_optimum(
    instance: Instance, cost: Callable[[Any], Any], tmp_path: Path
) -> None:
    proved = proved_by_exact(instance, tmp_path / "p.xz", 60)
    assert isinstance(proved, Proved)
    assert proved.bound == cost(instance)


def test_time_is_limited(tmp_path: Path) -> None:
    cells = tuple((i, j) for i in range(12) for j in range(12))
    large = KSubset("large", Mesh((12, 12)), cells, 30)
    assert proved_by_exact(large, tmp_path / "p", 0.5) is Limit.TIME


def test_a_large_formula_is_built_within_the_limit(tmp_path: Path) -> None:
    """Of a mesh with half a million rows, which take six seconds of the processor."""
    large = waiting_state((256, 256), 1, 64, 0)
    begun = time.process_time()
    found = solve_by_exact(large, seconds=0.2, keep=tmp_path / "proof")
    assert found.proved is Limit.TIME
    assert keep_proof(large, tmp_path / "p", no_steps, seconds=0.2) is Limit.TIME
    assert time.process_time() - begun < 3.5
    assert list(tmp_path.iterdir()) == []


def no_steps(log: ProofLog) -> None:
    pytest.fail("there is no time for steps")


def test_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(exact_log, "version", missing)
    with pytest.raises(SolverError, match=r"not installed: pip install .*\[proofs\]"):
        proved_by_exact(SACK, tmp_path / "p", 1)


def spoil(
    monkeypatch: pytest.MonkeyPatch, ending: str, change: Callable[[str], str | None]
) -> None:
    """Let Exact write one of its two files otherwise; None for no file."""
    real = exact_log._solve

    def other(
        job: str, log: Path, seconds: float
    ) -> tuple[bool, frozenset[int] | None]:
        done = real(job, log, seconds)
        path = log.with_suffix(ending)
        text = change(path.read_text())
        path.unlink()
        if text is not None:
            path.write_text(text)
        return done

    monkeypatch.setattr(exact_log, "_solve", other)


def before_the_end(text: str) -> str:
    """Leave the conclusion of a log out."""
    return "".join(x for x in text.splitlines(True) if not x.startswith("c "))


@pytest.mark.parametrize(
    ("ending", "change", "why"),
    [
        (".formula", lambda text: text.replace(">= 1", ">= 2"), "not in the formula"),
        (".formula", lambda text: text.replace("+1", "+one"), "cannot be read"),
        (".formula", lambda text: None, "cannot be read"),
        (".proof", lambda text: None, "cannot be read"),
        (".proof", lambda text: "", "is cut off"),
        (".proof", lambda text: text[: len(text) // 2], "is cut off"),
        (".proof", lambda text: text.rstrip()[:-1], "is cut off"),
        (".proof", before_the_end, "is cut off"),
        (".proof", lambda text: text.replace("l 1", "l 99"), "no '99'"),
        (".proof", lambda text: text.replace("l 1\n", "l 0\n"), "no '0'"),
        (
            ".proof",
            lambda text: text.replace("l 2\n", "l 2\npol 1 x99 +\n"),
            "no 'x99'",
        ),
        (
            ".proof",
            lambda text: text.replace("l 2\n", "l 2\nnew rule\n"),
            "rule new is not supported",
        ),
        (
            ".proof",
            lambda text: f"{text.splitlines()[0]}\nc 1\n",
            "conclusion that does not follow",
        ),
    ],
)
def test_an_unusable_log_leaves_the_word_of_the_solver(
    ending: str,
    change: Callable[[str], str | None],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoil(monkeypatch, ending, change)
    proved = proved_by_exact(SACK, tmp_path / "p", 10)
    assert isinstance(proved, Unusable)
    assert why in str(proved)
    assert not (tmp_path / "p").exists()
    write_instance(SACK, tmp_path / "sack.json")
    assert run(["solve", str(tmp_path / "sack.json"), "--method", "opb/exact"]) == 0
    out, err = capsys.readouterr()
    assert "optimal" in out
    assert "(confirmed: exact" in out  # as auto says the same
    assert str(SUKP["opb/exact"](SACK).proof).startswith("solver: exact ")
    assert "closeknit: sack: Exact's answer is not checked: its log " in err
    assert why in err


def test_a_wrong_step_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(
        monkeypatch,
        ".proof",
        lambda text: text.replace("l 2\n", "l 2\nu +1 x1 >= 1 ;\n"),
    )
    with pytest.raises(SolverError, match=r"step \d+ \(line \d+\): does not follow"):
        proved_by_exact(SACK, tmp_path / "p", 10)


@pytest.mark.parametrize("folder", ["plain", "proofs: step 1 (line 2)"])
def test_a_log_whose_conclusion_lacks_a_row(
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exact 2.2.1 logs right steps here, and ends before they contradict each other.

    Names of folders, which stand in messages, do not matter.
    """
    (tmp_path / folder).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / folder))
    path = tmp_path / "ring.json"
    ring = {
        **{"format": "closeknit/submesh", "version": 1, "name": "ring"},
        **{"mesh": [3, 3], "request": [2, 1], "torus": True, "fixed": [2]},
        "residents": [[1, 1, 3, 1], [0, 2, 0, 2], [2, 0, 3, 0], [2, 2, 2, 2]],
        "turns": [2],
    }
    path.write_text(json.dumps(ring))
    assert run(["solve", str(path), "--method", "opb/exact"]) == 0
    assert "optimal" in capsys.readouterr().out
