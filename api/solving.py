"""Run one method, or several side by side, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload
from warnings import warn

from ..instances import Instance, KSubset, ProcSet, Submesh, Sukp, Topology, problem_of
from ..instances.words import with_noun
from ..instances.writing.files import try_file
from ..methods import AnyMethod
from ..methods.by_name import method_named
from ..methods.confirming import run_and_confirm
from ..methods.proofs import kinds_to_write, prove_and_cite
from ..proofs.writing.kinds import AUTO
from ..reports.campaigns.campaign import (
    Campaign,
    Lineup,
    count_left_out,
    left_out,
    lineups,
    run_one,
)
from ..reports.campaigns.rows import FAILED, Row, row_of
from ..reports.ratios.scoring import ScoredRun, judge
from ..solvers import Limit, Settings, SolverError, Ties
from .solution import Solution, instance_of
from .tables import SHOWN, RunRow, Table, record

if TYPE_CHECKING:
    from .solution import Job

MethodLike = str | AnyMethod | Callable[..., Any]
"""A method: its name, ``module:name``, a `Method`, or a callable of one's own."""


class _Options(TypedDict, total=False):
    """Keyword arguments of `solve`."""

    k: int | None
    busy: Iterable[Any] | None
    free: Iterable[Any] | None
    required: Iterable[Any] | None
    time_limit: float
    node_limit: int | None
    memory_mb: int | None
    seed: int
    threads: int
    ties: Ties | str
    proof: str | Path | None
    proof_kind: str


@overload
def solve(
    job: ProcSet, method: MethodLike = "auto", **options: Unpack[_Options]
) -> Solution[list[str]]: ...
@overload
def solve(
    job: Submesh, method: MethodLike = "auto", **options: Unpack[_Options]
) -> Solution[dict[str, Any]]: ...
@overload
def solve(
    job: KSubset | Sukp | Topology,
    method: MethodLike = "auto",
    **options: Unpack[_Options],
) -> Solution[list[Any]]: ...
@overload
def solve(
    job: Job, method: MethodLike = "auto", **options: Unpack[_Options]
) -> Solution: ...
def solve(
    job: Job,
    method: MethodLike = "auto",
    *,
    k: int | None = None,
    busy: Iterable[Any] | None = None,
    free: Iterable[Any] | None = None,
    required: Iterable[Any] | None = None,
    time_limit: float = 60.0,
    node_limit: int | None = None,
    memory_mb: int | None = None,
    seed: int = 0,
    threads: int = 1,
    ties: Ties | str = Ties.LEX,
    proof: str | Path | None = None,
    proof_kind: str = AUTO,
) -> Solution:
    """Solve an instance, and prove how close to optimal the choice is.

    What a general solver claims is compared with other code while the limit leaves
    time, and then of grade ``confirmed``; the seconds are those of the method alone.

    Parameters
    ----------
    job
        An instance, or the path of its file; or a network, together with ``k``.
    k, busy, free, required
        For a network, see `ksubset`.
    method
        Its name, see ``closeknit methods``; or ``module:name`` or a callable of one's
        own, see docs/use/api.md. ``auto`` is the strongest exact route.
    time_limit, node_limit, memory_mb, seed, threads, ties
        See `Settings`.
    proof, proof_kind
        A file that receives a proof, which `check` follows, and its kind, see
        docs/science/proofs.md. Where there is none, a warning states why.

    Returns
    -------
    Solution

    Raises
    ------
    InputError
        In one line, when something given cannot be used.
    SolverError
        When the method breaks; `Contradiction` when other code refutes a solver.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)])
    >>> ck.solve(job, method="mm").cost
    72
    >>> ck.solve(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)]).cost
    72
    >>> ck.solve(job, method="mmm")
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: method: no such method for ksubset: 'mmm' (did you mean mm?)
    """  # noqa: E501
    settings = Settings(
        time_limit=time_limit,
        node_limit=node_limit,
        memory_mb=memory_mb,
        seed=seed,
        threads=threads,
        ties=ties,  # type: ignore[arg-type]  # converted there
    )
    instance = instance_of(job, k=k, busy=busy, free=free, required=required)
    found = method_named(method, problem_of(instance).name, "method")
    kinds = kinds_to_write(instance, found, proof, proof_kind)
    if proof is not None:
        try_file(proof)
    result = run_and_confirm(found, instance, settings)
    if proof is not None:
        proved = prove_and_cite(
            instance, result, proof, seconds=time_limit, kinds=kinds
        )
        if proved.kept is None:
            warn(f"{proof}: {proved.why}", stacklevel=2)
        result = proved.result
    return Solution(instance, found.name, result)


class Comparison(Table[RunRow]):
    """One row for each method on each instance; see `compare`.

    Parameters
    ----------
    scored
        The runs, and what is known of their instances.
    left_out
        Number of heuristics that would accept an instance and were not run.
    """

    def __init__(self, scored: Sequence[ScoredRun], left_out: int = 0) -> None:
        self.scored = scored
        self.left_out = left_out
        jobs = len({one.row.instance for one in scored})
        names = list(dict.fromkeys(one.row.method for one in scored))
        instances = with_noun(jobs, "instance")
        shown = SHOWN if jobs > 1 else SHOWN[1:]
        title = f"{', '.join(names)} on {instances}"
        super().__init__([record(one) for one in scored], shown, title)

    def __str__(self) -> str:
        rows = super().__str__()
        note = left_out(self.left_out, "quick=False")
        return f"{rows}\n{note}" if self.left_out else rows

    @property
    def contradictions(self) -> list[str]:
        """Pairs of answers of which one must be wrong; none if all proofs hold."""
        found = {one.verdict.contradiction: None for one in self.scored}
        return [text for text in found if text]


def compare(
    job: Job | Iterable[Job],
    methods: MethodLike | Iterable[MethodLike] | None = None,
    *,
    k: int | None = None,
    busy: Iterable[Any] | None = None,
    free: Iterable[Any] | None = None,
    required: Iterable[Any] | None = None,
    exact: MethodLike = "auto",
    time_limit: float = 60.0,
    node_limit: int | None = None,
    memory_mb: int | None = None,
    seed: int = 0,
    threads: int = 1,
    quick: bool = True,
) -> Comparison:
    """Run methods side by side; give the exact ratio of each to the proven optimum.

    Parameters
    ----------
    job
        An instance, the path of its file, or several of these; or a network.
    k, busy, free, required
        For a network, see `ksubset`.
    methods
        Names, or methods of one's own. If left out, those heuristics of the problem
        that accept the instance and are quick, see ``closeknit methods``.
    exact
        The method that gives the optimum; it is run on every instance, too.
    time_limit, node_limit, memory_mb, seed, threads
        See `Settings`; the limits hold for one run.
    quick
        False runs, if no methods are given, every heuristic that accepts the instance.

    Returns
    -------
    Comparison
        One row for each run: ``print`` shows it, ``to_frame`` returns it to pandas. A
        run that fails, or whose selection is not valid, is a row with status
        ``failed``.

    Raises
    ------
    InputError
        In one line, when something given cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)])
    >>> [(row["method"], row["cost"], str(row["ratio"])) for row in
    ...  ck.compare(job, methods=["mm", "mc1x1"])]
    [('mm', 72, '1'), ('mc1x1', 72, '1'), ('auto', 72, '1')]
    """
    settings = Settings(
        time_limit=time_limit,
        node_limit=node_limit,
        memory_mb=memory_mb,
        seed=seed,
        threads=threads,
    )
    instances = instances_of(job, k=k, busy=busy, free=free, required=required)
    lenient = methods is None
    quick = quick and lenient
    found = {}
    if instances:
        found = lineups(as_list(methods), exact, instances, quick=quick)
    compared = run_each(instances, found, settings, lenient=lenient)
    others = count_left_out(found, instances) if quick else 0
    return Comparison([one for scored in compared for one in scored], others)


def run_each(
    instances: Sequence[Instance],
    lineups: Mapping[str, Lineup],
    settings: Settings,
    *,
    lenient: bool,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> Iterator[list[ScoredRun]]:
    """Run the methods on one instance after the other; yield the runs on each.

    ``progress`` is called before each run with the number of runs made, of all (as many
    on each instance as on the present one), and the name of the run.

    See `Campaign`. A run that fails is a row that states why. Nothing is run after one
    that Ctrl-C ended. Ctrl-C between runs raises KeyboardInterrupt after what was run
    has been yielded.
    """
    by_name = {problem: one.by_name for problem, one in lineups.items()}
    done = 0
    for place, instance in enumerate(instances):
        campaign = Campaign(
            instances=[instance], lineups=lineups, settings=settings, lenient=lenient
        )
        first, *others = campaign.tasks()  # the exact one, which is shown last
        rows: list[Row] = []
        try:
            for task in (*others, first):
                total = done + (len(instances) - place) * (1 + len(others))
                what = f"{task.method.name} on {instance.name}"
                progress(done + len(rows), total, what)
                rows.append(_row(instance, task.method, settings))
                if rows[-1].limit == Limit.INTERRUPT.value:
                    break
        except KeyboardInterrupt:
            yield judge([instance], rows, by_name)
            raise
        done += len(rows)
        yield judge([instance], rows, by_name)
        if rows[-1].limit == Limit.INTERRUPT.value:
            return


def _row(instance: Instance, method: AnyMethod, settings: Settings) -> Row:
    try:
        return run_one(instance, method, settings)
    except SolverError as error:
        return row_of(instance, method.name, settings, str(error), FAILED)


def as_list(
    methods: MethodLike | Iterable[MethodLike] | None,
) -> str | list[Any] | None:
    """Return methods as a list, also where a single one is given."""
    if methods is None or isinstance(methods, str):
        return methods
    return [methods] if callable(methods) else list(methods)


def instances_of(jobs: Any, **network: Any) -> list[Instance]:
    """Return the instances that were given, one or several; see `instance_of`."""
    if isinstance(jobs, list | tuple | set):
        return [instance_of(one, **network) for one in jobs]
    return [instance_of(jobs, **network)]
