"""Exhaustive searches and dynamic programs, divided by problem."""
