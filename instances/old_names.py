"""Old names of what `arrays` computes now, for one release."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn


class OldNames:
    """Gives attributes that functions of `closeknit.instances.arrays` replace."""

    __slots__ = ()
    _computed: ClassVar[tuple[str, ...]] = ()
    """Functions of the owner alone."""
    _called: ClassVar[tuple[str, ...]] = ()
    """Functions of the owner and of what the method took."""

    if not TYPE_CHECKING:  # else no unknown attribute would be an error

        def __getattr__(self, name: str) -> Any:
            """Warn, and ask `arrays`, which the plain part does not import."""
            if name not in (*self._computed, *self._called):
                kind = type(self).__name__
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            owner = "instance" if self._computed else "topology"
            more = ", p, q" if name in self._called else ""
            new = f"{name}({owner}{more})"
            said = f"{owner}.{name} is now {new} of closeknit.instances.arrays"
            warn(said, DeprecationWarning, stacklevel=2)
            arrays = __import__(f"{__package__}.arrays", fromlist=["arrays"])
            found = partial(getattr(arrays, name), self)
            return found if name in self._called else found()
