"""Exact models run by general solvers: a formulation and a backend a method.

Names are ``formulation/backend``. Neither ortools nor PuLP is imported before a
method is run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..formulations.ksubset import catalogue
from ..formulations.ksubset.bounds.bounds import best_bound
from ..formulations.ksubset.strengthening import Strengthening
from ..instances import Graph, KSubset, cost
from ..instances.topologies.graph import NO_CUTS
from ..solvers import DEFAULT, Limit, Result, Settings, answer, clock
from .models import CP_SAT as CP_SAT
from .models import solver

if TYPE_CHECKING:
    from ..solvers.method import Run

MIP_BACKENDS = ("highs", "scip", "cbc")
NAMES = (
    *(f"{name}/{CP_SAT}" for name in catalogue.CP),
    *(f"{name}/{backend}" for name in catalogue.MIP for backend in MIP_BACKENDS),
    *(f"{name}/{CP_SAT}" for name in catalogue.SERIES),
    *(f"{name}/scip" for name in catalogue.QUADRATIC),
)
"""Methods of this module, see `method`."""

_MOST_PAIRS = 1_000_000
_MOST_CELLS = 50_000_000


_ENTRIES = {
    **catalogue.MIP,
    **catalogue.CP,
    **catalogue.SERIES,
    **catalogue.QUADRATIC,
}


def refusal(name: str, instance: KSubset) -> str | None:
    """Say why a model is not for this instance, or would not fit into any memory.

    Parameters
    ----------
    name
        Of a formulation, or of a method ``formulation/backend``.
    instance
        What is to be solved.
    """
    n = instance.n
    if name.partition("/")[0] in ("pairs", "rlt"):
        pairs = n * (n - 1) // 2
        if pairs > _MOST_PAIRS:
            return f"needs a variable for each of {pairs} pairs (at most {_MOST_PAIRS})"
        return None
    if isinstance(instance.topology, Graph) and instance.topology.embedding is None:
        return NO_CUTS
    cells = n * len(instance.cuts)
    if cells > _MOST_CELLS:
        return f"needs {cells} entries, processors by cuts (at most {_MOST_CELLS})"
    entry = _ENTRIES.get(name.partition("/")[0])
    return entry.refuses(instance) if entry else None


@cache
def method(name: str) -> Run:
    """Return the function that runs ``formulation/backend``.

    Raises
    ------
    KeyError
        When there is no such formulation or no such backend.
    """
    formulation, _, backend = name.partition("/")
    if name not in NAMES:
        raise KeyError(name)
    entry = _ENTRIES[formulation]
    if backend != CP_SAT and formulation in catalogue.MIP:
        entry = catalogue.MIP[formulation]

    def run(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        return _run(entry, backend, instance, settings)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = (
        f"Solve the model {formulation} with {backend}.\n\n"
        "Starts from mm-inc and a bound by stars, towns or axes; where these two meet, "
        "no solver is called.\n\n"
        "Guarantee: exact, if the solver is right.\n"
        "Time: exponential at worst; measured in docs/models.md.\n"
        f"Source: {entry.source}\n"
    )
    return run


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return method(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _run(
    entry: catalogue.Entry, backend: str, instance: KSubset, settings: Settings
) -> Result:
    from ..heuristics.ksubset.mm_inc import mm_inc

    start = clock.now()
    hint: tuple[int, ...] = tuple(range(instance.k))
    bound, proof = None, None
    try:
        hint = mm_inc(instance, settings).chosen or hint
        bound, proof = best_bound(instance)
        if bound == cost(instance, hint):
            return answer(instance, hint, start=start, bound=bound, proof=proof)
        strengthening = Strengthening(hint=hint, bound=bound, proof=proof)
        if entry.name in catalogue.SERIES:
            from ..exact.ksubset.medians import by_medians

            return by_medians(instance, strengthening, settings=settings, start=start)
        model = entry.build(instance, strengthening)
    except KeyboardInterrupt:
        return answer(
            instance,
            hint,
            start=start,
            bound=bound,
            proof=proof,
            limit=Limit.INTERRUPT,
        )
    return solver(backend)(model, settings=settings, start=start)
