"""Proofs that the solver Exact logs: they hold, about the formula of the instance."""

import json
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
    Sukp,
    write_instance,
)
from closeknit.instances.problems import Instance
from closeknit.instances.proofs import Formula, Proved
from closeknit.instances.submesh import Resident
from closeknit.solvers import exact_log
from closeknit.solvers.exact_log import solve_by_exact
from closeknit.solvers.result import Limit, SolverError
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
SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)
ROOM = Submesh("room", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2))
TORUS = Submesh("ring", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2), torus=True)
FULL = Submesh("full", (4, 4), (Resident((1, 1, 2, 2)),), (4, 3))


def proved_by_exact(instance: Instance, path: Path, seconds: float) -> Proved | Limit:
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
    ],
)
def test_proves_the_optimum(
    instance: Instance, cost: Callable[[Any], Any], tmp_path: Path
) -> None:
    proved = proved_by_exact(instance, tmp_path / "p.xz", 60)
    assert not isinstance(proved, Limit)
    assert proved.bound == cost(instance)


def test_proves_that_nothing_fits(tmp_path: Path) -> None:
    proved = proved_by_exact(FULL, tmp_path / "p.xz", 60)
    assert not isinstance(proved, Limit)
    assert proved.bound is None


def test_solve_writes_a_proof_that_check_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / name) for name in ("i.json", "s.json", "p.pbp.xz")]
    instance, solution, proof = paths
    write_instance(ROOM, instance)
    assert run(["solve", instance, "--proof", proof, "--json", solution]) == 0
    assert "(checked: pseudo-Boolean proof)" in capsys.readouterr().out
    assert json.loads(Path(solution).read_text())["proof"]["grade"] == "checked"
    assert run(["check", instance, solution, "--proof", proof]) == 0
    assert run(["check", instance, solution]) == 2
    assert "--proof: is needed" in capsys.readouterr().err


def test_time_is_limited(tmp_path: Path) -> None:
    cells = tuple((i, j) for i in range(12) for j in range(12))
    large = KSubset("large", Mesh((12, 12)), cells, 30)
    assert proved_by_exact(large, tmp_path / "p", 0.5) is Limit.TIME


def test_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(exact_log, "version", missing)
    with pytest.raises(SolverError, match=r"install closeknit\[proofs\]"):
        proved_by_exact(SACK, tmp_path / "p", 1)


def test_a_log_about_another_formula_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = exact_log._solved

    def other(
        formula: Formula, log: Path, seconds: float
    ) -> tuple[bool, frozenset[int] | None]:
        done = real(formula, log, seconds)
        path = log.with_suffix(".formula")
        path.write_text(path.read_text().replace(">= 1", ">= 2"))
        return done

    monkeypatch.setattr(exact_log, "_solved", other)
    with pytest.raises(SolverError, match="not in the formula"):
        proved_by_exact(SACK, tmp_path / "p", 10)
