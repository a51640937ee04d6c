"""Which values the parameters of a worst case may take."""

from __future__ import annotations

LARGEST_K = 2048
"""Where every pair is visited, or there are k² processors."""
