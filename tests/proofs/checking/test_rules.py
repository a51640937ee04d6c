"""What rules may rest on: the whole formula, and what rows in the store force."""

import pytest

import closeknit as ck
from closeknit.instances import Instance, mesh
from closeknit.proofs.checking import (
    Formula,
    NoProof,
    Propagator,
    ProvenResult,
    Refused,
    check_proof,
    formula_of,
)
from tests.forging.small_proofs import SACK, by_both, cover, proof

INSTANCES: list[Instance] = [
    mesh(3, 3, k=3),
    ck.procset([*"abc"], 2, [("s", [*"ab"], 1), ("t", [*"bc"], 2)]),
    SACK,
    ck.submesh((3, 3), (2, 3), residents=[(1, 1, 1, 1)]),
]


def fixing(formula: Formula) -> list[str]:
    """Fix every variable where it costs least: no solution of these instances."""
    steps = []
    for v, name in enumerate(formula.names, 1):
        one = formula.objective.get(v, 0) < 0
        steps.append(f"red +1 {'' if one else '~'}{name} >= 1 : {name} -> {int(one)}")
    return steps


def forgeries(formula: Formula, version: str) -> list[list[str]]:
    """Return forged refutations: the formula is loaded late, in part, or deleted."""
    red, size = fixing(formula), len(formula.rows)
    whole, one = [f"f {size}"], ["rup >= 1"]
    if version < "2":
        loads = [f"l {i}" for i in range(1, size + 1)]
        found = [
            [*red, *whole, *one],
            [*red, *loads, *one],
            [*whole, *red, *one],
            [*loads[:1], *red, *loads[1:], *one],
            [*whole, "del range 1 999", *red, *loads, *one],
            [*loads, "d -1", *red, loads[-1], *one],
        ]
        return [[*steps, "c -1"] for steps in found]
    gone = [f"del id {' '.join(map(str, range(1, size + 1)))}"]
    found = [
        [*red, *whole, *one],
        [*red, *one],
        [*whole, *red, *one],
        ["core range 1 2", *red, *whole, *one],
        [*whole, *gone, *red, *one],
        [*gone, *red, *whole, *one],
        ["del range 1 999", *red, *one],
        [*["del id -1"] * size, *red, *one],
    ]
    end = ["conclusion UNSAT", "end pseudo-Boolean proof"]
    return [[*steps, "output NONE", *end] for steps in found] + [
        [end[0], *red, *whole, *end],
        [*red, "output NONE", *whole, *one, *end],
    ]


def written(version: str, steps: list[str]) -> list[str]:
    middle, end = (" : ", ";") if version == "3.0" else (" ; ", "")
    lines = [f"{step.replace(' : ', middle)}{end}\n" for step in steps]
    return [f"pseudo-Boolean proof version {version}\n", *lines]


@by_both
@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "2.0", "3.0"])
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda each: type(each).__name__)
def test_no_witness_is_tested_against_less_than_the_formula(
    instance: Instance, version: str, propagator: type[Propagator]
) -> None:
    formula = formula_of(instance)
    for steps in forgeries(formula, version):
        with pytest.raises((Refused, NoProof)):
            check_proof(formula, written(version, steps), None, propagator)


@by_both
@pytest.mark.parametrize("version", ["1.1", "2.0", "3.0"])
def test_no_bound_above_the_optimum_by_a_witness_before_the_formula(
    version: str, propagator: type[Propagator]
) -> None:
    formula = formula_of(mesh(4, 4, k=4))
    corners = {0, 3, 12, 15}  # they cost 24, and the best four 8
    red = [
        f"red +1 {'' if i in corners else '~'}x{i} >= 1 : x{i} -> {int(i in corners)}"
        for i in range(16)
    ]
    ends = ["conclusion BOUNDS 24 INF", "end pseudo-Boolean proof"]
    first = [f"f {len(formula.rows)}"]
    if version < "2":
        ends = ["rup >= 1", "c -1"]
    for steps in ([*red, *first, *ends], [*first, *red, *ends], [*red, *ends]):
        with pytest.raises(Refused, match="witness does not show"):
            check_proof(formula, written(version, steps), None, propagator)


def unit() -> Formula:
    """x is 1, and costs 1."""
    formula = Formula()
    x = formula.variable("x")
    formula.at_least([(1, x)], 1)
    formula.charge(1, x)
    return formula


UNDOES = "red +1 ~x +1 ~y >= 2 : x -> 0 y -> 0"
FORGETS = [
    ["rup +1 x >= 1", UNDOES],
    ["rup +1 x >= 1", "del id 1", UNDOES],
    ["rup +1 x >= 1", "del id 2", UNDOES],
    ["rup +2 x >= 1", "rup +1 x >= 1", "del id 1 3", UNDOES],
]


@by_both
@pytest.mark.parametrize("steps", FORGETS)
def test_a_row_that_makes_a_variable_certain_is_a_goal(
    steps: list[str], propagator: type[Propagator]
) -> None:
    end = ["conclusion UNSAT", "end pseudo-Boolean proof"]
    with pytest.raises(Refused, match="witness does not show"):
        check_proof(unit(), proof(*steps, *end), None, propagator)


@by_both
def test_what_only_deleted_rows_forced_is_not_certain(
    propagator: type[Propagator],
) -> None:
    """No row says any more that x is 1; it may be 0, and nothing contradicts that."""
    steps = ["rup +1 x >= 1", "del id 1", "del id 2", UNDOES]
    for claim, error in (
        ("conclusion UNSAT", "no contradiction"),
        ("conclusion BOUNDS 1 INF", "bound of 1 does not follow"),
        ("rup +1 x >= 1", "propagation"),
    ):
        with pytest.raises(Refused, match=error):
            check_proof(unit(), proof(*steps, claim), None, propagator)
    end = ["conclusion BOUNDS 0 INF", "end pseudo-Boolean proof"]
    assert check_proof(unit(), proof(*steps, *end), None, propagator).bound == 0


@by_both
def test_certain_while_another_row_forces_it(propagator: type[Propagator]) -> None:
    end = ["rup +1 x >= 1", "conclusion BOUNDS 1 INF", "end p"]
    for gone in ("1", "2"):
        steps = ["rup +1 x >= 1", f"del id {gone}", *end]
        assert check_proof(unit(), proof(*steps), None, propagator).bound == 1


@by_both
def test_what_rested_on_a_deleted_row_is_forgotten_too(
    propagator: type[Propagator],
) -> None:
    """A chain of implications hangs on one unit row."""
    formula = Formula()
    x = [formula.variable(f"x{i}") for i in range(9)]
    for i in range(8):
        formula.clause(-x[i], x[i + 1])
    steps = ["red +1 x0 >= 1 : " + " ".join(f"x{i} -> 1" for i in range(9))]
    ends = ["conclusion BOUNDS 0 INF", "end p"]
    follows = "rup +1 x8 >= 1"
    check_proof(formula, proof(*steps, follows, *ends), None, propagator)
    for gone in ("del id 9", "del id 4"):
        with pytest.raises(Refused, match="propagation"):
            check_proof(formula, proof(*steps, gone, follows), None, propagator)
        kept = proof(*steps, follows, gone, "rup +1 x8 >= 1", *ends)
        check_proof(formula, kept, None, propagator)


@by_both
def test_a_witness_may_touch_what_is_certain(propagator: type[Propagator]) -> None:
    """As VeriPB does: zz is certain, and the second row is shown nevertheless."""
    formula = Formula()
    a, b = formula.variable("xa"), formula.variable("xb")
    for signs in ((a, b), (a, -b), (-a, b), (-a, -b)):
        formula.clause(*signs)
    steps = [
        "f 4",
        "red +1 ~zz >= 1 : zz -> 0",
        "red +1 xa +1 ~zz >= 1 : zz -> 0",
        "u +1 xa >= 1",
        "u >= 1",
        "c -1",
    ]
    found = check_proof(formula, written("1.1", steps), None, propagator)
    assert found == ProvenResult(None, 6)


@by_both
def test_rows_beyond_64_bits_propagate(propagator: type[Propagator]) -> None:
    """Of numbers near 2^60, 2^63 and 2^64, and of those far beyond."""
    for huge in (2**58, 2**59, 2**60, 2**62, 2**63 - 1, 2**64, 10**600):
        formula = cover()
        a, b, c = 1, 2, 3
        formula.at_least(
            [(3 * huge, a), (2 * huge, b), (2 * huge + 1, c)], 4 * huge + 1
        )
        ends = ["conclusion BOUNDS 0 INF", "end p"]
        either = proof("rup +1 a +1 c >= 1", *ends)  # by the wide row alone
        check_proof(formula, either, None, propagator)
        third = proof("red +1 ~a >= 1 : a -> 0", *ends)
        with pytest.raises(Refused, match="witness"):
            check_proof(formula, third, None, propagator)
        gone = proof("del id 1 3", "rup +1 a +1 c >= 1", "del id 4")
        check_proof(formula, [*gone, *either[1:]], None, propagator)
        again = proof("del id 1 3 4", "rup +1 a +1 c >= 1")
        with pytest.raises(Refused, match="propagation"):
            check_proof(formula, again, None, propagator)


@by_both
def test_solutions_obey_deleted_rows_of_the_formula_too(
    propagator: type[Propagator],
) -> None:
    steps = proof("f 3", "del id 1", "sol ~a ~b c")
    with pytest.raises(Refused, match="does not obey row 1"):
        check_proof(cover(), steps, None, propagator)


@by_both
def test_a_factor_of_one_changes_nothing(propagator: type[Propagator]) -> None:
    for step in ("pol 1 1 *", "pol 1 1 d"):
        steps = ["f 3", step, "e +1 a +1 b >= 1 : 4", "conclusion BOUNDS 0 INF"]
        check_proof(cover(), proof(*steps, "end p"), None, propagator)


def test_versions_before_2_keep_rows_of_the_formula() -> None:
    """Their numbers may be deleted: a row that came back would be tested by nothing."""
    steps = ["f 3", "del id 1 2 3", "o a b ~c", "u +1 a >= 1", "u >= 1", "c -1"]
    assert check_proof(cover(), written("1.1", steps)).bound == 2
    with pytest.raises(Refused, match="no row 2"):
        check_proof(cover(), written("1.1", [*steps[:2], "p 1 2 +"]))
