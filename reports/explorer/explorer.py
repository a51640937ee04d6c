"""What the page asks for, by name; JSON objects in and out, nothing of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from ...instances import InputError
from ...instances.ksubset.generators import random_occupancy
from ...instances.reading import fields
from . import cases, choices, loading
from .board import of_instance
from .scenes import MOST_SHOWN

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class Explorer:
    """The functions of the page.

    Parameters
    ----------
    first
        What the page shows when it opens, as `loading.load` returns it; None for an
        example.
    """

    def __init__(self, first: dict[str, Any] | None = None) -> None:
        self._first = first
        self.answers: Mapping[str, Answer] = {
            "start": self._start,
            "load": loading.load,
            "worst": cases.worst,
            "compare": choices.compare,
            "export": choices.export,
        }

    def answer(
        self, name: str, body: dict[str, Any], gone: Event | None = None
    ) -> dict[str, Any]:
        """Answer a request; a comparison ends early if ``gone`` is set.

        Raises
        ------
        InputError
            In one line, if a field of the request cannot be used.
        """
        if name not in self.answers:
            raise InputError("no such request", "path", name)
        if name == "compare":
            return choices.compare(body, gone)
        return self.answers[name](body)

    def _start(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the lists that the page offers, and what it shows first."""
        fields.only(body, (), (), "")
        return {
            "methods": choices.methods(),
            "ledger": cases.ledger(),
            "first": self._first
            or of_instance(random_occupancy((12, 12), 16, 86, seed=0)),
            "most": {
                "processors": MOST_SHOWN,
                "methods": choices.MOST_METHODS,
                "text": loading.MOST_TEXT,
            },
        }
