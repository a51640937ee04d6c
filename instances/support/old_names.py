"""Old names of what `arrays` computes now, for one release."""

from __future__ import annotations

from functools import partial
from typing import Any
from warnings import warn

from ..ksubset.instance import KSubset
from ..topologies import Topology

_OLD = {
    KSubset: ("instance", "", ("points", "hops", "cuts", "has_cuts")),
    Topology: ("topology", ", p, q", ("distances",)),
}
"""By class: what owns the names, what else a function takes, and the names."""


def meant(owner: Any, name: str) -> Any:
    """Return what an old name of an instance or a network stands for, and warn."""
    for kind, (what, more, names) in _OLD.items():
        if isinstance(owner, kind) and name in names:
            new = f"{name}({what}{more})"
            said = f"{what}.{name} is now {new} of closeknit.instances.arrays"
            warn(said, DeprecationWarning, stacklevel=3)
            from .. import arrays

            found = partial(getattr(arrays, name), owner)
            return found if more else found()
    raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
