"""The type `SetSystem`: processors and their sets, without a request."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError
from ..ksubset.generators import free_count, generator, share_text
from ..reading.numbers import between
from .instance import ProcessorSet, ProcSet

ALL = Fraction(1)
"""The share of free processors when all are free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSystem:
    """Processors and the sets they form, from which requests are made."""

    name: str
    processors: tuple[str, ...]
    """Names of the processors, all different."""
    sets: tuple[ProcessorSet, ...]
    """The sets, with indices of processors as members."""
    hosts: tuple[int, ...]
    """For each processor the index of its host."""
    source: str
    """See `ProcSet`."""
    seed: int | None = None
    """Seed with which the sets were drawn; None if they were not."""

    def ask(
        self,
        request: int,
        available: Collection[int] | None = None,
        *,
        label: str = "",
        seed: int | None = None,
    ) -> ProcSet:
        """Return an instance with a request, and these processors or all available."""
        if available is None:
            available = range(len(self.processors))
        seed = self.seed if seed is None else seed
        return ProcSet(
            f"{self.name}{label}-r{request}" + ("" if seed is None else f"-s{seed}"),
            self.processors,
            tuple(available),
            request,
            self.sets,
            source=self.source,
            seed=seed,
        )

    def draw(
        self,
        request: int,
        free: int | Fraction = ALL,
        seed: int = 0,
        *,
        partly: Fraction = Fraction(0),
    ) -> ProcSet:
        """Return an instance with random free hosts.

        ``free`` is a count of hosts, or a `Fraction` of all, rounded down. ``partly``
        is the share of these, rounded down, on which a uniform random number of
        processors, but not all, are busy. Raises InputError if the arguments are
        invalid.
        """
        every = max(self.hosts) + 1
        count = free_count(free, every, "hosts")
        between(partly, 0, 1, "partly")
        if free == ALL and not partly:
            return self.ask(request, label="-full")
        random = generator(seed).spawn(1)[0]
        drawn = [int(host) for host in random.permutation(every)[:count]]
        on: list[list[int]] = [[] for _ in range(every)]
        for i, host in enumerate(self.hosts):
            on[host].append(i)
        for host in drawn[: int(partly * len(drawn))]:
            if (most := len(on[host])) > 1:
                kept = random.permutation(most)[: random.integers(1, most)]
                on[host] = [on[host][int(i)] for i in kept]
        label = f"-{share_text(free)}" + (f"-{share_text(partly)}" if partly else "")
        return self.ask(
            request, [i for host in drawn for i in on[host]], label=label, seed=seed
        )


def refuse_unknown(field: str, value: str, known: tuple[str, ...]) -> None:
    """Raise InputError if a value is not one of the known ones."""
    if value not in known:
        raise InputError(f"must be {' or '.join(known)}", field, value)
