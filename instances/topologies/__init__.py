"""Networks: positions of processors, distances between them, and cuts."""

from .cuts import Cuts as Cuts
from .graph import Graph as Graph
from .grid import MOST_PROCESSORS as MOST_PROCESSORS
from .mesh import Mesh as Mesh
from .points import Points as Points
from .topology import IntArray as IntArray
from .topology import Site as Site
from .topology import Topology as Topology
from .torus import Torus as Torus
from .tree import Tree as Tree
