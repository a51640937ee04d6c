"""Results as text: the choice, its cost, and how close to optimal it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..instances import Instance, KSubset, ProcSet, Submesh, Sukp, Value, problem_of
from ..instances.escape_hidden import escape_hidden
from ..instances.submesh import Box, placement_of
from ..instances.sukp.instance import weight
from ..instances.support import describe, names_of, support_of
from ..instances.support.submesh import order_of
from ..instances.value import as_tuple
from ..instances.words import with_noun
from ..solvers import Result, Status

_MOST_SHOWN = 64
_MOST_SETS = 16
_MOST_MOVES = 24
_ORDERS = {
    "copying": "as listed, each into space that is free then",
    "sliding": "as listed, if a resident may overlap its own former place",
    None: "all at once: no order of single moves was found",
}


def headline(instance: Instance, result: Result) -> str:
    """Summarise a result in part of a line: status, cost, bound, request.

    >>> from closeknit.instances import mesh
    >>> from closeknit.methods import KSUBSET
    >>> job = mesh(8, 8, k=9)
    >>> print(headline(job, KSUBSET["mm"](job)).rpartition(",")[0])
    feasible: cost 74, 9 of 64 free processors
    """
    known = []
    if result.objective is not None:
        cost = _short(instance, result.objective)
        known.append(f"cost {cost}")
        if result.objective == result.bound:
            known[-1] += f" = bound {cost} ({result.proof})"
    if result.bound is not None and result.objective != result.bound:
        known.append(f"bound {_short(instance, result.bound)} ({result.proof})")
    if result.bound is None and result.proof is not None:
        known.append(str(result.proof))
    known += [_words(instance).asked(instance), f"{result.seconds:.3f} s"]
    return f"{result.status.value}: {', '.join(known)}"


@dataclass(frozen=True, slots=True)
class _Words:
    """How answers to a problem are worded; each function takes the instance first."""

    asked: Callable[[Any], str] = describe
    cost: Callable[[Any, Value], str] = lambda instance, value: support_of(
        instance
    ).write_cost(instance, value)
    incumbent: Callable[[Any, Value], str] | None = None
    bound: Callable[[Any, Value], str] | None = None
    costs: Callable[[Any, Value, tuple[int, ...], str], list[str]] = lambda *_: []
    chosen: Callable[[Any, tuple[int, ...]], list[str]] | None = None
    compared: str = "the optimum"


def _words(instance: Instance) -> _Words:
    return _WORDS.get(problem_of(instance).name, _OTHERS)


def _whole(cost: Value) -> int:
    """Return a cost of one level as a number."""
    return as_tuple(cost)[0]


def _short(instance: Instance, value: Value) -> str:
    """Write a cost in the units of the file."""
    return _words(instance).cost(instance, value)


def format_result(instance: Instance, method: str, result: Result) -> str:
    """Describe a result in a few lines."""
    lines = [f"{instance.name}: {_words(instance).asked(instance)}, {method}"]
    if result.objective is not None:
        lines += _costs(instance, result)
    if result.bound is not None:
        lines.append(f"  bound   {_bound(instance, result.bound)} ({result.proof})")
    lines.append(f"  status  {_verdict(instance, result)}")
    lines.append(f"  time    {result.seconds:.3f} s")
    if result.chosen is not None:
        show = _words(instance).chosen or _describe_selection
        lines += show(instance, result.chosen)
    return "\n".join(lines)


def _describe_selection(instance: Instance, chosen: tuple[int, ...]) -> list[str]:
    selection = names_of(instance, chosen)
    shown = " ".join(map(_site, selection[:_MOST_SHOWN]))
    more = len(selection) - _MOST_SHOWN
    return [f"  chosen  {shown}" + (f" and {more} more (--json)" if more > 0 else "")]


def format_standing(
    instance: Instance, incumbent: Value, bound: Value | None
) -> list[str]:
    """Describe the state of a search: incumbent, bound and gap, as far as known."""
    write = _words(instance).incumbent or _short
    found = [f"incumbent {write(instance, incumbent)}"]
    if bound is not None:
        found.append(f"bound {_bound(instance, bound)}")
        if isinstance(incumbent, int) and isinstance(bound, int) and incumbent:
            found.append(f"gap {100 * (incumbent - bound) / incumbent:.1f} %")
    return found


def _costs(instance: Instance, result: Result) -> list[str]:
    value, chosen = result.objective, result.chosen
    assert value is not None
    assert chosen is not None
    line = f"  cost    {_short(instance, value)}"
    return _words(instance).costs(instance, value, chosen, line)


def _of_items(
    instance: Sukp, value: Value, chosen: tuple[int, ...], line: str
) -> list[str]:
    every, left_out = sum(instance.profits), _whole(value)
    return [
        f"  profit  {every - left_out} of {every} ({left_out} left out)",
        f"  weight  {weight(instance, chosen)} of {instance.capacity}",
    ]


def _of_pairs(
    instance: KSubset, value: Value, chosen: tuple[int, ...], line: str
) -> list[str]:
    if pairs := instance.k * (instance.k - 1) // 2:
        line += f" ({_length(instance, Fraction(_whole(value), pairs))} per pair)"
    return [line]


def _of_moves(
    instance: Submesh, value: Value, chosen: tuple[int, ...], line: str
) -> list[str]:
    moved, area, steps = as_tuple(value)
    what = f"{moved} moved, {with_noun(area, 'processor')}, {with_noun(steps, 'step')}"
    return [f"{line} ({what if moved else 'no resident is moved'})"]


def _of_sets(
    instance: ProcSet, value: Value, chosen: tuple[int, ...], line: str
) -> list[str]:
    picked = set(chosen)
    touched = [one.name for one in instance.sets if not picked.isdisjoint(one.members)]
    sets = f"  sets    {len(touched)} of {len(instance.sets)} touched"
    if touched:
        sets += f": {' '.join(touched[:_MOST_SETS])}"
        sets += " ..." if len(touched) > _MOST_SETS else ""
    return [line, sets]


def _describe_placement(instance: Submesh, chosen: tuple[int, ...]) -> list[str]:
    """Describe where the request is placed, and which residents are moved where."""
    placement = placement_of(instance, chosen)
    lines = [f"  at      {_box(placement.at)}"]
    boxes = [one.box for one in instance.residents]
    for i, box in placement.moves[:_MOST_MOVES]:
        lines.append(f"  move    residents[{i}] {_box(boxes[i])} to {_box(box)}")
        boxes[i] = box
    if (more := len(placement.moves) - _MOST_MOVES) > 0:
        lines.append(f"  and {with_noun(more, 'more move')} (--json)")
    if placement.moves:
        lines.append(f"  order   {_ORDERS[order_of(instance, placement)]}")
    return lines


def _box(box: Box) -> str:
    d = len(box) // 2
    return "-".join(",".join(map(str, corner)) for corner in (box[:d], box[d:]))


def _bound(instance: Instance, bound: Value) -> str:
    return (_words(instance).bound or _short)(instance, bound)


def _verdict(instance: Instance, result: Result) -> str:
    verdict = result.status.value
    if result.status is Status.INFEASIBLE:
        why = problem_of(instance).unsolvable(instance)
        return f"{verdict}{f': {why}' if why else ''} ({result.proof})"
    if result.ratio is not None and result.ratio > 1:
        what = _words(instance).compared
        verdict += f", at most {float(result.ratio):.4f} times {what}"
    if result.limit:
        verdict += f", stopped by {result.limit.value}"
    return verdict


def _length(instance: KSubset, hops: Fraction | int) -> str:
    """Write a distance in the units of the file."""
    length = Fraction(hops) / instance.topology.scale
    return str(length) if length.denominator == 1 else f"{float(length):.3f}"


def _site(site: object) -> str:
    """Write a site, or the name of a node, so that blanks stand between sites only."""
    if isinstance(site, list | tuple):
        return ",".join(map(str, site))
    text = escape_hidden(str(site))
    return f"'{text}'" if " " in text else text


def _profit(instance: Sukp, left_out: Value) -> int:
    return sum(instance.profits) - _whole(left_out)


_OTHERS = _Words(costs=lambda instance, value, chosen, line: [line])
_WORDS = {
    "ksubset": _Words(
        asked=lambda one: f"{one.k} of {with_noun(one.n, 'free processor')}",
        cost=lambda one, value: _length(one, _whole(value)),
        costs=_of_pairs,
    ),
    "procset": _Words(costs=_of_sets),
    "sukp": _Words(
        incumbent=lambda one, value: f"profit {_profit(one, value)}",
        bound=lambda one, value: f"profit at most {_profit(one, value)}",
        costs=_of_items,
        compared="the least profit left out",
    ),
    "submesh": _Words(costs=_of_moves, chosen=_describe_placement),
}
