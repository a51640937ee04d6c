"""The claims that compare code with its definition hold, each in a second or less.

They are what most mutants of costs, distances, checkers, plans and policies are killed
by, see docs/internals/mutation.md.
"""

from __future__ import annotations

import pytest

from closeknit.reports.claims.catalogue import CLAIMS
from closeknit.reports.claims.running.claim import Trial

BY_DEFINITION = (
    "cuts-are-distances",
    "costs-are-pair-sums",
    "programmes-are-exact-when-large",
    "searches-improve-by-one",
    "mm-is-nearest-on-large-grids",
    "certificate-steps-are-sound",
    "no-proof-refutes-what-packs",
    "guarantees-are-as-published",
    "curves-have-no-gaps",
    "lookahead-keeps-sets-whole",
    "boxes-overlap-by-processors",
    "submesh-migrate-is-exact",
    "policies-are-as-defined",
    "expressions-are-exact",
)


@pytest.mark.parametrize("name", BY_DEFINITION)
def test_claim_holds(name: str) -> None:
    outcome = CLAIMS[name].test(Trial(quick=True, seed=7))
    assert outcome.holds, outcome.result
    assert outcome.instances > 5
