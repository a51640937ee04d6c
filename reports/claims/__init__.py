"""Testable claims: by name, with source, and how each is tested."""

from .catalogue import CLAIMS as CLAIMS
from .running.claim import Claim as Claim
from .running.claim import Outcome as Outcome
from .running.claim import Trial as Trial
from .running.claim import Undecided as Undecided
from .running.claim import Untrue as Untrue
from .verify import ClaimResult as ClaimResult
from .verify import verify as verify
from .verify import verify_in_parallel as verify_in_parallel
