"""Heuristics, approximation algorithms and allocation strategies."""
