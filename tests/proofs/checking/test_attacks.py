"""Faults of every kind, planted in proofs: what is false is never accepted."""

import lzma
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.instances import InputError, KSubset, Submesh, Sukp, mesh
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.submesh import Resident
from closeknit.methods import KSUBSET
from closeknit.proofs.checking import (
    CheckLimits,
    Formula,
    NoProof,
    Refused,
    check_proof,
    check_proof_file,
    formula_of,
    proof_file,
)
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.solvers import Limit
from closeknit.solvers.running import clock
from tests.forging.small_proofs import (
    COVER,
    HEAD,
    PIGEONS,
    SACK,
    accepted,
    branching_proof,
    cheapest_assignment,
    cover,
    pigeons,
    priced,
)
from tests.oracles import optimum
from tests.strategies import random_ksubset

Faults = Iterator[tuple[Formula, list[str]]]
MOST = 30
"""Faults of a kind that are planted in one proof."""
DERIVES = ("rup", "pol", "soli", "conclusion", "end")
"""Steps that a proof cannot do without."""


@cache
def texts() -> list[tuple[Formula, list[str], int | None]]:
    """Return short proofs of several kinds, and what is the least objective."""
    full = Submesh("full", (3, 3), (Resident((1, 1, 1, 1)),), (3, 3))
    found: list[tuple[Formula, list[str], int | None]] = [
        (pigeons(3), PIGEONS, None),
        (cover(), COVER, 2),
        (pigeons(2), branching_proof(pigeons(2), None), None),
        (formula_of(full), branching_proof(formula_of(full), None), None),
    ]
    for instance in (mesh(4, k=2), SACK):
        formula = formula_of(instance)
        chosen = cheapest_assignment(formula)
        assert chosen is not None
        proof = branching_proof(formula, chosen)
        found.append((formula, proof, priced(formula, chosen)))
    return found


def steps(lines: list[str]) -> list[int]:
    return [i for i, line in enumerate(lines) if line.startswith(DERIVES)]


def dropped(formula: Formula, lines: list[str]) -> Faults:
    for i in steps(lines):
        yield formula, lines[:i] + lines[i + 1 :]


def swapped(formula: Formula, lines: list[str]) -> Faults:
    for i, j in zip(steps(lines), steps(lines)[1:], strict=False):
        other = lines.copy()
        other[i], other[j] = other[j], other[i]
        yield formula, other


def repeated(formula: Formula, lines: list[str]) -> Faults:
    for i in steps(lines)[:-2]:
        yield formula, [*lines[: i + 1], *lines[i:]]


def reordered(formula: Formula, lines: list[str]) -> Faults:
    for seed in range(8):
        body = lines[1:]
        random.Random(seed).shuffle(body)
        yield formula, [lines[0], *body]


def of_another_instance(formula: Formula, lines: list[str]) -> Faults:
    for other, _, _ in texts():
        if other.names != formula.names:
            yield other, lines
    yield pigeons(4), lines


def of_a_better_bound(formula: Formula, lines: list[str]) -> Faults:
    at = next(i for i, line in enumerate(lines) if line.startswith("conclusion"))
    before, words = lines[:at], lines[at].split()
    hint = words[-1 if "UNSAT" in words else -2].strip(";")
    if "UNSAT" in words:
        claims = [f"BOUNDS {b} : {hint} {b}" for b in (-1, 1, 2**64)]
    else:
        cost = int(words[2])
        claims = [f"BOUNDS {cost + more} : {hint} INF" for more in (1, 2, 2**64)]
        claims += [f"BOUNDS {cost} : {hint} {cost - 1}", f"UNSAT : {hint}"]
    for claim in claims:
        yield formula, [*before, f"conclusion {claim} ;\n", "end p ;\n"]


def overflowing(formula: Formula, lines: list[str]) -> Faults:
    """Add multiples of 2^32 and 2^64, which arithmetic that wraps would not see."""
    for i, line in enumerate(lines):
        words = line.split()
        if line.startswith("rup") and len(words) > 3:
            for huge in (2**32, 2**63, 2**64, 10**2000):
                at = words.index(">=") + 1
                more = [*words[:at], str(int(words[at].strip(";")) + huge), ";\n"]
                yield formula, [*lines[:i], " ".join(more), *lines[i + 1 :]]


def of_a_wrong_solution(formula: Formula, lines: list[str]) -> Faults:
    for i, line in enumerate(lines):
        words = line.replace(";", "").split()
        for at in range(1, len(words) if words[0] == "soli" else 0):
            turned = words.copy()
            sign = turned[at].startswith("~")
            turned[at] = turned[at][1:] if sign else f"~{turned[at]}"
            yield formula, [*lines[:i], f"{' '.join(turned)} ;\n", *lines[i + 1 :]]


def cut_off(formula: Formula, lines: list[str]) -> Faults:
    text = "".join(lines).rstrip("\n;")
    for share in range(1, 13):
        yield formula, text[: len(text) * share // 12].splitlines(keepends=True)


def cyclic(formula: Formula, lines: list[str]) -> Faults:
    """Let steps rest on themselves, and on later ones."""
    last = len(formula.rows)
    for i, line in enumerate(lines):
        last += line.startswith(("rup", "pol", "soli"))
        if line.startswith(("rup", "pol")):
            row = line.partition(" : ")[0].replace(";", "").strip()
            for number in (last, last + 1, last + 7):
                rest = (
                    f"pol {number}" if line.startswith("pol") else f"{row} : {number}"
                )
                yield formula, [*lines[:i], f"{rest} ;\n", *lines[i + 1 :]]


KINDS: dict[str, tuple[Callable[[Formula, list[str]], Faults], bool]] = {
    "dropped": (dropped, True),
    "swapped": (swapped, False),
    "repeated": (repeated, False),
    "reordered": (reordered, False),
    "of another instance": (of_another_instance, True),
    "of a better bound": (of_a_better_bound, True),
    "overflowing": (overflowing, False),
    "of a wrong solution": (of_a_wrong_solution, False),
    "cut off": (cut_off, True),
    "cyclic": (cyclic, True),
}
"""Kinds of faults, and whether each fault of the kind must be refused.

Of the others some are harmless: steps may commute, and anything follows from a
contradiction. These may prove what is true.
"""


def planted(kind: str, which: int) -> list[tuple[Formula, list[str]]]:
    """Return faults of a kind in a proof; some of them, where there are many."""
    formula, lines, _ = texts()[which]
    found = list(KINDS[kind][0](formula, lines))
    return random.Random(1).sample(found, min(len(found), MOST))


def refused(kind: str, which: int) -> int:
    """Plant all faults of a kind in a proof; return how many are refused."""
    strict, count = KINDS[kind][1], 0
    for about, text in planted(kind, which):
        found = accepted(about, text, texts()[which][2])
        assert not (found and strict), "".join(text)
        count += not found
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_refused_or_harmless(kind: str) -> None:
    counts = [refused(kind, which) for which in range(len(texts()))]
    assert sum(counts) >= 12


def test_there_are_two_hundred_of_them() -> None:
    strict = [kind for kind, (_, each) in KINDS.items() if each]
    count = sum(len(planted(kind, i)) for kind in strict for i in range(len(texts())))
    assert count >= 200


BOMBS = {
    "comments": b"* nothing\n" * 500_000,
    "empty lines": b"\n" * 5_000_000,
    "one step, again and again": b"pol 1 ;\n" * 600_000,
    "one step without an end": b"pol 1 1 +\n" * 500_000,
    "nought": bytes(5_000_000),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_what_unpacks_to_too_much_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_file, "MOST_BYTES", 2**20)
    packed = lzma.compress(HEAD[0].encode() + b"f 3 ;\n" + BOMBS[kind])
    assert len(packed) < 3000
    (tmp_path / "bomb").write_bytes(packed)
    sack = Sukp("sack", (1,), (1,), ((0,),), 1)
    with pytest.raises((InputError, Refused)):
        check_proof_file(sack, tmp_path / "bomb", CheckLimits(seconds=20))


WORDS = (
    *("rup", "pol", "red", "soli", "del id", "conclusion BOUNDS", "conclusion UNSAT"),
    *("f", "l", "c", "e", "end", "@x", "output NONE", "sol", "del range", "core"),
    *("+", "*", "d", "s", "w", ":", ";", ">=", "->", "~", "INF", "=", "\n", "* "),
    *map(str, (-2, -1, 0, 1, 2, 3, 5, 8, 13, 2**63, -(2**64), 10**400)),
)
VARIABLES = ("x0_0", "x1_0", "~x1_1", "a", "b", "~c", "x0", "u0_1", "new", "~new")


@st.composite
def mutated(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """Change some words of a proof, or some steps, into others."""
    lines = lines.copy()
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(lines) - 1))
        words = lines[at].split(" ")
        place = draw(st.integers(0, len(words) - 1))
        what = draw(st.sampled_from(("word", "more", "less", "line", "steal", "rule")))
        if what == "word":
            words[place] = draw(st.sampled_from(WORDS + VARIABLES))
        elif what == "more":
            words.insert(place, draw(st.sampled_from(WORDS + VARIABLES)))
        elif what == "less":
            del words[place]
        elif what == "rule":
            rule = draw(st.sampled_from(("rup", "red", "pol", "soli", "del")))
            terms = [
                f"{draw(st.integers(-2, 3)):+d} {name}"
                for name in draw(st.lists(st.sampled_from(VARIABLES), max_size=3))
            ]
            ends = {"rup": "", "red": " : new -> 1"}
            row = f"{' '.join(terms)} >= {draw(st.integers(0, 2))}"
            rest = f"{row}{ends[rule]}" if rule in ends else " ".join(terms)
            words = [f"{rule} {rest} ;\n", *words]
        lines[at] = " ".join(words)
        if what == "line":
            lines.insert(at, draw(st.sampled_from(lines)))
        elif what == "steal":
            lines[at] = draw(st.sampled_from(lines))
    return "".join(lines).splitlines(keepends=True)


@given(st.data(), st.integers(0, 5))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_no_mutation_makes_what_is_false_accepted(
    data: st.DataObject, which: int
) -> None:
    formula, lines, least = texts()[which]
    accepted(formula, data.draw(mutated(lines)), least)


@pytest.mark.parametrize("first", [" ;\n", ";;\n", "version\n", "; proof\n"])
def test_a_first_line_that_is_no_header_is_refused(first: str) -> None:
    formula, lines, _ = texts()[0]
    with pytest.raises(NoProof, match="no pseudo-Boolean proof"):
        check_proof(formula, [first, *lines])


@pytest.fixture(scope="module")
def certified() -> tuple[KSubset, int, list[object]]:
    """An instance, its optimum, and the nodes of a proof that branches."""
    rng = random.Random(3)
    while True:
        instance = random_ksubset(rng, most=12)
        least = KSUBSET["bruteforce"](instance).objective
        assert isinstance(least, int)
        nodes = record(instance, least, clock.now() + 60)
        if not isinstance(nodes, Limit) and 7 <= len(nodes) <= 60:
            return instance, least, nodes


def test_faults_in_certificates(
    certified: tuple[KSubset, int, list[object]], tmp_path: Path
) -> None:
    """Nodes dropped, swapped, repeated, reordered; more claimed; another instance."""
    instance, least, nodes = certified
    assert least == optimum(instance)
    path = tmp_path / "proof.xz"
    fewer = [nodes[:i] + nodes[i + 1 :] for i in range(len(nodes))]
    twice = [nodes[: i + 1] + nodes[i:] for i in range(len(nodes))]
    cut = [nodes[:i] for i in range(len(nodes))]
    swapped = [
        [*nodes[:i], nodes[i + 1], nodes[i], *nodes[i + 2 :]]
        for i in range(len(nodes) - 1)
    ]
    for strict, texts in ((True, fewer + twice + cut), (False, swapped)):
        for text in texts:
            for claim in (least, least + 1, 2**61):
                write_certificate(instance, claim, text, path)
                try:
                    accepted = check_certificate(instance, path)
                except InputError:
                    continue
                assert not strict
                assert accepted <= least


@given(st.data())
@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_mutation_of_a_certificate_proves_too_much(
    certified: tuple[KSubset, int, list[object]], tmp_path: Path, data: st.DataObject
) -> None:
    instance, least, nodes = certified
    text = [*nodes]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(_other(text[at], text))
    claim = data.draw(st.integers(least, least + 2))
    write_certificate(instance, claim, text, tmp_path / "proof.xz")
    try:
        accepted = check_certificate(instance, tmp_path / "proof.xz")
    except InputError:
        return
    assert accepted <= least


def _other(value: object, nodes: list[object]) -> st.SearchStrategy[object]:
    """Draw something in the place of a value, or of one of its parts."""
    if isinstance(value, list | tuple) and value:
        whole = [*value]
        inner = st.integers(0, len(whole) - 1).flatmap(
            lambda i: _other(whole[i], nodes).map(partial(_put, whole, i))
        )
        return st.one_of(inner, inner, inner, st.sampled_from(nodes), st.just([]))
    if isinstance(value, str):
        rules = ("cost", "twins", "exchange", "companions", "bound", "counts", "split")
        return st.sampled_from(rules)
    return st.one_of(st.integers(-2, 40), st.sampled_from((2**63, None, 0.5, "x")))


def _put(whole: list[object], i: int, value: object) -> list[object]:
    return [*whole[:i], value, *whole[i + 1 :]]
