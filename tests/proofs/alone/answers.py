"""All answers of the corpus, a folder of some, forged ones, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from closeknit.instances import Submesh
from closeknit.instances.ksubset.certificate_file import FORMAT as CUTS_FORMAT
from closeknit.instances.problems import (
    parse_instance,
    problem_of,
    read_instance,
    sha256,
)
from closeknit.instances.result import Grade, Proof
from closeknit.instances.submesh import Resident
from closeknit.proofs.checking.folder import BY_DEFINITION, Content, Entry
from closeknit.proofs.checking.kinds import CERTIFICATE, DNN, DNN_FORMAT, LOG
from closeknit.proofs.writing.proof_files import write_index

from .corpus import (
    Answer,
    Part,
    by_name,
    choices,
    file_of,
    infeasible,
    matrices,
    networks,
    packings,
    proofs_on,
    rare_steps,
)
from .corpus_logs import formulas, logs, others, texts


def answers() -> list[Answer]:
    """Return all true answers."""
    found = [one for instance in networks() for one in proofs_on(instance)]
    for several in (rare_steps, matrices, choices, by_name, packings):
        found += several()
    for several in (logs, formulas, texts, others):
        found += several()
    assert len({one.name for one in found}) == len(found)
    return found


LISTED = {
    **{"torus-odd-cuts": CERTIFICATE, "table-dnn": DNN, "moved-log": LOG},
    **{"no-room-log": LOG, "pair-pair": BY_DEFINITION},
}
"""The answers that a folder has, by their names, and their kinds of proofs."""


def write_folder(folder: Path, all_answers: list[Answer]) -> Path:
    """Write a folder of answers and proofs, with its index."""
    folder.mkdir()
    known = {one.name: one for one in all_answers}
    entries = []
    for name, kind in LISTED.items():
        paths = known[name].write(folder)
        files = [
            Content(Path(path).name, hashlib.sha256(part.content).hexdigest())
            for path, part in zip(paths, known[name].files, strict=True)
        ]
        instance = read_instance(paths[0])
        document = json.loads(known[name].files[1].content)
        price = document.get("objective")
        entry = Entry(
            name=instance.name,
            problem=problem_of(instance).name,
            status=document["status"],
            kind=kind,
            by="hand",
            instance=files[0],
            solution=files[1],
            proof=files[2] if files[2:] else None,
            cost=tuple(price) if isinstance(price, list) else price,
            size=len(known[name].files[-1].content) if files[2:] else 0,
        )
        entries.append(entry)
    write_index(folder, entries)
    return folder


# Forged answers


def forgeries(all_answers: list[Answer]) -> Iterator[Answer]:
    """Yield answers of which something is false, none of which may hold."""
    for one in all_answers:
        if len(one.files) == 1:
            document = json.loads(one.files[0].content)
            document["room"][0] += 1
            yield one._replace(files=(_json(one.files[0].suffix, document),))
            continue
        if one.files[0].suffix != ".opb":
            document = json.loads(one.files[1].content)
            for keys in ("bound",), ("bound", "objective"):
                if set(keys) <= document.keys():
                    raised = document | {key: _more(document[key]) for key in keys}
                    yield _with(one, 1, _json(".json", raised))
            if "certificate" in document:
                room = json.loads(one.files[0].content)
                room["mesh"] = [2 * side for side in room["mesh"]]
                document["sha256"] = sha256(parse_instance(room))
                files = _json(".json", room), _json(".json", document)
                yield one._replace(files=files)
        if len(one.files) == 3 or one.files[0].suffix == ".opb":
            at = len(one.files) - 1
            yield _with(one, at, _forge_proof(one.files[at]))
            for other in all_answers:
                strange = other.files[-1]
                alike = len(other.files), strange.suffix
                if alike == (len(one.files), one.files[at].suffix) and (
                    other.files[0] != one.files[0]
                ):
                    yield _with(one, at, strange)
                    break


def _more(price: Any) -> Any:
    return [*price[:-1], price[-1] + 1] if isinstance(price, list) else price + 1


def _json(suffix: str, document: Any) -> Part:
    return Part(suffix, json.dumps(document).encode())


def _with(one: Answer, at: int, part: Part) -> Answer:
    """Return an answer with another file."""
    return one._replace(files=(*one.files[:at], part, *one.files[at + 1 :]))


def _forge_proof(part: Part) -> Part:
    """Return a proof that claims one more, or lacks what leads to a contradiction."""
    if part.suffix == ".pbp":
        lines = part.content.decode().splitlines(keepends=True)
        bounds = r"conclusion BOUNDS (\d+)"
        found = re.search(bounds, part.content.decode())
        if found:
            claim = f"conclusion BOUNDS {int(found[1]) + 1}"
            text = re.sub(bounds, claim, part.content.decode())
            return Part(part.suffix, text.encode())
        kept = [line for line in lines if not line.startswith(("rup", "u "))]
        return Part(part.suffix, "".join(kept).encode())
    head, nodes = unpack_lines(part).split("\n", 1)
    document = json.loads(head)
    document["objective"] += 1
    return seal(f"{json.dumps(document)}\n{nodes}")


def unpack_lines(part: Part) -> str:
    """Return the lines of a certificate, without their digest."""
    unpack = lzma.decompress if part.suffix == ".xz" else gzip.decompress
    lines = unpack(part.content).decode().splitlines(keepends=True)
    return "".join(lines[:-1])


def seal(text: str) -> Part:
    """Return the file of a certificate with these lines."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Part(".xz", lzma.compress(f"{text}{digest}\n".encode()))


# What is refused


def refusals(folder: Path, all_answers: list[Answer]) -> Iterator[list[str]]:
    """Yield words for the command that is given what it refuses."""
    named = {one.name: one for one in all_answers}
    free = KSUBSET | {"free": [[0, 0], [9, 9]]}
    table = KSUBSET | {"topology": {"kind": "table", "distance": [[0, 1], [2, 0]]}}
    for i, text in enumerate(
        (
            *map(json.dumps, (free, table)),
            json.dumps(KSUBSET | {"topology": {"kind": "mesh", "shape": [2, 2.5]}}),
            json.dumps(KSUBSET | {"k": 10**30}),
            json.dumps(KSUBSET | {"k": None}),
            json.dumps(KSUBSET | {"topology": NOBODY}),
            json.dumps(KSUBSET | {"k": 1})[:-1] + ', "k": 2}',
            '{"k": NaN}',
            f"read it:\n{json.dumps(KSUBSET)}",
        )
    ):
        path = folder / f"refused-{i}.json"
        path.write_text(text)
        yield [str(path), str(path)]
    pipe = folder / "pipe.json"
    os.mkfifo(pipe)
    yield [str(pipe), str(pipe)]
    exchange, ring = named["exchange"], named["no-cuts-dnn"]
    body = unpack_lines(exchange.files[2]).replace('["cost",[0],[]]', '["cost",[],[0]]')
    yield _with(exchange, 2, seal(body))._replace(name="cost").write(folder)
    body = unpack_lines(ring.files[2]).replace(DNN_FORMAT, CUTS_FORMAT)
    yield _with(ring, 2, seal(body))._replace(name="cuts").write(folder)
    opb, proof = named["cover-2.0"].files
    long = proof.content.replace(b"core id 1", b"core id" + b" 1" * 2**22)
    yield Answer("long", (opb, Part(".pbp", long))).write(folder)
    full = Submesh("over", (4, 4), (Resident((0, 0, 2, 3)),), (2, 4))
    for instance, name in (full, "over"), (Submesh("in", (4, 4), (), (2, 2)), "in"):
        area = infeasible(instance, Proof(Grade.CHECKED, "dual feasible"), CELLS)
        yield Answer(name, (file_of(instance), area)).write(folder)


CELLS: dict[str, Any] = {"kind": "dual feasible", "functions": [["identity", 1]] * 2}
"""More cells are requested than there are."""
KSUBSET: dict[str, Any] = {
    **{"format": "closeknit/ksubset", "version": 1, "k": 2},
    "topology": {"kind": "mesh", "shape": [2, 2]},
}
NOBODY = {"kind": "graph", "nodes": 0, "edges": [], "processors": []}
