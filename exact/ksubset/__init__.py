"""Exact algorithms for the k-subset problem."""
