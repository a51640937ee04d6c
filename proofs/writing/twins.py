"""The fast twins of what follows proofs of each kind."""

from __future__ import annotations

from ..checking.proof_file import Ways
from .bound_arrays import fast_squares
from .certificate_kernels import FastChecker
from .propagation_kernels import FastPropagator

FAST = Ways(FastPropagator, FastChecker, fast_squares)
