"""Faults of the checker of certificates, each off by one: see `planting.Edit`."""

from __future__ import annotations

from .planting import Edit

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
        CERTIFICATE, "counts > high[:, None]", "counts > high[:, None] + 1"
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
