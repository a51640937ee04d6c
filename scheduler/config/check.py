"""Validation of a parsed configuration; reports all errors, not only the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...instances.errors import InputError
from ...instances.value import LARGEST
from .conditions import Types
from .expectations import abbreviate
from .findings import Diagnostics
from .machine import ConfiguredMachine
from .model import Configuration, Constraint, CostBlock, Price
from .sizes import left_over, ranges_text, read_sizes
from .source import Block, ConstraintText, PriceText, Source, Word
from .suspicions import warn_of_oddities


@dataclass(frozen=True, slots=True)
class ConfigurationReport:
    """A configuration with its errors and warnings."""

    configuration: Configuration | None
    """None if there are errors."""
    errors: tuple[InputError, ...]
    warnings: tuple[InputError, ...]
    """One line each, ``FILE:LINE:COLUMN: ...``, sorted by position."""


def check(source: Source, *, name: str, file: str | Path = "") -> ConfigurationReport:
    """Resolve all names, check the parts against each other, build a configuration."""
    findings = Diagnostics(file)
    machine = ConfiguredMachine(source.queues, source.slots, findings)
    places, groups = machine.groups(source.groups)
    costs = _costs(source.costs, machine, places, findings)
    constraints = _constraints(source.constraints, machine, _levels(source), findings)
    lookahead = _lookahead(source.lookahead, _levels(source), findings)
    if findings.errors:
        return ConfigurationReport(None, findings.errors, findings.warnings)
    configuration = Configuration(
        name=name,
        queues=machine.queues,
        hosts=tuple(machine.hosts),
        processors=tuple(machine.processors),
        host_of=tuple(machine.host_of),
        through=machine.through,
        groups=tuple(groups),
        costs=costs,
        constraints=constraints,
        lookahead=lookahead,
    )
    warn_of_oddities(configuration, source, machine.places, findings)
    return ConfigurationReport(configuration, (), findings.warnings)


def _levels(source: Source) -> int:
    return len(source.costs[0].prices[0].cost)


def _costs(
    blocks: Sequence[Block],
    machine: ConfiguredMachine,
    groups: dict[str, Word],
    findings: Diagnostics,
) -> tuple[CostBlock, ...]:
    bounds = read_sizes([block.sizes for block in blocks], findings)
    if machine.whole and all(block.sizes.bounds for block in blocks):
        missing = list(left_over(bounds, len(machine.processors)))
        if missing:
            findings.error(
                blocks[-1].sizes,
                f"expected otherwise, or further ranges, after this block: there are "
                f"no prices for {ranges_text(missing)}",
            )
    first = blocks[0].prices[0]
    return tuple(
        CostBlock(sizes, _prices(block, first, machine, groups, findings))
        for sizes, block in zip(bounds, blocks, strict=True)
    )


def _prices(
    block: Block,
    first: PriceText,
    machine: ConfiguredMachine,
    groups: dict[str, Word],
    findings: Diagnostics,
) -> tuple[Price, ...]:
    found = []
    lines: dict[tuple[str, str], int] = {}
    totals: dict[str, list[int]] = {}
    for text in block.prices:
        queue, group = text.queue, text.group
        if queue.text not in machine.queues:
            findings.error(queue, machine.no_queue(queue))
        if group.text not in groups:
            findings.error(group, f"there is no group {abbreviate(group)}")
        if (queue.text, group.text) in lines:
            findings.error(
                queue,
                f"{abbreviate(queue)}@{abbreviate(group)} already has a price in this "
                f"block (line {lines[queue.text, group.text]})",
            )
        lines[queue.text, group.text] = queue.line
        cost = _vector(text, findings)
        if len(cost) != len(first.cost):
            findings.error(
                text,
                f"expected {len(first.cost)} numbers, as in line {first.line}, "
                f"found {len(cost)}",
            )
            continue
        total = totals.setdefault(queue.text, [0] * len(cost))
        for level, price in enumerate(cost):
            before = total[level]
            total[level] += price
            if before < LARGEST <= total[level]:
                findings.error(
                    text.cost[level],
                    f"costs of level {level + 1} sum up to 2^62 or more in this block",
                )
        found.append(Price(queue.text, group.text, cost))
    return tuple(found)


def _vector(text: PriceText, findings: Diagnostics) -> tuple[int, ...]:
    cost = []
    for word in text.cost:
        price = int(word.text)
        if price < 0:
            findings.error(word, f"expected a cost of at least 0, found {price}")
        cost.append(max(price, 0))
    return tuple(cost)


def _constraints(
    texts: Sequence[ConstraintText],
    machine: ConfiguredMachine,
    levels: int,
    findings: Diagnostics,
) -> tuple[Constraint, ...]:
    types = Types(levels, findings)
    for text in texts:
        if text.queue is not None and text.queue.text not in machine.queues:
            findings.error(text.queue, machine.no_queue(text.queue))
        types.condition(text.expression)
    found: dict[int, Constraint] = {}
    own = {text.queue.text for text in texts if text.queue}
    rest = [queue for queue in machine.queues if queue not in own]
    for family in (None, *machine.queues):
        members = [
            (i, text)
            for i, text in enumerate(texts)
            if (text.queue.text if text.queue else None) == family
        ]
        if not members:
            continue
        bounds = read_sizes([text.sizes for _, text in members], findings)
        for sizes, (i, text) in zip(bounds, members, strict=True):
            line = text.queue.line if text.queue else text.sizes.line
            found[i] = Constraint(sizes, text.expression, family, line)
        if machine.whole:
            governed = rest if family is None else [family]
            usable = [
                len(machine.through[machine.queues.index(queue)]) for queue in governed
            ]
            _refuse_gaps([text for _, text in members], bounds, usable, findings)
            for sizes, (_, text) in zip(bounds, members, strict=True):
                _refuse_mincost(text, sizes, governed, usable, findings)
    return tuple(found[i] for i in sorted(found))


def _refuse_gaps(
    texts: Sequence[ConstraintText],
    bounds: Sequence[tuple[int, int] | None],
    usable: Sequence[int],
    findings: Diagnostics,
) -> None:
    if any(text.sizes.bounds is None for text in texts):
        return
    missing = list(left_over(bounds, max(usable, default=0)))
    if missing:
        findings.error(
            texts[-1].sizes,
            "expected otherwise, or further ranges, after this constraint: there is "
            f"none for {ranges_text(missing)}",
        )


def _refuse_mincost(
    text: ConstraintText,
    sizes: tuple[int, int] | None,
    queues: Sequence[str],
    usable: Sequence[int],
    findings: Diagnostics,
) -> None:
    """Refuse MINCOST of more processors than a queue has, if its jobs would need it."""
    for node in text.expression.nodes():
        if node.kind != "MINCOST":
            continue
        for queue, most in zip(queues, usable, strict=True):
            if node.value > most >= (sizes[0] if sizes else 1):
                findings.error(
                    Word("", *node.at),
                    f"expected MINCOST of at most {most} processors, as queue {queue} "
                    f"has no more, found {str(node.value)[:40]}",
                )
                break


def _lookahead(
    numbers: Sequence[Word], levels: int, findings: Diagnostics
) -> int | None:
    for word in numbers[1:]:
        findings.error(word, "expected lookahead once only, found it again")
    if not numbers:
        return None
    after = int(numbers[0].text)
    if after > levels:
        findings.error(
            numbers[0], f"expected a level from 0 to {levels}, found {after}"
        )
    return after
