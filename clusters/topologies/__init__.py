"""Topologies of clusters as schedulers and fabrics describe them, one reader each."""

from .fabric import Cluster as Cluster
from .fabric import Fabric as Fabric
from .fabric import FabricKind as FabricKind
from .fabric import Hierarchy as Hierarchy
from .fabric import Space as Space
from .infiniband import read_name_map as read_name_map
from .reading import parse_cluster as parse_cluster
from .reading import read_cluster as read_cluster
