"""Checks of the parameters of worst cases."""

from __future__ import annotations

LARGEST_K = 2048
"""Where every pair is visited, or there are k² processors."""
