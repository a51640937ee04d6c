"""Proofs written step by step hold, and end at their limits."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from closeknit.instances import Sukp
from closeknit.instances.result import Limit
from closeknit.proofs.checking import Proved, check_proof
from closeknit.proofs.writing.proof_log import ProofLog, keep_proof
from closeknit.proofs.writing.proof_syntax import rewrite
from closeknit.solvers.running.errors import SolverError
from tests.forging.small_proofs import pigeons, proof

SACK = Sukp("sack", (5, 4), (3, 3), ((0,), (1,)), 3)
"""Only one item fits: at least 4 is left out.

Variables z0, z1, y0, y1; rows 1: not both y; 2: z0 or y0; 3: z1 or y1.
"""


def optimum(log: ProofLog) -> None:
    z1, y0, y1 = 2, 3, 4
    assert log.solution([z1, y0]) == 4  # 5 z0 + 4 z1 <= 3
    both = log.combine([(5, 2), (4, 3), (1, 4)])  # 5 y0 + 4 y1 >= 6
    first = log.clause([y0], [both])
    log.delete([4])
    nothing = log.clause([], [both, first, 1])
    assert log.last == nothing == 7
    assert log.word(-y1) == "~y1"
    log.optimal(nothing, 4)


def by_witness(log: ProofLog) -> None:
    """An element is used only if an item that is not left out needs it."""
    z0, z1, y0 = 1, 2, 3
    log.red([(1, -z0), (1, -y0)], 1, {y0: False})
    new = log.variable("new")
    log.red([(1, new), (1, z1)], 1, {new: True})
    log.solution([z1, y0])
    log.optimal(log.clause([]), 4)


@pytest.mark.parametrize("write", [optimum, by_witness])
def test_keeps_what_holds(write: Callable[[ProofLog], None], tmp_path: Path) -> None:
    proved = keep_proof(SACK, tmp_path / "p.xz", write, seconds=10)
    assert isinstance(proved, Proved)
    assert proved.bound == 4


def test_no_solution_is_an_endless_bound() -> None:
    """Other checkers refuse ``UNSAT`` about a formula with an objective."""
    stream = StringIO()
    log = ProofLog(pigeons(1), stream)
    log.infeasible(log.clause([]))
    lines = stream.getvalue().splitlines(keepends=True)
    assert "conclusion BOUNDS INF : 4 INF ;\n" in lines
    assert check_proof(pigeons(1), lines).bound is None
    for version, end in (("2.0", "INF INF\n"), ("3.0", "INF : 4 INF ;\n")):
        there = list(rewrite(pigeons(1), PIGEON, version))
        assert f"conclusion BOUNDS {end}" in there


PIGEON = proof("f 3", "rup >= 1", "output NONE", "conclusion UNSAT : 4", "end p")


def false(log: ProofLog) -> None:
    log.infeasible(log.clause([]))


def endless(log: ProofLog) -> None:
    while True:
        log.pol([1])


def test_refuses_what_does_not_hold(tmp_path: Path) -> None:
    with pytest.raises(SolverError, match=r"does not hold: .*step 2"):
        keep_proof(SACK, tmp_path / "p.xz", false, seconds=10)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("seconds", "room", "limit"), [(0.2, 2**31, Limit.TIME), (60, 1000, Limit.MEMORY)]
)
def test_ends_at_limits(
    seconds: float, room: int, limit: Limit, tmp_path: Path
) -> None:
    ended = keep_proof(
        SACK, tmp_path / "p.xz", endless, seconds=seconds, most_bytes=room
    )
    assert ended is limit
    assert not list(tmp_path.iterdir())
