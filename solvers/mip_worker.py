"""The child process of a mixed-integer solver.

Run as ``python -m closeknit.solvers.mip_worker FOLDER``. The folder holds ``job.json``
and ``model.json``; improved solutions and bounds are appended to ``progress.jsonl``,
the answer is written to ``outcome.json``. The process group ends when its parent closes
standard input or ends.

If the job has several levels, the solver runs once per level: the level is minimised,
then fixed at its optimum by a constraint.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

from .running.tolerances import round_up

Terms = list[tuple[str, int]]
"""Names of variables, and their coefficients."""


class ModelRun:
    """One model to solve, and the files for its results.

    Attributes
    ----------
    folder
        Folder of all files of this run.
    model
        The PuLP problem, with start values in its variables.
    chosen
        The variables whose values are reported.
    warm
        Whether the variables' values are a solution.
    optima
        Optima of the levels solved so far.
    seed, threads
        As in ``Settings``.
    log
        Whether the solver logs to standard output.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = json.loads((folder / "job.json").read_text())
        self.seed: int = self.about["seed"]
        self.threads: int = self.about["threads"]
        self.warm: bool = self.about["warm"]
        self.log: bool = self.about["log"]
        self.model: Any = None
        self.chosen: list[Any] = []
        self.optima: list[int] = []
        self._levels: list[Terms] = self.about["levels"]
        self._variables: dict[str, Any] = {}
        self._last: dict[str, Any] = {}
        self._ended = False

    @property
    def seconds(self) -> float:
        """Remaining time."""
        return max(0.01, float(self.about["deadline"]) - time.monotonic())

    def load(self) -> None:
        """Read the model; imports PuLP with its solvers."""
        pulp = importlib.import_module("pulp")
        importlib.import_module("pulp.v4_migration").set_v4_migration_warnings(False)
        variables, self.model = pulp.LpProblem.fromJson(self.folder / "model.json")
        self._variables = variables
        self.chosen = [variables[name] for name in self.about["variables"]]

    def levels(self) -> Iterator[None]:
        """Set each level as the objective in turn, as long as optima are proved.

        A level at which the known solution costs nothing needs no search: it must
        cost nothing at later levels too.
        """
        if not self._levels:
            yield
            return
        expression = importlib.import_module("pulp").LpAffineExpression
        solved = False
        while len(self.optima) < len(self._levels):
            terms = self._levels[len(self.optima)]
            total = expression([(self._variables[name], w) for name, w in terms])
            if solved and self._sum(terms) == 0:
                self.optima.append(0)
                if terms:
                    self.model += total <= 0
                continue
            self.model.setObjective(total)
            self.note()
            yield
            if self._ended:
                return
            self.model += total <= self.optima[-1]
            self.warm = solved = True
        self._write({**self._last, "optima": self.optima})

    def note(
        self,
        *,
        bound: float | None = None,
        values: Sequence[float] | None = None,
        version: str | None = None,
    ) -> None:
        """Report a better bound or solution, in case the process is killed."""
        note = {"bound": bound, "values": values and list(values), "version": version}
        line = json.dumps({**note, "optima": self.optima})
        with (self.folder / "progress.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def end(self, **outcome: Any) -> None:
        """Record the outcome of a run: status and, if known, bound, values, version.

        If it proves the optimum of a level, the job continues with the next level.
        """
        if self._levels and outcome["status"] == "optimal":
            least = self._sum(self._levels[len(self.optima)])
            if round_up(outcome.get("bound")) == least:
                self.note(values=outcome["values"], version=outcome["version"])
                self.optima.append(least)
                self._last = {**outcome, "bound": None}
                return
        self._write({**outcome, "optima": self.optima})

    def _sum(self, terms: Terms) -> int:
        return sum(w * round(self._variables[name].varValue or 0) for name, w in terms)

    def _write(self, outcome: dict[str, Any]) -> None:
        self._ended = True
        part = self.folder / "outcome.part"
        part.write_text(json.dumps(outcome), encoding="utf-8")
        part.replace(self.folder / "outcome.json")


def main(folder: str) -> int:
    """Solve the job in a folder."""
    Thread(target=_leave_with_parent, args=(folder,), daemon=True).start()
    job = ModelRun(Path(folder))
    module, _, name = job.about["backend"].partition(":")
    try:
        job.load()
        backend = getattr(importlib.import_module(module), name)
        _limit_memory(job.about["memory_mb"])
        job.note()  # reports that the model is built
        for _ in job.levels():
            backend(job)
    except ModuleNotFoundError as error:
        job.end(status="missing", missing=error.name or str(error))
    except MemoryError:
        job.end(status="memory")
    return 0


def _limit_memory(megabytes: int | None) -> None:
    """Limit memory to this amount in addition to what the loaded libraries map."""
    if megabytes is None:
        return
    import resource

    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _leave_with_parent(folder: str) -> None:
    """Delete the folder and end the process group when the parent has ended."""
    while os.read(0, 1):  # not sys.stdin, whose lock would delay the exit
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
