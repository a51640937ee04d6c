"""Results as text: the choice, its cost, and how close to optimal it is."""

from __future__ import annotations

from fractions import Fraction

from ..instances import Instance, KSubset, Submesh, Sukp, Value, problem_of
from ..instances.problems import described
from ..instances.submesh import Box, placement_of
from ..instances.submesh.plan import order_of
from ..instances.sukp.instance import weight
from ..instances.value import cost_text, ordered
from ..instances.visible import visible
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
    known += [_asked(instance), f"{result.seconds:.3f} s"]
    return f"{result.status.value}: {', '.join(known)}"


def _asked(instance: Instance) -> str:
    if isinstance(instance, KSubset):
        return f"{instance.k} of {instance.n} free processors"
    return described(instance)


def _whole(cost: Value) -> int:
    """Return a cost of one level as a number."""
    return ordered(cost)[0]


def _short(instance: Instance, value: Value) -> str:
    """Write a cost in the units of the file."""
    if isinstance(instance, KSubset):
        return _length(instance, _whole(value))
    return cost_text(value)


def format_result(instance: Instance, method: str, result: Result) -> str:
    """Describe a result in a few lines."""
    lines = [f"{instance.name}: {_asked(instance)}, {method}"]
    if result.objective is not None:
        lines += _costs(instance, result)
    if result.bound is not None:
        lines.append(f"  bound   {_bound(instance, result.bound)} ({result.proof})")
    lines.append(f"  status  {_verdict(instance, result)}")
    lines.append(f"  time    {result.seconds:.3f} s")
    if isinstance(instance, Submesh) and result.chosen is not None:
        lines += _placed(instance, result.chosen)
    elif result.chosen is not None:
        selection = problem_of(instance).names_of(instance, result.chosen)
        shown = " ".join(map(_site, selection[:_MOST_SHOWN]))
        more = len(selection) - _MOST_SHOWN
        lines.append(
            f"  chosen  {shown}" + (f" and {more} more (--json)" if more > 0 else "")
        )
    return "\n".join(lines)


def format_standing(
    instance: Instance, incumbent: Value, bound: Value | None
) -> list[str]:
    """Describe the state of a search: incumbent, bound and gap, as far as known."""
    if isinstance(instance, Sukp):
        found = [f"incumbent profit {sum(instance.profits) - _whole(incumbent)}"]
    else:
        found = [f"incumbent {_short(instance, incumbent)}"]
    if bound is not None:
        found.append(f"bound {_bound(instance, bound)}")
        if isinstance(incumbent, int) and isinstance(bound, int) and incumbent:
            found.append(f"gap {100 * (incumbent - bound) / incumbent:.1f} %")
    return found


def _costs(instance: Instance, result: Result) -> list[str]:
    value, chosen = result.objective, result.chosen
    assert value is not None
    assert chosen is not None
    if isinstance(instance, Sukp):
        every, left_out = sum(instance.profits), _whole(value)
        return [
            f"  profit  {every - left_out} of {every} ({left_out} left out)",
            f"  weight  {weight(instance, chosen)} of {instance.capacity}",
        ]
    line = f"  cost    {_short(instance, value)}"
    if isinstance(instance, KSubset):
        if pairs := instance.k * (instance.k - 1) // 2:
            line += f" ({_length(instance, Fraction(_whole(value), pairs))} per pair)"
        return [line]
    if isinstance(instance, Submesh):
        moved, area, steps = ordered(value)
        what = f"{moved} moved, {area} processors, {steps} steps"
        return [f"{line} ({what if moved else 'no resident is moved'})"]
    picked = set(chosen)
    touched = [one.name for one in instance.sets if not picked.isdisjoint(one.members)]
    sets = f"  sets    {len(touched)} of {len(instance.sets)} touched"
    if touched:
        sets += f": {' '.join(touched[:_MOST_SETS])}"
        sets += " ..." if len(touched) > _MOST_SETS else ""
    return [line, sets]


def _placed(instance: Submesh, chosen: tuple[int, ...]) -> list[str]:
    """Describe where the request is placed, and which residents are moved where."""
    placement = placement_of(instance, chosen)
    lines = [f"  at      {_box(placement.at)}"]
    boxes = [one.box for one in instance.residents]
    for i, box in placement.moves[:_MOST_MOVES]:
        lines.append(f"  move    residents[{i}] {_box(boxes[i])} to {_box(box)}")
        boxes[i] = box
    if (more := len(placement.moves) - _MOST_MOVES) > 0:
        lines.append(f"  and {more} more moves (--json)")
    if placement.moves:
        lines.append(f"  order   {_ORDERS[order_of(instance, placement)]}")
    return lines


def _box(box: Box) -> str:
    d = len(box) // 2
    return "-".join(",".join(map(str, corner)) for corner in (box[:d], box[d:]))


def _bound(instance: Instance, bound: Value) -> str:
    if isinstance(instance, Sukp):
        return f"profit at most {sum(instance.profits) - _whole(bound)}"
    return _short(instance, bound)


def _verdict(instance: Instance, result: Result) -> str:
    verdict = result.status.value
    if result.status is Status.INFEASIBLE:
        why = problem_of(instance).unsolvable(instance)
        return f"{verdict}{f': {why}' if why else ''} ({result.proof})"
    if result.ratio is not None and result.ratio > 1:
        what = "the least profit left out" if isinstance(instance, Sukp) else ""
        verdict += f", at most {float(result.ratio):.4f} times {what or 'the optimum'}"
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
    text = visible(str(site))
    return f"'{text}'" if " " in text else text
