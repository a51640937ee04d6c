"""The house rules that no linter knows: cycles, sizes, names, look-ups by string.

Each rule has a list of what breaks it still, with the reason. An entry that is no
longer needed fails its test, so that the lists can only shrink.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from runpy import run_path
from types import ModuleType
from typing import Any

import networkx as nx

import closeknit

from . import house, tiers
from .paths import ROOT

LONGEST_FILE, LONGEST_FUNCTION, LARGEST_FOLDER = 400, 120, 15

CYCLES: dict[frozenset[str], str] = {}
"""Modules that import each other, directly or not, also inside functions."""

LONG_FILES: dict[str, str] = {}
"""Files of more than 400 lines that hold no kernels."""

LARGE_FOLDERS = {
    "benchmarks": "each file is a command of its own, make bench NAME=...",
}
"""Folders of more than 15 files of Python, those in folders of theirs not counted."""

_ONE_LOOP = "one loop over flat arrays; numba inlines nothing across files"
LONG_FUNCTIONS = {
    "exact/ksubset/tree_dp/plan.py: steps_of": _ONE_LOOP,
    "exact/procset/set_opening_bb/kernels_leaves.py: solve_last_two": _ONE_LOOP,
    "heuristics/ksubset/ptas/kernels.py: flow": _ONE_LOOP,
    "reports/adversary/kernels.py: least": _ONE_LOOP,
    "network/worm/kernels.py: run_until": _ONE_LOOP,
}
"""Functions of more than 120 lines."""

MODULE_GETATTR = {
    "closeknit/__init__.py": "the facade imports a name at its first use",
    "instances/__init__.py": "what writes, which the checker alone comes without",
}

LOOKUPS = {
    "closeknit/__init__.py": "the facade imports a name at its first use",
    "closeknit/loading.py": "what parts add, which the core does not import",
    "instances/__init__.py": "what writes, which the checker alone comes without",
    "methods/code_digest.py": "what functions of users import when they run",
    "methods/user_methods.py": "methods of users, named as module:function",
    "solvers/mip_worker.py": "builds the model in a process of its own",
}
"""Modules that import what a string names, unless that is another distribution."""

_SITES = "one line that names what it takes, as each network has it"
UNDOCUMENTED = {
    "Graph.walked": "one line that names what it takes",
    **{
        f"{owner}.{name}": _SITES
        for owner in ("AlongAxes", "Graph", "Tree")
        for name in ("cuts", "distance", "pair_sum", "spread")
    },
    **{
        f"{owner}.{name}": _SITES
        for owner in ("Distances", "Priced")
        for name in ("distance", "spread")
    },
    "Topology.cuts": _SITES,
    "Topology.pair_sum": _SITES,
    "AlongAxes.distances_from": _SITES,
    "Tree.distances_from": _SITES,
    **{
        f"{owner}.{name}": _SITES
        for owner in ("OnNodes", "Points", "Topology")
        for name in ("listed", "parse_sites")
    },
    **{f"{owner}.refuse_strangers": _SITES for owner in ("Grid", "Topology")},
}
"""Functions of the facade whose docstring does not list their parameters."""

NETWORKS = {"AlongAxes", "Graph", "Grid", "KaryTree", "Mesh", "Metric", "OnNodes"}
NETWORKS |= {"Distances", "Points", "Priced", "Topology", "Torus", "Tree"}
KINDS = {"graph", "grid", "kary-tree", "mesh", "points", "table", "torus", "tree"}
PROBLEM_CLASSES = {"KSubset", "ProcSet", "Submesh", "Sukp"}
PROBLEM_NAMES = {"ksubset", "procset", "submesh", "sukp"}
MOST_DECISIONS = {"networks": 25, "problems": 8}
"""How often code may ask of which class or kind a network or a problem is."""

SINGLE_NAMES = ("Box", "Search", "Verdict", "Machine", "Store")
"""Classes that had homonyms: each name belongs to one class, or to none."""


def agree(found: Iterable[str], allowed: Iterable[str]) -> None:
    """Fail for what is not allowed, and for what is allowed without need."""
    found, allowed = set(found), set(allowed)
    assert not found - allowed, f"breaks a rule of the house: {sorted(found - allowed)}"
    assert not allowed - found, f"take from the list: {sorted(allowed - found)}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = nx.DiGraph(
        (one.importer, one.imported) for one in house.imports(house.modules())
    )
    cycles = [
        frozenset(name.removeprefix("closeknit.") for name in component)
        for component in nx.strongly_connected_components(graph)
        if len(component) > 1
    ]
    shown = {frozenset(cycle): " ".join(sorted(cycle)) for cycle in (*cycles, *CYCLES)}
    agree((shown[cycle] for cycle in cycles), (shown[cycle] for cycle in CYCLES))


def test_each_package_can_be_imported_first() -> None:
    """A process that a pool starts imports what its task needs, in any order."""
    first = sorted({name for name in house.modules() if name.count(".") == 1})
    assert len(first) > 8
    script = """
import os, sys, traceback
for name in sys.argv[1:]:
    pid = os.fork()
    if not pid:
        try:
            __import__(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit(f"{name} cannot be imported first")
"""
    pooled = ["closeknit.reports.campaigns.compiling", "closeknit.methods.warming"]
    done = subprocess.run(
        [sys.executable, "-c", script, *first, *pooled],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_short() -> None:
    long = [
        module.shown
        for module in house.modules().values()
        if "kernels" not in module.path.stem and module.text.count("\n") > LONGEST_FILE
    ]
    agree(long, LONG_FILES)


def test_folders_are_small() -> None:
    tracked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    done = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True)
    files = [name for name in done.stdout.split() if (ROOT / name).exists()]
    assert len(files) > 1000
    sizes = Counter(name.rpartition("/")[0] for name in files)
    large = {folder for folder, size in sizes.items() if size > LARGEST_FOLDER}
    agree(large, LARGE_FOLDERS)


def test_functions_are_short() -> None:
    long = [
        f"{module.shown}: {node.name}"
        for module in house.modules().values()
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    agree(long, LONG_FUNCTIONS)


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attributes in a part of a tree."""
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


def decided(node: ast.AST) -> set[str]:
    """Say whether an expression decides on the class or kind of a network or problem.

    That is ``isinstance``, ``hasattr``, a class pattern of ``match``, and comparisons
    of a kind or of ``type()``.
    """
    found, words = set(), set()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("isinstance", "issubclass"):
            found = names_in(node.args[1])
        elif node.func.id == "hasattr" and ast.unparse(node.args[1]) == "'is_directed'":
            found = {"Graph"}
    elif isinstance(node, ast.MatchClass):
        found = names_in(node.cls)
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        texts = [one for part in parts for one in ast.walk(part)]
        words = {one.value for one in texts if isinstance(one, ast.Constant)}
        found = names_in(node)
        if not found & {"kind", "structure", "problem", "name", "type"}:
            found, words = set(), set()
        if "type" not in found:
            found -= NETWORKS | PROBLEM_CLASSES
    decisions = set()
    if found & NETWORKS or (words & KINDS and found & {"kind", "structure"}):
        decisions.add("networks")
    if found & PROBLEM_CLASSES or (
        words & PROBLEM_NAMES and found & {"problem", "name"}
    ):
        decisions.add("problems")
    return decisions


def test_code_asks_what_networks_and_problems_can_do() -> None:
    """And seldom which they are: what is new would have to be added there."""
    counts = dict.fromkeys(MOST_DECISIONS, 0)
    for module in house.modules().values():
        for node in module.nodes:
            for what in decided(node):
                counts[what] += 1
    assert all(counts[what] <= most for what, most in MOST_DECISIONS.items()), counts
    assert all(counts[what] for what in MOST_DECISIONS), "nothing was counted"


def test_attributes_of_modules_are_written_down() -> None:
    found = [
        module.shown
        for module in house.modules().values()
        for part in module.tree.body
        for node in (part.body + part.orelse if isinstance(part, ast.If) else [part])
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
    ]
    agree(found, MODULE_GETATTR)


def test_no_string_names_a_module_of_ours() -> None:
    """Strings may name other distributions only, so that editors find every use."""
    found = set()
    for module in house.modules().values():
        for node in module.nodes:
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in ("import_module", "__import__"):
                name = node.args[0]
                if not (
                    isinstance(name, ast.Constant)
                    and isinstance(name.value, str)
                    and not name.value.startswith((".", "closeknit"))
                ):
                    found.add(module.shown)
    agree(found, LOOKUPS)


def test_no_class_has_a_homonym() -> None:
    places = defaultdict(list)
    for module in house.modules().values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.shown)
    for name in SINGLE_NAMES:
        assert len(places[name]) <= 1, f"{name}: {places[name]}"


def ours(thing: object) -> bool:
    """Whether closeknit defines a function."""
    return str(getattr(thing, "__module__", "")).startswith("closeknit.")


def facade() -> Iterator[tuple[str, Any]]:
    """Yield the functions, classes and methods that users reach, each by its name.

    Those that other distributions define, as of an exception, are left out.
    """
    for name in closeknit.__all__:
        thing = getattr(closeknit, name)
        if isinstance(thing, ModuleType):  # a package that can be called
            yield name, vars(type(thing))["__call__"]
        elif inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            yield name, thing
            for own, member in inspect.getmembers(thing, callable):
                if own[0] != "_" and inspect.isroutine(member) and ours(member):
                    yield member.__qualname__, member


def documented(thing: Any) -> bool:
    """Whether a docstring says what a function takes, or how an object is made."""
    taker = thing.__init__ if inspect.isclass(thing) else thing
    names = set(inspect.signature(taker).parameters) if ours(taker) else set()
    doc = inspect.getdoc(thing) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(\n\n\w+\n--|\Z)", doc, re.M | re.S)
    told = re.findall(r"^\S.*", section[1], re.M) if section else []
    told = [name.strip(" *") for line in told for name in line.split(",")]
    if inspect.isclass(thing):
        body = ast.parse(inspect.getsource(thing)).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in pairwise(body.body):
            if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
                told.append(ast.unparse(field.target))
    return bool(doc) and names - {"self"} <= set(told)


def test_users_are_told_what_functions_take() -> None:
    found = dict(facade())
    assert len(found) > 60
    agree((name for name in found if not documented(found[name])), UNDOCUMENTED)


def test_no_test_module_imports_another() -> None:
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                last = (node.module or "").rpartition(".")[2]
                assert not last.startswith("test_"), f"{path.relative_to(ROOT)}: {last}"


def test_the_long_tests_that_are_listed_are_there() -> None:
    for name, tests in tiers.LONG.items():
        tree = ast.parse((ROOT / "tests" / name).read_text(encoding="utf-8"))
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
        assert set(tests) <= {one.name for one in functions}, name


REACH = run_path(str(ROOT / "tools" / "reach.py"))


def test_commands_reach_no_more_than_they_did() -> None:
    """An import in a function of the frame lets every command reach what it names."""
    known = REACH["edges"]()
    for command, most in REACH["MOST"].items():
        found = REACH["reached"](f"closeknit.{REACH['COMMANDS'][command]}", known)
        assert 10_000 < REACH["lines_of"]([*found]) <= most, command


SIZES = run_path(str(ROOT / "tools" / "sizes.py"))


def test_the_sizes_are_those_written() -> None:
    """What makes the project longer raises tests/size.toml in the same commit."""
    assert SIZES["differences"](SIZES["sizes"]()) == []


def test_a_size_above_what_is_written_is_seen() -> None:
    allowed = tomllib.loads(SIZES["FILE"].read_text("utf-8"))
    found = {kind: SIZES["Size"](**figures) for kind, figures in allowed.items()}
    assert SIZES["differences"](found) == []
    longer = found["core"]._replace(lines=found["core"].lines + 1)
    [line] = SIZES["differences"]({**found, "core": longer})
    assert line.startswith("core: ")


def test_the_map_of_the_house_is_current() -> None:
    tool = run_path(str(ROOT / "tools" / "house_map.py"))
    assert tool["PICTURE"].read_text("utf-8") == tool["picture"]()
