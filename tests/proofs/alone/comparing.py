"""Both checkers on the same files: what they say, also of files that are drawn."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from closeknit.cli.app import run
from closeknit.proofs.checking.folder import Entry
from tests.corpus import Reader, spoilt

LIMIT = "20"
"""Seconds for following a proof: none that is compared comes near it."""


class Said(NamedTuple):
    """The outcome of a command, without its name and the names of its options."""

    status: int
    out: str
    err: str


def said(command: Callable[[list[str]], int], words: list[str]) -> Said:
    """Run a command in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = command(words)
    texts = []
    for stream in (out, err):
        text = stream.getvalue().replace("closeknit-check: ", "closeknit: ")
        for ours, theirs in (
            ("give --prove or --proof", "give PROOF or --accept"),
            ("closeknit: --proof: ", "closeknit: proof: "),
            (", closeknit/contention", ""),  # a problem of a part
        ):
            text = text.replace(ours, theirs)
        texts.append(text)
    return Said(status, *texts)


def both(
    alone: Callable[[list[str]], int], paths: list[str], *options: str
) -> tuple[Said, Said]:
    """Return the outcome of closeknit check and of the wheel's command."""
    more = [*options, "--time-limit", LIMIT]
    first, *rest = paths
    proof = rest if ".opb" in first else rest[1:]
    ours = [first, *rest[: len(rest) - len(proof)]]
    ours += [word for one in proof for word in ("--proof", one)]
    return (
        said(run, ["check", *ours, "--plain", *more]),
        said(alone, [*paths, *more]),
    )


def paths_of(folder: Path, entry: Entry) -> list[str]:
    """Return the files of an answer."""
    found = [entry.instance, entry.solution, *([entry.proof] if entry.proof else [])]
    return [str(folder / one.file) for one in found]


# Drawn files


def spoil(paths: list[str], pool: list[list[str]], rng: random.Random) -> list[bytes]:
    """Return the contents of an answer's files, one of them changed or exchanged."""
    contents = [Path(path).read_bytes() for path in paths]
    at = rng.randrange(len(contents))
    is_json = paths[at].endswith(".json")
    packed = paths[at].endswith((".xz", ".gz"))
    if rng.random() < 0.1:  # another answer's file of the same role
        alike = [x for x in pool if len(x) > at]
        contents[at] = Path(rng.choice(alike)[at]).read_bytes()
    elif not packed and rng.random() < 0.5:
        change = changed_number if is_json else changed_word
        contents[at] = change(contents[at], rng)
    else:
        kind = "packed" if packed else "json" if is_json else "text"
        reader = Reader(read=lambda path: None, suffix="", seeds=list, kind=kind)
        many = spoilt(reader, contents[at], rng, 1)
        contents[at] = list(many)[-1]
    return contents


def changed_word(content: bytes, rng: random.Random) -> bytes:
    """Return a text in which one integer is another one."""
    places = list(re.finditer(rb"[0-9]+", content))
    found = rng.choice(places)
    number = str(max(0, int(found[0]) + rng.choice((-1, 1, 1000)))).encode()
    return content[: found.start()] + number + content[found.end() :]


def changed_number(content: bytes, rng: random.Random) -> bytes:
    """Return a document in which one integer is another one."""
    document = json.loads(content)
    places: list[tuple[Any, Any]] = []

    def collect(value: Any) -> None:
        for key in value if isinstance(value, dict) else range(len(value)):
            if isinstance(value[key], dict | list):
                collect(value[key])
            elif isinstance(value[key], int):
                places.append((value, key))

    collect(document)
    if places:
        where, key = rng.choice(places)
        where[key] += rng.choice((-1, 1, 1000))
    return json.dumps(document).encode()


def compare_drawn(
    alone: Callable[[list[str]], int], pool: list[list[str]], folder: Path, count: int
) -> Counter[int]:
    """Compare both commands on drawn files; return how often each status came."""
    rng = random.Random(34)
    found: Counter[int] = Counter()
    for number in range(count):
        paths = rng.choice(pool)
        names = []
        for role, path in zip("isp", paths, strict=False):
            suffix = "".join(Path(path).suffixes[-2:])
            names.append(str(folder / f"{role}{suffix}"))
        contents = spoil(paths, pool, rng)
        for name, content in zip(names, contents, strict=True):
            Path(name).write_bytes(content)
        options = rng.choice(([], [], ["--accept", "enumerated"]))
        if paths[0].endswith((".opb", ".recount.json")):
            options = []  # closeknit check refuses the option there
        ours, theirs = both(alone, names, *options)
        assert ours == theirs, f"case {number}: {contents}"
        found[ours.status] += 1
    return found
