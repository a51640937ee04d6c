"""Choose processors that lie close together, and prove how close to optimal.

The parts live beside this folder (``instances/``, ``solvers/``, …) and are
imported from here: ``closeknit.instances``, ``closeknit.solvers``, … Names below
are loaded when first used, so that ``import closeknit`` costs nothing.
"""

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    __version__: str
    from .instances import InputError as InputError
    from .instances import KSubset as KSubset
    from .instances import Mesh as Mesh
    from .instances import Points as Points
    from .instances import ProcessorSet as ProcessorSet
    from .instances import ProcSet as ProcSet
    from .instances import Submesh as Submesh
    from .instances import Sukp as Sukp
    from .instances import Torus as Torus
    from .instances import Tree as Tree
    from .instances import check as check
    from .instances import cost as cost
    from .instances import mesh as mesh
    from .instances import read_instance as read_instance
    from .instances import read_ksubset as read_ksubset
    from .instances import write_ksubset as write_ksubset
    from .instances import write_procset as write_procset
    from .instances import write_submesh as write_submesh
    from .instances import write_sukp as write_sukp
    from .methods import KSUBSET as KSUBSET
    from .methods import METHODS as METHODS
    from .methods import PROCSET as PROCSET
    from .methods import SUBMESH as SUBMESH
    from .methods import SUKP as SUKP
    from .solvers import Result as Result
    from .solvers import Settings as Settings
    from .solvers import Status as Status

_HOME = {
    **dict.fromkeys(("KSUBSET", "METHODS", "PROCSET", "SUBMESH", "SUKP"), "methods"),
    "Result": "solvers",
    "Settings": "solvers",
    "Status": "solvers",
    **dict.fromkeys(
        (
            "InputError",
            "KSubset",
            "Mesh",
            "Points",
            "Torus",
            "Tree",
            "check",
            "cost",
            "mesh",
            "read_ksubset",
            "write_ksubset",
            "ProcessorSet",
            "ProcSet",
            "Submesh",
            "Sukp",
            "read_instance",
            "write_procset",
            "write_submesh",
            "write_sukp",
        ),
        "instances",
    ),
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("closeknit")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), "__version__", *_HOME]
