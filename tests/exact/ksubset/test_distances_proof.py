"""Proofs from distances alone hold, and there are none of what is not optimal."""

from __future__ import annotations

import lzma
from io import StringIO
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.exact.ksubset.distances_bb import proof
from closeknit.instances import Graph, InputError, KSubset, arrays, mesh, write_ksubset
from closeknit.instances.ksubset.graph_generators import dragonfly, random_regular
from closeknit.methods import KSUBSET
from closeknit.methods.proofs import PROVERS, proved_by
from closeknit.proofs.checking import Proved, Refused, check_proof_file, formula_of
from closeknit.proofs.checking.checker import check_proof
from closeknit.proofs.writing.proof_log import ProofLog
from closeknit.solvers import SolverError

from ...oracles import optimum
from ...strategies import graphs, ksubsets

PROOF = ("--proof-kind", "pseudo-boolean", "--proof")
PETERSEN = Graph.from_networkx(nx.petersen_graph())


def without_cuts(instance: KSubset) -> bool:
    try:
        _ = arrays.cuts(instance)
    except InputError:
        return True
    return False


def written(instance: KSubset, chosen: tuple[int, ...]) -> list[str]:
    stream = StringIO()
    assert proof.prove(instance, chosen, ProofLog(formula_of(instance), stream))
    return stream.getvalue().splitlines(keepends=True)


def best_of(instance: KSubset) -> tuple[int, ...]:
    chosen = KSUBSET["distances-bb"](instance).chosen
    assert chosen is not None
    return chosen


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(instance=ksubsets(graphs()))
def test_every_optimum_is_proved(instance: KSubset) -> None:
    assume(without_cuts(instance))
    lines = written(instance, best_of(instance))
    assert check_proof(formula_of(instance), lines).bound == optimum(instance)


@settings(max_examples=8, deadline=None)
@given(nodes=st.sampled_from([14, 18]), k=st.integers(4, 7), seed=st.integers(0, 10**6))
@example(nodes=14, k=4, seed=86670)  # once, a candidate was bounded by another's place
def test_deep_trees_forget_what_is_not_needed(nodes: int, k: int, seed: int) -> None:
    instance = random_regular(nodes, 3, k, seed=seed)
    assume(without_cuts(instance))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "_LESS", 1.2)
        lines = written(instance, best_of(instance))
    found = check_proof(formula_of(instance), lines).bound
    assert found == KSUBSET["distances-bb"](instance).objective


@pytest.mark.parametrize(
    "instance", [dragonfly(4, 2, 2, 8), random_regular(24, 3, 6, seed=4)]
)
def test_networks_are_proved_from_the_command_line(
    instance: KSubset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept, out = (str(tmp_path / name) for name in ("i.json", "p.xz", "s.json"))
    write_ksubset(instance, file)
    assert run(["solve", file, *PROOF, kept, "--json", out]) == 0
    assert "(checked: pseudo-Boolean proof)" in capsys.readouterr().out
    assert run(["check", file, out, "--proof", kept]) == 0
    text = lzma.decompress(Path(kept).read_bytes()).decode()
    lines = text.splitlines(keepends=True)
    for drop in range(2, len(lines) - 4, max(1, len(lines) // 12)):
        if lines[drop].startswith(("pol", "rup")):  # rows are counted
            Path(kept).write_text("".join(lines[:drop] + lines[drop + 1 :]))
            with pytest.raises((Refused, InputError)):
                check_proof_file(instance, kept)


def test_a_choice_that_is_not_optimal_has_no_proof() -> None:
    instance = KSubset("petersen", PETERSEN, tuple(PETERSEN.locations()), 4)
    lines = written(instance, best_of(instance))
    assert check_proof(formula_of(instance), lines).bound == optimum(instance)
    with pytest.raises(SolverError, match=r"a choice costs \d+"):
        written(instance, (0, 2, 4, 6))


def test_single_processors_cost_nothing() -> None:
    instance = KSubset("petersen", PETERSEN, tuple(PETERSEN.locations()), 1)
    assert check_proof(formula_of(instance), written(instance, (3,))).bound == 0


def test_formulas_of_cuts_are_left_to_others(tmp_path: Path) -> None:
    for instance, chosen in ((mesh(3, 3, k=3), (0, 1, 3)), (mesh(3, 3, k=3), None)):
        for prover in PROVERS["ksubset"]:
            path = tmp_path / "p.xz"
            found = proved_by(prover, instance, chosen, path, seconds=5)
            assert not isinstance(found, Proved)
