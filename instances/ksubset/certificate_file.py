"""``closeknit/certificate`` files: proofs by branch and bound, written and followed."""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path
from typing import Any

from .. import fields
from ..errors import InputError
from ..files import decoded, read_bytes, unpacked, write_bytes
from ..parsing import parse_json
from .certificate import Checker, Refused, derive
from .instance import KSubset
from .json import sha256

FORMAT = "closeknit/certificate"
MOST_NODES = 2**20
"""Of a certificate; each takes milliseconds to be followed."""


def check_certificate(instance: KSubset, path: str | Path) -> int:
    """Check a certificate file; return the objective that it proves optimal from below.

    Every node is derived again: O(m n) for each conclusion from counts, so some
    hundred nodes a second at n = 128.

    Raises
    ------
    InputError
        When the file is not one, is damaged, is for another instance, or a step
        does not follow; it names the file and the line.
    """
    lines = _lines(path)
    try:
        header = fields.headed(parse_json(lines[0]), FORMAT)
        known = ("format", "version", "instance", "sha256", "objective", "nodes")
        fields.only(header, known, known, "")
        if header["instance"] != instance.name:
            raise InputError(
                f"must be {instance.name!r}", field="instance", value=header["instance"]
            )
        if header["sha256"] != sha256(instance):
            raise InputError("is for another instance", field="sha256")
        objective = fields.integer(header["objective"], "objective")
        if fields.integer(header["nodes"], "nodes") != len(lines) - 1:
            raise InputError(
                f"there are {len(lines) - 1}", field="nodes", value=header["nodes"]
            )
    except InputError as error:
        raise error.of_file(path) from None
    checker = Checker(instance, objective)
    waiting = [checker.root()]
    for number, line in enumerate(lines[1:], start=2):
        try:
            if not waiting:
                raise Refused("the tree is complete already")
            waiting += derive(checker, waiting.pop(), parse_json(line))
        except Refused as refused:
            raise InputError(str(refused), file=f"{path}:{number}") from None
        except InputError as error:
            raise error.of_file(f"{path}:{number}") from None
        except (ValueError, TypeError, IndexError, KeyError, OverflowError):
            raise InputError("is no node", file=f"{path}:{number}") from None
    if waiting:
        raise InputError(f"{len(waiting)} branches are missing", file=path)
    return objective


def write_certificate(
    instance: KSubset, objective: int, nodes: list[Any], path: str | Path
) -> None:
    """Write a certificate, compressed; ``nodes`` are in preorder.

    The last line is the digest of the others, against accidents.
    """
    header = {
        "format": FORMAT,
        "version": 1,
        "instance": instance.name,
        "sha256": sha256(instance),
        "objective": objective,
        "nodes": len(nodes),
    }
    lines = [json.dumps(each, separators=(",", ":")) for each in (header, *nodes)]
    body = "".join(f"{line}\n" for line in lines).encode()
    body += hashlib.sha256(body).hexdigest().encode() + b"\n"
    write_bytes(path, lzma.compress(body))


def _lines(path: str | Path) -> list[str]:
    """Read the lines of a certificate, without the digest, which is checked."""
    packed = read_bytes(path)
    body = unpacked(packed, file=path)
    if body is packed:
        raise InputError("is damaged, or no certificate", file=path)
    text, _, digest = body.rstrip(b"\n").rpartition(b"\n")
    if hashlib.sha256(text + b"\n").hexdigest().encode() != digest:
        raise InputError("is damaged: the digest differs", file=path)
    lines = decoded(text, file=path).split("\n", MOST_NODES + 1)
    if len(lines) > MOST_NODES + 1:
        raise InputError(f"has more than {MOST_NODES} nodes", file=path)
    return lines
