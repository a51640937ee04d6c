"""Models of the procset problem."""
