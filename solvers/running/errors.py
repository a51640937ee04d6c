"""What goes wrong with solvers, and with answers that contradict each other."""

from __future__ import annotations


class SolverError(RuntimeError):
    """A solver is missing, crashed, rejected a model or returned a wrong solution."""


class Contradiction(SolverError):
    """Two answers cannot both be true; both are in a file that the message names."""
