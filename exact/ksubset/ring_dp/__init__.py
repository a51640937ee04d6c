"""Dynamic program over a ring."""
