"""Mutation testing: change the code in one place and run its tests; count detections.

cosmic-ray makes the mutants; ``mutation.toml`` names the modules, the tests of each and
the operators. Every module is mutated in a copy of the tree, never in place. A process
imports the libraries once, and each mutant is tested in a fork of it. The forks end at
the first failure, at a limit of processor time (counted as killed, as by any
runner of mutants), or when all tests pass: then the mutant has survived.

Where there are too many mutants, a sample is drawn: the same for the same seed. Results
are kept in ``out/mutation``, so that a run that was stopped goes on; a mutant whose
line is the same keeps its verdict only as long as module and tests are unchanged.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from random import Random
from types import ModuleType

ROOT = Path(__file__).parents[1]
CONFIG = Path(__file__).with_suffix(".toml")
OUT = ROOT / "out" / "mutation"
LEFT_OUT = (".git", ".venv*", "out", "build", ".hypothesis", ".*_cache", "*.egg-info")
LIBRARIES = ("hypothesis", "numba", "numpy", "pytest", "rich.console", "scipy.optimize")
MEMORY = 6 * 2**30
_GUARD = re.compile(r"\b(?:slots|strict)=True")
"""What no test can see left out: where objects keep their fields, and guards of loops
over sequences that are as long as each other."""
_BROKEN = 99
"""Exit status of a fork that fails before or behind its tests."""
SPARE = 3.0
"""A mutant may take this many times as long as the tests without it, and 3 s."""


def mutants(
    source: str, operators: list[str], sample: int, random: Random
) -> tuple[int, list[tuple[int, str, str, str]]]:
    """Draw mutants; return how many there are, and those drawn.

    Each is (line, operator, mutated source, label). What lies in an annotation or an
    import is no mutant.
    """
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    hints = annotations(source)
    wanted = re.compile("|".join(operators))
    nodes = list(ast_nodes(get_ast(source)))
    places = []
    for name in sorted(plugins.operator_names()):
        if not wanted.fullmatch(name.removeprefix("core/")):
            continue
        operator = plugins.get_operator(name)()
        found = [place for node in nodes for place in operator.mutation_positions(node)]
        for occurrence, (begin, _) in enumerate(found):
            if not any(low <= begin <= high for low, high in hints):
                places.append((begin[0], name, occurrence))
    drawn = []
    for line, name, occurrence in random.sample(places, min(sample, len(places))):
        code = mutate_code(source, plugins.get_operator(name)(), occurrence)
        if code is not None and compiles(code):
            if len(_GUARD.findall(code)) < len(_GUARD.findall(source)):
                continue
            label = change(source, code)
            drawn.append((line, name.removeprefix("core/"), code, label))
    return len(places), drawn


def annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """List where annotations are, and imports: changes there mean nothing."""
    found = []
    for node in ast.walk(ast.parse(source)):
        some = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Import | ast.ImportFrom):
            some.append(node)
        if isinstance(node, ast.Assign) and "NDArray" in ast.unparse(node.value):
            some.append(node)
        for one in some:
            if isinstance(one, ast.AST) and hasattr(one, "lineno"):
                begin = (one.lineno, one.col_offset)
                found.append((begin, (one.end_lineno, one.end_col_offset)))
    return found


def compiles(code: str) -> bool:
    try:
        compile(code, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def change(before: str, after: str) -> str:
    """Describe which lines became which, on one line."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0))
    lines = [line for line in lines if not line.startswith(("---", "+++"))]
    old = " ".join(line[1:].strip() for line in lines if line.startswith("-"))
    new = " ".join(line[1:].strip() for line in lines if line.startswith("+"))
    return f"{old} -> {new}"


def plant(name: str, before: str, after: str) -> bool:
    """Give the functions that a mutant changes their new code, in place.

    Modules that imported them run it, too. False where the mutant is not in a function.
    """
    from tests.faults.planting import functions

    module = sys.modules[f"closeknit.{name.removesuffix('.py').replace('/', '.')}"]
    codes = []
    for text in (before, after):
        scratch = ModuleType(module.__name__)
        scratch.__file__, scratch.__package__ = module.__file__, module.__package__
        sys.modules[module.__name__] = scratch
        try:
            exec(compile(text, module.__file__, "exec"), scratch.__dict__)
        except Exception:
            return False
        finally:
            sys.modules[module.__name__] = module
        codes.append({n: f.__code__ for n, f in functions(scratch)})
    differ = [n for n, code in codes[0].items() if code != codes[1].get(n)]
    for n, function in functions(module):
        if n in differ and n in codes[1]:
            if codes[1][n].co_freevars != function.__code__.co_freevars:
                return False  # what a mutant leaves out was all that used a variable
            function.__code__ = codes[1][n]
    return bool(differ) and defined(before) == defined(after)


def defined(source: str) -> str:
    """Return what a module does when it is imported: all but the bodies."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return ast.dump(tree)


def tested(words: list[str], seconds: float, *mutant: str) -> tuple[str, float]:
    """Run pytest in a fork; return killed, timeout or survived, and its CPU time.

    A mutant has been written to its file, too. What passes, or cannot be planted, is
    tested in a process that imports all modules again: planting misses functions that
    run when modules are imported, and those that they have returned.
    """
    pid = os.fork()
    if pid == 0:
        os.setsid()
        soft = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        code = _BROKEN
        try:
            import pytest

            if not mutant or plant(*mutant):
                code = int(pytest.main(words))
            if code in (0, _BROKEN):
                os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
                os.execv(sys.executable, [sys.executable, "-m", "pytest", *words])
        finally:
            os._exit(code)
    limit = time.monotonic() + 20 * seconds
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > limit:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.02)
    cpu = used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status):
        late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return ("timeout" if late else "killed"), cpu
    if os.WEXITSTATUS(status) == _BROKEN:
        sys.exit("a mutant could not be planted: nothing was tested")
    return ("survived" if os.WEXITSTATUS(status) == 0 else "killed"), cpu


def mutate(
    name: str,
    copy: Path,
    until: float,
    seed: str,
    few: bool,
    first: bool,
    checked: bool,
) -> None:
    """Test the mutants of one module in a copy, and record each result."""
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    module = config["modules"][name]
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    for library in LIBRARIES:
        __import__(library)
    path = copy / name
    source = path.read_text(encoding="utf-8")
    size = 5 if few else module.get("sample", config["sample"])
    if checked:
        size = shares(config, int(seed.partition("-")[0])).get(name, 0)
    random = Random(f"{seed} {name}")
    count, drawn = mutants(source, config["operators"], size, random)
    options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    options += ["-W", "ignore", *module.get("options", ())]
    stages = [module["tests"], *([module["more"]] if "more" in module else [])]
    stamp = hashlib.sha256(source.encode())
    for file in (file for files in stages for file in files):
        stamp.update(Path(file.partition("::")[0]).read_bytes())
    kept = results_of(name, seed)
    alike = Counter((label, operator) for _, operator, _, label in drawn)

    def key(label: str, operator: str, line: int) -> tuple[str, str, int]:
        """Lines tell apart what reads the same; others may shift."""
        return label, operator, line if alike[label, operator] > 1 else 0

    known, old = {}, {}
    if kept.exists():
        for row in map(json.loads, kept.read_text(encoding="utf-8").splitlines()):
            this = key(row["label"], row["operator"], row["line"])
            old[this] = row
            final = row["stages"] == len(stages) and row["stamp"] == stamp.hexdigest()
            if final or row["outcome"] == "killed":
                known[this] = row
    import pytest

    took: list[float] = []

    def stage(number: int, *mutant: str) -> tuple[str, float]:
        """Run some of the tests; first once without the mutant."""
        words = [*options, *stages[number]]
        if number == len(took):
            path.write_text(source, encoding="utf-8")
            pytest.main([*words, "--collect-only", "-qqq", "--no-summary"])  # imports
            outcome, seconds = tested(words, 300)
            if outcome != "survived":
                sys.exit(f"{name}: the tests fail without a mutant ({outcome})")
            took.append(seconds)
            path.write_text(mutant[-1], encoding="utf-8")
        return tested(words, SPARE * took[number] + 3, *mutant)

    rows = []
    keys = [key(label, operator, line) for line, operator, _, label in drawn]
    for place, (line, operator, code, label) in enumerate(drawn):
        row = known.get(keys[place])
        if row is None and time.time() < until:
            path.write_text(code, encoding="utf-8")
            for number in range(1 if first else len(stages)):
                outcome, cpu = stage(number, name, source, code)
                if outcome != "survived":
                    break
            path.write_text(source, encoding="utf-8")
            row = {"label": label, "operator": operator, "outcome": outcome}
            row |= {"cpu": round(cpu, 2), "stages": number + 1}
        row = row or old.get(keys[place])
        if row is not None:
            rows.append(row | {"line": line, "stamp": stamp.hexdigest()})
        head = {"module": name, "mutants": count, "drawn": len(drawn)}
        later = [old[one] for one in keys[place + 1 :] if one in old]
        text = "".join(json.dumps(each | head) + "\n" for each in rows + later)
        kept.write_text(text, encoding="utf-8")


def shares(config: dict, seed: int) -> Counter[str]:
    """Draw mutants of all that proofs rest on; return how many of each module.

    Every mutant of these modules is as likely as any other.
    """
    places = []
    for name, module in config["modules"].items():
        if module.get("checked"):
            source = (ROOT / name).read_text(encoding="utf-8")
            count, _ = mutants(source, config["operators"], 0, Random(0))
            places += [name] * count
    return Counter(Random(seed).sample(places, config["together"]))


def results_of(name: str, seed: str) -> Path:
    """Return where the verdicts on a module's mutants are kept."""
    return OUT / seed / f"{name.replace('/', '.')}.jsonl"


def interval(hits: int, n: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share, in per cent."""
    if not n:
        return 0.0, 100.0
    z, p = 1.96, hits / n
    middle = p + z * z / (2 * n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return tuple(100 * (middle + s * half) / (1 + z * z / n) for s in (-1, 1))


def report(modules: list[str], seed: str, config: dict, target: float) -> int:
    """Print the counts of each class and module, and every survivor."""
    judged = {(j["module"], j["change"]): j for j in config.get("judged", ())}
    totals = dict.fromkeys(("mutants", "tested", "killed", "equivalent", "accepted"), 0)
    survivors = []
    print("| module | mutants | tested | killed | equivalent | accepted | % killed |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in modules:
        kept = results_of(name, seed)
        if not kept.exists():
            continue
        rows = [json.loads(line) for line in kept.read_text().splitlines()]
        count = dict.fromkeys(totals, 0)
        count["mutants"] = rows[0]["mutants"] if rows else 0
        count["tested"] = len(rows)
        for row in rows:
            if row["outcome"] != "survived":
                count["killed"] += 1
                continue
            verdict = judged.get((name, row["label"]))
            if verdict:
                count[verdict["verdict"]] += 1
            survivors.append((name, row, verdict))
        for key, number in count.items():
            totals[key] += number
        print(row_of(name, count))
    print(row_of("all", totals))
    relevant = totals["tested"] - totals["equivalent"]
    low, high = interval(totals["killed"], relevant)
    print(f"\nkilled, of those not equivalent: 95 % interval {low:.1f} to {high:.1f} %")
    for name, row, verdict in survivors:
        said = f"{verdict['verdict']}: {verdict['why']}" if verdict else "not judged"
        print(
            f"\n- `{name}:{row['line']}` {row['operator']}: `{row['label']}`\n  {said}"
        )
    return 0 if totals["killed"] >= target * relevant else 1


def row_of(name: str, count: dict[str, int]) -> str:
    relevant = count["tested"] - count["equivalent"]
    share = f"{100 * count['killed'] / relevant:.1f}" if relevant else ""
    return f"| {name} | {' | '.join(map(str, count.values()))} | {share} |"


def one_module(name: str, place: Path, args: argparse.Namespace, config: dict) -> None:
    """Copy the tree, and mutate a module in it by a process of its own."""
    copy = place / name.replace("/", ".")
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
    environment = dict(os.environ)
    if config["modules"][name].get("interpreted"):
        environment["NUMBA_DISABLE_JIT"] = "1"
    until = str(time.time() + args.minutes * 60)
    words = [sys.executable, __file__, "--worker", name, str(copy), until]
    words += ["--seed", str(args.seed), *["--checked"] * args.checked]
    words += ["--few"] * args.few + ["--first"] * args.first
    try:
        subprocess.run(words, env=environment, check=False)
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="some of those in mutation.toml")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60, help="of each module")
    parser.add_argument("--report", action="store_true", help="run nothing, only print")
    parser.add_argument(
        "--few", action="store_true", help="five mutants of each module"
    )
    parser.add_argument("--first", action="store_true", help="only the quick tests")
    parser.add_argument(
        "--checked", action="store_true", help="one sample of all that proofs rest on"
    )
    parser.add_argument("--seed", type=int, help="of the sample (default: the toml's)")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    if args.seed is None:
        args.seed = config["seed"]
    seed = f"{args.seed}-checked" if args.checked else str(args.seed)
    if args.worker:
        name, copy, until = args.worker
        rest = args.few, args.first, args.checked
        mutate(name, Path(copy), float(until), seed, *rest)
        return 0
    among = [n for n, m in config["modules"].items() if m.get("checked")]
    modules = args.modules or (among if args.checked else list(config["modules"]))
    if unknown := [name for name in modules if name not in config["modules"]]:
        parser.error(f"no such module in {CONFIG.name}: {unknown[0]}")
    (OUT / seed).mkdir(parents=True, exist_ok=True)
    if not args.report:
        place = OUT / "copies"
        with ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(lambda name: one_module(name, place, args, config), modules))
    target = config["checked_target"] if args.checked else config["target"]
    return report(modules, seed, config, target)


if __name__ == "__main__":
    sys.exit(main())
