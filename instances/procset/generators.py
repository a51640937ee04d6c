"""Generators of processor-set instances, which store their seed.

Equal arguments give equal instances. Sets are drawn with
``numpy.random.default_rng(seed)``, available processors with a generator spawned from
it, independently of the sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..errors import InputError
from ..ksubset.generators import generator, shape_text, share_text
from ..reading.numbers import at_least, positive
from ..topologies import Mesh
from .instance import ProcessorSet, ProcSet
from .sample_machine import drakenberg_system as drakenberg_system
from .sample_machine import system as system
from .set_system import ALL, SetSystem, refuse_unknown

MOST_MEMBERS = 2**24
"""Maximal sum of the sizes of all sets of a system."""


def torus_planes(
    shape: Sequence[int],
    request: int,
    *,
    free: int | Fraction = ALL,
    seed: int = 0,
    costs: str = "equal",
    private: int = 0,
) -> ProcSet:
    """Return a request on a mesh or torus whose sets are its planes.

    For every axis, the processors with the same coordinate are a set. Choices that
    touch few planes are compact blocks of any shape, possibly with gaps. For costs
    ``equal`` every plane costs 1; for ``levels``, 1 at a level of its axis, the first
    axis first; for ``drawn``, a uniform random integer from 1 to 9. If ``private`` is
    positive, every processor also has its own set with a random cost from 1 to this
    number at an additional last level. For the other arguments see `SetSystem.draw`;
    every processor is a host.

    Examples
    --------
    >>> instance = torus_planes((5, 5, 5), 12, free=Fraction(3, 5), seed=1)
    >>> instance.name, len(instance.sets), instance.sets[0].name
    ('planes-5x5x5-equal-60pct-r12-s1', 15, 'axis1=0')
    """
    sides = Mesh(tuple(shape)).shape  # checks the shape
    places = np.indices(sides).reshape(len(sides), -1)
    families = [
        {
            f"axis{axis + 1}={c}": np.flatnonzero(places[axis] == c).tolist()
            for c in range(side)
        }
        for axis, side in enumerate(sides)
    ]
    names = [".".join(map(str, place)) for place in places.T.tolist()]
    made = _of_families(
        f"planes-{shape_text(sides)}",
        names,
        families,
        costs,
        private,
        generator(seed),
        seed if costs == "drawn" or private else None,
    )
    return made.draw(request, free, seed)


def random_domains(
    n: int,
    families: int,
    size: int,
    request: int,
    *,
    free: int | Fraction = ALL,
    seed: int = 0,
    costs: str = "equal",
    private: int = 0,
) -> ProcSet:
    """Return a request on processors that random partitions divide into domains.

    Every family cuts a random order of all processors into domains of one size, the
    last of which may be smaller. Every processor is in one domain of each family. Other
    arguments are those of `torus_planes`, with families instead of axes.

    Examples
    --------
    >>> random_domains(64, 3, 8, 20, seed=5, free=48).name
    'domains-64-3of8-equal-48free-r20-s5'
    """
    positive(n=n, families=families, size=size)
    _not_too_many(n, families + 1)
    random = generator(seed)
    orders = [random.permutation(n).tolist() for _ in range(families)]
    made = _of_families(
        f"domains-{n}-{families}of{size}",
        [f"p{i:0{len(str(n - 1))}}" for i in range(n)],
        [
            {
                f"family{f + 1}.{first // size + 1}": order[first : first + size]
                for first in range(0, n, size)
            }
            for f, order in enumerate(orders)
        ],
        costs,
        private,
        random,
        seed,
    )
    return made.draw(request, free, seed)


def random_sets(
    n: int,
    sets: int,
    size: int | Fraction,
    request: int,
    *,
    levels: int = 1,
    most: int = 9,
    free: int | Fraction = ALL,
    seed: int = 0,
    private: int = 0,
) -> ProcSet:
    """Return a request on processors in random sets.

    ``size`` is the number of members of a set, drawn uniformly; or, as a `Fraction`,
    the probability of each processor to be a member (at least one is). A set has a
    random cost from 1 to ``most`` at one random level. Other arguments are those of
    `torus_planes`.

    Examples
    --------
    >>> instance = random_sets(40, 25, Fraction(1, 5), 12, levels=2, seed=3)
    >>> instance.name, instance.levels
    ('random-40-25sets-20pct-l2-full-r12-s3', 2)
    """
    positive(n=n, sets=sets, levels=levels, most=most)
    _not_too_many(n, sets + 1)
    _not_too_many_costs(sets + n * bool(private), levels + bool(private), "levels")
    if isinstance(size, Fraction) and not 0 < size <= 1:
        raise InputError("must lie between 0 and 1", "size", str(size))
    if isinstance(size, int) and not 1 <= size <= n:
        raise InputError(f"must lie between 1 and all {n} processors", "size", size)
    random = generator(seed)
    found = []
    for i in range(sets):
        if isinstance(size, Fraction):
            members = np.flatnonzero(random.random(n) < float(size)).tolist()
            members = members or [int(random.integers(n))]
        else:
            members = random.permutation(n)[:size].tolist()
        cost = [0] * levels
        cost[random.integers(levels)] = int(random.integers(1, most + 1))
        found.append(ProcessorSet(f"s{i + 1}", tuple(members), tuple(cost)))
    amount = share_text(size) if isinstance(size, Fraction) else f"of{size}"
    made = SetSystem(
        name=f"random-{n}-{sets}sets-{amount}-l{levels}" + _private_label(private),
        processors=tuple(f"p{i:0{len(str(n - 1))}}" for i in range(n)),
        sets=_with_private(found, n, private, random),
        hosts=tuple(range(n)),
        source=f"random sets: n = {n}, {sets} of size {size}, levels = {levels}, "
        f"costs to {most}, private = {private}",
        seed=seed,
    )
    return made.draw(request, free, seed)


def _of_families(
    name: str,
    processors: list[str],
    families: list[dict[str, list[int]]],
    costs: str,
    private: int,
    random: np.random.Generator,
    seed: int | None,
) -> SetSystem:
    refuse_unknown("costs", costs, ("equal", "levels", "drawn"))
    levels = len(families) if costs == "levels" else 1
    count = sum(map(len, families)) + len(processors) * bool(private)
    _not_too_many_costs(count, levels + bool(private), "costs")
    sets = []
    for f, family in enumerate(families):
        for label, members in family.items():
            cost = [0] * levels
            cost[f % levels] = int(random.integers(1, 10)) if costs == "drawn" else 1
            sets.append(ProcessorSet(label, tuple(members), tuple(cost)))
    return SetSystem(
        name=f"{name}-{costs}" + _private_label(private),
        processors=tuple(processors),
        sets=_with_private(sets, len(processors), private, random),
        hosts=tuple(range(len(processors))),
        source=f"{name.replace('-', ' ')}: {costs} costs, private = {private}",
        seed=seed,
    )


def _with_private(
    sets: list[ProcessorSet], n: int, private: int, random: np.random.Generator
) -> tuple[ProcessorSet, ...]:
    """Give every processor a set of its own, at a further level, if asked for."""
    at_least(private, 0, "private")
    if not private:
        return tuple(sets)
    wider = [ProcessorSet(one.name, one.members, (*one.cost, 0)) for one in sets]
    zero = (0,) * len(sets[0].cost)
    prices = random.integers(1, private + 1, n).tolist()
    own = [
        ProcessorSet(f"own{i}", (i,), (*zero, price)) for i, price in enumerate(prices)
    ]
    return (*wider, *own)


def _private_label(private: int) -> str:
    return f"-own{private}" if private else ""


def _not_too_many(n: int, sets: int) -> None:
    if n * sets > MOST_MEMBERS:
        raise InputError("must be at most 2^24 divided by the sets", "n", n)


def _not_too_many_costs(sets: int, levels: int, field: str) -> None:
    if sets * levels > MOST_MEMBERS:
        problem = "must be at most 2^24 numbers, one for each set and level"
        raise InputError(problem, field, sets * levels)
