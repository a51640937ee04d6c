"""Exact algorithms for processor sets."""
