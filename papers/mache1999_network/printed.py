"""The figures of Mache, Lo and Garg 1999, Table 2, workload I."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SHARES = (100, 80, 60, 40, 20, 0)
"""Per cent of I/O, in the order of the table's columns."""
INTERARRIVAL = MappingProxyType(
    dict(zip(SHARES, (500, 400, 350, 250, 125, 20), strict=True))
)
"""The paper's times between arrivals; their unit is not given."""
SERVICE: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "mc-elongated": (8529, 6693.6, 4948.7, 2784.0, 1405.0, 395.3),
        "plas": (8140, 6384.6, 4929.5, 2847.9, 1470.9, 501.9),
        "mc/column-major": (9076, 7265.1, 5481.7, 3258.8, 1603.4, 366.0),
        "random": (8488, 7046.6, 5563.9, 3334.9, 1810.0, 738.9),
        "mbs": (9939, 8072.3, 6004.2, 3890.3, 2085.2, 651.4),
        "paging": (12096, 9653.6, 6911.8, 4341.1, 2225.7, 514.5),
    }
)
"""Mean service times by our names of the strategies, one per column."""
RANK: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "mc-elongated": (3, 2, 1, 1, 1, 2),
        "plas": (1, 1, 1, 2, 2, 3),
        "mc/column-major": (4, 4, 3, 3, 3, 1),
        "random": (2, 3, 4, 4, 4, 6),
        "mbs": (5, 5, 5, 5, 5, 5),
        "paging": (6, 6, 6, 6, 6, 4),
    }
)
"""Ranks as printed: at 60 % two are first, 0.4 % apart, and no one is second."""
ELONGATED, PLAS, MC, RANDOM, MBS, PAGING = SIX = tuple(SERVICE)
