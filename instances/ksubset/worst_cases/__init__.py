"""Instances on which a heuristic is as bad as it can be, with what it pays there.

Each function returns the instance together with the cost that the named method
must reach on it, under every order of ties, and the optimum. Both are formulas;
the tests hold them against a naive run of the method and against enumeration.

Fractions are cleared, not rounded: where a construction has a parameter
eps = a/b, all coordinates are multiplied by b, so that files are exact whatever
eps is. Lengths and costs are then in units of 1/b.
"""

from .case import WorstCase as WorstCase
from .cross_polytopes import theorem1 as theorem1
from .hilbert import hilbert_gap as hilbert_gap
from .mc1x1 import mc1x1_family as mc1x1_family
from .medians import median_decoys as median_decoys
from .mm_free import genalg as genalg
from .mm_free import genalg_tree as genalg_tree
from .ring import ring_gap as ring_gap
from .rows import mm_blocks as mm_blocks
from .squares import mm_distinct as mm_distinct
