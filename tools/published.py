"""Compute again what the pages publish, and say which answers have changed.

    python tools/published.py             # what 40 minutes allow; `make published`
    python tools/published.py --all       # what 6 hours allow; `make published ALL=1`
    python tools/published.py --list      # the commands, and which of them are run

Each figure in README.md and docs/ stands under a comment that names the commands that
compute it, ``<!-- regenerate: COMMAND -->``; tools/published.toml adds commands whose
pages are written as a whole, and says which commands are run by a sample, only with
--all, or not at all, and why. Every command starts in an empty folder; kernels are
compiled into an empty cache of this run.

Answers are the lines that methods write where CLOSEKNIT_ANSWERS names a file (costs,
bounds, statuses, proofs), and the cells of all CSV and JSON files that the command
writes, both without times. What a limit stopped depends on the machine: it is counted,
and left out. Answers are compared with those of tools/published.json, which --keep
writes: one digest for each command. With --against DIR, of an earlier run, changed
answers are listed line by line.

A command that was finished for the same sources is not run again.
The exit status is 1 if answers have changed or a command failed, 2 if none was run.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".toml")
RECORD = Path(__file__).with_suffix(".json")
MARK = re.compile(r"^<!-- regenerate: (.*) -->$", re.MULTILINE)
TIME = re.compile(
    r"\b(s|ms|µs|seconds?|sec|minutes|time taken|wall|cpu|date|solving|writing|checking"
    r"|when|version|elapsed|rss|kB|MB)\b|_s$|_ms$|seconds|per_second",
    re.IGNORECASE,
)
"""Names of columns and fields that are left out."""
LEFT_OUT = ("ratios.csv", "rederived.json")
"""Files that hold what limits stopped, too; their answers are in the methods' lines."""
SOURCES = (
    *("api", "cli", "clusters", "exact", "formulations", "heuristics", "instances"),
    *("methods", "network", "papers", "proofs", "reports", "scheduler", "simulation"),
    *("solvers", "frontier", "benchmarks", "constraints.txt"),
)


@dataclass(frozen=True)
class Job:
    """A command, the pages that show what it computes, and how it is run."""

    command: str
    pages: tuple[str, ...]
    run: str
    """What is run: the command, or a sample of it; "" if nothing is."""
    why: str = ""

    @property
    def key(self) -> str:
        """Name of its folder."""
        words = re.sub(r"[^a-z0-9]+", "-", self.run.lower()).strip("-")
        return f"{words[:60]}-{hashlib.sha256(self.run.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Done:
    """The outcome of a command."""

    run: str
    seconds: float
    status: int
    answers: int
    stopped: int
    contradictions: int
    digest: str
    sources: str


def jobs(*, everything: bool) -> list[Job]:
    """Return all commands, in the order of the pages."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    pages: dict[str, list[str]] = {}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("[!g]*/*.md"))):
        for command in MARK.findall(path.read_text("utf-8")):
            pages.setdefault(command, []).append(str(path.relative_to(ROOT)))
    for extra in table["extra"]:
        pages.setdefault(extra["command"], []).append(extra["page"])
    rules = {one["command"]: one for one in table["rule"]}
    if unknown := rules.keys() - pages.keys():
        raise SystemExit(f"{TABLE.name}: no page has the command {min(unknown)!r}")
    found = []
    for command, where in pages.items():
        rule = rules.get(command, {})
        chosen = rule.get("all" if everything else "default", command)
        why = rule.get("why", "")
        found.append(Job(command, tuple(dict.fromkeys(where)), chosen, why))
    return found


def sources() -> str:
    """Digest of what computes answers, as it is in the working tree."""
    digest = hashlib.sha256()
    for words in (("ls-files", "-s"), ("diff", "HEAD", "--")):
        command = ["git", *words, *SOURCES]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        digest.update(done.stdout)
    return digest.hexdigest()[:16]


def words_of(command: str) -> list[str]:
    """Split a command; a target of make is what its only line runs."""
    words = shlex.split(command)
    if words[0] != "make":
        return words
    given = dict(word.split("=", 1) for word in words[2:])
    if words[1] == "bench":
        name = given["NAME"].replace("-", "_")
        arguments = shlex.split(given.get("ARGS", ""))
        return ["python", f"benchmarks/bench_{name}.py", *arguments]
    text = (ROOT / "Makefile").read_text()
    found = re.search(rf"^{re.escape(words[1])}:.*\n\t(.*)", text, re.MULTILINE)
    if not found:
        raise SystemExit(f"no target {words[1]}")
    line = found.group(1).replace("$(BIN)/", "")
    if given and "$(ARGS)" not in line:
        raise SystemExit(f"{words[1]} takes no ARGS")
    return shlex.split(line.replace("$(ARGS)", given.get("ARGS", "")))


def program_of(command: str) -> list[str]:
    """Return a command as words that this interpreter runs anywhere."""
    tool, *rest = words_of(command)
    if tool == "closeknit":
        return [sys.executable, "-m", "closeknit", *rest]
    start = [sys.executable] if tool == "python" else [sys.executable, "-m", tool]
    return [*start, str(ROOT / rest[0]), *rest[1:]]


def link_data(words: list[str], folder: Path) -> None:
    """Put links to data files and files of the checkout that a command names."""
    data = Path(os.environ.get("CLOSEKNIT_DATA") or ROOT.parent / "shared").resolve()
    for word in words:
        if re.fullmatch(r"[\w.-]+\.(xz|csv|jsonl|conf)", word):
            for path in data.rglob(word):
                (folder / word).symlink_to(path)
                break
        elif re.fullmatch(r"(examples|benchmarks)/[\w./-]+", word):
            top = word.split("/")[0]
            if not (folder / top).exists():
                (folder / top).symlink_to(ROOT / top)


def carry_out(job: Job, out: Path, version: str, limit: float) -> Done:
    """Run a command in a folder of its own, and digest its answers."""
    kept = out / f"{job.key}.json"
    if kept.exists():
        done = Done(**json.loads(kept.read_text()))
        if done.sources == version and done.status == 0:
            return done
    folder = out / job.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {
        **os.environ,
        "CLOSEKNIT_ANSWERS": str(folder / "answers.log"),
        "NUMBA_CACHE_DIR": str(out / "kernels"),
        "XDG_CACHE_HOME": str(out / "cache"),
    }
    start, status = monotonic(), 0
    with (folder / "printed.txt").open("w") as printed:
        for command in job.run.split(" && "):
            words = program_of(command)
            link_data(words, folder)
            left = limit - (monotonic() - start)
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            RUNNING.add(process.pid)
            try:
                status = process.wait(max(1.0, left))
            except subprocess.TimeoutExpired:
                end(process.pid)
                status = process.wait()
            RUNNING.discard(process.pid)
            if status:
                break
    lines, stopped, contradictions = answers_in(folder)
    done = Done(
        run=job.run,
        seconds=round(monotonic() - start, 1),
        status=status,
        answers=len(lines),
        stopped=stopped,
        contradictions=contradictions,
        digest=hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
        sources=version,
    )
    (folder / "answers.txt").write_text("\n".join(lines) + "\n")
    kept.write_text(json.dumps(asdict(done)) + "\n")
    return done


RUNNING: set[int] = set()
"""Leaders of the groups of processes that are running."""


def end(group: int) -> None:
    """Ask a command and its children to end; workers follow when it has."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)


def end_all(number: int, frame: object) -> None:
    """End what is running when this program is to end."""
    for group in tuple(RUNNING):
        end(group)
    os._exit(128 + number)


def answers_in(folder: Path) -> tuple[list[str], int, int]:
    """Return the answers of a run, sorted; how many were stopped, or contradict."""
    given: dict[str, set[str]] = {}
    stopped = 0
    log = folder / "answers.log"
    for line in log.read_text().splitlines() if log.exists() else ():
        row = json.loads(line)
        if row.pop("limit"):
            stopped += 1
            continue
        value = json.dumps({name: row.pop(name) for name in VALUES})
        given.setdefault(json.dumps(row), set()).add(value)
    found = [f"{key} {value}" for key, values in given.items() for value in values]
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.name in LEFT_OUT:
            continue
        if path.is_symlink() or any((folder / up).is_symlink() for up in name.parents):
            continue
        if path.suffix == ".csv":
            found += [f"{name} {row}" for row in csv_rows(path)]
        elif path.suffix in (".json", ".jsonl"):
            found += [f"{name} {row}" for row in json_rows(path)]
    found = found or [json.dumps(row) for row in printed_rows(folder / "printed.txt")]
    return sorted(found), stopped, sum(len(one) > 1 for one in given.values())


VALUES = ("cost", "bound", "status", "proof")


def csv_rows(path: Path) -> Iterator[str]:
    """Yield the rows of a table without times."""
    with path.open(newline="") as stream:
        for row in csv.DictReader(stream):
            yield json.dumps({k: v for k, v in row.items() if k and not TIME.search(k)})


def json_rows(path: Path) -> Iterator[str]:
    """Yield the documents of a file without times."""
    for line in (
        path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    ):
        try:
            yield json.dumps(without_times(json.loads(line)), sort_keys=True)
        except ValueError:
            yield f"cannot be read: {hashlib.sha256(line.encode()).hexdigest()}"


def printed_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of printed tables without times and numbers of nodes.

    They are the answers of a command that writes no others. Where no table has bars,
    each line is a row.
    """
    head: list[str] = []
    lines = path.read_text().splitlines() if path.exists() else []
    for line in lines if not any("|" in each for each in lines) else ():
        text = " ".join(re.sub(r"[\d.]+ (ms|s|min)\b", "", line).split())
        if re.search(r"\w", text):
            yield {"line": text}
    for line in lines:
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            head = []
        elif not head:
            head = cells
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            row = dict(zip(head, cells, strict=False))
            yield {k: v for k, v in row.items() if not (TIME.search(k) or k == "nodes")}


def without_times(value: Any) -> Any:
    """Leave out the fields of a document that hold times."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not TIME.search(k)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def main() -> int:
    """Run what is wanted; print a row for each command, then what has changed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="what 6 hours allow")
    parser.add_argument("--list", action="store_true", help="run nothing")
    parser.add_argument("--only", default="", help="commands that contain this")
    parser.add_argument("--out", type=Path, default=Path("out/published"))
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--limit", type=float, default=21600.0, help="s for a command")
    parser.add_argument("--keep", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--against", type=Path, help="folder of an earlier run")
    args = parser.parse_args()
    wanted = [job for job in jobs(everything=args.all) if args.only in job.command]
    if args.list:
        for job in wanted:
            how = "as it stands" if job.run == job.command else job.run or "not run"
            print(f"{', '.join(job.pages)}: {job.command}: {how} {job.why}".rstrip())
        return 0
    todo = {job.run: job for job in wanted if job.run}
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_all)
    if not todo:
        print("no command is run", file=sys.stderr)
        return 2
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    version = sources()
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    changed, failed = [], 0
    print("| page | command | seconds | answers | stopped | digest | |")
    print("|---|---|--:|--:|--:|---|---|")
    with ThreadPoolExecutor(args.jobs) as pool:
        done = pool.map(
            lambda job: carry_out(job, out, version, args.limit), todo.values()
        )
        for job, one in zip(todo.values(), done, strict=True):
            word = verdict(one, recorded)
            if word == "CHANGED":
                changed.append(job)
            if word in ("CHANGED", "as before", "new"):
                recorded[one.run] = one.digest
            else:
                failed += 1
            print(
                f"| {', '.join(job.pages)} | `{one.run}` | {one.seconds:.0f} "
                f"| {one.answers} | {one.stopped} | {one.digest} | {word} |",
                flush=True,
            )
    print(f"\n{len(todo)} commands, {len(changed)} changed, {failed} failed")
    if args.against:
        for job in todo.values():
            list_changes(job, args.against.resolve(), out)
    if args.keep:
        RECORD.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    return int(bool(changed or failed))


def verdict(done: Done, recorded: dict[str, str]) -> str:
    """Compare an outcome with the digests of before, in a word or two."""
    if done.status:
        return f"exit {done.status}"
    if done.contradictions:
        return f"{done.contradictions} contradictions"
    if not done.answers:
        return "no answers"
    before = recorded.get(done.run)
    if before is None:
        return "new"
    return "as before" if before == done.digest else "CHANGED"


def list_changes(job: Job, before: Path, now: Path) -> None:
    """Print the answers that differ from those of an earlier run."""
    paths = [where / job.key / "answers.txt" for where in (before, now)]
    if not all(path.exists() for path in paths):
        print(f"not in both: {job.run}")
        return
    old, new = (set(path.read_text().splitlines()) for path in paths)
    for line in sorted(old - new):
        print(f"- {line}")
    for line in sorted(new - old):
        print(f"+ {line}")


if __name__ == "__main__":
    sys.exit(main())
