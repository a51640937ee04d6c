"""The checker of pseudo-Boolean proofs: accepts what follows, and nothing else."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    NoProof,
    Propagator,
    ProvenResult,
    Refused,
    TooLong,
    check_proof,
)
from closeknit.proofs.checking.rows import Row, add, negate, normalise, substitute
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from tests.forging.small_proofs import (
    COVER,
    HEAD,
    PIGEONS,
    cover,
    pigeons,
    proof,
    proof_texts,
    truth,
)

PROPAGATORS = [Propagator, FastPropagator]


@pytest.mark.parametrize("propagator", PROPAGATORS)
def test_accepts_a_sum(propagator: type[Propagator]) -> None:
    assert check_proof(pigeons(3), PIGEONS, None, propagator) == ProvenResult(None, 5)


@pytest.mark.parametrize("propagator", PROPAGATORS)
def test_accepts_a_bound(propagator: type[Propagator]) -> None:
    assert check_proof(cover(), COVER, None, propagator) == ProvenResult(2, 6)


def test_accepts_a_bound_without_a_solution() -> None:
    steps = proof("f 3", "pol 1 2 + 3 + 2 d", "conclusion BOUNDS 2 : 4 INF", "end p")
    assert check_proof(cover(), steps).bound == 2


def test_accepts_older_versions() -> None:
    old = [
        "pseudo-Boolean proof version 1.1\n",
        "* a comment\n",
        "f 3\n",
        "o a b ~c\n",
        "p 1 2 + 3 + 2 d\n",
        "u +1 ~a +1 ~b >= 1 ;\n",
        "p 5 4 +\n",
        "c 7\n",
    ]
    assert check_proof(cover(), old) == ProvenResult(2, 6)
    second = [line.replace(";", "") for line in COVER]
    second[0] = "pseudo-Boolean proof version 2.0\n"
    second[-2] = "conclusion BOUNDS 2 2\n"
    assert check_proof(cover(), second) == ProvenResult(2, 6)


def test_steps_may_share_lines_and_span_them() -> None:
    text = " ".join(line.strip() for line in COVER[1:])
    lines = [*HEAD, text[:30] + "\n", text[30:] + "\n"]
    assert check_proof(cover(), lines) == ProvenResult(2, 6)


@pytest.mark.parametrize("propagator", PROPAGATORS)
def test_accepts_a_witness(propagator: type[Propagator]) -> None:
    """Nodes a and b are alike: if one is in the cover, a is."""
    steps = proof(
        "f 3",
        "red +1 a +1 ~b >= 1 : a -> b b -> a",
        "rup +1 a >= 1",
        "rup +1 b +1 c >= 1",
        "rup +1 a +1 b +1 c >= 2",
        "conclusion BOUNDS 2 : 7 INF",
        "end pseudo-Boolean proof",
    )
    assert check_proof(cover(), steps, None, propagator).bound == 2


@pytest.mark.parametrize("propagator", PROPAGATORS)
def test_accepts_definitions(propagator: type[Propagator]) -> None:
    steps = proof(
        "f 3",
        "red +1 ~new +1 a >= 1 : new -> 0",
        "red +1 new +1 ~a >= 1 : new -> 1",
        "rup +1 new +1 b >= 1 : 5 1 ~",
        "conclusion BOUNDS 0 INF",
        "end pseudo-Boolean proof",
    )
    assert check_proof(cover(), steps, None, propagator).bound == 0


CHEAP = "red +1 ~a +1 ~b +1 ~c +2 ~z >= 2 : z -> 0"  # z: at most one of them
DEAR = "red +1 a +1 b +1 c +2 z >= 2 : z -> 1"


@pytest.mark.parametrize("propagator", PROPAGATORS)
@pytest.mark.parametrize("steps", [(CHEAP, DEAR), (DEAR, CHEAP)])
def test_accepts_both_halves_of_a_definition(
    steps: tuple[str, str], propagator: type[Propagator]
) -> None:
    lines = proof(
        "f 3",
        *steps,
        f"pol 1 2 + 3 + 2 d {4 + steps.index(CHEAP)} + s",
        "rup +1 ~z >= 1",
        f"pol {4 + steps.index(DEAR)} 7 2 * +",
        "conclusion BOUNDS 2 : 8 INF",
        "end pseudo-Boolean proof",
    )
    assert check_proof(cover(), lines, None, propagator).bound == 2


@pytest.mark.parametrize("propagator", PROPAGATORS)
@pytest.mark.parametrize(
    "wrong",
    [
        DEAR.replace(">= 2", ">= 3").replace("+2", "+3"),
        DEAR.replace("+1 c ", ""),
        DEAR.replace("+1 c", "+1 ~c"),
        DEAR.replace("-> 1", "-> 0"),
    ],
)
def test_refuses_halves_that_do_not_meet(
    wrong: str, propagator: type[Propagator]
) -> None:
    lines = proof("f 3", CHEAP, wrong)
    with pytest.raises(Refused, match="witness"):
        check_proof(cover(), lines, None, propagator)


WRONG = {
    "another number of rows": ("f 4", "number of rows"),
    "no such row": ("pol 1 9 +", "no row 9"),
    "row zero": ("pol 0 1 +", "no row 0"),
    "a row of its own": ("pol 1 5 +", "no row 5"),
    "a later row": ("pol 4 6 +", "no row 6"),
    "no operand": ("pol 1 +", None),
    "two rows left": ("pol 1 2", "more than one"),
    "division by nought": ("pol 1 0 d", "factor"),
    "a negative factor": ("pol 1 -1 *", "factor"),
    "a row as factor": ("pol 1 2 + 3 3 + *", "factor"),
    "rup without reason": ("rup +1 a >= 1", "propagation"),
    "hints that do not do": ("rup +1 a +1 b +1 c >= 2 : 1", "propagation"),
    "a hint that is not there": ("rup +1 a +1 b >= 1 : 77", "no row 77"),
    "an unknown variable": ("rup +1 z >= 1", "no variable z"),
    "no solution": ("soli a ~b ~c", "contradicts"),
    "half a solution": ("soli a", "obey|open"),
    "a contradictory solution": ("soli a ~a b c", "contradicts"),
    "an assumption": ("a +1 a >= 1", "rule a is not supported"),
    "a witness that does not do": ("red +1 a >= 1 : a -> 1 b -> 0 c -> 0", "witness"),
    "a witness that costs": ("red +1 a >= 1 : a -> 1", "witness"),
    "a witness for nothing": ("red >= 1 :", "witness"),
    "another row": ("e +1 a +1 b >= 2 : 1", "another"),
    "a deleted row": ("del id 1 1", "no row 1"),
    "contradiction": ("conclusion UNSAT : 1", "contradiction"),
    "better bound": ("conclusion BOUNDS 3 : 4 INF", "does not follow"),
    "no conclusion": ("conclusion NONE", "nothing"),
    "solution not logged": ("conclusion BOUNDS 1 : 4 2", "logged"),
}


@pytest.mark.parametrize("propagator", PROPAGATORS)
@pytest.mark.parametrize("fault", WRONG)
def test_refuses(fault: str, propagator: type[Propagator]) -> None:
    step, message = WRONG[fault]
    first = [] if step.startswith("f") else ["f 3", "pol 1 2 + 3 + 2 d"]
    steps = proof(*first, step, "conclusion BOUNDS 2 : 4 INF", "end p")
    with pytest.raises((Refused, NoProof), match=message):
        check_proof(cover(), steps, None, propagator)


def test_deleted_rows_do_not_propagate_and_facts_stay() -> None:
    formula = cover()
    unit = "soli a b ~c"
    for propagator in PROPAGATORS:
        steps = proof("f 3", unit, "del id 1", "rup +1 a +1 b >= 1", "end p")
        with pytest.raises(Refused, match=r"conclusion|propagation"):
            check_proof(formula, steps, None, propagator)


def test_a_witness_must_not_undo_what_a_deleted_row_said() -> None:
    """Deriving x, deleting the row and then deriving ~x would contradict itself."""
    formula = Formula()
    formula.variable("x")
    formula.at_least([], 0)
    steps = proof(
        "f 1",
        "red +1 x >= 1 : x -> 1",
        "del id 2",
        "red +1 ~x >= 1 : x -> 0",
        "conclusion UNSAT",
        "end p",
    )
    for propagator in PROPAGATORS:
        with pytest.raises(Refused):
            check_proof(formula, steps, None, propagator)


def test_refuses_numbers_that_grow() -> None:
    doubling = [f"pol {n} {n} +" for n in range(3, 5000)]
    huge = [f"pol 1 {10**300} * {10**300} * {10**300} * {10**300} * {10**300} *"]
    for steps in (doubling, huge):
        with pytest.raises(Refused, match="too large"):
            check_proof(cover(), proof("f 3", *steps))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["hello\n"],
        ["pseudo-Boolean proof version 9.0\n"],
        [*HEAD, "f 3;\n", "pol 1 2"],
        [*HEAD, "f 3;\n", "rup +1 a > 1;\n"],
        [*HEAD, "f 3;\n", "rup +x a >= 1;\n"],
        [*HEAD, "f three;\n"],
        [*HEAD, "dom +1 a >= 1;\n"],
        [*HEAD, "\0;\n"],
    ],
)
def test_text_that_is_no_proof(lines: list[str]) -> None:
    with pytest.raises((NoProof, Refused)) as raised:
        check_proof(cover(), lines)
    assert str(raised.value).startswith("step ") == (len(lines) > 1)


def test_limits() -> None:
    long = proof("f 3", "pol " + "1 + " * 100)
    with pytest.raises(TooLong, match="line"):
        check_proof(cover(), long, CheckLimits(line=100))
    many = proof("f 3", *["pol 1 2 +"] * 50)
    with pytest.raises(TooLong, match="steps"):
        check_proof(cover(), many, CheckLimits(steps=20))
    with pytest.raises(TooLong, match="rows"):
        check_proof(cover(), many, CheckLimits(rows=20))
    with pytest.raises(TooLong, match="takes more than"):
        check_proof(
            cover(), proof("f 3", *["pol 1 2 +"] * 20_000), CheckLimits(seconds=0)
        )


@st.composite
def rows(draw: st.DrawFn) -> Row:
    terms = draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), max_size=6))
    signs = draw(st.lists(st.booleans(), min_size=len(terms), max_size=len(terms)))
    pairs = [(a, x if s else -x) for (a, x), s in zip(terms, signs, strict=True)]
    return normalise(pairs, draw(st.integers(-6, 12)))


def holds(row: Row, values: int) -> bool:
    true = {v if values >> v & 1 else -v for v in range(1, 6)}
    return sum(a for x, a in row.terms.items() if x in true) >= row.degree


@given(rows(), rows(), st.integers(0, 62))
def test_rows_mean_what_they_say(one: Row, other: Row, values: int) -> None:
    assert holds(negate(one), values) != holds(one, values)
    if holds(one, values) and holds(other, values):
        assert holds(add(one, other), values)
    swapped = (values & ~6) | (values >> 1 & 1) << 2 | (values >> 2 & 1) << 1
    assert holds(substitute(one, {1: 2, 2: 1}), values) == holds(one, swapped)
    assert holds(substitute(one, {3: True}), values) == holds(one, values | 8)


@given(st.lists(rows(), max_size=8), st.data())
@settings(max_examples=150)
def test_both_propagators_agree(store: list[Row], data: st.DataObject) -> None:
    plain, fast = (kind(lambda work: None) for kind in PROPAGATORS)
    live: dict[int, Row] = {}
    for number, row in enumerate(store, 1):
        plain.enter(number, row)
        fast.enter(number, row)
        live[number] = row
        if data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(sorted(live)))
            plain.remove(gone, live[gone])
            fast.remove(gone, live.pop(gone))
        question = [data.draw(rows())]
        assert plain.refuted(question) == fast.refuted(question)
        literals = {data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))}
        assert plain.closure(literals) == fast.closure(literals)


@pytest.mark.parametrize("which", range(4))
def test_accepts_unharmed_proofs(which: int) -> None:
    formula, lines, bound = proof_texts()[which]
    for propagator in PROPAGATORS:
        assert check_proof(formula, lines, None, propagator).bound == bound


def harmed(lines: list[str], rng: random.Random) -> list[str]:
    """Plant one fault in a proof."""
    lines = lines.copy()
    kind = rng.randrange(9)
    at = rng.randrange(1, len(lines))
    other = rng.randrange(1, len(lines))
    words = lines[at].split()
    numbers = [
        i for i, word in enumerate(words) if word.strip(";").lstrip("+-").isdecimal()
    ]
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 2:
        lines.insert(other, lines[at])
    elif kind == 3:
        lines = lines[:at]
    elif kind == 4 and numbers:
        i = rng.choice(numbers)
        old = int(words[i].strip(";"))
        words[i] = str(rng.choice([old + 1, old - 1, -old, 0, old * 10**30]))
        lines[at] = " ".join(words) + " ;\n"
    elif kind == 5 and len(words) > 1:
        del words[rng.randrange(len(words))]
        lines[at] = " ".join(words) + " ;\n"
    elif kind == 6 and "x" in lines[at]:
        lines[at] = lines[at].replace("~x", "!").replace(" x", " ~x").replace("!", "x")
    elif kind == 7:
        lines[at] = lines[at][: rng.randrange(len(lines[at]))] + "\n"
    elif kind == 8:
        lines.insert(at, f"del id {rng.randrange(1, 12)};\n")
    return lines


def check_anyhow(
    formula: Formula, lines: list[str], propagator: type[Propagator] = Propagator
) -> ProvenResult | None:
    """Check a proof; None if it is refused in any of the ways that a proof may be."""
    try:
        return check_proof(formula, lines, CheckLimits(seconds=20), propagator)
    except (Refused, NoProof, TooLong):
        return None


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("seed", range(60))
def test_nothing_false_is_accepted(which: int, seed: int) -> None:
    """240 planted faults: a proof that still holds proves nothing false."""
    formula, lines, _ = proof_texts()[which]
    rng = random.Random(seed)
    text = harmed(lines, rng)
    found = check_anyhow(formula, text)
    assert found == check_anyhow(formula, text, FastPropagator)
    if found is not None:
        least = truth(which)
        assert least is None or (found.bound is not None and found.bound <= least)
