"""Mutants over the whole core: what the quick tier sees of what the full one sees.

Two hundred mutants are drawn from all lines of the core without workers, servers and
browser pages, each place as likely as any other. One run of a tier notes which of its
tests executes which drawn place; kernels count as executed where one that calls them,
directly or not, is called. Each mutant then meets the tests that execute it, those
first that execute few of the drawn places, until one fails.

    python benchmarks/mutation_tier.py draw      # needs the extra `mutation`
    python benchmarks/mutation_tier.py quick     # map the quick tier, run its tests
    python benchmarks/mutation_tier.py full      # what it left, against the other tests
    python benchmarks/mutation_tier.py report

All is kept in ``out/mutation/tier-SEED``; stopped, the same command goes on.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from mutation import CONFIG, LEFT_OUT, ROOT, interval, mutants

ROOMS = (
    *("api", "cli", "closeknit", "exact", "formulations", "heuristics", "instances"),
    *("methods", "proofs", "reports", "scheduler", "simulation", "solvers"),
)
NOT_DRAWN = re.compile(r"worker|server|/http/|explore|/pages/|page\.py|/pool\.py")
"""Workers, servers, and what browsers show."""
CPU = 90.0
"""Seconds of tests, by the mapping run, that a mutant meets at most."""
TARGETS = "CLOSEKNIT_MUTATION_TARGETS"


# ------------------------------------------------------------------------------ drawing


def draw(out: Path, seed: int, count: int) -> None:
    """Draw places over all modules of the core, and keep the mutants there."""
    operators = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["operators"]
    sources = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not NOT_DRAWN.search(name):
                sources[name] = path.read_text(encoding="utf-8")
    random = Random(seed)
    sizes = {n: mutants(s, operators, 0, random)[0] for n, s in sources.items()}
    places = [name for name, size in sizes.items() for _ in range(size)]
    drawn: list[dict[str, Any]] = []
    for name, size in Counter(random.sample(places, 2 * count)).items():
        for line, operator, code, label in mutants(
            sources[name], operators, size, random
        )[1]:
            drawn.append(dict(file=name, line=line, operator=operator, label=label))
            drawn[-1] |= {"code": code, "begin": line, "end": line}
            _extend(drawn[-1], sources[name])
    random.shuffle(drawn)
    kept = {"places": len(places), "modules": len(sources), "mutants": drawn[:count]}
    (out / "drawn.json").write_text(json.dumps(kept), encoding="utf-8")
    print(
        f"{len(drawn[:count])} mutants of {len(places)} places in {len(sources)} files"
    )


def _extend(mutant: dict[str, Any], source: str) -> None:
    """Note the lines of the statement, its function, and what it assigns at import."""
    line, function = mutant["line"], None
    for node in ast.walk(ast.parse(source)):
        if not (getattr(node, "lineno", line + 1) <= line <= (node.end_lineno or 0)):
            continue
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            if isinstance(node, ast.FunctionDef) and line >= node.body[0].lineno:
                function = node
        elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
            mutant["begin"], mutant["end"] = node.lineno, node.end_lineno
            mutant["assigned"] = [
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            ]
    mutant["function"] = function and [function.lineno, function.name]


# ------------------------------------------------------------------------------ mapping


class Mapping:
    """A plugin of pytest that notes which tests execute which places."""

    def __init__(self, drawn: list[dict[str, Any]], out: Path) -> None:
        self.inside: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        self.imports: dict[str, list[int]] = defaultdict(list)
        self.assigned: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(drawn):
            file = one["file"]
            if one["function"]:
                key = file, one["function"][1]
                lines = one["begin"], one["end"], at
                self.inside.setdefault(key, []).append(lines)
            else:
                self.imports[file].append(at)
                for name in one.get("assigned", ()):
                    self.assigned[name].append(at)
        self.out, self.hits, self.rows = out, set(), {}
        self.known: dict[Any, Any] = {}
        self.kernels: dict[Any, list[int]] = {}

    def place(self, code: Any) -> tuple[list[tuple[int, int, int]], list[int]]:
        """Return the places inside a function's lines, and those it brings along."""
        file = code.co_filename
        if "/closeknit/" not in file:
            return [], []
        name = file.rpartition("/closeknit/")[2]
        name = name if "/" in name else f"closeknit/{name}"
        also = [*self.imports.get(name, ())]
        for one in code.co_names:
            also += self.assigned.get(one, ())
        return self.inside.get((name, code.co_name), []), also

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """Note a call, and the lines of a function with places."""
        code = frame.f_code
        known = self.known.get(code)
        if known is None:
            known = self.known[code] = self.place(code)
        inside, also = known
        if also:
            self.hits.update(also)
        if not inside:
            return None

        def local(frame: Any, event: str, argument: Any) -> Any:
            for begin, end, at in inside:
                if begin <= frame.f_lineno <= end:
                    self.hits.add(at)
            return local

        return local

    def kernel(self, one: Any) -> None:
        """Note the places in a kernel and in all that it calls."""
        if one not in self.kernels:
            self.kernels[one] = [
                at
                for each in one.callees()
                for inside, also in [self.place(each.py_func.__code__)]
                for at in [*(at for _, _, at in inside), *also]
            ]
        self.hits.update(self.kernels[one])

    def pytest_sessionstart(self, session: Any) -> None:
        """Note the calls of kernels, too."""
        from closeknit.solvers.running.kernels import Kernel

        call, mapping = Kernel.__call__, self

        def called(one: Any, *args: Any) -> Any:
            mapping.kernel(one)
            return call(one, *args)

        Kernel.__call__ = called

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what an earlier tier has mapped."""
        kept = self.out / "quick.json"
        if kept.exists():
            known = json.loads(kept.read_text(encoding="utf-8"))
            items[:] = [one for one in items if one.nodeid not in known]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin to note."""
        self.hits.clear()
        self.began = time.process_time()
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the outcome."""
        if report.when == "call" or report.failed:
            self.rows[report.nodeid] = [report.outcome, 0, []]

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note what was executed, and how long it took."""
        sys.settrace(None)
        threading.settrace(None)
        if nodeid in self.rows:
            seconds = round(time.process_time() - self.began, 3)
            self.rows[nodeid][1:] = [seconds, sorted(self.hits)]

    def pytest_sessionfinish(self, session: Any) -> None:
        """Write what this process has noted."""
        worker = os.environ.get("PYTEST_XDIST_WORKER", "")
        if worker or not session.config.getoption("numprocesses", None):
            path = self.out / f"map-{worker or 'alone'}.json"
            path.write_text(json.dumps(self.rows), encoding="utf-8")


def pytest_configure(config: Any) -> None:
    """Let this file be a plugin: ``-p mutation_tier``."""
    if os.environ.get(TARGETS):
        out = Path(os.environ[TARGETS])
        drawn = json.loads((out / "drawn.json").read_text(encoding="utf-8"))["mutants"]
        config.pluginmanager.register(Mapping(drawn, out), "mutation-mapping")


def map_tests(out: Path, tier: str) -> dict[str, list[Any]]:
    """Run a tier once, unchanged; return what each test executes."""
    kept = out / f"{tier}.json"
    if not kept.exists():
        environment = dict(os.environ) | {TARGETS: str(out)}
        environment["PYTHONPATH"] = str(ROOT / "benchmarks")
        words = ["-n", "2", "--dist", "worksteal", "-q", "-p", "no:cacheprovider"]
        words += ["--hypothesis-seed=0", "--tier", tier, "-p", "mutation_tier"]
        if tier == "full":
            words += ["--ignore=tests/network", "--ignore=tests/serving"]
        subprocess.run(
            [sys.executable, "-m", "pytest", *words], env=environment, cwd=ROOT
        )
        found: dict[str, list[Any]] = {}
        for path in sorted(out.glob("map-*.json")):
            found |= json.loads(path.read_text(encoding="utf-8"))
            path.unlink()
        kept.write_text(json.dumps(found), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


# ------------------------------------------------------------------------------ running


def run(out: Path, tier: str, jobs: int) -> None:
    """Let each mutant meet the tests of a tier that execute it."""
    drawn = json.loads((out / "drawn.json").read_text(encoding="utf-8"))["mutants"]
    tests = map_tests(out, tier)
    done = verdicts(out, tier)
    waiting = [at for at in range(len(drawn)) if at not in done]
    if tier == "full":
        quick = verdicts(out, "quick")
        waiting = [at for at in waiting if quick[at]["outcome"] == "survived"]
    copies: SimpleQueue[Path] = SimpleQueue()
    for job in range(jobs):
        copy = out / f"copy-{job}"
        shutil.rmtree(copy, ignore_errors=True)
        ignored = shutil.ignore_patterns(*LEFT_OUT)
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
        copies.put(copy)

    def one(at: int) -> None:
        copy = copies.get()
        try:
            row = {"at": at, **judge(copy, drawn[at], at, tests, tier)}
        finally:
            copies.put(copy)
        with (out / f"{tier}.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(at, row["outcome"], row["tests"], drawn[at]["label"][:90], flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, waiting))


def judge(
    copy: Path, mutant: dict[str, Any], at: int, tests: dict[str, Any], tier: str
) -> dict[str, Any]:
    """Run the tests that execute a mutant, in a copy of the tree."""
    meets = [n for n, row in tests.items() if at in row[2] and row[0] == "passed"]
    meets.sort(key=lambda name: (len(tests[name][2]), tests[name][1], name))
    chosen, seconds = [], 0.0
    for name in meets:
        if seconds + tests[name][1] <= CPU or not chosen:
            chosen.append(name)
            seconds += tests[name][1]
    said = {"tests": len(chosen), "meet": len(meets), "seconds": round(seconds, 1)}
    if not chosen:
        return {"outcome": "survived", **said}
    path = copy / mutant["file"]
    source = path.read_text(encoding="utf-8")
    listed = copy / "chosen.txt"
    listed.write_text("\n".join(chosen), encoding="utf-8")
    words = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        "-W",
        "ignore",
    ]
    words += ["--tier", tier, "@chosen.txt"]
    limit = int(3 * seconds + 90)

    def limited() -> None:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    try:
        path.write_text(mutant["code"], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=copy,
            preexec_fn=limited,
            capture_output=True,
            text=True,
            timeout=4 * limit,
        )
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, text = 1, "timeout"
    finally:
        path.write_text(source, encoding="utf-8")
        _restore(copy)
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
    said["by"] = first[1] if first else f"status {status}" * (status != 0)
    return {"outcome": "survived" if status == 0 else "killed", **said}


def _restore(copy: Path) -> None:
    """Put machine code of the unchanged source back, which a mutant's replaces."""
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.nb[ci]"):
            to = copy / path.relative_to(ROOT)
            if not to.exists():
                shutil.copy2(path, to)


def verdicts(out: Path, tier: str) -> dict[int, dict[str, Any]]:
    """Read the verdicts that are known."""
    kept = out / f"{tier}.jsonl"
    if not kept.exists():
        return {}
    rows = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return {row["at"]: row for row in rows}


def report(out: Path) -> None:
    """Print the share, and what neither tier kills."""
    drawn = json.loads((out / "drawn.json").read_text(encoding="utf-8"))["mutants"]
    quick, full = verdicts(out, "quick"), verdicts(out, "full")
    killed = {at for at, row in quick.items() if row["outcome"] == "killed"}
    later = {at for at, row in full.items() if row["outcome"] == "killed"}
    both = len(killed) + len(later)
    print(
        f"{len(quick)} of {len(drawn)} judged by the quick tier: {len(killed)} killed"
    )
    print(f"{len(full)} of the others by the full one: {len(later)} killed")
    low, high = interval(len(killed), both)
    print(f"share {100 * len(killed) / max(1, both):.1f} % ({low:.1f} to {high:.1f})")
    for at, row in sorted(quick.items()):
        if at not in killed:
            by = full.get(at, {}).get("by", "") or full.get(at, {}).get("outcome", "?")
            one = drawn[at]
            print(f"- {one['file']}:{one['line']} `{one['label']}` {row['tests']} {by}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step", choices=("draw", "quick", "full", "report"))
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    out = ROOT / "out" / "mutation" / f"tier-{args.seed}"
    out.mkdir(parents=True, exist_ok=True)
    if args.step == "draw":
        draw(out, args.seed, args.count)
    elif args.step == "report":
        report(out)
    else:
        run(out, args.step, args.jobs)


if __name__ == "__main__":
    main()
