"""Flit engine: every flit in every cycle; the others are compared with it."""
