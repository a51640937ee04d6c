"""Pseudo-Boolean formulas of instances, and the checker of proofs about them."""

from .checker import ProvenResult as ProvenResult
from .checker import check_proof as check_proof
from .formulas import formula_of as formula_of
from .opb import check_opb_proof as check_opb_proof
from .opb import is_opb as is_opb
from .proof_file import Proved as Proved
from .proof_file import check_proof_file as check_proof_file
from .propagation import Propagator as Propagator
from .rows import Formula as Formula
from .statements import CheckLimits as CheckLimits
from .statements import NoProof as NoProof
from .statements import Refused as Refused
from .statements import TooLong as TooLong
