"""Fixtures that several modules of tests of commands share."""

from .unlike_machines import ask

__all__ = ["ask"]
