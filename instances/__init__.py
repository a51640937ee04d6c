"""Instances of the four problems: definitions, files, costs, checks."""

from typing import TYPE_CHECKING, Any

from .errors import InputError as InputError
from .ksubset.instance import KSubset as KSubset
from .ksubset.instance import mesh as mesh
from .ksubset.json import read_ksubset as read_ksubset
from .problems import PROBLEMS as PROBLEMS
from .problems import Instance as Instance
from .problems import Problem as Problem
from .problems import check as check
from .problems import cost as cost
from .problems import problem_of as problem_of
from .problems import read_if_instance as read_if_instance
from .problems import read_instance as read_instance
from .problems import sha256 as sha256
from .procset.instance import ProcessorSet as ProcessorSet
from .procset.instance import ProcSet as ProcSet
from .submesh import Submesh as Submesh
from .sukp.instance import Sukp as Sukp
from .topologies import Distances as Distances
from .topologies import Graph as Graph
from .topologies import Grid as Grid
from .topologies import Mesh as Mesh
from .topologies import Node as Node
from .topologies import Points as Points
from .topologies import Priced as Priced
from .topologies import Site as Site
from .topologies import Topology as Topology
from .topologies import Torus as Torus
from .topologies import Tree as Tree
from .value import Value as Value

if TYPE_CHECKING:
    from .arrays import IntArray as IntArray
    from .writing.documents import write_instance as write_instance
    from .writing.documents import write_ksubset as write_ksubset
    from .writing.documents import write_procset as write_procset
    from .writing.documents import write_submesh as write_submesh
    from .writing.documents import write_sukp as write_sukp
else:
    IntArray = Any  # for annotations only: numpy is not imported here

    def __getattr__(name):
        """Return what writes instances; the checker alone comes without it."""
        if not name.startswith("write_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.writing.documents"), name)
