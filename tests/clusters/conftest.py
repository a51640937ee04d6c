"""Fixtures that the tests of clusters share."""

from .asking import ask

__all__ = ["ask"]
