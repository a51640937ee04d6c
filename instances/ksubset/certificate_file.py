"""``closeknit/certificate`` files: reading and checking branch-and-bound proofs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from ..errors import InputError, RefusedStep, TooLong, in_file
from ..reading import fields
from ..reading.files import MOST_BYTES, decode_text
from ..reading.packed import reading_unpacked
from ..reading.parsing import parse_json
from ..value import LARGEST
from .certificate import CertificateChecker, derive
from .instance import KSubset
from .json import sha256

FORMAT = "closeknit/certificate"
MOST_NODES = 2**20
"""Maximal number of nodes of a certificate; checking each takes milliseconds."""


class WrongStep(InputError):
    """A step of a certificate does not follow, or branches are missing."""


def check_certificate(
    instance: KSubset,
    path: str | Path,
    stream: BinaryIO | None = None,
    *,
    seconds: float = inf,
    now: Callable[[], float] = monotonic,
    begun: float | None = None,
    by: type[CertificateChecker] = CertificateChecker,
) -> int:
    """Check a certificate file; return the lower bound that it proves.

    ``stream`` is its content, unpacked, where it is open already. Every node is derived
    again, by `CertificateChecker` or its fast twin, in O(m + n d) per propagation.
    Raises InputError if the file is not a certificate, is damaged, is for another
    instance, or is not checked in so many ``seconds`` since the time has ``begun``, and
    `WrongStep` if a step does not follow; names the file and the line.
    """
    begun = now() if begun is None else begun
    objective, lines = read_lines(FORMAT, instance, path, stream)
    checker = by(instance, objective)
    waiting = [checker.root()]

    def follow(rest: Iterator[Any], look_at_clock: Callable[[], None]) -> None:
        checker.pause = look_at_clock
        while waiting:
            node = checker.shapes.node(next(rest))
            waiting.extend(derive(checker, waiting.pop(), node))

    follow_lines(path, lines, follow, seconds, now, begun)
    return objective


def follow_lines(
    path: str | Path,
    lines: list[str],
    follow: Callable[[Iterator[Any], Callable[[], None]], None],
    seconds: float = inf,
    now: Callable[[], float] = monotonic,
    begun: float | None = None,
) -> None:
    """Have the lines of the nodes of a certificate followed, all of them.

    ``follow`` gets the parsed lines, beyond which it is refused more, and what looks at
    the clock. Raises as `check_certificate` does.
    """
    until, number = (now() if begun is None else begun) + seconds, 1

    def look_at_clock() -> None:
        if now() > until:
            raise TooLong(f"takes more than {seconds:g} s to check", file=path)

    def parse_lines() -> Iterator[Any]:
        nonlocal number
        for line in lines:
            number += 1
            look_at_clock()
            yield parse_json(line)
        raise RefusedStep("branches are missing")

    try:
        follow(parse_lines(), look_at_clock)
        if number <= len(lines):
            number += 1
            raise RefusedStep("the tree is complete already")
    except RefusedStep as refused:
        raise WrongStep(str(refused), file=f"{path}:{number}") from None
    except TooLong:
        raise
    except InputError as error:
        raise error.of_file(f"{path}:{number}") from None


def read_lines(
    kind: str, instance: KSubset, path: str | Path, stream: BinaryIO | None
) -> tuple[int, list[str]]:
    """Read a certificate of a format; return its objective and its lines of nodes.

    Raises InputError if it is damaged or for another instance; names the file.
    """
    lines = _lines(path, stream)
    header = fields.file(
        kind,
        {
            "instance": fields.string,
            "sha256": fields.string,
            "objective": fields.between(0, LARGEST // 2),
            "nodes": fields.integer,
        },
    )
    with in_file(path):
        found = header(parse_json(lines[0]))
        if found["instance"] != instance.name:
            raise InputError(
                f"must be {instance.name!r}", "instance", found["instance"]
            )
        if found["sha256"] != sha256(instance):
            raise InputError("is for another instance", "sha256")
        if found["nodes"] != len(lines) - 1:
            raise InputError(f"there are {len(lines) - 1}", "nodes", found["nodes"])
    return found["objective"], lines[1:]


def _lines(path: str | Path, stream: BinaryIO | None) -> list[str]:
    """Check the digest of a certificate; return the other lines."""
    if stream is None:
        with reading_unpacked(path) as opened:
            return _lines(path, opened)
    body = stream.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise InputError(f"unpacks to more than {MOST_BYTES // 2**20} MiB", file=path)
    text, _, digest = body.rstrip(b"\n").rpartition(b"\n")
    if hashlib.sha256(text + b"\n").hexdigest().encode() != digest:
        raise InputError("is damaged: the digest differs", file=path)
    lines = decode_text(text, file=path).split("\n", MOST_NODES + 1)
    if len(lines) > MOST_NODES + 1:
        raise InputError(f"has more than {MOST_NODES} nodes", file=path)
    return lines
