"""Choose processors that lie close together, and prove how close to optimal.

>>> import closeknit as ck
>>> job = ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)])
>>> ck.solve(job).cost
72

Names below are loaded when first used, so that ``import closeknit`` costs nothing;
docs/use/api.md describes them. The packages lie next to this folder (``instances/``,
``solvers/``, …) and are imported from here: ``closeknit.instances``, …
"""

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    import closeknit.methods as _package

    __all__: list[str]
    __version__: str
    methods: _package._Callable
    from .api.bad_instances import Worst as Worst
    from .api.bad_instances import worst as worst
    from .api.campaigns import Ratios as Ratios
    from .api.campaigns import ratios as ratios
    from .api.checking import check as check
    from .api.constructors import ksubset as ksubset
    from .api.constructors import procset as procset
    from .api.constructors import submesh as submesh
    from .api.constructors import sukp as sukp
    from .api.solution import Drawing as Drawing
    from .api.solution import Solution as Solution
    from .api.solution import cost as cost
    from .api.solution import draw as draw
    from .api.solving import Comparison as Comparison
    from .api.solving import compare as compare
    from .api.solving import solve as solve
    from .api.tables import Table as Table
    from .api.verifying import Verdicts as Verdicts
    from .api.verifying import verify as verify
    from .clusters.jobs.python import place_job as place_job
    from .instances import Distances as Distances
    from .instances import Graph as Graph
    from .instances import Grid as Grid
    from .instances import InputError as InputError
    from .instances import KSubset as KSubset
    from .instances import Mesh as Mesh
    from .instances import Node as Node
    from .instances import Points as Points
    from .instances import Priced as Priced
    from .instances import ProcessorSet as ProcessorSet
    from .instances import ProcSet as ProcSet
    from .instances import Submesh as Submesh
    from .instances import Sukp as Sukp
    from .instances import Torus as Torus
    from .instances import Tree as Tree
    from .instances import mesh as mesh
    from .instances import read_instance as read_instance
    from .instances import read_ksubset as read_ksubset
    from .instances import write_instance as write_instance
    from .instances import write_ksubset as write_ksubset
    from .instances import write_procset as write_procset
    from .instances import write_submesh as write_submesh
    from .instances import write_sukp as write_sukp
    from .instances.submesh import Resident as Resident
    from .methods import KSUBSET as KSUBSET
    from .methods import METHODS as METHODS
    from .methods import PROCSET as PROCSET
    from .methods import SUBMESH as SUBMESH
    from .methods import SUKP as SUKP
    from .methods import Method as Method
    from .network.contention.constructor import contention as contention
    from .network.mapping.table import order_ranks as order_ranks
    from .solvers import Result as Result
    from .solvers import Settings as Settings
    from .solvers import SolverError as SolverError
    from .solvers import Status as Status
    from .solvers import Ties as Ties

_NAMES = {
    "api.bad_instances": ("Worst", "worst"),
    "api.campaigns": ("Ratios", "ratios"),
    "api.checking": ("check",),
    "api.constructors": ("ksubset", "procset", "submesh", "sukp"),
    "api.solution": ("Drawing", "Solution", "cost", "draw"),
    "api.solving": ("Comparison", "compare", "solve"),
    "api.tables": ("Table",),
    "api.verifying": ("Verdicts", "verify"),
    "instances": (
        *(
            "Distances",
            "Graph",
            "Grid",
            "InputError",
            "KSubset",
            "Mesh",
            "Node",
            "Points",
            "Priced",
            "ProcSet",
            "ProcessorSet",
        ),
        *("Submesh", "Sukp", "Torus", "Tree", "mesh", "read_instance"),
        *("read_ksubset", "write_instance", "write_ksubset", "write_procset"),
        *("write_submesh", "write_sukp"),
    ),
    "instances.submesh": ("Resident",),
    "methods": ("KSUBSET", "METHODS", "Method", "PROCSET", "SUBMESH", "SUKP"),
    "solvers": ("Result", "Settings", "SolverError", "Status", "Ties"),
}
_HOME = {name: home for home, names in _NAMES.items() for name in names}


def _home() -> dict[str, str]:
    """Return the module of each name, those that parts add included."""
    from .extensions import INSTALLED

    parts = INSTALLED.values()
    return _HOME | {name: home for part in parts for name, home in part.names.items()}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted([*_home(), "methods"])
    if name[:1] == "_" and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "methods":  # a package, callable
        return import_module(f"{__name__}.methods")
    if home := _HOME.get(name) or _home().get(name):
        found = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = found
        return found
    if name == "__version__":
        from importlib.metadata import version

        return version("closeknit")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "__version__", "methods", *_home()})
