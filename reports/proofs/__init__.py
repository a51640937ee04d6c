"""Proofs of answers, written in parallel, kept in folders, and reported."""
