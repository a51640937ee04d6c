"""Writing proofs of answers in processes of a pool, and keeping them in a folder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from ...exact.submesh.proving import prove_by_learning
from ...instances import InputError, Instance, Submesh, Sukp, problem_of
from ...instances.reading.json_text import dumps
from ...instances.submesh import Resident
from ...instances.support import support_of
from ...instances.writing.documents import solution_of
from ...instances.writing.files import file_in, write_bytes
from ...methods.proofs import Kept, prove_and_cite
from ...methods.warming import Kind, tiny_instances
from ...proofs.checking.folder import KINDS, Content, Entry
from ...proofs.writing.kinds import WRITTEN
from ...proofs.writing.proof_log import ProofLog, keep_proof
from ...solvers import DEFAULT, Result, Settings, SolverError, Status
from ...solvers.running.method import AnyMethod
from ..campaigns.pool import mark_started


@dataclass(frozen=True, slots=True)
class Proven:
    """An answer, its proof, and the content of the file that holds it.

    ``kept`` and ``content`` are None if there is no proof, and ``why`` states why not.
    """

    method: str
    result: Result
    kept: Kept | None
    content: bytes | None
    why: str = ""


def prove(
    instance: Instance,
    method: str,
    result: Result,
    seconds: float,
    kinds: Collection[str] = KINDS,
) -> Proven:
    """Prove an answer that a method gave; may be called in another process."""
    compile_checker()
    mark_started()
    return certify(instance, method, result, seconds, kinds)


def certify(
    instance: Instance,
    method: str,
    result: Result,
    seconds: float,
    kinds: Collection[str],
    *,
    bounds: bool = False,
) -> Proven:
    """Prove an answer; its bound will do, if that is below the cost and ``bounds``."""
    with TemporaryDirectory(prefix="closeknit-") as name:
        path = Path(name) / "proof"
        found = prove_and_cite(instance, result, path, seconds=seconds, kinds=kinds)
        content = path.read_bytes() if found.kept and path.exists() else None
    decided = found.result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    if found.kept and not decided and not bounds:
        why = f"no proof: {found.kept.kind} of a bound that the answer does not reach"
        return Proven(method, found.result, None, None, why)
    return Proven(method, found.result, found.kept, content, found.why)


@cache
def compile_checker() -> None:
    """Compile the checker's propagation, so that no time of a check includes it."""
    sack = Sukp("sack", (1,), (1,), ((0,),), 1)
    _write_and_check(sack, lambda log: log.optimal(log.solution([2]), 0))


def compile_proofs(method: AnyMethod, kinds: Collection[Kind]) -> None:
    """Compile what it takes to write and check proofs of a method's answers."""
    compile_checker()
    with TemporaryDirectory(prefix="closeknit-") as name:
        for instance in (one for kind in kinds for one in tiny_instances(kind)):
            with suppress(InputError, SolverError):
                result = method(instance, Settings(time_limit=1.0))
                prove_and_cite(
                    instance, result, Path(name) / "proof", seconds=1.0, exact=False
                )


def compile_learning() -> None:
    """Compile the search that proves what no shorter certificate shows."""
    two = Resident((0, 0, 2, 1)), Resident((0, 2, 2, 3))
    full = Submesh("full", (5, 5), two, (3, 2))
    _write_and_check(full, lambda log: prove_by_learning(full, None, log))


def _write_and_check(instance: Instance, write: Callable[[ProofLog], object]) -> None:
    with TemporaryDirectory(prefix="closeknit-") as name:
        keep_proof(instance, Path(name) / "proof", write, seconds=DEFAULT.time_limit)


def proof_kernels(
    wanted: Collection[tuple[AnyMethod, Kind]],
) -> dict[str, Callable[[], None]]:
    """Return what compiles the kernels of proofs, of each exact method.

    These use the kernels of searches, and are therefore the last to be compiled.
    """
    first: dict[str, Callable[[], None]] = {
        "all propagation": compile_checker,
        "all learning": compile_learning,
    }
    return first | {
        f"{method.problem} proofs of {method.name}": partial(
            compile_proofs,
            method,
            sorted({kind for one, kind in wanted if one is method}),
        )
        for method, _ in wanted
        if method.exact
    }


def text_of(instance: Instance) -> bytes:
    """Return the content of the file of an instance."""
    return (dumps(support_of(instance).document_of(instance)) + "\n").encode()


def write_entry(
    where: Path, instance: Instance, proven: Proven, *, by_digest: bool = False
) -> Entry:
    """Write the files of a proven answer to a folder; return its entry.

    Files are named by the instance, in a folder for each kind of file; or, if
    ``by_digest``, by the SHA-256 of their content.
    """
    assert proven.kept is not None
    kept, result, problem = proven.kept, proven.result, problem_of(instance)

    def content_of(kind: str, ending: str, content: bytes) -> Content:
        digest = sha256(content).hexdigest()
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in instance.name)
        name = f"{digest}{ending}" if by_digest else f"{kind}/{safe}{ending}"
        write_bytes(file_in(where, name), content)
        return Content(name, digest)

    solution = dumps(solution_of(instance, proven.method, result)) + "\n"
    return Entry(
        name=instance.name,
        problem=problem.name,
        status=result.status.value,
        kind=kept.kind,
        by=kept.by,
        instance=content_of("instances", ".json", text_of(instance)),
        solution=content_of("solutions", ".json", solution.encode()),
        proof=None
        if proven.content is None
        else content_of("proofs", WRITTEN[kept.kind].ending, proven.content),
        cost=result.objective,
        bound=result.bound if result.status is Status.FEASIBLE else None,
        method=proven.method,
        size=kept.size,
        solving=result.seconds,
        writing=kept.writing,
        checking=kept.checking,
    )
