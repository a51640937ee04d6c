"""Problem data: what is given, what a solution is, what it costs."""

from .cuts import Cuts as Cuts
from .errors import InputError as InputError
from .generators import mesh as mesh
from .ksubset import KSubset as KSubset
from .ksubset import check as check
from .ksubset import cost as cost
from .ksubset_json import read_ksubset as read_ksubset
from .ksubset_json import sha256 as sha256
from .ksubset_json import write_ksubset as write_ksubset
from .topology import IntArray as IntArray
from .topology import Mesh as Mesh
from .topology import Points as Points
from .topology import Site as Site
from .topology import Topology as Topology
from .topology import Torus as Torus
from .topology import Tree as Tree
