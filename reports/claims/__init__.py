"""Testable claims: by name, with source, and how each is tested."""

from .catalogue import CLAIMS as CLAIMS
from .claim import Claim as Claim
from .claim import Outcome as Outcome
from .claim import Trial as Trial
from .claim import Undecided as Undecided
from .claim import Untrue as Untrue
from .verify import ClaimResult as ClaimResult
from .verify import verify as verify
from .verify import verify_in_parallel as verify_in_parallel
