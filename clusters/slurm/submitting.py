"""``closeknit-sbatch``: sbatch with nodes that the service chooses, where it can.

For sites without the plugin in slurmctld. Options and script are those of sbatch. The
service is named by CLOSEKNIT_SERVICE (unix:/run/closeknit/socket by default), its
token by CLOSEKNIT_TOKEN. Whatever is not plain, slow or wrong is left to sbatch alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .client import Client, ServiceError

SERVICE = "unix:/run/closeknit/socket"
MARK = "--comment=closeknit"
SECONDS = 0.5
"""Limit for the answer of the service."""
STALE = 5.0
"""Seconds after which what the service knows of Slurm is too old."""
_VALUES = (
    *("-A", "-D", "-J", "-e", "-i", "-o", "-q", "-t", "--account", "--chdir"),
    *("--error", "--export", "--input", "--job-name", "--mail-type", "--mail-user"),
    *("--ntasks-per-node", "--open-mode", "--output", "--qos", "--signal"),
    *("--time", "--time-min", "--wrap"),
)
_FLAGS = (
    *("-Q", "-W", "-v", "--exclusive", "--no-requeue", "--parsable", "--quiet"),
    *("--requeue", "--verbose", "--wait"),
)
"""Options next to which nodes can be chosen, with a value and without."""
_COUNT = re.compile(r"[1-9]\d{0,6}", re.ASCII)
_HOSTLIST = re.compile(r"[\w.,\[\]-]{1,100000}", re.ASCII)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def nodes_wanted(words: Sequence[str]) -> int | None:
    """Return how many nodes a command line of sbatch asks for.

    Returns None if that is not plain: no number or a range, an option that states where
    the job may run, options in the script, or a script on standard input.
    """
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("-N", "--nodes")
    for name in _VALUES:
        parser.add_argument(name, dest=name)
    for name in _FLAGS:
        parser.add_argument(name, action="store_true", dest=name)
    parser.add_argument("script", nargs=argparse.REMAINDER)
    try:
        found = parser.parse_args(words)
    except ValueError:
        return None
    if not _COUNT.fullmatch(found.nodes or "") or int(found.nodes) < 2:
        return None
    wrapped = vars(found)["--wrap"] is not None
    plain = not found.script if wrapped else _is_plain(found.script)
    return int(found.nodes) if plain else None


def _is_plain(script: Sequence[str]) -> bool:
    """Whether there is a script, and it sets no options of its own."""
    try:
        with Path(script[0]).open("rb") as file:
            return not re.search(rb"^#(?:SBATCH|PBS|BSUB)", file.read(2**20), re.M)
    except (OSError, IndexError):
        return False


def main() -> None:
    """Submit a job; exit as sbatch does."""
    words = sys.argv[1:]
    k = nodes_wanted(words)
    chosen = chosen_nodes(k) if k is not None else None
    if chosen is not None:
        pinned = ["sbatch", f"--nodelist={chosen}", MARK, *words]
        try:
            done = subprocess.run(
                pinned,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            sys.exit(f"closeknit-sbatch: sbatch: {error.strerror}")
        # Tried again only if Slurm refuses the nodes: otherwise the job may be there.
        if done.returncode == 0 or not re.search(r"\bnodes?\b", done.stderr, re.I):
            sys.stderr.write(done.stderr)
            sys.exit(done.returncode)
    try:
        os.execvp("sbatch", ["sbatch", *words])
    except OSError as error:
        sys.exit(f"closeknit-sbatch: sbatch: {error.strerror}")


def chosen_nodes(k: int) -> str | None:
    """Return nodes for a job as a hostlist, or None if there is no good answer."""
    address = os.environ.get("CLOSEKNIT_SERVICE", SERVICE)
    token = os.environ.get("CLOSEKNIT_TOKEN", "")
    try:
        client = Client(address, token=token, seconds=SECONDS)
        status, answer = client.ask("POST", "/select", {"k": k, "take": True})
    except ServiceError:
        return None
    hosts, names = answer.get("hostlist"), answer.get("chosen")
    age = answer.get("state_age")
    fresh = isinstance(age, int | float) and age <= STALE
    whole = isinstance(names, list) and len(names) == k
    if status != 200 or not fresh or not whole or not isinstance(hosts, str):
        return None
    return hosts if _HOSTLIST.fullmatch(hosts) else None
