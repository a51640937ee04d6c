"""Checks of the parameters of worst cases."""

from __future__ import annotations

from ...errors import InputError

LARGEST_K = 2048
"""Largest k where every pair is visited, or there are k² processors."""


def at_least(value: int, least: int, field: str) -> None:
    """Refuse a smaller value of a parameter."""
    if value < least:
        raise InputError(f"must be at least {least}", field=field, value=value)


def at_most(value: int, most: int, field: str) -> None:
    """Refuse a larger value of a parameter."""
    if value > most:
        raise InputError(f"must be at most {most}", field=field, value=value)
