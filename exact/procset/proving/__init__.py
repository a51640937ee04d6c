"""Pseudo-Boolean proofs that no choice of processors is cheaper."""
