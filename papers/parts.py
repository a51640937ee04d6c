"""Finished parts of a long run, kept in a folder, so that it can be resumed."""

from __future__ import annotations

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from ..instances import InputError
from ..instances.writing.files import file_in, write_bytes
from ..reports.campaigns.pool import Call, Failure
from ..reports.campaigns.pool import run as in_parallel
from .catalogue import RunOptions


class Arrays:
    """A dataclass of arrays of numbers that can be written as bytes."""

    __slots__ = ()

    def pack(self) -> bytes:
        """Write the arrays; equal arrays give equal bytes."""
        stream = BytesIO()
        names: Any = type(self).__dataclass_fields__  # type: ignore[attr-defined]
        np.savez_compressed(stream, **{name: getattr(self, name) for name in names})
        return stream.getvalue()

    @classmethod
    def unpack(cls, content: bytes) -> Self | None:
        """Read arrays; None if the bytes are not what was written."""
        names: Any = cls.__dataclass_fields__  # type: ignore[attr-defined]
        try:
            with np.load(BytesIO(content), allow_pickle=False) as arrays:
                return cls(**{name: arrays[name] for name in names})
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """One piece of work on a mesh of these sides; it is pickled.

    ``nodes`` limits the search for an optimum, ``seed`` is of what is random.
    """

    VERSION: ClassVar[int] = 1
    """Version of the outcome; raised when the same part would give another one."""

    shape: tuple[int, ...]
    nodes: int
    seed: int

    @cached_property
    def key(self) -> str:
        """SHA-256 of everything that the outcome depends on."""
        identity = version("closeknit"), self.VERSION, self
        return sha256(repr(identity).encode()).hexdigest()

    @property
    @abstractmethod
    def about(self) -> str:
        """Its name, for progress and error messages."""

    @abstractmethod
    def fits(self, found: Any) -> bool:
        """Whether an outcome has the form of this part's outcomes."""


Outcome = TypeVar("Outcome", bound=Arrays)
AnyPart = TypeVar("AnyPart", bound=Part)
Key = TypeVar("Key", bound=Hashable)


class PartStore(Generic[Outcome]):
    """Outcomes of a kind in a folder, each in a file named by its part's key."""

    def __init__(self, where: Path, kind: type[Outcome]) -> None:
        self.where = where
        self.kind = kind

    def get(self, part: Part) -> Outcome | None:
        """Return the stored outcome; None if it has to be run."""
        try:
            content = (self.where / self._name(part)).read_bytes()
        except OSError:
            return None
        found = self.kind.unpack(content)
        return found if found is not None and part.fits(found) else None

    def put(self, part: Part, found: Outcome) -> None:
        """Store an outcome atomically; an error if the folder cannot be written."""
        write_bytes(file_in(self.where, self._name(part)), found.pack())

    @staticmethod
    def _name(part: Part) -> str:
        return f"{part.key[:32]}.npz"


def run_all(
    parts: Mapping[Key, AnyPart],
    run: Callable[[AnyPart], Outcome],
    kind: type[Outcome],
    options: RunOptions,
) -> dict[Key, Outcome]:
    """Run the parts that are not stored yet, and store each as it ends.

    Parameters
    ----------
    parts
        In the order in which they are begun.
    run
        Called in a process of its own, with one of them; it returns one of the kind.
    kind, options
        How many processes, where to keep parts, and what is called with progress.

    Returns
    -------
    dict
        The outcomes by the names of the parts.

    Raises
    ------
    InputError
        When a part fails, or what is found cannot be kept.
    """
    store = PartStore(Path(options.keep), kind) if options.keep else None
    found: dict[Key, Outcome] = {}
    for name, part in parts.items():
        if store and (kept := store.get(part)) is not None:
            found[name] = kept
    due = [name for name in parts if name not in found]
    options.progress(len(found), len(parts), "")
    calls = [Call(partial(run, parts[name])) for name in due]
    with closing(in_parallel(calls, jobs=options.jobs)) as outcomes:
        for position, outcome in outcomes:
            part = parts[due[position]]
            if isinstance(outcome, Failure):
                raise InputError(outcome.why, part.about)
            found[due[position]] = outcome
            if store:
                store.put(part, outcome)
            options.progress(len(found), len(parts), part.about)
    return found
