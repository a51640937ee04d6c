"""A system of processor sets: what does not change between requests."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError
from ..ksubset.generators import generator, share_text
from ..numbers import between, free_count
from .instance import ProcessorSet, ProcSet

ALL = Fraction(1)
"""The share of processors that are free when all are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSystem:
    """Processors, and the sets they form: what does not change between requests.

    Parameters
    ----------
    name, source
        As those of `ProcSet`.
    processors
        Their names, all different.
    sets
        With members by index.
    hosts
        Of each processor: the host that it is on, by index.
    seed
        Of the generator that made the sets; None if they were not drawn.
    """

    name: str
    processors: tuple[str, ...]
    sets: tuple[ProcessorSet, ...]
    hosts: tuple[int, ...]
    source: str
    seed: int | None = None

    def ask(
        self,
        request: int,
        available: Collection[int] | None = None,
        *,
        label: str = "",
        seed: int | None = None,
    ) -> ProcSet:
        """Make an instance: a request, of these processors or of all."""
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
        """Make an instance whose free hosts are drawn at random.

        Parameters
        ----------
        request
            Processors wanted.
        free
            Hosts that are free: a count, or a `Fraction` of all, rounded down.
        seed
            Of the draw, at least 0.
        partly
            Share of these hosts, rounded down, that are free in part only: some of
            their processors are busy, but not all, each number equally likely.

        Raises
        ------
        InputError
            When these make no instance.
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
    """Raise InputError for a word that is none of the known ones."""
    if value not in known:
        raise InputError(f"must be {' or '.join(known)}", field=field, value=value)
