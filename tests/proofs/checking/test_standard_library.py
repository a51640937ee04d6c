"""What a `checked` grade rests on imports the standard library only.

Its modules and their lines are counted from the syntax trees, as docs/science/proofs.md
and README.md print them; proofs are checked in a process that can import nothing else.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import (
    Graph,
    Instance,
    KSubset,
    Submesh,
    Sukp,
    mesh,
    read_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.methods import METHODS
from closeknit.proofs.checking.folder import BY_DEFINITION, KINDS, read_index
from closeknit.proofs.checking.kinds import CERTIFICATE, DNN, LOG
from closeknit.proofs.writing.proof_files import write_index
from closeknit.reports.proofs.proving import certify, write_entry
from closeknit.solvers import Settings
from tests import house
from tests.forging.small_proofs import SACK
from tests.paths import ROOT

DATA = ROOT / "instances" / "data"
START = "closeknit.proofs.checking"
ALONE = f"""
import sys

class Refuses:
    "Finds nothing but the standard library and closeknit."

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {{*sys.stdlib_module_names, "closeknit"}}:
            raise ImportError(f"{{name}} is not of the standard library")

sys.meta_path.insert(0, Refuses())
sys.path.insert(0, {str(ROOT)!r})
"""


def run_alone(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that can import nothing but the standard library."""
    return subprocess.run(
        [sys.executable, "-c", ALONE + code, *words],
        capture_output=True,
        text=True,
        check=False,
    )


# The modules


@cache
def closure(start: str = START) -> dict[str, house.Module]:
    """Return what a package imports, at any level, with the packages round it."""
    known = house.modules()
    imported: dict[str, list[str]] = {}
    for one in house.imports(known):
        imported.setdefault(one.importer, []).append(one.imported)
    waiting = [name for name in known if f"{name}.".startswith(f"{start}.")]
    found: dict[str, house.Module] = {}
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            found[name] = known[name]
            waiting += [*imported.get(name, ()), name.rpartition(".")[0]]
    return found


def lines_of(modules: Iterable[house.Module]) -> int:
    """Count the lines of modules."""
    return sum(one.path.read_text(encoding="utf-8").count("\n") for one in modules)


def test_what_checks_proofs_imports_the_standard_library_only() -> None:
    """Also inside of functions, and for type checkers."""
    others = [
        f"{module.shown}: {name}"
        for module in closure().values()
        for node in ast.walk(module.tree)
        for name in _imported(node)
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "closeknit"}
    ]
    assert others == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [node.module or ""]
    return []


FILES = {
    "`instances/ksubset/lower_bounds.py` and `towns.py`": (
        "instances.ksubset.lower_bounds",
        "instances.ksubset.towns",
    ),
    "`instances/submesh/infeasibility.py`": ("instances.submesh.infeasibility",),
    "`instances/ksubset/certificate*.py` and `counts.py`": (
        "instances.ksubset.certificate",
        "instances.ksubset.certificate_file",
        "instances.ksubset.certificate_nodes",
        "instances.ksubset.counts",
    ),
    "`proofs/checking/dnn/`": ("proofs.checking.dnn",),
    "the other files of `proofs/checking/`": ("proofs.checking",),
}
"""What checks each kind of proof, as pages name it."""


def sentence() -> str:
    """Return the sentence of the pages, with what is counted."""
    modules = closure()
    several = [
        lines_of(
            module
            for name, module in modules.items()
            if f"{name}.".startswith(tuple(f"closeknit.{one}." for one in own))
        )
        for own in FILES.values()
    ]
    several[-1] -= several[-2]
    by_name, by_definition, by_certificate, by_bounds, by_log = (
        f"{files} ({lines:,} lines)"
        for files, lines in zip(FILES, several, strict=True)
    )
    return (
        f"a bound by its name, derived again by {by_name}; what the definition shows, "
        f"of placements by {by_definition}; certificates of `cuts-bb`, followed by "
        f"{by_certificate}; those of `dnn-bb`, followed by {by_bounds}; "
        f"and pseudo-Boolean proofs, followed by {by_log}: with all "
        f"that they import, the standard library aside, {len(modules)} files of "
        f"{lines_of(modules.values()):,} lines"
    )


@pytest.mark.parametrize("page", ["README.md", "docs/science/proofs.md"])
def test_the_page_counts_what_checks_proofs(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert sentence() in text, f"{page} must say: {sentence()}"


# The process


def drawn() -> list[tuple[str, str, Instance]]:
    """Return an instance of each problem and kind of proof, and some bundled ones."""
    petersen = [(v, (v + 1) % 5, 1) for v in range(5)]
    petersen += [(v, v + 5, 1) for v in range(5)]
    petersen += [(v + 5, (v + 2) % 5 + 5, 1) for v in range(5)]
    graph = Graph(10, tuple(petersen), tuple(range(10)))
    full = Submesh("full", (4, 4), (Resident((1, 1, 2, 2)),), (4, 3))
    found: list[tuple[str, str, Instance]] = [
        ("ksubset", CERTIFICATE, mesh(4, 4, k=5)),
        ("ksubset", BY_DEFINITION, mesh(3, 3, k=1)),
        ("ksubset", LOG, KSubset("graph", graph, tuple(graph.locations()), 4)),
        ("ksubset", DNN, KSubset("dnn", graph, tuple(graph.locations()), 5)),
        ("sukp", LOG, SACK),
        ("submesh", BY_DEFINITION, full),
    ]
    for name, problem, kind in (
        ("4x4x4-tree-random-50pct-k10-s6", "ksubset", CERTIFICATE),
        ("64-random-50pct-k12-s3", "ksubset", CERTIFICATE),
        ("random-24-14sets-of4-l2-75pct-r9-s2", "procset", LOG),
        ("sukp-20x20-density10pct-capacity75pct-s2", "sukp", LOG),
        ("waiting-torus-16x16-sides1to8-s1", "submesh", LOG),
    ):
        found.append((problem, kind, read_instance(DATA / f"{name}.json")))
    return found


def library(folder: Path, instances: Iterable[tuple[str, str, Instance]]) -> Path:
    """Make a folder of proofs of some instances."""
    limit, entries = Settings(time_limit=60), []
    for problem, kind, instance in instances:
        kinds = (kind,) if kind in (DNN, LOG) else KINDS
        result = METHODS[problem]["auto"](instance, limit)
        proven = certify(instance, "auto", result, 60, kinds)
        entries.append(write_entry(folder, instance, proven))
        assert not kind or entries[-1].kind == kind
    write_index(folder, entries)
    return folder


def check_alone(folder: Path) -> None:
    """Check a folder of proofs, then each answer by the command, in plain Python."""
    entries = read_index(folder)
    module = f"import runpy; runpy.run_module({START!r}, run_name='__main__')"
    result = run_alone(module, str(folder))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(f"{len(entries)} of {len(entries)} hold\n")
    commands = []
    for entry in entries:
        files = [str(folder / one.file) for one in (entry.instance, entry.solution)]
        if entry.proof:
            files += ["--proof", str(folder / entry.proof.file)]
        commands.append(["check", *files, "--plain"])
        if entry.proof and entry.kind == LOG:  # the same of a formula in a file
            formula = str(folder / f"{entry.name}.opb")
            assert run(["export", files[0], "--to", "opb", "--out", formula]) == 0
            commands.append(["check", formula, *files[2:], "--plain"])
    assert len(commands) > len(entries)
    result = run_alone(
        "import json; from closeknit.cli.app import run\n"
        "for command in json.loads(sys.argv[1]): print(run(command))\n"
        "print(sorted({'numpy', 'numba', 'scipy'} & {*sys.modules}))",
        json.dumps(commands),
    )
    assert result.stderr == ""
    *lines, modules = result.stdout.splitlines()
    assert modules == "[]"
    assert len(lines) == 2 * len(commands)
    for line, status in zip(lines[::2], lines[1::2], strict=True):
        assert ": holds: " in line or ": derived: " in line
        assert status == "0", line


def test_nothing_else_can_be_imported_there() -> None:
    result = run_alone("import closeknit.instances.arrays")
    assert "ImportError: numpy is not of the standard library" in result.stderr


def test_proofs_are_checked_by_the_standard_library_alone(tmp_path: Path) -> None:
    check_alone(library(tmp_path, drawn()))


@pytest.mark.slow
def test_all_bundled_proofs_are_checked_by_the_standard_library_alone(
    tmp_path: Path,
) -> None:
    paths = sorted(DATA.glob("*.json"))
    instances = [read_instance(path) for path in paths]
    kinds = {KSubset: "ksubset", Sukp: "sukp", Submesh: "submesh"}
    named = [(kinds.get(type(one), "procset"), "", one) for one in instances]
    check_alone(library(tmp_path, named))
