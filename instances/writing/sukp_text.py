"""Writing the text format of the set-union knapsack benchmark."""

from __future__ import annotations

from ..errors import InputError
from ..sukp.instance import Sukp


def sukp_text(instance: Sukp) -> str:
    """Return an instance as the text of a benchmark file, which requires nothing."""
    if instance.required:
        raise InputError("has no place in this format", "required")
    m, n = instance.n, len(instance.weights)
    lines = [
        f"m={m}    n={n}     knapsack size={instance.capacity}",
        "",
        f"The profit of {m} items",
        " ".join(map(str, instance.profits)),
        "",
        f"The weight of {n} elements",
        " ".join(map(str, instance.weights)),
        "",
        "Relation matrix",
    ]
    for elements in instance.items:
        row = ["0"] * n
        for e in elements:
            row[e] = "1"
        lines.append(" ".join(row))
    return "\n".join(lines) + "\n"
