"""The claims by name, and how they are chosen: by name, pattern, group or method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any

from ...extensions import INSTALLED, load
from ...instances import InputError
from ...instances.reading.suggestions import hint
from ...methods import METHODS
from ...methods.user_methods import import_method, own_method
from .bounds import BOUND_CLAIMS, LOWER_BOUND_CLAIMS
from .definitions import CURVE_CLAIMS, DEFINITION_CLAIMS
from .exact import EXACT_CLAIMS, LARGER_CLAIMS
from .ksubset.cuts import CUT_CLAIMS
from .ksubset.exhaustive import EXHAUSTIVE_CLAIMS
from .ksubset.families import FAMILY_CLAIMS, LEDGER_CLAIMS
from .ksubset.lemmas import LEMMA_CLAIMS
from .ksubset.matrices import MATRIX_CLAIMS
from .ksubset.ptas import PTAS_CLAIMS
from .ksubset.towns import TOWN_CLAIMS
from .ksubset.triangles import TRIANGLE_CLAIMS
from .own_rules import claim_about
from .processor_sets import PROCSET_CLAIMS, SUKP_CLAIMS
from .proofs import PACKING_CLAIMS, PROOF_CLAIMS
from .running.claim import Claim
from .running.curve_runs import RUN_CLAIMS
from .submeshes import SUBMESH_CLAIMS

_PARTS: Mapping[str, tuple[Claim, ...]] = {
    group: load(place)
    for part in INSTALLED.values()
    for group, place in part.claims.items()
}
CLAIMS = MappingProxyType(
    {
        claim.name: claim
        for claim in (
            *(*CUT_CLAIMS, *EXACT_CLAIMS, *LARGER_CLAIMS, *PROOF_CLAIMS),
            *(*MATRIX_CLAIMS, *TRIANGLE_CLAIMS),
            *(*PACKING_CLAIMS, *DEFINITION_CLAIMS, *TOWN_CLAIMS),
            *(*LOWER_BOUND_CLAIMS, *FAMILY_CLAIMS, *LEDGER_CLAIMS),
            *(*EXHAUSTIVE_CLAIMS, *BOUND_CLAIMS, *CURVE_CLAIMS, *RUN_CLAIMS),
            *LEMMA_CLAIMS,
            *(*PTAS_CLAIMS, *PROCSET_CLAIMS, *SUKP_CLAIMS, *SUBMESH_CLAIMS),
            *(claim for claims in _PARTS.values() for claim in claims),
        )
    }
)
"""All claims, by name: those that others rest on first."""

_BY_PROBLEM = {
    "procset": PROCSET_CLAIMS,
    "sukp": SUKP_CLAIMS,
    "submesh": (*SUBMESH_CLAIMS, *PACKING_CLAIMS),
    **_PARTS,
}
PARTS = {claim.name: part for part, claims in _BY_PROBLEM.items() for claim in claims}
"""The problem or part that a claim is about, by its name; k-subsets are left out."""

GROUPS: Mapping[str, tuple[Claim, ...]] = MappingProxyType(
    {
        "ksubset": tuple(claim for claim in CLAIMS.values() if claim.name not in PARTS),
        **_BY_PROBLEM,
        "exact": EXACT_CLAIMS,
        "guarantees": BOUND_CLAIMS,
        "lower-bounds": LOWER_BOUND_CLAIMS,
        "towns": TOWN_CLAIMS,
        "worst-cases": (*FAMILY_CLAIMS, *EXHAUSTIVE_CLAIMS),
        "lemmas": LEMMA_CLAIMS,
        "ptas": PTAS_CLAIMS,
        "curves": (*CURVE_CLAIMS, *RUN_CLAIMS),
    }
)
"""Groups of claims: one per problem, for schedulers, networks, mapping; by topic."""


def chosen_claims(names: Sequence[Any]) -> list[Claim]:
    """Return the claims named, each once; all if none is named.

    A method of one's own, a callable or ``module:name``, stands for the claim that it
    keeps its guarantee.

    Parameters
    ----------
    names
        Names of claims; patterns with ``*``, ``?`` and ``[...]``; groups; methods, for
        the claims whose names begin with that of the method; methods of one's own.

    Raises
    ------
    InputError
        With a suggestion, for a name that is none of these.
    """
    found: dict[str, Claim] = {}
    for name in dict.fromkeys(names):
        for one in _claims_of(name):
            if one.name in found and found[one.name] is not CLAIMS.get(one.name):
                number = sum(each.startswith(f"{one.name}#") for each in found) + 2
                one = replace(one, name=f"{one.name}#{number}")
            found[one.name] = one
    return list(found.values()) if names else list(CLAIMS.values())


def _claims_of(name: Any) -> Sequence[Claim]:
    if not isinstance(name, str):
        if any(name is each for table in METHODS.values() for each in table.values()):
            return _claims_of(name.name)
        return (claim_about(own_method(name)),)
    if ":" in name:
        return (claim_about(import_method(name, "CLAIM")),)
    if name in CLAIMS:
        return (CLAIMS[name],)
    if name in GROUPS:
        return GROUPS[name]
    matching = [one for one in CLAIMS.values() if fnmatchcase(one.name, name)]
    if not matching and any(name in table for table in METHODS.values()):
        matching = [one for one in CLAIMS.values() if _about(one.name) == name]
    if not matching:
        why = hint(name, [*GROUPS, *CLAIMS])
        if "did you mean" not in why:
            why = f"groups: {', '.join(GROUPS)}; claims: see closeknit verify --list"
        raise InputError(f"unknown claim ({why})", "CLAIM", name)
    return matching


def _about(claim: str) -> str:
    """Return the method with whose name, the longest, that of a claim begins."""
    names = {name for table in METHODS.values() for name in table}
    return max(
        (one for one in names if claim.startswith(f"{one}-")), key=len, default=""
    )
