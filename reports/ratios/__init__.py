"""Ratio reports: measured cost over proven optimum."""
