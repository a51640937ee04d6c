"""The kinds of proofs in files, and how one is told from the other.

`FILE_KINDS` is the table of them. What writes and checks each is registered under the
same names: `proof_file.CHECKERS`, ``proofs/writing/kinds.py``, and `WRITERS` in
``methods/proofs.py``. A test compares them, and docs/science/proofs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from ...instances.errors import InputError
from ...instances.problems import Instance, problem_of
from ...instances.reading.packed import reading_unpacked

CERTIFICATE, LOG = "certificate", "pseudo-Boolean proof"
DNN, DNN_FORMAT = "dnn certificate", "closeknit/dnn-certificate"
MOST_ELEMENTS = 5000
"""Processors of a network up to which there are dnn certificates."""
_HEAD = 32
"""Bytes at the beginning of a file that an error shows."""


class FileKind(NamedTuple):
    """A kind of proof: its files, and what they are about."""

    begins: tuple[bytes, ...]
    """What its files begin with, unpacked, after blanks if any."""
    problems: tuple[str, ...]
    """Problems about whose instances there are proofs of this kind."""
    where: str
    """About which of these instances, in words, and as a test of one of them."""
    serves: Callable[[Any], bool]

    def is_about(self, instance: Instance) -> bool:
        """Whether there are proofs of this kind about an instance."""
        return problem_of(instance).name in self.problems and self.serves(instance)


FILE_KINDS = {
    CERTIFICATE: FileKind(
        begins=(b'{"format":"closeknit/certificate"', b'{"format": "closeknit/cert'),
        problems=("ksubset",),
        where="distances that are sums of cuts, nothing required",
        serves=lambda instance: instance.topology.has_cuts and not instance.required,
    ),
    LOG: FileKind(
        begins=(b"pseudo-Boolean proof", b"*", b"%"),  # or a comment before that
        problems=("ksubset", "procset", "sukp", "submesh"),
        where="all",
        serves=lambda instance: True,
    ),
    DNN: FileKind(
        begins=(b'{"format":"closeknit/dnn-certificate"', b'{"format": "closeknit/dnn'),
        problems=("ksubset",),
        where=f"at most {MOST_ELEMENTS} free processors",
        serves=lambda instance: instance.n <= MOST_ELEMENTS,
    ),
}
"""By what solutions and indices call them."""


@contextmanager
def reading_proof(
    path: str | Path, kinds: Collection[str] = tuple(FILE_KINDS)
) -> Iterator[tuple[str, BufferedReader]]:
    """Open a proof, unpacked, and tell its kind by what it begins with.

    Raises InputError if it is none of those kinds; states what it is instead.
    """
    with reading_unpacked(path) as stream:
        head = stream.peek().lstrip()
        wanted = " or ".join(f"a {kind}" for kind in kinds)
        if not head:
            raise InputError(f"is empty, not {wanted}", file=path)
        for kind, row in FILE_KINDS.items():
            if head.startswith(row.begins):
                if kind not in kinds:
                    raise InputError(f"is a {kind}, not {wanted}", file=path)
                yield kind, stream
                return
        found = repr(head[:_HEAD].decode("ascii", "replace"))
        raise InputError(f"is not {wanted}, but begins with {found}", file=path)
