"""Worked examples from papers."""

from __future__ import annotations

from ..topologies import Mesh
from .instance import KSubset

_MACHE = ("##....##", "##....##", ".#.####.", ".#.####.")
"""Rows of the mesh, the I/O nodes on the left; a dot is an idle processor."""


def mache_example() -> KSubset:
    """Return the state on which Mache et al. 1999 compare strategies.

    The paper shows it in Figs. 3, 4, 7 and 8, but prints only numbers. These hold for
    this state, a job of 8 on a mesh of 4 rows and 8 columns, and for four others; see
    ``test_mache_example.py``.

    Examples
    --------
    >>> mache_example().n
    14
    """
    free = tuple(
        (row, column)
        for row, cells in enumerate(_MACHE)
        for column, cell in enumerate(cells)
        if cell == "."
    )
    return KSubset(
        "4x8-mache-k8",
        Mesh((4, 8)),
        free,
        8,
        source="Mache et al. 1999, section 3: state rebuilt from the printed numbers",
    )
