"""Exhaustive search for packings of a rectangle, corner by corner."""
