"""Whether a solution or a selection is right, for users of Python."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any
from warnings import warn

from ..instances import InputError, Instance
from ..instances import check as check_chosen
from ..instances.reading.json_types import to_json_types as plainly
from ..instances.result import ACCEPTABLE
from ..instances.solution import parse_solution
from ..solvers import read_solution
from .examining import examine
from .solution import Solution, indices_of, instance_of


def check(
    job: Instance | Solution | str | Path,
    solution: Solution | Collection[Any] | str | Path | None = None,
    *,
    proof: str | Path | None = None,
    accept: str | Iterable[str] = (),
    certificate: str | Path | None = None,
) -> list[str]:
    """List what is wrong with a solution or a selection; nothing if it is right.

    The selection is checked and priced by the definition. A bound of grade ``checked``
    is derived again, by other code than found it. The word of a search or of a solver
    is an objection, unless a proof is given or its grade accepted.

    Parameters
    ----------
    job
        An instance, or the path of its file; or a `Solution`, alone.
    solution
        A `Solution`, the path of a solution file, or a selection as indices or
        locations, of which nothing is claimed but that it is valid.
    proof
        Path of a proof of the bound, of any kind, see docs/science/proofs.md.
    accept
        A grade, or several, whose word is taken: ``enumerated``, ``confirmed``,
        ``solver``; exactly those named.
    certificate
        Old name of ``proof``.

    Returns
    -------
    list of str
        One line for each fault.

    Raises
    ------
    InputError
        When a file cannot be read, or a proof that is in a file is missing.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(2, 2), k=2)
    >>> ck.check(job, ck.solve(job)), ck.check(job, [(0, 0), (0, 1)])
    ([], [])
    >>> ck.check(job, [0, 4])
    ['no free processor 4']
    >>> job = ck.ksubset(ck.Mesh(3, 3), k=3, busy=[(1, 1)])
    >>> ck.check(job, ck.solve(job, method="cuts-bb"), accept="enumerated")
    []
    >>> for line in ck.check(job, ck.solve(job, method="cuts-bb")):
    ...     print(line)
    cost 4 holds; bound 4 not re-derived (enumerated: cuts-bb): give proof or accept
    """
    if certificate is not None:
        warn("certificate= is now proof=", DeprecationWarning, stacklevel=2)
        if proof is not None:
            raise InputError("is the old name of proof: give one", "certificate")
        proof = certificate
    accepted = [accept] if isinstance(accept, str) else list(accept)
    for one in accepted:
        if one not in ACCEPTABLE:
            what = f"must be one of {', '.join(ACCEPTABLE)}"
            raise InputError(what, "accept", one)
    instance = instance_of(job)
    if solution is None:
        if not isinstance(job, Solution):
            raise InputError("is missing", "solution")
        solution = job
    if isinstance(solution, Solution):
        claimed = parse_solution(plainly(solution.document()))
    elif isinstance(solution, str | Path):
        claimed = read_solution(solution)
    else:
        if proof is not None:
            raise InputError("is for a solution, not for a selection", "proof")
        try:
            chosen = indices_of(instance, solution)
        except InputError as error:
            return [str(error)]
        return check_chosen(instance, chosen)
    found = examine(instance, claimed, proof)
    return found.wrong or found.objection(accepted, "proof or accept")
