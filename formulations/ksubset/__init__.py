"""Models of the ksubset problem."""
