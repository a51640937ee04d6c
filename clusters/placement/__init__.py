"""Nodes of a cluster for a job: the exact choice, by several objectives."""

from .answer import describe_placement as describe_placement
from .answer import for_kubernetes as for_kubernetes
from .freeing import least_busy as least_busy
from .request import MOST_K as MOST_K
from .request import Objective as Objective
from .request import Placement as Placement
from .request import Request as Request
from .selection import NodeSelector as NodeSelector
from .selection import names_of as names_of
from .slices import nodes_of as nodes_of
