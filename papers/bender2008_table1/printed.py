"""Table 1 of Bender et al. 2008 as printed, and which method is which."""

from __future__ import annotations

NAMES = ("MC1x1", "MM", "MM+Inc", "HilbertBF")
"""In the paper's order, of rows and of columns."""
PRINTED = (
    (5256, 5218, 5207, 5432),
    (5323, 5288, 5276, 5531),
    (5319, 5281, 5269, 5495),
    (5090, 5059, 5046, 5207),
)
"""Average sums of pairwise distances: a row a situation, a column a decision."""
IN_A_ROW = ("MM+Inc", "MM", "MC1x1", "HilbertBF")
"""The ranking that the paper sees in every row, best first."""
ON_THE_DIAGONAL = ("HilbertBF", "MC1x1", "MM+Inc", "MM")
"""The ranking of those that decide and place, best first."""
JOBS = 21323
"""Of the trace of the LLNL Cray T3D, on 256 processors."""

Variant = dict[str, str]

EVERYWHERE: Variant = {
    "MC1x1": "mc1x1-all",
    "MM": "mm-all",
    "MM+Inc": "mm-inc-all",
    "HilbertBF": "hilbert/best-fit",
}
"""As the table was computed: every location of the mesh is a centre."""
AS_DEFINED: Variant = {
    "MC1x1": "mc1x1",
    "MM": "mm",
    "MM+Inc": "mm-inc",
    "HilbertBF": "hilbert/best-fit",
}
"""As the text defines them: free processors, intersections of coordinates."""
VARIANTS: dict[str, Variant] = {
    "every location": EVERYWHERE,
    "as defined": AS_DEFINED,
}
