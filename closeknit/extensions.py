"""Parts that closeknit works without, and what each of them adds.

A part is a folder next to the core; its module `extension` states, by names of modules
only, what it adds, so that nothing else of it is imported before it is used. The core
imports no part: it asks here. A copy of the project without the folder of a part lacks
what that part adds, and nothing else.
"""

from .loading import find

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PARTS = {"clusters": 4, "network": 13, "papers": 0}
"""The parts that there are, and how many claims each has."""


class Extension:
    """What a part adds; ``module:name`` and ``module`` are within closeknit.

    Parameters
    ----------
    title
        Of its commands in the help.
    commands
        By name: the module, and what the command does in one line.
    claims
        Groups of claims: by name, a tuple of claims.
    names
        Of the facade: by name, the module that has it.
    kernels
        A mapping of functions, by name, each of which compiles what others wait for.
    problems
        By name: the module that has its ``PROBLEM``, ``SUPPORT``, `methods` and
        `labels`.
    allocators
        By name, a class of allocators with the arguments ``topology`` and ``seed``.
    hooks
        Modules that add to commands of the core, by the place at which these ask.
    """

    def __init__(
        self,
        *,
        title: str,
        commands: "Mapping[str, tuple[str, str]] | None" = None,
        claims: "Mapping[str, str] | None" = None,
        names: "Mapping[str, str] | None" = None,
        kernels: str = "",
        problems: "Mapping[str, str] | None" = None,
        allocators: "Mapping[str, str] | None" = None,
        hooks: "Mapping[str, str] | None" = None,
    ) -> None:
        self.title, self.kernels = title, kernels
        self.commands, self.claims = commands or {}, claims or {}
        self.names, self.hooks = names or {}, hooks or {}
        self.problems = problems or {}
        self.allocators = allocators or {}


def load(place: str) -> "Any":
    """Return a module of closeknit, or what is named in one behind a colon."""
    module, _, name = place.partition(":")
    found = find(module)
    if found is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return getattr(found, name) if name else found


INSTALLED: "dict[str, Extension]" = {
    part: found.EXTENSION for part in PARTS if (found := find(f"{part}.extension"))
}
"""The parts that are here, by name, in the order of `PARTS`."""
PROBLEMS = {
    name: module
    for part in INSTALLED.values()
    for name, module in part.problems.items()
}
"""The modules of the problems that parts add, by name."""


def hooks(place: str) -> "Sequence[Any]":
    """Return the modules that parts add at a place of the core."""
    found = [each.hooks[place] for each in INSTALLED.values() if place in each.hooks]
    return [load(each) for each in found]


def left_out() -> int:
    """Return how many claims the parts have that are not here."""
    return sum(claims for part, claims in PARTS.items() if part not in INSTALLED)
