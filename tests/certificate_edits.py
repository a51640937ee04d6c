"""Faults of the checker of certificates, each off by one: see `planting.Edit`."""

from __future__ import annotations

from .planting import Edit

CERTIFICATE = "instances.ksubset.certificate"

CERTIFICATE_EDITS = {
    "companions off by one: too many needed": Edit(
        CERTIFICATE, "chosen + needed + 1 > self.k", "chosen + needed + 1 >= self.k"
    ),
    "companions off by one: too many in need": Edit(
        CERTIFICATE,
        "possible - needing - 1 < self.k",
        "possible - needing - 1 <= self.k",
    ),
    "the cost rule chooses one too early": Edit(
        CERTIFICATE,
        "+ int(spare.min()) < self.threshold",
        "+ int(spare.min()) < self.threshold - 1",
    ),
    "the cost rule rejects one too early": Edit(
        CERTIFICATE,
        "- int(last.max()) < self.threshold",
        "- int(last.max()) < self.threshold - 1",
    ),
    "a leaf is bounded one too early": Edit(
        CERTIFICATE, "if bound < self.threshold", "if bound < self.threshold - 1"
    ),
    "who is as near as another needs it": Edit(
        CERTIFICATE, "alone < both", "alone <= both"
    ),
    "the last of coinciding points for the first": Edit(
        CERTIFICATE,
        "(np.arange(len(self.twin)) < p)",
        "(np.arange(len(self.twin)) > p)",
    ),
}
