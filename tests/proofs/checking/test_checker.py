"""The checker of pseudo-Boolean proofs: accepts what follows, and nothing else."""

import random

import pytest

from closeknit.proofs.checking import (
    Formula,
    NoProof,
    Propagator,
    ProvenResult,
    Refused,
    check_proof,
)
from tests.forging.small_proofs import (
    COVER,
    HEAD,
    accepted,
    by_both,
    cover,
    proof,
    proof_texts,
)

CHEAP = "red +1 ~a +1 ~b +1 ~c +2 ~z >= 2 : z -> 0"  # z: at most one of them
DEAR = "red +1 a +1 b +1 c +2 z >= 2 : z -> 1"
BOTH_HALVES = [
    "rup +1 ~z >= 1",
    "conclusion BOUNDS 2 : 8 INF",
    "end pseudo-Boolean proof",
]
_WHOLE = " ".join(line.strip() for line in COVER[1:])
ACCEPTED: dict[str, tuple[list[str], ProvenResult]] = {
    "a bound without a solution": (
        proof("f 3", "pol 1 2 + 3 + 2 d", "conclusion BOUNDS 2 : 4 INF", "end p"),
        ProvenResult(2, 4),
    ),
    "steps that share lines and span them": (
        [*HEAD, _WHOLE[:30] + "\n", _WHOLE[30:] + "\n"],
        ProvenResult(2, 6),
    ),
    "a witness: if one of a and b is in the cover, a is": (
        proof(
            "f 3",
            "red +1 a +1 ~b >= 1 : a -> b b -> a",
            "rup +1 a >= 1",
            "rup +1 b +1 c >= 1",
            "rup +1 a +1 b +1 c >= 2",
            "conclusion BOUNDS 2 : 7 INF",
            "end pseudo-Boolean proof",
        ),
        ProvenResult(2, 7),
    ),
    "definitions": (
        proof(
            "f 3",
            "red +1 ~new +1 a >= 1 : new -> 0",
            "red +1 new +1 ~a >= 1 : new -> 1",
            "rup +1 new +1 b >= 1 : 5 1 ~",
            "conclusion BOUNDS 0 INF",
            "end pseudo-Boolean proof",
        ),
        ProvenResult(0, 6),
    ),
    "both halves of a definition": (
        proof(
            *("f 3", CHEAP, DEAR, "pol 1 2 + 3 + 2 d 4 + s", BOTH_HALVES[0]),
            *("pol 5 7 2 * +", *BOTH_HALVES[1:]),
        ),
        ProvenResult(2, 8),
    ),
    "both halves in another order": (
        proof(
            *("f 3", DEAR, CHEAP, "pol 1 2 + 3 + 2 d 5 + s", BOTH_HALVES[0]),
            *("pol 4 7 2 * +", *BOTH_HALVES[1:]),
        ),
        ProvenResult(2, 8),
    ),
}


@by_both
@pytest.mark.parametrize("what", ACCEPTED)
def test_accepts(what: str, propagator: type[Propagator]) -> None:
    lines, proven = ACCEPTED[what]
    assert check_proof(cover(), lines, None, propagator) == proven


@by_both
@pytest.mark.parametrize("which", range(4))
def test_accepts_unharmed_proofs(which: int, propagator: type[Propagator]) -> None:
    formula, lines, bound = proof_texts()[which]
    found = check_proof(formula, lines, None, propagator)
    assert found == ProvenResult(bound, len(lines) - 1)


@by_both
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
    with pytest.raises(Refused, match="witness"):
        check_proof(cover(), proof("f 3", CHEAP, wrong), None, propagator)


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


@by_both
@pytest.mark.parametrize("fault", WRONG)
def test_refuses(fault: str, propagator: type[Propagator]) -> None:
    step, message = WRONG[fault]
    first = [] if step.startswith("f") else ["f 3", "pol 1 2 + 3 + 2 d"]
    steps = proof(*first, step, "conclusion BOUNDS 2 : 4 INF", "end p")
    with pytest.raises((Refused, NoProof), match=message):
        check_proof(cover(), steps, None, propagator)


@by_both
def test_deleted_rows_do_not_propagate_and_facts_stay(
    propagator: type[Propagator],
) -> None:
    steps = proof("f 3", "soli a b ~c", "del id 1", "rup +1 a +1 b >= 1", "end p")
    with pytest.raises(Refused, match=r"conclusion|propagation"):
        check_proof(cover(), steps, None, propagator)


@by_both
def test_a_witness_must_not_undo_what_a_deleted_row_said(
    propagator: type[Propagator],
) -> None:
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
    with pytest.raises(Refused):
        check_proof(formula, steps, None, propagator)


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


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("seed", range(60))
def test_nothing_false_is_accepted(which: int, seed: int) -> None:
    """240 planted faults: a proof that still holds proves nothing false."""
    formula, lines, least = proof_texts()[which]
    accepted(formula, harmed(lines, random.Random(seed)), least)
