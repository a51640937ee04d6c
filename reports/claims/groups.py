"""Claims by name, pattern, group or method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType

from ...instances import InputError
from ...instances.suggestions import hint
from ...methods import METHODS
from . import CLAIMS
from .bounds import BOUND_CLAIMS
from .city import CITY_CLAIMS
from .claim import Claim
from .curves import CURVE_CLAIMS
from .exact import EXACT_CLAIMS
from .exhaustive import EXHAUSTIVE_CLAIMS
from .families import FAMILY_CLAIMS
from .language import LANGUAGE_CLAIMS
from .lemmas import LEMMA_CLAIMS
from .lower_bounds import LOWER_BOUND_CLAIMS
from .processor_sets import PROCESSOR_SET_CLAIMS
from .ptas import PTAS_CLAIMS
from .residents import RESIDENT_CLAIMS
from .streams import STREAM_CLAIMS
from .submeshes import SUBMESH_CLAIMS
from .towns import TOWN_CLAIMS

_SUKP = tuple(one for one in PROCESSOR_SET_CLAIMS if one.name.startswith("sukp-"))
_PROCSET = tuple(one for one in PROCESSOR_SET_CLAIMS if one not in _SUKP)
_SUBMESH = (
    *SUBMESH_CLAIMS,
    *RESIDENT_CLAIMS,
    CLAIMS["no-proof-refutes-what-packs"],
)
_SCHEDULER = (*STREAM_CLAIMS, *LANGUAGE_CLAIMS)
_NOT_KSUBSET = {one.name for one in (*PROCESSOR_SET_CLAIMS, *_SUBMESH, *_SCHEDULER)}

GROUPS: Mapping[str, tuple[Claim, ...]] = MappingProxyType(
    {
        "ksubset": tuple(
            one for one in CLAIMS.values() if one.name not in _NOT_KSUBSET
        ),
        "procset": _PROCSET,
        "sukp": _SUKP,
        "submesh": _SUBMESH,
        "scheduler": _SCHEDULER,
        "exact": EXACT_CLAIMS,
        "guarantees": BOUND_CLAIMS,
        "lower-bounds": LOWER_BOUND_CLAIMS,
        "towns": (*TOWN_CLAIMS, *CITY_CLAIMS),
        "worst-cases": (*FAMILY_CLAIMS, *EXHAUSTIVE_CLAIMS),
        "lemmas": LEMMA_CLAIMS,
        "ptas": PTAS_CLAIMS,
        "curves": CURVE_CLAIMS,
    }
)
"""Groups of claims: one per problem, one for schedulers, and by topic."""


def chosen_claims(names: Sequence[str]) -> list[Claim]:
    """Return the claims named, each once; all if none is named.

    Parameters
    ----------
    names
        Names of claims; patterns with ``*``, ``?`` and ``[...]``; groups; methods, for
        the claims whose names begin with that of the method.

    Raises
    ------
    InputError
        With a suggestion, for a name that is none of these.
    """
    found = {one.name: one for name in names for one in _named(name)}
    return list(found.values()) if names else list(CLAIMS.values())


def _named(name: str) -> Sequence[Claim]:
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
        raise InputError(f"unknown claim ({why})", field="CLAIM", value=name)
    return matching


def _about(claim: str) -> str:
    """Return the method with whose name, the longest, that of a claim begins."""
    names = {name for table in METHODS.values() for name in table}
    return max(
        (one for one in names if claim.startswith(f"{one}-")), key=len, default=""
    )
