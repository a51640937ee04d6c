"""Tell the service which nodes Slurm uses; free jobs that wait for chosen nodes."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Event
from time import monotonic
from typing import Any

from ...instances import InputError
from ...scheduler.hostlist import fold, unfold
from .client import Client

MARK = "closeknit"
"""Begins the comment of jobs whose nodes were chosen by us."""
SECONDS = 20.0
"""Limit for a command of Slurm."""
_SHOWN = 64
"""Characters of a row in a message."""
_MOST_SAID = 3
_USABLE = {
    *("idle", "idle~", "idle#", "idle-", "planned", "planned~", "planned#"),
    *("allocated", "mixed", "completing"),
}
"""States of nodes, as sinfo prints them, in which jobs come and go: those in which a
node is free (``~``: powered down, ``#``: powering up, ``-``: planned) or busy."""

Command = Callable[[list[str]], str]


def slurm_command(words: list[str]) -> str:
    """Run a command of Slurm and return what it prints.

    Raises
    ------
    OSError
        If it cannot be started, fails, or takes longer than `SECONDS`; one line.
    """
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",  # squeue cuts comments of users by bytes
            timeout=SECONDS,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines()
        raise OSError(f"{words[0]}: {said[-1] if said else error}") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"{words[0]}: no answer within {SECONDS:g} s") from None
    return done.stdout


@dataclass
class Follower:
    """Compares Slurm with the state of the service, step after step.

    Nodes in use by Slurm become busy at once. A node that only the service takes for
    busy was promised to a job in its submission; unless the job shows up, the node
    becomes free at the second step that sees it so.

    Parameters
    ----------
    client
        Of the service.
    patience
        Seconds that a job may wait for the nodes chosen for it before Slurm may choose.
    command
        Runs a command of Slurm.
    renewal
        Seconds after which nodes that are down or drained are looked for again.
    """

    client: Client
    patience: float = 5.0
    command: Command = slurm_command
    renewal: float = 5.0
    unpinned: int = 0
    """Jobs whose nodes were given back to Slurm's choice."""
    unread: list[str] = field(default_factory=list)
    """What the last step did not understand, one line each; it went on without."""
    _unknown: bool = False
    _used: set[str] = field(default_factory=set)
    _promised: set[str] = field(default_factory=set)
    _waiting: dict[str, float] = field(default_factory=dict)
    _looked: tuple[float, set[str]] | None = None

    def step(self) -> int:
        """Bring the service up to date; return how many nodes are in use.

        Raises
        ------
        OSError
            If the service or Slurm does not answer. The next step makes up for it.
        InputError
            If a hostlist of the service or of sinfo is malformed.
        """
        status, state = self.client.ask("GET", "/state")
        busy = state.get("busy")
        if status != 200 or not isinstance(busy, str):
            raise OSError(f"/state: {status}, and no list of busy nodes")
        believed = _names(busy)
        nodes = believed | _names(str(state.get("free", "")))
        given, waiting = self._jobs()
        used = given.union(self._broken(nodes), *waiting.values())
        over = believed - used
        free = over & (self._used | self._promised)
        if self._unknown:  # what a job has is not known: it may be any of these
            free = set()
        self._used, self._promised = used, over - free
        changes = {"busy": fold(sorted(used)), "free": fold(sorted(free))}
        self._tell({key: nodes for key, nodes in changes.items() if nodes} or state)
        self._unpin({job: bool(nodes & given) for job, nodes in waiting.items()})
        return len(used)

    def _broken(self, nodes: set[str]) -> set[str]:
        """Return the nodes that no job can have; those are not asked for every time.

        Nodes that sinfo does not name at all are among them.
        """
        now = monotonic()
        if self._looked is None or now - self._looked[0] >= self.renewal:
            usable: set[str] = set()
            others: set[str] = set()
            for line in self.command(["sinfo", "-h", "-o", "%T|%N"]).splitlines():
                word, _, listed = line.partition("|")
                known = usable if word.strip() in _USABLE else others
                known |= _names(listed)
            self._looked = now, others | (nodes - usable)
        return self._looked[1]

    def _jobs(self) -> tuple[set[str], dict[str, set[str]]]:
        """Return the nodes of jobs that run, and of waiting ones those chosen by us."""
        given: set[str] = set()
        waiting = {}
        self.unread, self._unknown = [], False
        for row in self._rows():
            number, state, has, wants, comment = (*row.split("|", 4), *[""] * 4)[:5]
            runs = state != "PD" and (bool(has) or state == "R")
            try:
                if runs:
                    given |= _names(has)
                elif wants and comment == MARK:
                    waiting[number] = _names(wants)
                if not row.isprintable():
                    raise InputError("has a line break", "squeue", row[:_SHOWN])
                if not number[:1].isdigit() or (runs and not has):
                    raise InputError("is no job with its nodes", "squeue", row[:_SHOWN])
            except InputError as error:
                self.unread.append(f"job {number[:_SHOWN]!r}: {error}")
                self._unknown |= runs
        return given, waiting

    def _rows(self) -> list[str]:
        """Return what squeue prints of each job, with the line breaks of its texts.

        Rows end with a word drawn for this call, which no comment of a user can have.
        """
        end = f"|{token_hex(8)}"
        form = f"%i|%t|%N|%n|%{len(MARK)}k{end}"
        *rows, rest = self.command(["squeue", "-h", "-o", form]).split(f"{end}\n")
        if rest:
            raise OSError(f"squeue: a row does not end: {rest[:_SHOWN]!r}")
        return rows

    def _tell(self, changes: dict[str, Any]) -> None:
        """Make a step in any case: its age states that somebody follows Slurm."""
        body = {key: changes[key] for key in ("busy", "free") if changes.get(key)}
        status, answer = self.client.ask("POST", "/state", body)
        if status != 200:
            raise OSError(f"/state: {status} {answer.get('detail', '')}")

    def _unpin(self, waiting: dict[str, bool]) -> None:
        """Let Slurm choose for jobs that wait in vain: others have nodes of theirs."""
        now = monotonic()
        self._waiting = {job: self._waiting.get(job, now) for job in waiting}
        for job, since in self._waiting.items():
            if waiting[job] or now - since >= self.patience:
                # It may have begun meanwhile: then Slurm refuses, rightly.
                with contextlib.suppress(OSError):
                    self.command(["scontrol", "update", f"JobId={job}", "ReqNodeList="])
                    self.unpinned += 1


def _names(text: str) -> set[str]:
    return set(unfold(text)) if text.strip() else set()


def follow(
    follower: Follower,
    every: float,
    stop: Event,
    report: Callable[[str], None],
) -> None:
    """Make a step every so many seconds until ``stop``; report what goes wrong once."""
    said = ""
    while True:
        problem = ""
        try:
            follower.step()
            problem = "; ".join(follower.unread[:_MOST_SAID])
        except (OSError, ValueError) as error:
            problem = " ".join(str(error).split())
        if problem != said:
            report(problem or "Slurm and the service answer")
            said = problem
        if stop.wait(every):
            return
