"""Worst-case instances of heuristics, with the heuristic's cost and the optimum.

Each function returns an instance with the cost of the named method on it, under every
order of ties, and the optimum. Both are closed forms, which tests compare with a naive
run of the method and with enumeration.

Coordinates are exact: if a construction has a parameter eps = a/b, all coordinates are
multiplied by b, and lengths and costs are in units of 1/b.
"""

from .case import WorstCase as WorstCase
from .case import is_built as is_built
from .mm import median_decoys as median_decoys
from .mm import mm_blocks as mm_blocks
from .mm import mm_distinct as mm_distinct
from .mm import theorem1 as theorem1
from .others import genalg as genalg
from .others import genalg_tree as genalg_tree
from .others import hilbert_gap as hilbert_gap
from .others import mc1x1_family as mc1x1_family
from .others import ring_gap as ring_gap
