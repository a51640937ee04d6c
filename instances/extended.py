"""What closeknit adds to classes of the checker, which comes without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..loading import find


class Extended:
    """Base of classes that are shown in a few words, and that have old names."""

    __slots__ = ()

    def __repr__(self) -> str:
        support = find("instances.support")
        return support.shown(self) if support else object.__repr__(self)

    if not TYPE_CHECKING:  # else no unknown attribute would be an error

        def __getattr__(self, name: str) -> Any:
            """Return what an old name stands for, or raise AttributeError."""
            if name[:2] != "__" and (old := find("instances.support.old_names")):
                return old.meant(self, name)
            raise AttributeError(name)
