"""Networks: positions of processors, distances between them, and cuts."""

from .cuts import Cuts as Cuts
from .graph import Graph as Graph
from .grid import MOST_PROCESSORS as MOST_PROCESSORS
from .grid import Mesh as Mesh
from .grid import Torus as Torus
from .points import Points as Points
from .topology import IntArray as IntArray
from .topology import Node as Node
from .topology import Site as Site
from .topology import Topology as Topology
from .topology import is_name as is_name
from .tree import Tree as Tree
