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
        COUNTS, "chosen + needed + 1 > self.k", "chosen + needed + 1 >= self.k"
    ),
    "companions off by one: too many in need": Edit(
        COUNTS,
        "possible - needing - 1 < self.k",
        "possible - needing - 1 <= self.k",
    ),
    "the cost rule chooses one too early": Edit(
        CERTIFICATE,
        "+ int(spare.min()) >= self.threshold",
        "+ int(spare.min()) >= self.threshold - 1",
    ),
    "the cost rule rejects one too early": Edit(
        CERTIFICATE,
        "- int(last.max()) >= self.threshold",
        "- int(last.max()) >= self.threshold - 1",
    ),
    "a count is cut off one too early": Edit(
        COUNTS,
        "(bound + error < self.threshold)",
        "(bound + error < self.threshold - 1)",
    ),
    "a count costs more than its secant lacks": Edit(
        COUNTS,
        "error = self.weight[cuts][:, None] * (count - low) * (high - count)",
        "error = 2 * self.weight[cuts][:, None] * (count - low) * (high - count)",
    ),
    "a count beyond an interval's end is not looked at": Edit(
        CERTIFICATE, "counts > high[piece, None]", "counts > high[piece, None] + 1"
    ),
    "a leaf is bounded one too early": Edit(
        CERTIFICATE, "if bound < self.threshold", "if bound < self.threshold - 1"
    ),
    "who is as near as another needs it": Edit(COUNTS, "= total < 0", "= total <= 0"),
    "the last of coinciding points for the first": Edit(
        CERTIFICATE,
        "(np.arange(len(self.twin)) < p)",
        "(np.arange(len(self.twin)) > p)",
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
