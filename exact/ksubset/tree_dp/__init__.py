"""Dynamic program over a tree."""
