"""Still pictures of a stream of jobs: who gets which processors at a few starts."""

from __future__ import annotations

import numpy as np

from ...instances import KSubset, Topology
from ...instances.words import with_noun
from ...simulation.stream.simulator import Event, Start
from ..drawing.drawing import drawing_of
from ..pages.document import Plot

PICTURES = 5
"""Starts that are drawn, at equal distances, the first and the last among them."""


class Stills:
    """Keeps a few starts of a stream under an allocator.

    The title is the name of the allocator, the unit that of all times; ``starts`` is
    their number, as far as it is known beforehand.
    """

    def __init__(
        self, network: Topology, title: str, starts: int, unit: str = "s"
    ) -> None:
        self.network = network
        self.title = title
        self.unit = unit
        self._wanted = set(np.linspace(0, starts - 1, PICTURES).round().tolist())
        self._seen = 0
        self._kept: list[tuple[int, Start]] = []

    def see(self, event: Event) -> None:
        """Keep a start if it is one of those that are drawn."""
        if isinstance(event, Start):
            if self._seen in self._wanted:
                self._kept.append((self._seen, event))
            self._seen += 1

    def plots(self) -> list[Plot]:
        """Draw the starts that were kept."""
        return [self._plot(number, start) for number, start in self._kept]

    def _plot(self, number: int, start: Start) -> Plot:
        sites = list(self.network.locations())
        idle = np.flatnonzero(start.idle).tolist()
        idle.sort(key=sites.__getitem__)  # as an instance lists them
        used = set(start.grant.used.tolist())
        chosen = [i for i, processor in enumerate(idle) if processor in used]
        when = f"{start.time} {self.unit}"
        title = f"{self.title}, start {number + 1}: job {start.job.number} at {when}"
        free = tuple(sites[i] for i in idle)
        instance = KSubset(title, self.network, free, len(chosen))
        waited = f"{start.time - start.job.submit} {self.unit}"
        return Plot(
            title,
            f"It gets {with_noun(len(chosen), 'processor')} of {len(idle)} idle ones, "
            f"after waiting {waited}.",
            drawing_of(instance, {self.title: chosen}).svg,
        )
