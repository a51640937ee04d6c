"""A folder of instances with their optima and proofs, filled by parallel processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from ...instances import Instance
from ...instances.reading.files import folder
from ...proofs.checking.folder import Entry, still_held, write_index
from ..campaigns.pool import Call, Failure, run
from .proving import text_of, write_entry

Wanted = Mapping[str, tuple[Instance, Call]]
"""By name, instances and the calls that return a `Proven` of each."""


def fill(
    where: Path,
    wanted: Wanted,
    *,
    about: str,
    jobs: int,
    progress: Callable[[int, int, str], None],
) -> tuple[dict[str, Entry], dict[str, str]]:
    """Make what is missing in a folder; return entries, and why others are missing.

    What the folder holds already is not made again, and its index is written as each
    proof ends. ``about`` describes the folder there; ``progress`` is called with the
    number done, all, and the name of the current one.
    """
    folder(where)
    found = {one.name: one for one in still_held(where)}
    for name, (instance, _) in wanted.items():
        digest = sha256(text_of(instance)).hexdigest()
        if name in found and found[name].instance.sha256 != digest:
            del found[name]
    due = [name for name in wanted if name not in found]
    missing: dict[str, str] = {}
    done = len(wanted) - len(due)
    progress(done, len(wanted), "")
    with closing(run([wanted[name][1] for name in due], jobs=jobs)) as outcomes:
        for position, outcome in outcomes:
            name = due[position]
            if isinstance(outcome, Failure) or outcome.kept is None:
                missing[name] = outcome.why
            else:
                found[name] = write_entry(where, wanted[name][0], outcome)
                write_index(where, _in_order(found, wanted), about)
            done += 1
            progress(done, len(wanted), name)
    write_index(where, _in_order(found, wanted), about)
    return found, missing


def _in_order(found: Mapping[str, Entry], wanted: Wanted) -> list[Entry]:
    """Return entries in the order of what is wanted, then those of other runs."""
    names = [name for name in wanted if name in found]
    return [found[name] for name in dict.fromkeys([*names, *found])]
