"""Claims about instances built to be bad, or found bad: what is paid there, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

from ....heuristics.ksubset.guarantees import rho
from ....instances import InputError, KSubset, Torus
from ....instances.ksubset.worst_cases import (
    WorstCase,
    genalg,
    genalg_tree,
    hilbert_gap,
    mc1x1_family,
    median_decoys,
    mm_blocks,
    mm_distinct,
    ring_gap,
    theorem1,
)
from ....methods import KSUBSET
from ....solvers import Ties
from ...frontier.entries import FOLDER
from ...frontier.worst import WorstInstance, guarantee, read_worst
from ..running.claim import Claim, Outcome, Trial, UntrueAnswer, failed, passed

EPSILONS = tuple(Fraction(1, b) for b in (2, 4, 10, 100, 132, 133))
RING = KSubset(
    "ring-of-46",
    Torus((46,)),
    tuple((x,) for x in (2, 11, 14, 15, 17, 26, 29, 31, 32, 39, 44, 45)),
    10,
)
"""On which the best window is not optimal."""
REACHED = Fraction(174, 100)
"""What mm's ratio is shown to reach in the plane, where 7/4 is the limit."""

_SHELLS = ((1, 4, 50), (2, 2, 100), (2, 4, 100), (2, 8, 400), (3, 4, 100))


def theorem_1(trial: Trial) -> Outcome:
    """Compare Theorem 1's construction with its closed forms, written out here."""
    sizes = (1,) if trial.quick else (1, 2, 3)
    forms = []
    for d, q, eps in product(range(1, 5), sizes, EPSILONS):
        half = Fraction(1, 2 * d)
        paid = eps.denominator * q * q * (4 * d - 1) * (2 * d - eps * (2 * d - 1))
        optimum = eps.denominator * 4 * d * d * q * q
        ratio = (2 - half) * (1 - eps * (1 - half))
        forms.append((theorem1(d, 4 * d * q, eps), paid, optimum, ratio))
    return _outcome(trial, forms, "cost, optimum and ratio as in the closed forms")


def reaches(trial: Trial) -> Outcome:
    """Run mm on one instance of coinciding and one of distinct points."""
    forms = []
    for case, ratio in (
        (theorem1(2, 8, Fraction(1, 132)), Fraction(1225, 704)),
        (mm_distinct(555), Fraction(15493, 8904)),
    ):
        if ratio < REACHED:
            return failed(f"{ratio} is below {REACHED}", 0, case.instance)
        forms.append((case, case.cost, case.optimum, ratio))
    return _outcome(trial, forms, "1225/704 and 15493/8904")


def rows_tight(trial: Trial) -> Outcome:
    """Run mm on rows of distinct points: within 1/50 of 7/4 for every k = 8q."""
    ks = (8, 16) if trial.quick else (8, 16, 24, 32, 48)
    cases = ((mm_blocks(k, 100 * k), Fraction(7, 4)) for k in ks)
    return _near(trial, cases, 50, "7/4")


def nears_rho(trial: Trial) -> Outcome:
    """Run mm on decoys for every k: within 1/100 of rho_k(d), not above it."""
    cases = (
        (median_decoys(d, k, Fraction(1, 1000)), rho(k, d))
        for d in range(1, 4)
        for k in range(4, 9 if trial.quick else 17)
    )
    return _near(trial, cases, 100, "rho")


def shells_tight(trial: Trial) -> Outcome:
    """Run mc1x1 where shells mislead it: within 1/5 of (2 - 2/k) d."""
    cases = ((mc1x1_family(k, r, d), (2 - Fraction(2, k)) * d) for d, k, r in _SHELLS)
    return _near(trial, cases, 5, "the bound")


def genalg_tight(trial: Trial) -> Outcome:
    """Run mm-free on trees and in space: within 1/50 of 2 - 2/k."""
    cases = [(3, genalg(1000))]
    cases += [(k, genalg_tree(k, 1000)) for k in range(3, 5 if trial.quick else 7)]
    limits = ((case, 2 - Fraction(2, k)) for k, case in cases)
    return _near(trial, limits, 50, "the bound")


def _near(
    trial: Trial, cases: Iterable[tuple[WorstCase, Fraction]], part: int, what: str
) -> Outcome:
    """Hold ratios to limits: not above them, and below by less than 1/part."""
    forms = []
    for case, limit in cases:
        if not limit - Fraction(1, part) < case.ratio <= limit:
            return _wrong(case, f"ratio {case.ratio} is not near {limit}", 0)
        forms.append((case, case.cost, case.optimum, case.ratio))
    return _outcome(trial, forms, f"every ratio within 1/{part} of {what}")


def hilbert_far(trial: Trial) -> Outcome:
    """Run best fit along Hilbert's curve where it parts neighbours."""
    sides = (4, 8, 16) if trial.quick else (4, 8, 16, 32, 64)
    forms = [(hilbert_gap(n), 5 * n // 4 - 2, 1, Fraction(5 * n, 4) - 2) for n in sides]
    return _outcome(trial, forms, f"5N/4 - 2 for N = {', '.join(map(str, sides))}")


def windows_fail(trial: Trial) -> Outcome:
    """Run windows and exact routes on the ring where no window is optimal."""
    found = {"ring-window": trial.pay("ring-window", RING)}
    for route in ("ring-dp", "bruteforce", "cuts-bb", trial.exact):
        found[route] = trial.optimum(RING, route)
    for route, value in found.items():
        if value != (532 if route == "ring-window" else 530):
            return failed(f"{route} says {value} of 532 and 530", 1, RING)
    forms = [
        (ring_gap(s), 532 * s, 530 * s, Fraction(266, 265))
        for s in ((1, 2) if trial.quick else (1, 2, 3, 10))
    ]
    routes = ", ".join(list(found)[1:])
    return _outcome(trial, forms, f"best window 532, optimum 530 by {routes}; scaled")


Form = tuple[WorstCase, Fraction | int, Fraction | int, Fraction]
"""A case, and the cost, the optimum and the ratio that it must have."""


def _outcome(trial: Trial, forms: Iterable[Form], result: str) -> Outcome:
    seen = orders = 0
    for case, cost, optimum, ratio in forms:
        instance = case.instance
        seen += 1
        proved = trial.optimum(instance)
        if proved != optimum:
            return _wrong(case, f"optimum {proved}, not {optimum}", seen)
        for ties in Ties:
            try:
                paid = trial.pay(case.method, instance, ties)
            except InputError:
                if ties is Ties.LEX:
                    raise
                continue  # one order of ties only, or too many ways to enumerate
            orders += 1
            if paid != cost:
                why = f"{case.method} costs {paid}, not {cost}, ties {ties.value}"
                return _wrong(case, why, seen)
            if (found := Fraction(paid, proved)) != ratio:
                return _wrong(case, f"ratio {found}, not {ratio}", seen)
    return passed(f"{result} ({orders} runs; optima proved by {trial.exact})", seen)


def _wrong(case: WorstCase, why: str, seen: int) -> Outcome:
    return failed(f"{case.instance.name}: {why}", seen, case.instance)


FAMILY_CLAIMS = (
    Claim(
        name="bender-theorem-1",
        statement="On Theorem 1's construction mm's ratio is "
        "(2 - 1/(2d)) (1 - eps (1 - 1/(2d))), for every k and every order of ties.",
        source="Bender et al. 2008, Theorem 1; closed form derived, "
        "docs/science/theory.md",
        tested="d = 1..4, k = 4d, 8d, 12d (4d if quick), eps = 1/2, 1/4, 1/10, 1/100, "
        "1/132, 1/133; ties lex, best and worst",
        test=theorem_1,
    ),
    Claim(
        name="mm-reaches-1.74",
        statement="In the plane mm's ratio reaches 1.74, with coinciding points and "
        "with distinct ones.",
        source="Bender et al. 2008, Theorem 1; distinct points derived, "
        "docs/science/theory.md",
        tested="one instance of each kind",
        test=reaches,
    ),
    Claim(
        name="mm-blocks",
        statement="With distinct points mm's ratio comes arbitrarily near to 7/4, for "
        "every k that is a multiple of 8.",
        source="derived from Bender et al. 2008, Theorem 1, docs/science/theory.md",
        tested="k = 8, 16, 24, 32, 48 (8 and 16 if quick), gap 100 k; ties lex, best "
        "and worst",
        test=rows_tight,
    ),
    Claim(
        name="mm-nears-rho",
        statement="mm's ratio comes arbitrarily near to rho_k(d).",
        source="derived from Bender et al. 2008, Theorems 1 and 2, "
        "docs/science/theory.md",
        tested="d = 1..3, k = 4..16 (4..8 if quick), eps = 1/1000",
        test=nears_rho,
    ),
    Claim(
        name="mc1x1-bound-is-tight",
        statement="mc1x1's ratio comes arbitrarily near to (2 - 2/k) d.",
        source="derived, docs/science/theory.md; the bound is Bender et al. 2008, "
        "Theorem 3",
        tested="one instance for each of five pairs of d and k",
        test=shells_tight,
    ),
    Claim(
        name="genalg-bound-is-tight",
        statement="mm-free's ratio comes arbitrarily near to 2 - 2/k: on trees for "
        "every k, in space for k = 3.",
        source="derived, docs/science/theory.md; the bound is Krumke et al. 1997",
        tested="k = 3..6 (3..4 if quick)",
        test=genalg_tight,
    ),
    Claim(
        name="hilbert-gap",
        statement="hilbert/best-fit costs 5N/4 - 2 optima on an N x N mesh.",
        source="derived, docs/science/allocators.md; Bender et al. 2008, section 5",
        tested="N = 4, 8, 16, 32, 64 (to 16 if quick)",
        test=hilbert_far,
    ),
    Claim(
        name="ring-window-fails",
        statement="On a ring k consecutive free processors need not be optimal: 532 "
        "against 530.",
        source="derived, docs/science/theory.md",
        tested="the ring of 46 with 12 free and k = 10, by windows and exact routes, "
        "and the same 2, 3 and 10 times as long (2 if quick)",
        test=windows_fail,
    ),
)


# The worst instances known


def ledger_is_true(trial: Trial, where: str | Path = FOLDER) -> Outcome:
    """Run method and exact route on every worst ratio of a frontier again."""
    try:
        entries = read_worst(where)
    except InputError as error:
        return failed(str(error), 0)
    for seen, entry in enumerate(entries.values(), 1):
        if wrong := find_misstatement(trial, entry):
            return failed(
                f"{entry.name}: {wrong}",
                seen,
                entry.instance,
            )
    methods = len({entry.method for entry in entries.values()})
    if not entries:
        return failed("there is no entry", 0)
    return passed(
        f"costs, optima and ratios as written, none above a guarantee; "
        f"{len(entries)} entries of {methods} methods",
        len(entries),
    )


def find_misstatement(trial: Trial, entry: WorstInstance) -> str:
    """Describe what is not as written; "" if all is."""
    if entry.method not in KSUBSET:
        return "there is no such method"
    try:
        paid = replace(trial, seed=0).pay(entry.method, entry.instance)
        optimum = trial.optimum(entry.instance)
    except (InputError, UntrueAnswer) as error:
        return str(error)
    if paid != entry.cost:
        return f"costs {paid}, not {entry.cost}"
    if optimum != entry.optimum:
        return f"the optimum is {optimum}, not {entry.optimum}"
    factor = guarantee(entry)
    if factor is not None and entry.ratio > factor:
        return f"ratio {entry.ratio} is above the guarantee {factor}"
    return ""


LEDGER_CLAIMS = (
    Claim(
        name="worst-known-ledger",
        statement="On the worst instances known, costs and optima are those in the "
        "frontier, and no ratio is above a guarantee.",
        source="frontier/worst-ratios.json, docs/science/frontier.md",
        tested="every entry, method and exact route run again; optima proved",
        test=ledger_is_true,
    ),
)
