"""Taking a better value or a better bound into the frontier."""

from __future__ import annotations

import lzma
from dataclasses import replace
from datetime import date
from hashlib import sha256 as sha256_of
from pathlib import Path
from typing import Any

from ...instances import InputError, Instance, Value, problem_of, read_instance, sha256
from ...instances.reading.files import file_in, read_bytes, write_bytes
from ...instances.reading.packed import reading_unpacked
from ...instances.value import as_tuple, cost_text
from ...proofs.checking import CheckLimits
from ...proofs.checking.kinds import reading_proof
from ...reports.frontier.entries import (
    MOST_KEPT,
    WORST,
    FrontierEntry,
    FrontierFile,
    ProofReference,
    data_file,
    generate,
    read_families,
    sizes_of,
    write_family,
)
from ...solvers import Grade, Proof, Status, read_solution
from ...solvers.running.result import NOTHING
from ...solvers.running.solution_json import SolutionFile
from ..examining import examine
from ..findings import Untrue

_XZ = b"\xfd7zXZ"
_LONGEST = 2**30


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
    """Take what a solution shows, if that is better than what a frontier has.

    Parameters
    ----------
    where
        The folder of the frontier.
    instance, solution, proof
        Files; a bound needs a proof, unless arithmetic alone derives it.
    family, source
        Needed for an instance that the frontier does not have: the file to put it in,
        and where it is from.
    recipe
        The words after ``closeknit generate`` that make a new instance.
    again
        The command that makes the proof again; needed where it is larger than 1 MB.
    limits, plain
        As `examine` takes them.

    Returns
    -------
    str
        What was taken, in one line.

    Raises
    ------
    Untrue
        If the claim does not hold, is not shown, contradicts what is known, or is no
        better.
    InputError
        If a file cannot be used: one line with the file, the field and the value.
    """
    one, claimed = read_instance(instance), read_solution(solution)
    if claimed.status is Status.UNKNOWN or (
        claimed.selection is None and claimed.status is not Status.INFEASIBLE
    ):
        raise Untrue(f"{solution}: selection: is missing")
    kept, content = None, b""
    if proof is not None:
        content = _pack(proof)
        kept = ProofReference(sha256_of(content).hexdigest(), len(content), again)
        if len(content) > MOST_KEPT and not again:
            raise InputError("is needed for a proof of more than 1 MB", "--again")
    _refuse_untrue(one, claimed, solution, proof, limits, plain)
    file, known = _find(where, one, instance, family, source)
    today = date.today().isoformat()
    n, k = sizes_of(one)
    new = FrontierEntry(
        name=one.name,
        n=n,
        k=k,
        sha256=sha256(one),
        instance=known.instance if known else _reference(one, instance, recipe),
        solution=_claims(claimed, proof),
        proof=kept,
        found=today,
        proved=today if claimed.proof else "",
        source="" if source == file.source or known else source,
    )
    better = ["new"]
    if known is not None:
        new, better = _merge(known, new, solution, str(where / f"{file.family}.json"))
    if new.proof == kept and kept is not None and kept.size <= MOST_KEPT:
        write_bytes(file_in(where, f"proofs/{kept.sha256}.xz"), content)
    write_family(where, replace(file, entries={**file.entries, new.key: new}))
    if known and known.proof and known.proof != new.proof:
        (where / "proofs" / f"{known.proof.sha256}.xz").unlink(missing_ok=True)
    return f"{file.family}: {one.name}: {', '.join(better)}"


def _pack(path: str) -> bytes:
    """Return the content of a proof, packed by ``xz``."""
    content = read_bytes(path, most=_LONGEST)
    if content.startswith(_XZ):
        return content
    with reading_unpacked(path) as stream:
        return lzma.compress(stream.read(_LONGEST), preset=9)


def _refuse_untrue(
    instance: Instance,
    claimed: SolutionFile,
    solution: str,
    proof: str | None,
    limits: CheckLimits | None,
    plain: bool,
) -> None:
    """Raise `Untrue` unless all that is claimed was derived here."""
    try:
        found = examine(instance, claimed, proof, limits=limits, plain=plain)
    except InputError as error:
        if proof is None and error.field == "proof":
            why = "a bound needs its proof" if claimed.bound else "needs its proof"
            raise Untrue(f"{solution}: {why} ({claimed.proof})") from None
        raise
    if lines := found.wrong or found.objection((), "the file of a proof"):
        raise Untrue(f"{solution}: {lines[0]}")


def _find(
    where: Path, instance: Instance, path: str, family: str, source: str
) -> tuple[FrontierFile[FrontierEntry], FrontierEntry | None]:
    """Return the family that has an instance, or is to have it, and its entry."""
    digest, place = sha256(instance), None
    for file in read_families(where):
        for entry in file.entries.values():
            at = where / f"{file.family}.json"
            if (entry.name == instance.name) != (entry.sha256 == digest):
                what = "the same" if entry.sha256 == digest else "another"
                raise Untrue(f"{path}: is {what} instance as {entry.name!r} in {at}")
            if entry.name == instance.name:
                return file, entry
        if file.family == family:
            place = file
    for name, value in (("--family", family), ("--source", source)):
        if not value:
            raise InputError("is needed for a new instance", name)
    if family == WORST:
        raise InputError("is that of `closeknit worst --record`", "--family", family)
    return place or FrontierFile(family, source, {}), None


def _reference(instance: Instance, path: str, recipe: str) -> dict[str, Any]:
    """Return how a new instance is made: by a recipe, a file of data, or itself."""
    if recipe:
        made = generate(recipe)
        if (made.name, sha256(made)) != (instance.name, sha256(instance)):
            raise InputError(f"makes another instance than {path}", "--recipe", recipe)
        return {"generate": recipe}
    for up in Path(path).resolve().parents:
        name = str(Path(path).resolve().relative_to(up))
        try:
            if data_file(name).resolve() == Path(path).resolve():
                return {"file": name}
        except InputError:
            continue
    return {"document": problem_of(instance).document_of(instance)}


def _claims(claimed: SolutionFile, path: str | None) -> dict[str, Any]:
    """Return the fields of a solution that an entry keeps; its proof was derived."""
    proof = claimed.proof
    if path is not None:
        with reading_proof(path) as (kind, _):
            proof = Proof(Grade.CHECKED, kind)
    elif proof is not None and proof.grade is not Grade.CHECKED:
        proof = NOTHING  # all that is derived without a proof of grade checked
    fields = {
        "method": claimed.method,
        "status": claimed.status.value,
        "objective": claimed.objective,
        "bound": claimed.bound,
        "proof": proof and {"grade": proof.grade.value, "by": proof.by},
        "certificate": claimed.certificate,
        "selection": claimed.selection,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _merge(
    known: FrontierEntry, new: FrontierEntry, solution: str, at: str
) -> tuple[FrontierEntry, list[str]]:
    """Return the better value with the better bound; raise `Untrue` if neither is new.

    Also if what is new and what is known cannot both be true: a cost below a bound.
    """
    old, claimed = known.claims, new.claims
    by = f"{solution} and {at}, {known.name}, cannot both be true"
    for one, other in ((claimed, old), (old, claimed)):
        none = one.status is Status.INFEASIBLE
        if (none and other.selection is not None) or (
            not none and other.bound is not None and _less(one.objective, other.bound)
        ):
            what = "no solution" if none else f"a cost of {cost_text(one.objective)}"
            raise Untrue(f"{by}: {what} against {_text(other)}")
    better = []
    if claimed.selection is not None and _less(claimed.objective, old.objective):
        better.append(f"cost {cost_text(claimed.objective)}")
    if claimed.bound is not None and (
        old.bound is None or _less(old.bound, claimed.bound)
    ):
        better.append(f"bound {cost_text(claimed.bound)}")
    if not better:
        raise Untrue(f"{solution}: is no better than {at}, {known.name}: {_text(old)}")
    value = new if better[0].startswith("cost") else known
    bound = new if better[-1].startswith("bound") else known
    solved = {**bound.solution, "method": value.solution["method"]}
    solved |= {name: value.solution[name] for name in ("objective", "selection")}
    reached = solved.get("bound") == solved["objective"]
    solved["status"] = (Status.OPTIMAL if reached else Status.FEASIBLE).value
    merged = replace(
        known,
        solution=solved,
        proof=bound.proof,
        found=value.found,
        proved=bound.proved,
    )
    return merged, better


def _less(one: Value | None, other: Value | None) -> bool:
    """Whether a value is less than another; anything is less than none."""
    if one is None or other is None:
        return one is not None
    return as_tuple(one) < as_tuple(other)


def _text(claimed: SolutionFile) -> str:
    """Describe what is claimed."""
    if claimed.status is Status.INFEASIBLE:
        return "no solution"
    bound = "" if claimed.bound is None else f", bound {cost_text(claimed.bound)}"
    return f"cost {cost_text(claimed.objective)}{bound}"
