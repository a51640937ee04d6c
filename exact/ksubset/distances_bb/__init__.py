"""Branch and bound on distances: exact on any metric."""
