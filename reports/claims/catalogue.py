"""The claims by name, each with its source and how it is tested."""

from __future__ import annotations

from types import MappingProxyType

from .bounds import BOUND_CLAIMS
from .city import CITY_CLAIMS
from .curves import CURVE_CLAIMS
from .cuts import CUT_CLAIMS
from .definitions import DEFINITION_CLAIMS
from .exact import EXACT_CLAIMS
from .exhaustive import EXHAUSTIVE_CLAIMS
from .families import FAMILY_CLAIMS
from .graphs import GRAPH_CLAIMS
from .language import LANGUAGE_CLAIMS
from .larger import LARGER_CLAIMS
from .ledger import LEDGER_CLAIMS
from .lemmas import LEMMA_CLAIMS
from .lower_bounds import LOWER_BOUND_CLAIMS
from .processor_sets import PROCESSOR_SET_CLAIMS
from .proofs import PROOF_CLAIMS
from .ptas import PTAS_CLAIMS
from .residents import RESIDENT_CLAIMS
from .streams import STREAM_CLAIMS
from .submeshes import SUBMESH_CLAIMS
from .towns import TOWN_CLAIMS

CLAIMS = MappingProxyType(
    {
        claim.name: claim
        for claim in (
            *CUT_CLAIMS,
            *GRAPH_CLAIMS,
            *EXACT_CLAIMS,
            *LARGER_CLAIMS,
            *PROOF_CLAIMS,
            *DEFINITION_CLAIMS,
            *TOWN_CLAIMS,
            *CITY_CLAIMS,
            *LOWER_BOUND_CLAIMS,
            *FAMILY_CLAIMS,
            *LEDGER_CLAIMS,
            *EXHAUSTIVE_CLAIMS,
            *BOUND_CLAIMS,
            *CURVE_CLAIMS,
            *LEMMA_CLAIMS,
            *PTAS_CLAIMS,
            *PROCESSOR_SET_CLAIMS,
            *SUBMESH_CLAIMS,
            *RESIDENT_CLAIMS,
            *STREAM_CLAIMS,
            *LANGUAGE_CLAIMS,
        )
    }
)
"""All claims, by name: those that others rest on first."""
