"""Look for instances on which a heuristic does badly, against proven optima."""

from .annealing import anneal as anneal
from .hunt import AdversarySearch as AdversarySearch
from .hunt import BadInstance as BadInstance
from .hunt import SearchSpace as SearchSpace
from .search import exhaust as exhaust
