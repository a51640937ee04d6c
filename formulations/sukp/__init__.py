"""Models of the sukp problem."""
