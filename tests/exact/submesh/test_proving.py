"""Proofs that placements are the cheapest hold, and false claims get none."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from closeknit.exact.submesh.migrate import migrate
from closeknit.exact.submesh.proving import prove_by_learning
from closeknit.instances import Submesh
from closeknit.instances.library import bundled
from closeknit.instances.result import Grade, Limit
from closeknit.instances.submesh import Resident
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import Proved
from closeknit.proofs.checking.kinds import LOG
from closeknit.proofs.writing.proof_log import ProofLog, keep_proof
from closeknit.solvers import SolverError
from tests.oracles import cheapest_placement
from tests.strategies import submeshes


def proved(
    instance: Submesh, chosen: tuple[int, ...] | None, path: Path
) -> Proved | Limit:
    def write(log: ProofLog) -> None:
        assert prove_by_learning(instance, chosen, log)

    return keep_proof(instance, path, write, seconds=60)


@given(submeshes())
@settings(max_examples=60, deadline=None)
def test_proves_every_answer(instance: Submesh) -> None:
    result = migrate(instance)
    with TemporaryDirectory() as folder:
        found = proved(instance, result.chosen, Path(folder) / "p.xz")
    assert isinstance(found, Proved)
    assert found.bound == cheapest_placement(instance)


@pytest.mark.parametrize(
    "name",
    [
        "waiting-16x16-sides1to8-s3",
        "waiting-32x32-sides1to12-s2",
        "waiting-torus-16x16-sides1to8-s1",
    ],
)
def test_bundled_instances_are_checked(name: str, tmp_path: Path) -> None:
    instance = bundled(name)
    assert isinstance(instance, Submesh)
    result = migrate(instance)
    found = prove_and_cite(
        instance, result, tmp_path / "p.xz", seconds=60, kinds=(LOG,)
    )
    assert not found.why
    better = found.result
    assert better.proof is not None
    assert better.proof.grade is Grade.CHECKED
    assert (tmp_path / "p.xz").stat().st_size < 50_000


@pytest.mark.parametrize("torus", [False, True])
def test_false_answers_get_no_proof(torus: bool, tmp_path: Path) -> None:
    room = Submesh("room", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2), torus=torus)
    two_steps = (0, 0, 3, 1, 0, 0, 2, 1, 3)
    assert migrate(room).chosen != two_steps
    for chosen in (None, two_steps):
        with pytest.raises(SolverError, match="there is a cheaper placement"):
            proved(room, chosen, tmp_path / "p.xz")
    assert not list(tmp_path.iterdir())
