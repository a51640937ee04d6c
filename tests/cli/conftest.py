"""Fixtures that several modules of tests of commands share."""

from ..clusters.commands.unlike_machines import ask

__all__ = ["ask"]
