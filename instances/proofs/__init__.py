"""Pseudo-Boolean formulas of instances, and the checker of proofs about them."""

from .checker import Checker, Limits, Outcome, check_proof
from .formulas import formula_of
from .opb import Formula

__all__ = ["Checker", "Formula", "Limits", "Outcome", "check_proof", "formula_of"]
