"""Heuristics: approximation algorithms and strategies, divided by problem."""
