"""Taking a better value or a better bound into the frontier."""

from __future__ import annotations

import lzma
from dataclasses import replace
from datetime import date
from functools import partial
from hashlib import sha256 as sha256_of
from pathlib import Path
from typing import Any, BinaryIO

from ...instances import InputError, Instance, Value, read_instance, sha256
from ...instances.errors import TooLong
from ...instances.reading import fields
from ...instances.reading.files import STANDARD, read_bytes
from ...instances.reading.json_types import to_json_types
from ...instances.result import NOTHING
from ...instances.solution import SolutionFile
from ...instances.support import support_of
from ...instances.value import as_tuple, cost_text
from ...instances.writing.files import file_in, write_bytes
from ...proofs.checking import CheckLimits
from ...proofs.checking.answers.examining import Untrue
from ...proofs.checking.folder import digest_of
from ...proofs.checking.kinds import reading_proof
from ...reports.frontier.entries import (
    MOST_KEPT,
    WORST,
    FrontierEntry,
    FrontierFile,
    ProofReference,
    changing,
    data_folder,
    generate,
    make_within,
    parse_entry,
    write_entries,
)
from ...reports.frontier.worst import read_families
from ...solvers import Grade, Proof, Status, read_solution, solution_errors
from ..examining import examine

_LONGEST = 2**30
"""Maximal size of a proof."""
_PIECE = 2**20
"""Bytes of it that are packed between two looks at the clock."""


def add_solution(
    where: Path,
    instance: str,
    solution: str,
    proof: str | None = None,
    *,
    family: str = "",
    source: str = "",
    recipe: str = "",
    again: str = "",
    limits: CheckLimits | None = None,
    plain: bool = False,
) -> str:
    """Take what the files of a solution and a proof show, if that is better.

    ``family`` and ``source`` are needed for an instance that the frontier in ``where``
    does not have; ``recipe`` has the words after ``closeknit generate`` that make it,
    ``again`` the command that makes a proof of more than 1 MB again. Returns what was
    taken, in one line.

    Raises `Untrue` if the claim does not hold, is not shown, contradicts what is known,
    or is no better; InputError if a file cannot be used.
    """
    one, claimed = read_instance(instance), read_solution(solution)
    limits = (limits or CheckLimits()).from_now()
    if claimed.selection is None and claimed.status is not Status.INFEASIBLE:
        raise Untrue(f"{solution}: selection: is missing")
    kept, content, given = None, b"", ""
    if proof is not None:
        if not Path(proof).is_file():
            raise InputError("must be a file, which is read more than once", file=proof)
        content = read_bytes(proof, most=_LONGEST)
        given = sha256_of(content).hexdigest()
        if not content.startswith(b"\xfd7zXZ"):
            with reading_proof(proof) as (_, stream):
                content = _pack(stream, proof, limits)
        kept = ProofReference(sha256_of(content).hexdigest(), len(content), again)
        if len(content) > MOST_KEPT and not again:
            raise InputError("is needed for a proof of more than 1 MB", "again")
    try:
        findings = examine(one, claimed, proof, limits=limits, plain=plain)
    except InputError as error:
        if proof is None and error.field == "proof":
            raise Untrue(f"{solution}: needs its proof ({claimed.proof})") from None
        raise
    if lines := findings.wrong or findings.objection((), "the file of a proof"):
        raise Untrue(f"{solution}: {lines[0]}")
    claims = _claims(claimed, proof)
    if proof is not None and digest_of(Path(proof)) != given:
        raise InputError("was changed while it was read", file=proof)
    with changing(where):
        file, known = _find(where, one, instance, family, source)
        today = date.today().isoformat()
        size = support_of(one).features(one)
        new = FrontierEntry(
            name=one.name,
            n=size.n,
            k=size.k,
            sha256=sha256(one),
            instance=known.instance
            if known
            else _reference(one, instance, recipe, limits),
            solution=claims,
            proof=kept,
            found=today,
            proved=today if claimed.proof else "",
            source="" if source == file.source or known else source,
        )
        better = ["new"]
        if known is not None:
            new, better = _merge(
                one, known, new, solution, str(where / f"{file.family}.json")
            )
        if new.proof == kept and kept is not None and kept.size <= MOST_KEPT:
            write_bytes(file_in(where, f"proofs/{kept.sha256}.xz"), content)
        rows = {**file.entries, new.name: new}
        rows = dict(sorted(rows.items(), key=lambda row: (row[1].n, row[1].k, row[0])))
        try:
            write_entries(where, replace(file, entries=rows), parse_entry)
        finally:  # an old proof may be cited no more, a new one not yet
            for each in (kept, known.proof if known else None):
                if each is not None and not _is_cited(where, each):
                    path = where / "proofs" / f"{each.sha256}.xz"
                    path.unlink(missing_ok=True)
        return f"{file.family}: {one.name}: {', '.join(better)}"


def _pack(stream: BinaryIO, path: str, limits: CheckLimits) -> bytes:
    """Return what is left of a proof, packed by xz, if the time is not over before."""
    packer, found, left = lzma.LZMACompressor(), [], _LONGEST
    while piece := stream.read(_PIECE):
        found.append(packer.compress(piece))
        if (left := left - len(piece)) < 0:
            raise InputError("unpacks to more than 1 GiB", file=path)
        if not limits.left():
            raise TooLong(f"takes more than {limits.seconds:g} s to pack", file=path)
    return b"".join((*found, packer.flush()))


def _is_cited(where: Path, proof: ProofReference) -> bool:
    """Whether an entry has a proof: renamed instances may share one."""
    return any(
        entry.proof is not None and entry.proof.sha256 == proof.sha256
        for file in read_families(where)
        for entry in file.instances
    )


def _find(
    where: Path, instance: Instance, path: str, family: str, source: str
) -> tuple[FrontierFile, FrontierEntry | None]:
    """Return the family that has an instance, or is to have it, and its entry."""
    digest, place = sha256(instance), FrontierFile(family, source, {})
    for file in read_families(where):
        for entry in file.instances:
            same = entry.sha256 == digest
            if (entry.name == instance.name) != same:
                at = f"{entry.name!r} in {where / file.family}.json"
                what = "the same" if same else "another"
                raise Untrue(f"{path}: is {what} instance as {at}")
            if same:
                return file, entry
        place = file if file.family == family else place
    for name, value in (("family", family), ("source", source)):
        if not value:
            raise InputError("is needed for a new instance", name)
    if family == WORST:
        raise InputError("has the worst cases, which `worst` records", "family", family)
    return place, None


def _reference(
    instance: Instance, path: str, recipe: str, limits: CheckLimits
) -> dict[str, Any]:
    """Return how a new instance is made: by a recipe, a file of data, or itself."""
    if recipe:
        try:
            made = make_within(limits, partial(generate, recipe))
        except TooLong as error:
            raise TooLong(error.problem, "recipe", recipe) from None
        if (made.name, sha256(made)) != (instance.name, sha256(instance)):
            raise InputError(f"makes another instance than {path}", "recipe", recipe)
        return {"generate": recipe}
    full, data = Path(path).resolve(), data_folder().resolve()
    if path != STANDARD and full.is_relative_to(data):
        name = full.relative_to(data).as_posix()
        return {"file": fields.string(name, "instance")}
    return {"document": support_of(instance).document_of(instance)}


def _claims(claimed: SolutionFile, path: str | None) -> dict[str, Any]:
    """Return the fields of a solution that an entry keeps; its proof was derived."""
    proof = claimed.proof
    if path is not None:
        with reading_proof(path) as (kind, _):
            proof = Proof(Grade.CHECKED, kind)
    elif proof is not None and proof.grade is not Grade.CHECKED:
        proof = NOTHING  # all that is derived without a proof of grade checked
    names = ("method", "status", "objective", "bound", "proof", "certificate")
    known = {name: getattr(claimed, name) for name in (*names, "selection")}
    known["status"] = claimed.status.value
    known["proof"] = proof and {"grade": proof.grade.value, "by": proof.by}
    known = {name: value for name, value in known.items() if value is not None}
    return dict(to_json_types(known))  # levels are lists, as in a file


def _merge(
    instance: Instance, known: FrontierEntry, new: FrontierEntry, solution: str, at: str
) -> tuple[FrontierEntry, list[str]]:
    """Return the better value with the better bound; raise `Untrue` if neither is new.

    Also if what is new and what is known cannot both be true: a cost below a bound; or
    if what is known is not true.
    """
    old, claimed = known.claims, new.claims
    for one, other in ((claimed, old), (old, claimed)):
        none = one.status is Status.INFEASIBLE
        if other.selection is not None if none else _less(one.objective, other.bound):
            both = f"{solution} and {at}, {known.name}, cannot both be true"
            raise Untrue(f"{both}: {_text(claimed)} against {_text(old)}")
    if old.status is Status.UNKNOWN or solution_errors(instance, old):
        raise Untrue(f"{at}: {known.name}: does not hold, and nothing is added to it")
    value, bound, better = known, known, []
    if _less(claimed.objective, old.objective):
        value = new
        better.append(f"cost {cost_text(claimed.objective)}")
    if claimed.bound is not None and (
        old.bound is None or _less(old.bound, claimed.bound)
    ):
        bound = new
        better.append(f"bound {cost_text(claimed.bound)}")
    if not better:
        raise Untrue(f"{solution}: is no better than {at}, {known.name}: {_text(old)}")
    names = ("method", "objective", "selection")
    solved = {**bound.solution, **{name: value.solution[name] for name in names}}
    reached = solved.get("bound") == solved["objective"]
    solved["status"] = (Status.OPTIMAL if reached else Status.FEASIBLE).value
    known = replace(known, solution=solved, proof=bound.proof, found=value.found)
    return replace(known, proved=bound.proved), better


def _less(one: Value | None, other: Value | None) -> bool:
    """Whether both are known, and one is less."""
    return one is not None and other is not None and as_tuple(one) < as_tuple(other)


def _text(claimed: SolutionFile) -> str:
    """Describe what is claimed."""
    if claimed.status is Status.INFEASIBLE:
        return "no solution"
    bound = "" if claimed.bound is None else f", bound {cost_text(claimed.bound)}"
    return f"cost {cost_text(claimed.objective)}{bound}"
