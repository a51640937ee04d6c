"""Worm engine: whole worms of flits, moved by events."""
