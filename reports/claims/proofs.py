"""Claims that checkers of proofs accept nothing untrue: tried with false proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any, TypeVar

from ...instances import KSubset, Submesh
from ...instances.errors import RefusedStep
from ...instances.ksubset.certificate import CertificateChecker
from ...instances.ksubset.counts import CHOSEN, REJECTED, UNDECIDED, CountState
from ...instances.submesh import Resident, box_at, sides
from ...instances.submesh.infeasibility import FAMILIES, check_infeasible
from ...instances.submesh.packing import Item, Packing
from .running.claim import Claim, Outcome, Trial
from .running.samples import draw_samples, of_one_axis, price_all
from .running.shrink import survey

T = TypeVar("T")
SAMPLES, QUICK_SAMPLES = 150, 18
_MOST_FREE = 9
_STATES = 6
"""Partly decided states round every optimum."""
PACKINGS, QUICK_PACKINGS = 300, 30


def sound_steps(trial: Trial) -> Outcome:
    """Offer to the checker all single steps that would lose an optimum."""
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    samples = (*draw_samples(trial.seed, 3 * count), *of_one_axis(trial.seed, count))
    return survey(
        f"no step and no leaf loses an optimum, seed {trial.seed}",
        ((x for x in samples if 1 < x.k < x.n <= _MOST_FREE), _loses),
    )


def _loses(instance: KSubset) -> str:
    """Describe which step the checker takes although an optimum is lost by it.

    The objective claimed is one hop above the optimum, so that no certificate of it is
    true, and every optimum that takes the first of coinciding points must survive.
    """
    if not 1 < instance.k < instance.n:
        return ""
    random = Random(f"{instance.n} {instance.k} {instance.free}")
    costs = price_all(instance)
    least = min(costs.values())
    checker = CertificateChecker(instance, least + 1)
    optima = [
        s for s, paid in costs.items() if paid == least and _takes_first(instance, s)
    ]
    for chosen in random.sample(optima, min(3, len(optima))):
        for _ in range(_STATES):
            if wrong := _lost_in(checker, _state(checker, chosen, random), chosen):
                return f"with {chosen} optimal, {wrong}"
    return ""


def _takes_first(instance: KSubset, chosen: tuple[int, ...]) -> bool:
    """Whether a set takes the first ones of points that coincide."""
    return not any(
        i not in chosen and instance.free[i] == instance.free[j]
        for j in chosen
        for i in range(j)
    )


def _state(
    checker: CertificateChecker, chosen: tuple[int, ...], random: Random
) -> CountState:
    """Return a state that a set is in: some points decided, counts within bounds."""
    state = checker.root()
    n, m = len(state.status), len(state.low)
    share, width = random.choice((0.0, 0.3, 0.6)), random.choice((0, 0, 1, checker.k))
    for i in range(n):
        if random.random() < share:
            state.status[i] = CHOSEN if i in chosen else REJECTED
    counts = _counts(checker, chosen)
    for h in range(m):
        state.low[h] = max(0, counts[h] - random.randint(0, width))
        state.high[h] = min(checker.k, counts[h] + random.randint(0, width))
    return state


def _counts(checker: CertificateChecker, chosen: tuple[int, ...]) -> list[int]:
    """Count the chosen points inside of every cut."""
    cuts = range(len(checker.weight))
    return [sum(checker.inside(h, p) for p in chosen) for h in cuts]


def _lost_in(
    checker: CertificateChecker, state: CountState, chosen: tuple[int, ...]
) -> str:
    if not checker.close(state):
        return "counts are said to contradict each other"
    if any(state.status[i] == REJECTED for i in chosen):
        return "counts reject a point of it"
    if not set(state.points(CHOSEN)) <= set(chosen):
        return "counts choose a point beside it"
    taken, left, free = (state.points(value) for value in (CHOSEN, REJECTED, UNDECIDED))
    value = checker.bound(state)[0]
    leaves: list[list[object]] = [
        ["counts"],
        ["bound", value, state.low, state.high],
        *(["twins", p] for p in taken),
        *(["companions", p] for p in free),
        *(["exchange", p, q] for p, q in product(taken, left)),
        *(["narrow", h] for h in range(len(state.low))),
    ]
    for leaf in leaves:
        if _accepted(checker.leaf, state, checker.shapes.end(leaf, "")):
            return f"a leaf is accepted: {leaf}"
    inside, outside = ([p for p in free if (p in chosen) == way] for way in (1, 0))
    steps: list[tuple[str, Any]] = [
        *((rule, [[p], []]) for rule in RULES for p in outside),
        *((rule, [[], [p]]) for rule in RULES for p in inside),
        *(("exchange", [[[p, q]]]) for p, q in product(taken, outside)),
        *(("exchange", [[[p, q]]]) for p, q in product(inside, left)),
    ]
    for h, c in enumerate(_counts(checker, chosen)):
        low, high = state.low[h], state.high[h]
        steps += [("narrow", [[[h, c + 1, high]]])] if c < high else []
        steps += [("narrow", [[[h, low, c - 1]]])] if low < c else []
    for rule, words in steps:
        if _accepted(checker.step, state, checker.shapes.step([rule, *words], "")):
            return f"a step is accepted: {rule} {words}"
    return ""


RULES = ("cost", "twins", "companions")
"""Rules whose steps list what they choose and what they reject."""


def _accepted(
    derive: Callable[[CountState, T], None], state: CountState, what: T
) -> bool:
    try:
        derive(state.copy(), what)
    except RefusedStep:
        return False
    return True


def packed_boxes(random: Random) -> Submesh:
    """Return boxes that lie in a mesh or torus, often filling it, by cutting it up."""
    torus = random.random() < 0.3
    shape = tuple(random.randint(1, 9) for _ in range(random.choice((2, 2, 3))))
    whole = [(*(0,) * len(shape), *(side - 1 for side in shape))]
    for _ in range(random.randint(1, 6)):
        box = whole.pop(random.randrange(len(whole)))
        d = len(shape)
        axis = random.randrange(d)
        if box[axis] == box[d + axis]:
            whole.append(box)
            continue
        at = random.randrange(box[axis], box[d + axis])
        whole.append((*box[: d + axis], at, *box[d + axis + 1 :]))
        whole.append((*box[:axis], at + 1, *box[axis + 1 :]))
    if random.random() < 0.3 and len(whole) > 1:
        whole.pop()
    shift = [random.randrange(side) if torus else 0 for side in shape]
    boxes = [
        box_at(
            [(x + s) % side for x, s, side in zip(box, shift, shape, strict=False)],
            sides(box),
        )
        for box in whole
    ]
    fixed = random.random()
    residents = tuple(
        Resident(box, fixed=random.random() < fixed, turns=False) for box in boxes
    )
    return Submesh("packed", shape, residents, (1,) * len(shape), torus=torus)


def packing_of_all(instance: Submesh) -> Packing:
    """Return the residents as boxes to be packed, those that are fixed where they are.

    Every other free resident may be turned, and one of a single cell is blocked.
    """
    items = []
    blocked = []
    for i, one in enumerate(instance.residents):
        size = sides(one.box)
        if max(size) == 1 and not one.fixed and i % 2:
            blocked.append(one.box[: instance.d])
            continue
        turns = not one.fixed and i % 2 == 0
        items.append(Item(size, turns, one.box if one.fixed else None))
    return Packing(
        "packed", instance.shape, tuple(items), tuple(blocked), instance.torus
    )


def refutations(packing: Packing) -> Iterator[dict[str, object]]:
    """List every certificate there is for a few boxes."""
    items = range(len(packing.items))
    yield {"kind": "dual feasible", "functions": [["identity", 1]] * packing.d}
    for pair in combinations(items, 2):
        yield {"kind": "pair", "items": [*pair]}
    for axis in range(packing.d):
        for size in (1, 2, 3, len(items)):
            for some in combinations(items, size):
                yield {"kind": "stack", "axis": axis, "items": [*some]}
    for i in items:
        yield {"kind": "no place", "item": i}
    some_functions = [
        [["identity", 1], *map(list, product(FAMILIES[1:], range(1, (side + 3) // 2)))]
        for side in packing.shape
    ]
    for a, b in combinations(range(packing.d), 2):
        for one, other in product(some_functions[a], some_functions[b]):
            functions = [["identity", 1]] * packing.d
            functions[a], functions[b] = one, other
            yield {"kind": "dual feasible", "functions": functions}


def _find_false_refutation(instance: Submesh) -> str:
    packing = packing_of_all(instance)
    if not packing.items:
        return ""
    for certificate in refutations(packing):
        if not check_infeasible(packing, certificate):
            return f"boxes that lie there are refuted by {certificate}"
    return ""


def no_false_refutation(trial: Trial) -> Outcome:
    """Offer every certificate against boxes cut out of a mesh."""
    random = Random(f"closeknit packed boxes {trial.seed}")
    count = QUICK_PACKINGS if trial.quick else PACKINGS
    return survey(
        f"no certificate refutes what lies there, seed {trial.seed}",
        ((packed_boxes(random) for _ in range(count)), _find_false_refutation),
    )


PROOF_CLAIMS = (
    Claim(
        name="certificate-steps-are-sound",
        statement="The checker of certificates takes no step, and accepts no leaf, by "
        "which an optimum would be lost, for an objective above it by one.",
        source="derived, docs/science/exact.md",
        tested=f"samples with at most {_MOST_FREE} free processors, of {4 * SAMPLES} "
        f"({4 * QUICK_SAMPLES} if quick); up to three optima each, {_STATES} partly "
        "decided states round each, every single step and leaf",
        test=sound_steps,
    ),
)
PACKING_CLAIMS = (
    Claim(
        name="no-proof-refutes-what-packs",
        statement="The checker of proofs that boxes cannot be packed accepts none "
        "where they are packed.",
        source="Fekete and Schepers 2004; instances.submesh.infeasibility",
        tested=f"{PACKINGS} meshes and tori ({QUICK_PACKINGS} if quick) cut into "
        "boxes, most of them full; every certificate, every dual feasible function",
        test=no_false_refutation,
    ),
)
