"""Exact models solved by general solvers: one method per (formulation, backend) pair.

Names are ``formulation/backend``. Neither ortools nor PuLP is imported before such a
method is called.
"""

from __future__ import annotations

from functools import partial

from ...formulations.ksubset import catalogue
from ...formulations.ksubset.bounds.bounds import best_bound
from ...formulations.ksubset.strengthening import Strengthening
from ...heuristics.ksubset.mm_inc import mm_inc
from ...instances import KSubset, arrays, cost
from ...instances.support import support_of
from ...instances.topologies.topology import NO_CUTS
from ...solvers import Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.method import Method, Variant
from ..models import CP_SAT as CP_SAT
from ..models import MIP_BACKENDS, solver

NAMES = (
    *(f"{name}/{CP_SAT}" for name in catalogue.CP),
    *(f"{name}/{backend}" for name in catalogue.MIP for backend in MIP_BACKENDS),
)
"""Names of the methods of this module."""

_MOST_PAIRS = 1_000_000
_MOST_CELLS = 50_000_000


def refusal(name: str, instance: KSubset) -> str | None:
    """Return why a model does not support an instance, or would not fit into memory.

    The name is that of a formulation, or of a method ``formulation/backend``.
    """
    n = instance.n
    if name.partition("/")[0] in ("pairs", "rlt"):
        pairs = n * (n - 1) // 2
        if pairs > _MOST_PAIRS:
            return f"needs a variable for each of {pairs} pairs (at most {_MOST_PAIRS})"
        return None
    if not arrays.has_cuts(instance):
        return NO_CUTS
    cells = n * len(arrays.cuts(instance))
    if cells > _MOST_CELLS:
        return f"needs {cells} entries, processors by cuts (at most {_MOST_CELLS})"
    return None


def methods() -> list[Method[KSubset]]:
    """Return one method per (formulation, backend) pair."""
    return [
        Method(
            name,
            Variant(run, (name,), _doc(*_split(name))),
            exact=True,
            refuses=partial(refusal, name),
            takes_required=True,
            seeded=True,
            runs_solver=True,
        )
        for name in NAMES
    ]


def _split(name: str) -> tuple[catalogue.CatalogueEntry, str]:
    """Return the formulation and the backend of a method."""
    formulation, _, backend = name.partition("/")
    entries = catalogue.CP if backend == CP_SAT else catalogue.MIP
    return entries[formulation], backend


def _doc(entry: catalogue.CatalogueEntry, backend: str) -> str:
    return (
        f"Solve the model {entry.name} with {backend}.\n\n"
        "Starts from mm-inc and a bound by stars, towns or axes; where these two meet, "
        "no solver is called.\n\n"
        "Guarantee: exact, if the solver is right.\n"
        "Time: exponential at worst; measured in docs/science/models.md.\n"
        f"Source: {entry.source}\n"
    )


def run(name: str, instance: KSubset, settings: Settings) -> Result:
    """Solve an instance with ``formulation/backend``."""
    entry, backend = _split(name)
    start = clock.now()
    hint = tuple(support_of(instance).any_choice(instance) or ())
    bound, proof = None, None
    try:
        hint = mm_inc(instance, settings).chosen or hint
        bound, proof = best_bound(instance)
        if bound == cost(instance, hint):
            return answer(instance, hint, start=start, bound=bound, proof=proof)
        strengthening = Strengthening(hint=hint, bound=bound, proof=proof)
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
