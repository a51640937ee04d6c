"""Old names of what functions compute now, for one release."""

from __future__ import annotations

from functools import partial
from typing import Any
from warnings import warn

from ..ksubset.instance import KSubset
from ..topologies import Topology
from . import networks

_OLD: dict[type, dict[str, str]] = {
    KSubset: {one: one for one in ("points", "hops", "cuts", "has_cuts")},
    Topology: {
        "distances": "distances",
        "labels": "labels_of",
        "described": "describe_network",
        "article": "with_article",
        "drawn_as": "drawn_as",
    },
}
"""By class: what functions of `arrays` or `networks` are called now, by old names."""


def meant(owner: Any, name: str) -> Any:
    """Return what an old name of an instance or a network stands for, and warn."""
    for kind, names in _OLD.items():
        if isinstance(owner, kind) and name in names:
            from .. import arrays

            new = names[name]
            module = networks if hasattr(networks, new) else arrays
            what = "instance" if kind is KSubset else "topology"
            is_method = name == "distances"
            given = f"{what}, p, q" if is_method else what
            said = f"{what}.{name} is now {new}({given}) of {module.__name__}"
            warn(said, DeprecationWarning, stacklevel=3)
            found = partial(getattr(module, new), owner)
            return found if is_method else found()
    raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
