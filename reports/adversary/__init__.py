"""Look for instances on which a heuristic does badly, against proven optima."""

from .annealing import anneal as anneal
from .exhaustive import exhaust as exhaust
from .found import Found as Found
from .found import Hunt as Hunt
from .ground import Ground as Ground
