"""Models of the submesh problem."""
