"""Pseudo-Boolean formulas of instances, and the checker of proofs about them."""

from .checker import Checker, Limits, Outcome, check_proof
from .formula import Formula
from .formulas import formula_of

__all__ = ["Checker", "Formula", "Limits", "Outcome", "check_proof", "formula_of"]
