"""Faults of the checker of certificates, each off by one, and altered certificates."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..faults.planting import Edit

CERTIFICATE = "instances.ksubset.certificate"
COUNTS = "instances.ksubset.counts"

CERTIFICATE_EDITS = {
    "companions off by one: too many needed": Edit(
        COUNTS, "chosen + count + 1 > self.k", "chosen + count + 1 >= self.k"
    ),
    "companions off by one: too many in need": Edit(
        COUNTS,
        "possible - count - 1 < self.k",
        "possible - count - 1 <= self.k",
    ),
    "the cost rule chooses one too early": Edit(
        CERTIFICATE,
        "+ min(spare) >= self.threshold",
        "+ min(spare) >= self.threshold - 1",
    ),
    "the cost rule rejects one too early": Edit(
        CERTIFICATE,
        "- max(last) >= self.threshold",
        "- max(last) >= self.threshold - 1",
    ),
    "a count is cut off one too early": Edit(
        COUNTS,
        "outer[others] < self.threshold",
        "outer[others] < self.threshold - 1",
    ),
    "a count costs more than its secant lacks": Edit(
        COUNTS,
        "error = self.weight[h] * (c - low) * (high - c)",
        "error = 2 * self.weight[h] * (c - low) * (high - c)",
    ),
    "a count beyond an interval's end is not looked at": Edit(
        CERTIFICATE, "counts[-1] <= high)", "counts[-1] <= high + 1)"
    ),
    "a leaf is bounded one too early": Edit(
        CERTIFICATE, "if bound < self.threshold", "if bound < self.threshold - 1"
    ),
    "who is as near as another needs it": Edit(
        COUNTS, "for at in self.place[q]) < 0", "for at in self.place[q]) <= 0"
    ),
    "the last of coinciding points for the first": Edit(
        CERTIFICATE,
        "if not self._is_twin(state, p, range(p), REJECTED)",
        "if not self._is_twin(state, p, range(p + 1, self.n), REJECTED)",
    ),
}


def rewrite(path: Path, change: Callable[[list[Any]], object]) -> None:
    """Change the lines of a certificate and give it a digest that fits."""
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()[:-1]
    values = [json.loads(line) for line in lines]
    change(values)
    body = "".join(json.dumps(value) + "\n" for value in values).encode()
    body += hashlib.sha256(body).hexdigest().encode() + b"\n"
    path.write_bytes(lzma.compress(body))
