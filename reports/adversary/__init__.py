"""Look for instances on which a heuristic does badly, against proven optima."""

from .annealing import anneal as anneal
from .hunt import Found as Found
from .hunt import Ground as Ground
from .hunt import Hunt as Hunt
from .search import exhaust as exhaust
