"""Feasibility of packings, fewest moves, and plans that carry them out."""
