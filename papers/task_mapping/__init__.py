"""Ranks in the order of several methods, timed on a simulated network."""
