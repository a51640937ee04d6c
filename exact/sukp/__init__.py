"""Exact algorithms for the set-union knapsack."""
