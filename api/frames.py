"""Data frames of runs, and the spelling in which they were read before."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from warnings import warn

import pandas

INDEX = ("instance", "method")
"""Levels of the index, which were columns before."""
_OLD = (
    "instance and method are the index of this frame; to read them as columns, which "
    "works in this release only, write frame.reset_index()"
)
_OURS = ("closeknit.", "pandas.")
_told: set[str] = set()


class RunFrame(pandas.DataFrame):  # type: ignore[misc]  # pandas has no types
    """A data frame that still finds the levels of its index among its columns."""

    @property
    def _constructor(self) -> type[RunFrame]:
        return RunFrame

    def __getitem__(self, key: Any) -> Any:
        if self._is_old(key):
            flat = pandas.DataFrame(self.reset_index())
            return flat.set_axis(self.index)[key]
        return super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        if name in INDEX and self._is_old(name):
            return self[name]
        return super().__getattr__(name)

    def set_index(self, keys: Any, **how: Any) -> Any:
        """Set the index as in pandas."""
        if self._is_old(keys):
            return pandas.DataFrame(self.reset_index()).set_index(keys, **how)
        return super().set_index(keys, **how)

    def _is_old(self, key: Any) -> bool:
        """Whether levels of the index are meant as columns; say so once if they are."""
        keys = key if isinstance(key, list | tuple) else [key]
        asked = {one for one in keys if isinstance(one, str)}
        old = not asked.isdisjoint({*INDEX} & {*self.index.names} - {*self.columns})
        if old:
            say_once(_OLD)
        return old


def frame_of(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    """Return rows as a frame; those of runs by instance and method."""
    frame = RunFrame(rows)
    if all(name in frame.columns for name in INDEX):
        frame = frame.set_index(list(INDEX))
    return frame


def say_once(text: str) -> None:
    """Warn once that a spelling is old, naming the line that uses it."""
    if text in _told:
        return
    _told.add(text)
    depth, caller = 1, sys._getframe()
    while caller.f_back and f"{caller.f_globals.get('__name__')}.".startswith(_OURS):
        depth, caller = depth + 1, caller.f_back
    warn(text, DeprecationWarning, stacklevel=depth)
