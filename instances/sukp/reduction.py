"""Processor sets as a set-union knapsack, and back: Drakenberg 2012, Theorem 1.

A choice of r of n available processors leaves at most n - r. A set is untouched exactly
if all of its available members are left. So sets are items, available processors are
elements of weight 1, n - r is the capacity, and the cost of a choice of processors is
the profit of the items left out.

Conversely, an element of weight w becomes w processors in the same sets. Choosing one
touches the same sets as choosing all, so some optimal choice takes all or none of each
element, and the elements taken weigh at least the excess over the capacity. The number
of processors is the weight of all elements.

Item i corresponds to set i in both directions; `kept_sets` and `processors_left`
convert solutions.
"""

from __future__ import annotations

from collections.abc import Collection

from ..errors import InputError
from ..procset.instance import ProcessorSet, ProcSet, unsolvable
from .instance import Sukp

MOST_PROCESSORS = 200_000
"""Maximal weight of all elements, the resulting number of processors."""


def sukp_of(instance: ProcSet) -> Sukp:
    """Return the knapsack whose items are the sets left untouched.

    Item i is set i with its available members as elements, possibly none. Element j is
    the j-th available processor. Running time: linear in the size of the sets.

    Raises
    ------
    InputError
        If costs have more than one level, processors are required, or more are
        requested than are available (a knapsack is always feasible).

    Examples
    --------
    >>> pair, one = ProcessorSet("ab", (0, 1), (5,)), ProcessorSet("c", (2,), (3,))
    >>> knapsack = sukp_of(ProcSet("three", ("a", "b", "c"), (0, 1, 2), 1, (pair, one)))
    >>> knapsack.items, knapsack.profits, knapsack.weights, knapsack.capacity
    (((0, 1), (2,)), (5, 3), (1, 1, 1), 2)
    """
    if instance.levels != 1:
        raise InputError(
            "costs must have one level to be profits of a knapsack",
            "sets",
            f"{instance.levels} levels",
        )
    if why := unsolvable(instance):
        raise InputError(why, "request")
    _refuse_requirements(instance)
    element = {i: e for e, i in enumerate(instance.available)}
    return Sukp(
        name=instance.name,
        profits=tuple(one.cost[0] for one in instance.sets),
        weights=(1,) * instance.n,
        items=tuple(
            tuple(element[i] for i in one.members if i in element)
            for one in instance.sets
        ),
        capacity=instance.n - instance.request,
        source=instance.source,
        seed=instance.seed,
    )


def procset_of(instance: Sukp) -> ProcSet:
    """Return the selection problem whose chosen processors stay out of the knapsack.

    Set i is item i; its members are the copies of its elements, one per unit of weight.
    Elements without weight have no copy; an item without weight becomes a set that is
    never touched, of one unavailable processor. Running time and size are
    pseudo-polynomial: the sum over items of the weights of their elements.

    Raises
    ------
    InputError
        If all elements fit, so that nothing is to be chosen, they weigh more than
        `MOST_PROCESSORS`, or items are required.

    Examples
    --------
    >>> two = Sukp("two", (5, 4), (2, 1, 1), ((0, 1), (1, 2)), 3)
    >>> machine = procset_of(two)
    >>> machine.processors, machine.request
    (('e0.1', 'e0.2', 'e1.1', 'e2.1'), 1)
    >>> [one.members for one in machine.sets]
    [(0, 1, 2), (2, 3)]
    >>> kept_sets(machine, [0])
    (1,)
    """
    _refuse_requirements(instance)
    total = sum(instance.weights)
    if instance.capacity >= total:
        raise InputError(
            f"all elements fit, they weigh {total}: nothing is to be chosen",
            "capacity",
            instance.capacity,
        )
    if total > MOST_PROCESSORS:
        raise InputError(
            f"must sum up to at most {MOST_PROCESSORS}, the number of processors",
            "weights",
            total,
        )
    names: list[str] = []
    copies: list[range] = []
    for e, weight in enumerate(instance.weights):
        copies.append(range(len(names), len(names) + weight))
        names += [f"e{e}.{copy}" for copy in range(1, weight + 1)]
    members = [tuple(i for e in item for i in copies[e]) for item in instance.items]
    if not all(members):
        names.append("never")
    return ProcSet(
        name=instance.name,
        processors=tuple(names),
        available=tuple(range(total)),
        request=total - instance.capacity,
        sets=tuple(
            ProcessorSet(f"item{i}", own or (total,), (instance.profits[i],))
            for i, own in enumerate(members)
        ),
        source=instance.source,
        seed=instance.seed,
    )


def _refuse_requirements(instance: ProcSet | Sukp) -> None:
    """Refuse what the other problem has no words for: one must not be chosen."""
    if instance.required:
        raise InputError("has no counterpart in the other problem", "required")


def kept_sets(instance: ProcSet, chosen: Collection[int]) -> tuple[int, ...]:
    """Return the indices of the sets that a choice of processors does not touch.

    These are the items in the knapsack, for `sukp_of` as well as for `procset_of`. For
    a valid choice they fit, and the profit left out is the cost of the choice.
    """
    picked = set(chosen)
    return tuple(
        i for i, one in enumerate(instance.sets) if picked.isdisjoint(one.members)
    )


def processors_left(instance: ProcSet, kept: Collection[int]) -> tuple[int, ...]:
    """Return the first r available processors outside the kept sets.

    They exist for items that fit, and touch at most the sets not kept: the cost of the
    choice is at most the profit left out.

    Raises
    ------
    InputError
        If the kept sets leave fewer processors than requested: the items do not fit.
    """
    union = {i for number in kept for i in instance.sets[number].members}
    left = [i for i in instance.available if i not in union]
    if len(left) < instance.request:
        raise InputError(
            f"the sets kept leave {len(left)} processors of {instance.request}", "kept"
        )
    return tuple(left[: instance.request])
