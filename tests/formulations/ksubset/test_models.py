from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from math import comb

import numpy as np
import pytest

from closeknit.formulations.ksubset import catalogue
from closeknit.formulations.ksubset.counts import ModelCounts
from closeknit.formulations.ksubset.strengthening import NONE, Strengthening, symmetry
from closeknit.instances import KSubset, Mesh, cost, mesh
from closeknit.solvers import Grade, Proof, SolverError, cpsat, mip
from closeknit.solvers.formulation import CpFormulation, MipFormulation

from ...oracles import optimum
from ...strategies import SYMMETRIC, seeded_ksubset


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("seed", range(36))
def test_counts_make_up_the_cost(seed: int, nested: bool) -> None:
    instance = seeded_ksubset(seed, most=8)
    counts = ModelCounts(instance, nested)
    for chosen in combinations(range(instance.n), instance.k):
        found = counts.of(chosen)
        total = sum(
            w * counts.cost(c) for w, c in zip(counts.weights, found, strict=True)
        )
        assert total == counts.unit * cost(instance, chosen)
        for h, c in enumerate(found):
            low, high = counts.ranges[h]
            assert low <= c <= high
            parts = sum(found[i] for i in counts.inside[h])
            assert c == parts + len(set(chosen) & set(counts.own[h]))


def test_nested_counts_have_short_rows() -> None:
    instance = mesh(8, 8, k=5)
    assert all(len(own) == 8 for own in ModelCounts(instance, nested=True).own)
    assert max(map(len, ModelCounts(instance, nested=False).own)) == 56


@pytest.mark.parametrize(
    "instance",
    [*SYMMETRIC, *(seeded_ksubset(seed, most=9) for seed in range(60))],
    ids=lambda i: str(i.name),
)
def test_symmetry_has_an_image_of_every_choice(instance: KSubset) -> None:
    found = symmetry(instance)
    allowed = set()
    for chosen in combinations(range(instance.n), instance.k):
        image = found.image(instance, chosen)
        assert cost(instance, image) == cost(instance, chosen)
        assert set(found.fixed) <= set(image)
        assert all(row[list(image)].sum() <= 0 for row in found.rows)
        allowed.add(image)
    assert all(row.dtype == np.int64 for row in found.rows)
    if instance in SYMMETRIC:
        assert len(allowed) < comb(instance.n, instance.k)


def test_a_bounding_box_out_of_the_middle_is_mirrored_about_its_own() -> None:
    free = tuple((x, y) for x in range(3, 6) for y in range(1, 4))
    instance = KSubset("corner", Mesh((9, 9)), free, 4)
    assert len(symmetry(instance).rows) == 3


AIDS = {
    "none": NONE,
    "all": Strengthening(),
    "symmetry": Strengthening(nesting=False),
    "nesting": Strengthening(symmetry=False),
}


@pytest.mark.parametrize("aid", AIDS)
@pytest.mark.parametrize("name", catalogue.CP)
def test_every_aid_leaves_the_optimum(name: str, aid: str) -> None:
    for instance in (*SYMMETRIC, *(seeded_ksubset(seed, most=9) for seed in range(24))):
        model = catalogue.CP[name].build(instance, AIDS[aid])
        assert isinstance(model, CpFormulation)
        result = cpsat.solve(model)
        assert result.objective == result.bound == optimum(instance), instance


@pytest.mark.parametrize("name", catalogue.MIP)
def test_every_aid_leaves_the_optimum_of_mixed_integer_models(name: str) -> None:
    """The rest of the backends and instances are in test_mip; here the symmetric."""
    for instance in SYMMETRIC[::2]:
        model = catalogue.MIP[name].build(instance, Strengthening())
        assert isinstance(model, MipFormulation)
        result = mip.solve(model, "highs")
        assert result.objective == result.bound == optimum(instance)


LIE = Proof(Grade.CHECKED, "a lie")


@pytest.mark.parametrize("name", ["cp-sat", "rlt", "cuts-unary"])
def test_a_bound_known_beforehand_is_in_the_model(name: str) -> None:
    """A false bound shows that it is there: nothing cheaper is found any more."""
    job, strengthening = mesh(5, k=2), Strengthening(bound=3, proof=LIE)
    if name == "cp-sat":
        model = catalogue.CP["cuts-unary"].build(job, strengthening)
        assert isinstance(model, CpFormulation)
        assert cpsat.solve(model).objective == 3
        return
    model = catalogue.MIP[name].build(job, strengthening)
    assert isinstance(model, MipFormulation)
    assert mip.solve(model, "highs").objective == 3


def test_a_false_bound_is_found_out() -> None:
    # Pairs may be paid for without being chosen; the choice itself stays cheap.
    model = catalogue.CP["pairs"].build(mesh(5, k=2), Strengthening(bound=3, proof=LIE))
    assert isinstance(model, CpFormulation)
    with pytest.raises(SolverError, match="claims at least 3, but a solution costs 1"):
        cpsat.solve(model)
    model = catalogue.CP["cuts-unary"].build(
        mesh(5, k=2), Strengthening(bound=9, proof=LIE)
    )
    assert isinstance(model, CpFormulation)
    with pytest.raises(SolverError, match="infeasible"):
        cpsat.solve(model)


def test_sizes_are_as_documented() -> None:
    instance = mesh(4, 4, k=4)
    n = instance.n
    pairs = n * (n - 1) // 2
    model = catalogue.CP["pairs"].build(instance, NONE).model.proto
    assert len(model.variables) == n + pairs
    assert len(model.constraints) == 1 + pairs
    model = catalogue.MIP["pairs"].build(instance, NONE).model
    assert (len(model.variables()), len(model.constraints())) == (n + pairs, 1 + pairs)
    model = catalogue.MIP["rlt"].build(instance, NONE).model
    assert len(model.constraints()) == 1 + n + 2 * pairs
    cuts = 2 * 3
    steps = sum(high - low for low, high in ModelCounts(instance).ranges)
    model = catalogue.CP["cuts-unary"].build(instance, NONE).model.proto
    assert len(model.variables) == n + cuts + steps
    model = catalogue.MIP["cuts-unary"].build(instance, NONE).model
    assert len(model.variables()) == n + cuts + steps


def test_the_catalogue_loads_no_solver() -> None:
    program = (
        "import sys, closeknit.methods, closeknit.formulations.ksubset.catalogue\n"
        "print({'ortools', 'pulp', 'highspy'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert ended.stdout == "set()\n"
