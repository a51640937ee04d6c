"""Claims about schedulers: policies of streams, expressions of configurations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from ..instances import Mesh
from ..methods.allocators.table import allocator
from ..reports.claims.running.claim import Claim, Outcome, Trial, failed, passed
from ..scheduler.config.expression import ORDERS, Expression, evaluate
from ..simulation.stream.jobs import StreamJob
from ..simulation.stream.simulator import Start, StartPolicy, simulate

STREAMS, QUICK_STREAMS = 1500, 120
_MOST = 6
"""Processors of the machine."""
_Running = list[tuple[int, int, int]]
"""End, expected end, processors."""


def _stream(random: Random) -> list[StreamJob]:
    now, jobs = 0, []
    for number in range(random.randint(3, 14)):
        now += random.randint(0, 3)
        seconds = random.randint(1, 9)
        estimate = seconds + random.choice((0, 0, random.randint(0, 6)))
        jobs.append(StreamJob(number, now, random.randint(1, _MOST), seconds, estimate))
    return jobs


def _idle(running: _Running, then: int) -> int:
    return _MOST - sum(k for _, due, k in running if due > then)


def by_definition(jobs: list[StreamJob], policy: StartPolicy) -> dict[int, int]:
    """Go second by second: whoever delays the first of the queue by no means, starts.

    Estimates are not below the times, so that nothing outlives its own.
    """
    starts: dict[int, int] = {}
    running: _Running = []
    now = 0
    while len(starts) < len(jobs):
        running = [one for one in running if one[0] > now]
        first, moment = 0, now
        for job in jobs:
            if job.submit > now or job.number in starts:
                continue
            there = [*running, (now + job.seconds, now + job.estimate, job.processors)]
            delays = first and _idle(there, moment) < first
            if _idle(there, now) >= 0 and not delays:
                starts[job.number] = now
                running = there
            elif policy is StartPolicy.FCFS:
                break
            elif not first:
                first = job.processors
                while _idle(running, moment) < first:
                    moment += 1
        now += 1
    return starts


def policies(trial: Trial) -> Outcome:
    """Compare the starts of random streams under both policies."""
    random = Random(f"closeknit streams {trial.seed}")
    count = QUICK_STREAMS if trial.quick else STREAMS
    for seen in range(1, count + 1):
        jobs = _stream(random)
        for policy in StartPolicy:
            machine = allocator("row-major", Mesh((_MOST,)))
            found = {
                event.job.number: event.time
                for event in simulate(jobs, machine, policy)
                if isinstance(event, Start)
            }
            wanted = by_definition(jobs, policy)
            if found != wanted or machine.free != _MOST:
                late = min(
                    (n for n in wanted if found.get(n) != wanted[n]), default=None
                )
                stream = [(j.submit, j.processors, j.seconds, j.estimate) for j in jobs]
                return failed(
                    f"{policy.value} starts job {late} at {found.get(late or 0)}"
                    f", by definition at {wanted.get(late or 0)}; submit, processors, "
                    f"seconds, estimate: {stream}",
                    seen,
                )
    return passed(
        f"starts as by definition under {' and '.join(p.value for p in StartPolicy)}"
        f", seed {trial.seed}",
        count,
    )


# Expressions of configurations

SAMPLES, QUICK_SAMPLES = 20_000, 1_500
_LEVELS = 2

Drawn = tuple[Expression, Any]
"""An expression, and its value by the plain arithmetic of fractions."""


class _Draw:
    """Draws expressions together with their values, which it finds on its own."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.cost = tuple(random.randint(0, 9) for _ in range(_LEVELS))
        self.pes = random.randint(1, 6)

    def mincost(self, n: int) -> tuple[int, ...]:
        """Make up what n processors cost at least."""
        return tuple(7 * n % (5 + level) for level in range(_LEVELS))

    def scalar(self, depth: int) -> Drawn:
        """Draw a number."""
        random = self.random
        kind = random.choice(("number", "PEs", "component", *_INNER * (depth > 0)))
        if kind == "number":
            value = Fraction(random.randint(0, 24), random.choice((1, 2, 4, 8)))
            return Expression("number", value=value), value
        if kind == "PEs":
            return Expression("PEs"), Fraction(self.pes)
        if kind == "component":
            vector, values = self.vector(depth - 1)
            at = random.randint(1, _LEVELS)
            return Expression("component", (vector,), at), values[at - 1]
        one, value = self.scalar(depth - 1)
        if kind in ("ceil", "floor"):
            return Expression(kind, (one,)), _round(kind, value)
        if kind == "minus":
            return Expression("minus", (one,)), -value
        other, second = self.scalar(depth - 1)
        if kind == "sum":
            return Expression("sum", (one, other)), value + second
        if kind == "per" and second:
            divisor = Expression("per", (other,))
            return Expression("product", (one, divisor)), Fraction(value) / second
        return Expression("product", (one, other)), value * second

    def vector(self, depth: int) -> Drawn:
        """Draw a vector of as many components as costs have."""
        random = self.random
        kind = random.choice(("cost", "MINCOST", *_OUTER * (depth > 0)))
        if kind == "cost":
            return Expression("cost"), self.cost
        if kind == "MINCOST":
            n = random.randint(0, 4)
            return Expression("MINCOST", value=n), self.mincost(n or self.pes)
        if kind == "vector":
            parts, values = zip(
                *(self.scalar(depth - 1) for _ in range(_LEVELS)), strict=True
            )
            return Expression("vector", parts), values
        one, value = self.vector(depth - 1)
        if kind in ("ceil", "floor"):
            rounded = tuple(_round(kind, x) for x in value)
            return Expression(kind, (one,)), rounded
        if kind == "product":
            factor, by = self.scalar(depth - 1)
            return Expression("product", (factor, one)), tuple(by * x for x in value)
        other, second = self.vector(depth - 1)
        total = tuple(x + y for x, y in zip(value, second, strict=True))
        return Expression("sum", (one, other)), total

    def condition(self, depth: int) -> Drawn:
        """Draw what is true or false."""
        random = self.random
        kind = random.choice(("true", "false", *ORDERS, "lex", *_LOGIC * (depth > 0)))
        if kind in ("true", "false"):
            return Expression(kind), kind == "true"
        if kind in _LOGIC:
            one, value = self.condition(depth - 1)
            if kind == "not":
                return Expression("not", (one,)), not value
            other, second = self.condition(depth - 1)
            both = value + second
            return Expression(kind, (one, other)), both == 2 or (kind == "or" and both)
        if kind == "lex":
            order = random.choice(tuple(ORDERS))
            (one, value), (other, second) = (self.vector(depth) for _ in range(2))
            sign = next(
                (x - y for x, y in zip(value, second, strict=True) if x != y), 0
            )
            return Expression(f"lex {order}", (one, other)), _ORDERED[order](sign)
        many = random.random() < 0.5
        draw = self.vector if many else self.scalar
        (one, value), (other, second) = (draw(depth) for _ in range(2))
        pairs = list(zip(value, second, strict=True)) if many else [(value, second)]
        each = [_ORDERED[kind](x - y) for x, y in pairs]
        return Expression(kind, (one, other)), any(each) if kind == "!=" else all(each)


_INNER = ("ceil", "floor", "minus", "sum", "product", "per")
_OUTER = ("vector", "ceil", "floor", "product", "sum")
_LOGIC = ("and", "or", "not")
_ORDERED: dict[str, Callable[[Any], bool]] = {
    "<=": lambda sign: sign <= 0,
    "<": lambda sign: sign < 0,
    ">=": lambda sign: sign >= 0,
    ">": lambda sign: sign > 0,
    "=": lambda sign: not sign,
    "!=": lambda sign: bool(sign),
}


def _round(kind: str, value: Any) -> int:
    exact: Fraction = Fraction(value)
    if kind == "ceil":
        return int(-(-exact.numerator // exact.denominator))
    return int(exact.numerator // exact.denominator)


def arithmetic(trial: Trial) -> Outcome:
    """Evaluate random expressions, and compare with their values."""
    random = Random(f"closeknit expressions {trial.seed}")
    count = QUICK_SAMPLES if trial.quick else SAMPLES
    for seen in range(1, count + 1):
        draw = _Draw(random)
        make = random.choice((draw.scalar, draw.vector, draw.condition))
        expression, wanted = make(random.randint(1, 4))
        found = evaluate(expression, draw.cost, draw.pes, draw.mincost)
        if found != wanted:
            return failed(
                f"{expression} is {found}, not {wanted}, where the cost is "
                f"{draw.cost} and PEs {draw.pes}",
                seen,
            )
    return passed(f"as by fractions, seed {trial.seed}", count)


SCHEDULER_CLAIMS = (
    Claim(
        name="policies-are-as-defined",
        statement="First come first served, and EASY backfilling by which no job "
        "delays the first of the queue, start every job when they should.",
        source="by definition, simulation.stream.simulator; Mu'alem and Feitelson 2001",
        tested=f"{STREAMS} random streams ({QUICK_STREAMS} if quick) of up to 14 jobs "
        f"on {_MOST} processors, against a simulation second by second",
        test=policies,
    ),
    Claim(
        name="expressions-are-exact",
        statement="Expressions of a configuration are evaluated exactly: numbers as "
        "fractions, rounding towards minus or plus infinity, vectors by component or "
        "lexicographically.",
        source="Drakenberg 2012, appendix; docs/use/config.md",
        tested=f"{SAMPLES} random expressions ({QUICK_SAMPLES} if quick)",
        test=arithmetic,
    ),
)
