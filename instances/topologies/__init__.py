"""Networks: positions of processors, distances between them, and cuts.

A new kind is a class in a file of its own, and a line here; see CONTRIBUTING.md.
"""

from . import graph_json as graph_json
from .cuts import Cuts as Cuts
from .graph import Graph as Graph
from .grid import MOST_PROCESSORS as MOST_PROCESSORS
from .grid import Grid as Grid
from .grid import Mesh as Mesh
from .grid import Torus as Torus
from .metric import MOST_ROWS as MOST_ROWS
from .metric import Distances as Distances
from .metric import Priced as Priced
from .metric import parse_prices as parse_prices
from .points import Points as Points
from .topology import PARSERS as PARSERS
from .topology import Node as Node
from .topology import Site as Site
from .topology import Topology as Topology
from .topology import as_topology as as_topology
from .tree import Tree as Tree
from .tree import switch_tree as switch_tree
