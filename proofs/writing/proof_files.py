"""Writing the files that the checker reads: certificates, and indices of folders."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...instances import InputError, KSubset, sha256
from ...instances.ksubset.certificate_file import FORMAT as CERTIFICATE
from ...instances.writing.files import file_in, write_bytes, write_text
from ..checking.folder import (
    FILES,
    FORMAT,
    INDEX,
    TIMES,
    WORDS,
    Entry,
    files_of,
    read_index,
)
from ..checking.recount.file import FORMAT as RECOUNT
from ..checking.statements import Refused

_PRESET = 2
"""Of xz: by default packing takes longer than the search, for a fifth of the bytes."""


def write_certificate(
    instance: KSubset,
    objective: int,
    nodes: list[Any],
    path: str | Path,
    kind: str = CERTIFICATE,
) -> None:
    """Write a compressed certificate of a format; ``nodes`` are in preorder.

    The last line is the digest of the others, to detect damage.
    """
    header = {
        "format": kind,
        "version": 1,
        "instance": instance.name,
        "sha256": sha256(instance),
        "objective": objective,
        "nodes": len(nodes),
    }
    lines = [json.dumps(each, separators=(",", ":")) for each in (header, *nodes)]
    body = "".join(f"{line}\n" for line in lines).encode()
    body += hashlib.sha256(body).hexdigest().encode() + b"\n"
    size = min(max(len(body), 2**12), 2**21)  # a larger dictionary takes its time
    how = {"id": lzma.FILTER_LZMA2, "preset": _PRESET, "dict_size": size}
    write_bytes(path, lzma.compress(body, filters=[how]))


def write_index(folder: str | Path, entries: Iterable[Entry], about: str = "") -> None:
    """Write the index of a folder; an existing one is replaced at once."""
    lines = ",\n".join(json.dumps(_document(one)) for one in entries)
    head = json.dumps({"format": FORMAT, "version": 1, "about": about})[:-1]
    write_text(file_in(folder, INDEX), f'{head}, "entries": [\n{lines}\n]}}\n')


def _document(entry: Entry) -> dict[str, Any]:
    document: dict[str, Any] = {name: getattr(entry, name) for name in WORDS}
    for name in FILES:
        if (content := getattr(entry, name)) is not None:
            document[name] = {"file": content.file, "sha256": content.sha256}
    if entry.cost is not None:
        document["cost"] = entry.cost
    if entry.bound is not None:
        document["bound"] = entry.bound
    document |= {"method": entry.method, "bytes": entry.size}
    return document | {name: round(getattr(entry, name), 4) for name in TIMES}


def still_held(folder: str | Path) -> list[Entry]:
    """Return the entries whose files are there and have the digests of the index.

    There are none if there is no index yet.
    """
    where = Path(folder)

    def holds(entry: Entry) -> bool:
        try:
            files_of(where, entry)
        except (InputError, Refused):
            return False
        return True

    return list(filter(holds, read_index(where))) if (where / INDEX).exists() else []


def recount_text(document: dict[str, Any]) -> str:
    """Return a certificate as the text of its file."""
    return json.dumps({"format": RECOUNT, "version": 1, **document}) + "\n"
