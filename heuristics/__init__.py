"""Algorithms, exact and not, and the table by which everything knows them."""

from .registry import KSUBSET as KSUBSET
from .registry import Method as Method
