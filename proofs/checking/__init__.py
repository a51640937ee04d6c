"""Pseudo-Boolean formulas of instances, and the checker of proofs about them."""

from .checker import ProvenResult, check_proof
from .formulas import formula_of
from .opb import check_opb_proof, is_opb
from .proof_file import Proved, check_proof_file
from .propagation import Propagator
from .rows import Formula
from .statements import CheckLimits, NoProof, Refused, TooLong

__all__ = [
    "CheckLimits",
    "Formula",
    "NoProof",
    "Propagator",
    "Proved",
    "ProvenResult",
    "Refused",
    "TooLong",
    "check_opb_proof",
    "check_proof",
    "check_proof_file",
    "formula_of",
    "is_opb",
]
