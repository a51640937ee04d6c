"""Folders of answers and proofs that anyone can check: ``index.json`` and its files.

Every entry names the files of an instance, of its solution and of a proof, each with
the SHA-256 of its content. `replay` derives all of it again; it needs no search, no
model and no solver. Folders may come from strangers: names lead nowhere else, links are
not followed, and sizes and times are limited.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ...instances.errors import InputError, in_file
from ...instances.escape_hidden import escape_hidden
from ...instances.problems import Instance, problem_of, read_instance
from ...instances.reading import fields
from ...instances.reading.files import read_some, read_text, reading
from ...instances.reading.parsing import parse_json
from ...instances.solution import read_solution, solution_errors
from ...instances.value import Value, as_tuple, cost_text
from .alarm import end_in_time
from .kinds import FILE_KINDS
from .proof_file import MOST_BYTES, PLAIN, Ways, check_proof_file
from .statements import CheckLimits, Refused

INDEX = "index.json"
FORMAT = "closeknit/proofs"
BY_DEFINITION = "by definition"
KINDS = (BY_DEFINITION, *FILE_KINDS)
"""How an answer may be proved: it costs nothing, or cannot be by counting or by what
the solution shows; or by a proof in a file."""
OPTIMAL, INFEASIBLE, FEASIBLE = "optimal", "infeasible", "feasible"
MOST_ENTRIES = 100_000
_LONGEST_NAME = 200
_PIECE = 2**20
FILES = ("instance", "solution", "proof")
TIMES = ("solving", "writing", "checking")
WORDS = ("name", "problem", "status", "kind", "by")
_CONTENT = fields.record({"file": fields.string, "sha256": fields.string})
_ENTRY = fields.record(
    {
        **dict.fromkeys(WORDS, fields.string),
        "status": fields.one_of(OPTIMAL, INFEASIBLE, FEASIBLE),
        "kind": fields.one_of(*KINDS),
        "instance": _CONTENT,
        "solution": _CONTENT,
    },
    {
        "proof": _CONTENT,
        "cost": fields.cost,
        "bound": fields.cost,
        "method": fields.string,
        "bytes": fields.integer,
        **dict.fromkeys(TIMES, fields.seconds),
    },
)
_INDEX = fields.file(FORMAT, {"entries": fields.lists}, {"about": fields.string})


@dataclass(frozen=True, slots=True)
class Content:
    """A file of the folder, and the SHA-256 of what it must hold."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An answer: what it claims, and where its files are.

    ``kind`` is one of `KINDS`, ``by`` who proved it; ``cost`` is None if there is no
    solution, ``bound`` what is proved where that is less than the cost. ``size`` is
    that of the proof in bytes; times are in seconds: of ``method``, of writing the
    proof, and of checking it.
    """

    name: str
    problem: str
    status: str
    kind: str
    by: str
    instance: Content
    solution: Content
    proof: Content | None = None
    cost: Value | None = None
    bound: Value | None = None
    method: str = ""
    size: int = 0
    solving: float = 0.0
    writing: float = 0.0
    checking: float = 0.0

    @property
    def claim(self) -> Value | None:
        """What the proof shows: that nothing is cheaper than this."""
        return self.cost if self.bound is None else self.bound


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an entry: ``holds``, ``wrong`` or ``unusable``, and why."""

    entry: Entry
    word: str
    why: str
    seconds: float


def read_index(folder: str | Path) -> list[Entry]:
    """Read the index of a folder.

    Raises InputError if it is malformed: one line with the file, the field, the value.
    """
    path = Path(folder) / INDEX
    if path.is_symlink():
        raise InputError("is a link", file=path)
    with in_file(path):
        listed = _INDEX(parse_json(read_text(path), file=path))["entries"]
        if len(listed) > MOST_ENTRIES:
            raise InputError(f"are more than {MOST_ENTRIES}", "entries")
        entries = [_entry(one, f"entries[{i}]") for i, one in enumerate(listed)]
        seen: set[str] = set()
        for i, entry in enumerate(entries):
            if entry.name in seen:
                raise InputError("given twice", f"entries[{i}].name", entry.name)
            seen.add(entry.name)
    return entries


def replay(
    folder: str | Path,
    entries: Iterable[Entry],
    limits: CheckLimits | None = None,
    ways: Ways = PLAIN,
) -> Iterator[Verdict]:
    """Check entries one after the other, each within the limits; yield verdicts."""
    for entry in entries:
        start = monotonic()
        word, why = "holds", ""
        each = (limits or CheckLimits()).from_now()
        try:
            end_in_time(each, partial(_replay, Path(folder), entry, each, ways))
        except Refused as refused:
            word, why = "wrong", str(refused)
        except InputError as error:
            word, why = "unusable", str(error)
        yield Verdict(entry, word, why, monotonic() - start)


def print_verdicts(verdicts: Iterable[Verdict]) -> int:
    """Print a line for each verdict, then how many hold; return the exit status.

    0 if all hold, 1 if one is wrong, 2 if one cannot be used and none is wrong, or if
    there are none.
    """
    words = []
    for one in verdicts:
        words.append(one.word)
        entry = one.entry
        what = entry.status if entry.cost is None else f"cost {cost_text(entry.cost)}"
        if entry.bound is not None:
            what += f", bound {cost_text(entry.bound)}"
        rest = one.why or f"{entry.kind}, {entry.size} bytes, {one.seconds:.1f} s"
        print(
            f"{escape_hidden(entry.name)}: {one.word}: {what}: {escape_hidden(rest)}",
            flush=True,
        )
    print(f"{words.count('holds')} of {len(words)} hold")
    if not words:
        raise InputError("lists no answer: nothing was checked", file=INDEX)
    return 1 if "wrong" in words else 2 if "unusable" in words else 0


def shown_by_definition(
    instance: Instance, cost: Value | None, certificate: Mapping[str, Any] | None
) -> bool:
    """Whether an answer needs no search: it costs nothing, or nothing can be chosen.

    ``cost`` is that of the answer, None if it states that there is no solution;
    ``certificate`` is what a solution file shows for that.
    """
    if cost is not None:
        return not any(as_tuple(cost))
    problem = problem_of(instance)
    if problem.unsolvable(instance) is not None:
        return True
    if problem.check_infeasible is None or certificate is None:
        return False
    return not problem.check_infeasible(instance, certificate)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of the content of a file, which no proof is larger than."""
    found, left = hashlib.sha256(), MOST_BYTES
    with reading(path) as stream:
        while piece := read_some(stream, _PIECE):
            found.update(piece)
            if (left := left - len(piece)) < 0:
                raise InputError(f"is larger than {MOST_BYTES // 2**20} MiB", file=path)
    return found.hexdigest()


def _replay(folder: Path, entry: Entry, limits: CheckLimits, ways: Ways) -> None:
    """Check an entry; `Refused` if it is wrong, InputError if it cannot be used."""
    paths = files_of(folder, entry)
    instance = read_instance(paths["instance"])
    if problem_of(instance).name != entry.problem or instance.name != entry.name:
        raise Refused(f"{paths['instance']}: is not {entry.name} ({entry.problem})")
    path = paths["solution"]
    solution = read_solution(path)
    stated = solution.status.value, solution.objective, solution.bound
    if stated != (entry.status, entry.cost, entry.claim):
        raise Refused(f"{path}: says something else than the index")
    if wrong := solution_errors(instance, solution):
        raise Refused(f"{path}: {wrong[0]}")
    if entry.kind == BY_DEFINITION:
        shown = shown_by_definition(instance, entry.cost, solution.certificate)
        if entry.bound is not None or not shown:
            raise Refused(f"{path}: is not shown by the definition")
        return
    path = paths["proof"]
    if entry.problem not in FILE_KINDS[entry.kind].problems:
        raise Refused(f"{path}: there is no {entry.kind} for {entry.problem}")
    bound = check_proof_file(instance, path, limits, ways, (entry.kind,)).bound
    if bound != entry.claim:
        proves = "no solution" if bound is None else f"a bound of {cost_text(bound)}"
        claim = "no solution" if entry.claim is None else cost_text(entry.claim)
        raise Refused(f"{path}: proves {proves}, not {claim}")


def files_of(folder: Path, entry: Entry) -> dict[str, Path]:
    """Return the files of an entry, whose content has the digests of the index."""
    paths = {}
    for name in FILES:
        content: Content | None = getattr(entry, name)
        if content is not None:
            paths[name] = path = _inside(folder, content.file)
            if digest_of(path) != content.sha256:
                raise Refused(f"{path}: its digest is not that of the index")
    if entry.proof is not None and paths["proof"].stat().st_size != entry.size:
        raise Refused(f"{paths['proof']}: has another size than in the index")
    return paths


def _inside(folder: Path, name: str) -> Path:
    """Return the path of a regular file of the folder, with no link on the way."""
    parts = name.split("/")
    if not set(parts).isdisjoint(("", ".", "..")) or "\\" in name or ":" in name:
        raise InputError("leads out of the folder", value=name)
    path = folder
    try:
        for part in parts:
            path = path / part
            if stat.S_ISLNK(path.lstat().st_mode):
                raise InputError("is a link", file=path)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InputError("is no file", file=path)
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        raise InputError(why, file=path) from None
    return path


def _entry(value: Any, where: str) -> Entry:
    given = _ENTRY(value, where)
    if len(given["name"]) > _LONGEST_NAME:
        raise InputError("is too long", f"{where}.name", given["name"])
    price = given.get("cost")
    if (price is None) != (given["status"] == INFEASIBLE):
        raise InputError("disagrees with the status", f"{where}.cost", price)
    if ("bound" in given) != (given["status"] == FEASIBLE):
        raise InputError("disagrees with the status", f"{where}.bound")
    if ("proof" in given) != (given["kind"] != BY_DEFINITION):
        raise InputError("disagrees with the kind", f"{where}.proof")
    given |= {name: Content(**given[name]) for name in FILES if name in given}
    given |= {name: float(given[name]) for name in TIMES if name in given}
    size = given.pop("bytes", 0)
    return Entry(**given, size=size)
