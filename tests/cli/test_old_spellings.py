"""Old spellings mean what the new ones mean and are told; every change has a test.

The section "What you must change" of CHANGELOG.md is read: an entry that no test shows
fails, and so does an old spelling that it does not name.
"""

from __future__ import annotations

import ast
import json
import logging
import pickle
import re
import subprocess
import tomllib
from argparse import Namespace
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closeknit as ck
from closeknit.cli.app import parse, run
from closeknit.cli.commands import COMMANDS, parser_of
from closeknit.cli.frame import streams
from closeknit.clusters.commands.cluster import objective_of
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import read_cluster
from closeknit.formulations.ksubset.bounds import bounds, towns
from closeknit.instances import InputError, Mesh, arrays
from closeknit.instances.ksubset import dispersal
from closeknit.instances.ksubset.generators import mesh
from closeknit.instances.sukp import text
from closeknit.methods import METHODS
from closeknit.methods.by_name import method_named
from closeknit.methods.old_names import OLD_NAMES
from closeknit.proofs.checking import Propagator
from closeknit.reports.drawing import drawing
from closeknit.reports.pages import csv_tables
from closeknit.solvers.running.kernels import interpreted

from ..paths import PAGES, ROOT

Capture = pytest.CaptureFixture[str]

SHOWN_BY: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("changes.toml").read_text(encoding="utf-8")
)
"""By the beginning of an entry, the test that shows it."""
VALUES = {
    "--budget": "3",
    "--mesh": "4x4",
    "--torus": "4x4",
    "--tree": "4x4",
    "--swf": "log",
    "--jobs": "3:9",
    "generate fragmented --jobs": "50",
    "--allocator": "mm",
    "--method": "mm",
    "--methods": "mm",
    "--counterexamples": "d",
    "--certificate": "p",
}
NEEDED = {
    "check": "a b",
    "compare": "a",
    "generate fragmented": "--k 3 --shape 4x4",
    "generate full": "--k 3",
    "generate planes": "--request 2",
    "generate random": "--k 3",
    "generate submesh": "--most 2",
    "generate torus": "--k 3",
    "generate trace": "--trace x --shape 4x4 --method mm",
    "plot": "a b --out o.svg",
    "ratios": "--out o",
    "reproduce": "x",
    "solve": "a",
    "simulate stream": "--method mm --shape 4x4",
    "simulate submesh": "--method 4iss --shape 4x4",
    "worst": "mm",
}
"""What else a command needs, but the option that is tried."""


def spellings() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield every old spelling of every command, from its parsers."""
    for command in COMMANDS:
        parser, _ = parser_of(command)
        below = [(f"{command} {sub}", one) for sub, one in parser.subcommands.items()]
        for name, each in [(command, parser), *below]:
            for old, (option, implied) in each._old.items():
                yield name, old, option, implied


SPELLINGS = [*spellings()]


def parsed(words: list[str]) -> dict[str, Any]:
    return vars(parse(words)[0])


@pytest.mark.parametrize(("command", "old", "option", "implied"), SPELLINGS)
def test_an_old_spelling_means_the_same(
    command: str, old: str, option: str, implied: tuple[str, ...], capsys: Capture
) -> None:
    value = VALUES[f"{command} {old}" if f"{command} {old}" in VALUES else old]
    needed = re.sub(rf"{option} \S+", "", NEEDED.get(command, ""))
    words = [*command.split(), *needed.split()]
    found = parsed([*words, old, value])
    said = capsys.readouterr().err
    assert said == f"closeknit: {old} is now {' '.join((option, *implied))}\n"
    assert found == parsed([*words, f"{old}={value}"])
    capsys.readouterr()
    assert found == parsed([*words, *implied, option, value])
    assert capsys.readouterr().err == ""
    assert f" {old} " not in parser_of(command.split()[0])[0].format_help()


def test_old_spellings_may_be_mixed(capsys: Capture) -> None:
    old = "generate trace --swf x --torus 8x16 --jobs 0:4000 --allocator mm"
    new = "generate trace --trace x --shape 8x16 --kind torus --range 0:4000"
    found = parsed(old.split())
    told = [line.split(" is now ")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == [f"closeknit: --{n}" for n in ("swf", "torus", "jobs", "allocator")]
    assert found == parsed(new.split())


def test_two_ways_to_name_the_shape_do_not_go_together() -> None:
    with pytest.raises(InputError, match=r"--torus: not allowed with argument --mesh"):
        parse(["worst", "mm", "--mesh", "4x4", "--torus", "4x4"])


@pytest.mark.parametrize(
    ("problem", "old", "name"),
    [(p, old, name) for p, names in OLD_NAMES.items() for old, name in names.items()],
)
def test_an_old_name_of_a_method_is_told(
    problem: str, old: str, name: str, capsys: Capture
) -> None:
    streams.prepare()
    assert method_named(old, problem) is METHODS[problem][name]
    assert capsys.readouterr().err == f"closeknit: method {old} is now {name}\n"
    assert method_named(name, problem) is METHODS[problem][name]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("reproduce oeis", "oeis was removed: docs/papers/oeis has the terms; "),
        ("reproduce frontier", "frontier was removed: closeknit frontier page shows"),
        (
            "reproduce network-validation",
            "network-validation was removed: docs/science/network.md has the table",
        ),
        ("ratios --parquet --out o", "--parquet was removed: read OUT/results.sqlite"),
        ("ratios --junit x --out o", "--junit was removed: the exit status and"),
        ("ratios --dask-jobqueue x", "--dask-jobqueue was removed: start dask workers"),
        ("worst --families", "--families was removed: closeknit verify worst-cases"),
        ("batsim --topology t", "batsim was removed: whatif replays a trace"),
        ("simulate stream --plot o", "--plot was removed: --json writes the measures"),
        ("simulate network --plot o", "--plot was removed: network.runs.run_network"),
        ("simulate stream --evalys o", "--evalys was removed: --jobs-csv writes"),
    ],
)
def test_what_was_removed_is_refused_in_one_line(
    command: str, says: str, refusal: Callable[..., str]
) -> None:
    line = refusal(command)
    assert line.startswith(says)
    assert re.search(r"\(see closeknit (\w+ )*--help\)", line)


# what has changed


@pytest.fixture
def tree(tmp_path: Path) -> str:
    lines = ("SwitchName=a Nodes=a[1-3]", "SwitchName=b Nodes=b[1-3]")
    file = tmp_path / "tree"
    file.write_text("\n".join((*lines, "SwitchName=t Switches=a,b", "")))
    return str(file)


def test_answers_say_the_state_of_nodes(tree: str, capsys: Capture) -> None:
    words = ["--topology", tree, "--busy", "a1"]
    with interpreted():
        for command in (["select", "-k", "2"], ["why", "-k", "6"], ["fragmentation"]):
            run([*command, *words])
            out, err = capsys.readouterr()
            assert "  state of nodes: " in out
            assert "  not free: 1 busy" in out
            assert err == ""
        assert run(["select", "-k", "2", *words, "--format", "hostlist"]) == 0
    out, err = capsys.readouterr()
    assert out == "a[2-3]\n"
    assert err.startswith("closeknit: state of nodes: ")


def test_busy_nodes_of_no_job_have_a_reason(tree: str, capsys: Capture) -> None:
    words = ["why", "--topology", tree, "--busy", "a1", "-k", "6"]
    with interpreted():
        assert run(words) == 3
        assert "  busy: a1\n" in capsys.readouterr().out
        run([*words, "--json"])
    [busy] = json.loads(capsys.readouterr().out)["busy"]
    assert busy == {"job": None, "reason": "busy", "hostlist": "a1"}


def test_defrag_asks_for_state(tree: str, refusal: Callable[..., str]) -> None:
    assert "--state: is needed" in refusal("defrag --topology", tree)


def test_whatif_minimises_what_select_does(tree: str, capsys: Capture) -> None:
    words = ["--topology", tree, "-k", "2", "--json"]
    with interpreted():
        assert run(["select", *words]) == 0
        assert json.loads(capsys.readouterr().out)["objective"] == "switches"
        assert run(["why", *words]) == 0
    assert json.loads(capsys.readouterr().out)["objective"] == "busy nodes"
    args = parsed(["whatif", "--topology", tree, "--trace", "x"])
    selector = NodeSelector(read_cluster(tree))
    assert objective_of(Namespace(**args), selector).value == "switches"


def test_methods_say_which_are_quick(capsys: Capture) -> None:
    assert run(["methods", "mm"]) == 0
    assert "(ksubset, heuristic, quick)" in capsys.readouterr().out
    assert run(["methods", "mm-all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"][0]["quick"] is False


def test_warnings_and_annotations_are_lines(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams.prepare()
    logging.getLogger("closeknit.any").warning("it is so")
    assert capsys.readouterr().err == "closeknit: it is so\n"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(["solve", "nowhere.json"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("closeknit: nowhere.json")
    assert second.startswith("::error title=closeknit::nowhere.json")


@pytest.mark.parametrize("attribute", ["guarantee", "refuses"])
def test_what_a_method_states_is_a_function(attribute: str) -> None:
    def rule(instance: Any, settings: Any) -> list[int]:
        return [0, 1]

    setattr(rule, attribute, 2)
    with pytest.raises(InputError, match="must be a function of an instance"):
        ck.compare(mesh(2, 2, k=2), [rule])


def test_targets_of_before_are_benchmarks() -> None:
    """Every name that a page gives is a benchmark, and the old target says so."""
    named = {
        name
        for page in PAGES
        for name in re.findall(r"make bench NAME=([\w-]+)", page.read_text("utf-8"))
    }
    assert len(named) > 12
    for name in named | {"limits", "cold", "graphs"}:
        file = f"benchmarks/bench_{name.replace('-', '_')}.py"
        assert (ROOT / file).exists()
        done = subprocess.run(
            ["make", "-n", f"bench-{name}", "VENV=."],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert f"make bench-{name} is now make bench NAME={name}" in done.stdout
        assert f"for name in {name.replace('-', '_')};" in done.stdout


def test_names_of_modules_that_are_gone() -> None:
    assert callable(bounds.compute_bound)
    assert not hasattr(bounds, "rederive")
    assert not hasattr(Propagator, "certain")
    for module in (
        "instances.submesh.packing_json",
        "instances.ksubset.worked_examples",
        "network.flits",
        "network.validation",
        "scheduler.config.binary",
        "clusters.slurm.submitting",
    ):
        assert find_spec(f"closeknit.{module}") is None
    for where, name in (
        (text, "write_sukp_text"),
        (dispersal, "average_distance"),
        (drawing, "draw_alone"),
        (csv_tables, "text_of_csv"),
        (towns, "town_partition"),
    ):
        assert not hasattr(where, name)


# the section is complete


def entries() -> list[str]:
    """Return what begins the entries: rows of tables, and points that have none."""
    whole = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = whole.split("### What you must change\n", 1)[1].split("\n### ", 1)[0]
    lines = section.splitlines()
    found = [line[2:].strip("* ") for line in lines if line.startswith("- ")]
    rows = [line[2:] for line in lines if line.startswith("| ")]
    found += [row for row in rows if not row.startswith("old | n")]
    return [one.replace("`", "") for one in found]


def test_every_entry_has_a_test_and_every_test_an_entry() -> None:
    shown = {one: [k for k in SHOWN_BY if one.startswith(k)] for one in entries()}
    assert not {one: keys for one, keys in shown.items() if len(keys) != 1}
    named = [key for keys in shown.values() for key in keys]
    assert sorted(named) == sorted(SHOWN_BY)
    assert all(one.count(" | ") == 1 for one in entries() if " | " in one)


def test_the_tests_that_show_entries_are_there() -> None:
    named: dict[str, set[str]] = {}
    for place in SHOWN_BY.values():
        file, name = place.split("::")
        named.setdefault(file or "cli/test_old_spellings.py", set()).add(name)
    for file, names in named.items():
        tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
        assert names <= {getattr(one, "name", "") for one in tree.body}, file


def test_every_old_spelling_is_in_the_section() -> None:
    rows = [one.split(" | ")[0] for one in entries()]
    for command, old, option, _ in SPELLINGS:
        about = [one for one in rows if re.search(rf"{old}(?![\w-])", one)]
        assert about, (command, old, option)
    for old in {old for names in OLD_NAMES.values() for old in names}:
        assert any(
            old in one or (old.endswith("/cp-sat") and "FORMULATION/cp-sat" in one)
            for one in rows
            if one.startswith("methods ")
        ), old


NAMES_OF_NETWORKS = {
    "labels": None,
    "described": "3×3 mesh",
    "article": "a mesh",
    "drawn_as": Mesh(3, 3),
}


def test_attributes_that_are_functions_of_arrays_now() -> None:
    job: Any = mesh(3, 3, k=4)
    for name in ("points", "hops", "has_cuts"):
        said = (
            rf"instance\.{name} is now {name}\(instance\) of closeknit.instances.arrays"
        )
        with pytest.warns(DeprecationWarning, match=said):
            found = getattr(job, name)
        assert np.array_equal(found, getattr(arrays, name)(job))
    with pytest.warns(DeprecationWarning, match="topology.distances is now"):
        assert job.topology.distances(np.array([0, 0]), np.array([2, 1])) == 3
    for name, value in NAMES_OF_NETWORKS.items():
        with pytest.warns(DeprecationWarning, match=f"topology.{name} is now "):
            assert getattr(job.topology, name) == value
    with pytest.raises(AttributeError, match="'KSubset' object has no attribute 'nay'"):
        job.nay  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'hops'"):
        job.topology.hops  # noqa: B018
    assert pickle.loads(pickle.dumps(job)) == job
