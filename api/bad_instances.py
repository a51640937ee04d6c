"""Instances on which a method does badly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import index
from typing import TYPE_CHECKING

from ..instances import InputError, KSubset, Mesh, Topology
from ..instances.escape_hidden import brief
from ..instances.words import with_noun
from ..methods.by_name import method_named
from ..reports.adversary.hunt import AdversarySearch, BadInstance, SearchSpace
from ..reports.adversary.search import most_free, prove_found, run_search
from ..solvers import Settings, Ties
from .constructors import network_of
from .solving import MethodLike

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, slots=True, repr=False)
class Worst:
    """A bad instance for a method; see `worst`.

    Parameters
    ----------
    method
        Name of the method.
    found
        What the search found.
    guarantee
        Proven factor of the method on this instance; None if there is none.
    """

    method: str
    found: BadInstance
    guarantee: Fraction | None

    @property
    def instance(self) -> KSubset:
        """The instance."""
        return self.found.instance

    @property
    def cost(self) -> int:
        """What the method's choice costs."""
        return self.found.cost

    @property
    def optimum(self) -> int:
        """The least cost, which is proved."""
        return self.found.optimum

    @property
    def ratio(self) -> Fraction:
        """Cost over optimum, exact."""
        return self.found.ratio

    @property
    def proved(self) -> bool:
        """Whether all instances of this size were tried, so that none is worse."""
        return self.found.proved

    def __repr__(self) -> str:
        text = (
            f"{self.method} pays {self.cost} against {self.optimum}, ratio "
            f"{float(self.ratio):.4f}, "
            f"after {with_noun(self.found.evaluations, 'evaluation')}"
        )
        return brief("Worst", text + ", proved the worst" * self.proved)


def worst(
    method: MethodLike,
    network: Topology | networkx.Graph | None = None,
    *,
    shape: tuple[int, ...] | None = None,
    k: int = 8,
    n: int | None = None,
    time_limit: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    ties: Ties | str = Ties.LEX,
    exhaustive: bool = False,
    points: bool = False,
    progress: Callable[[Worst], None] | None = None,
) -> Worst | None:
    """Search for an instance on which a method does badly against the optimum.

    Networks of up to 16 processors, or 22 with ``exhaustive``, are searched
    exhaustively; others by simulated annealing over sets of free processors. Every
    optimum is proved.

    Parameters
    ----------
    method
        A heuristic for k-subsets, or one of your own.
    network, shape
        `Mesh`, `Torus`, `Tree` or a graph; or the sides of a mesh; 8×8 if both are
        left out.
    k
        Processors to choose.
    n
        Free processors, at most.
    time_limit
        Seconds; 60 if neither this nor ``evaluations`` is given.
    evaluations
        Runs of the method, at most; makes the search repeatable.
    seed
        Of the search.
    ties
        See `Settings`.
    exhaustive
        Search all sets of free processors.
    points
        Let processors be points of the mesh that may coincide, without a network.
    progress
        Called with every instance that is worse than all before.

    Returns
    -------
    Worst or None
        The worst instance; None if none with a positive optimum was met.

    Raises
    ------
    InputError
        In one line, when something given cannot be used.

    Examples
    --------
    >>> import closeknit as ck
    >>> found = ck.worst("mm", shape=(4, 3), k=3)
    >>> found.ratio, found.proved
    (Fraction(1, 1), True)
    """
    chosen = method_named(method, "ksubset", "method")
    if network is not None and shape is not None:
        raise InputError("give network or shape, not both", "shape")
    topology = Mesh(shape or (8, 8)) if network is None else network_of(network)
    settings = Settings(
        time_limit=60.0 if time_limit is None else time_limit,
        seed=seed,
        ties=ties,  # type: ignore[arg-type]  # converted there
    )
    if evaluations is not None and evaluations < 1:
        raise InputError("must be at least 1", "evaluations", evaluations)
    if n is None:
        wanted = 2 * k + 4
        n = wanted if points else most_free(topology, k, exhaustive=exhaustive)
    hunt = AdversarySearch(
        method=chosen,
        ground=SearchSpace(topology=topology, k=index(k), most=index(n), points=points),
        settings=Settings(seed=settings.seed, ties=settings.ties),
        seconds=settings.time_limit if time_limit or not evaluations else inf,
        evaluations=evaluations or inf,
    )

    def worst_of(found: BadInstance) -> Worst:
        promise = chosen.guarantee
        return Worst(chosen.name, found, promise(found.instance) if promise else None)

    found = run_search(
        hunt,
        exhaustive=exhaustive,
        report=None if progress is None else lambda one: progress(worst_of(one)),
    )
    return None if found is None else worst_of(prove_found(hunt, found))
