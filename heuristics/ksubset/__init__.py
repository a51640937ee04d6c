"""Heuristics for the k-subset problem: medians, shells, strips, towns."""
