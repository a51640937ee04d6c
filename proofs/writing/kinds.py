"""Who writes proofs of each kind, and which of them about an instance."""

from __future__ import annotations

from typing import NamedTuple

from ...instances.errors import InputError
from ...instances.problems import Instance
from ..checking.kinds import CERTIFICATE, DNN, FILE_KINDS, LOG

AUTO = "auto"
"""Any kind of proof."""


class WrittenKind(NamedTuple):
    """A kind of proof: what it is called, and who writes and checks its files."""

    option: str
    """Its name for ``--proof-kind``."""
    by: str
    checked_by: str
    ending: str
    """Ending of its files in folders of proofs."""


WRITTEN = {
    CERTIFICATE: WrittenKind(
        *("certificate", "cuts-bb", "instances/ksubset/certificate.py", ".xz")
    ),
    LOG: WrittenKind(
        *("pseudo-boolean", "a search of closeknit's own, else Exact"),
        *("proofs/checking/checker.py", ".pbp.xz"),
    ),
    DNN: WrittenKind(
        *("dnn", "dnn-bb", "proofs/checking/dnn/matrices.py", ".xz"),
    ),
}
"""The kinds of `FILE_KINDS`; `kinds_about` states which is tried first where several
serve an instance."""


def kinds_about(instance: Instance, wanted: str = AUTO) -> list[str]:
    """Return the kinds of proofs that are written about an instance, the first first.

    Pseudo-Boolean ones are the last, as they take longest where others serve, too.
    ``wanted`` is the option of the only one that will do, or ``auto``. Raises
    InputError if there is none.
    """
    about = [kind for kind, row in FILE_KINDS.items() if row.is_about(instance)]
    about.sort(key=LOG.__eq__)
    found = {WRITTEN[kind].option: kind for kind in about}
    if wanted != AUTO and wanted not in found:
        known = " or ".join((AUTO, *found))
        raise InputError(f"must be {known} for {instance.name}", "proof_kind", wanted)
    return list(found.values()) if wanted == AUTO else [found[wanted]]
