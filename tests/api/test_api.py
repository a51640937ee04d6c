"""``import closeknit as ck``: what notebooks and scripts use."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances.extras import install

api: Any = ck
"""For what type checkers do not know to be accepted."""
JOB = ck.ksubset(ck.Mesh(8, 8), k=9, busy=[(0, 3), (1, 3)], name="job")
CARDS = {"card-1": (["a", "b"], 2), "card-2": (["c", "d"], 3)}
PROCSET = ck.procset(["a", "b", "c", "d"], 2, CARDS, name="cards")
SUKP = ck.sukp([5, 4], [3, 3, 3], [(0, 1), (1, 2)], capacity=6, name="two")
SUBMESH = ck.submesh((4, 4), (4, 2), residents=[((1, 1), (2, 2))], name="one")
ALL = (JOB, PROCSET, SUKP, SUBMESH)


def test_every_name_of_the_facade_is_there_and_listed() -> None:
    listed = dir(ck)
    for name in ck.__all__:
        assert getattr(ck, name) is not None
        assert name in listed
    with pytest.raises(AttributeError, match="'nonsense'"):
        api.nonsense  # noqa: B018


def test_names_for_type_checkers_are_those_of_the_facade() -> None:
    text = Path(ck.__file__).read_text("utf-8")
    declared = {
        line.rpartition(" ")[2]
        for line in text.splitlines()
        if line.startswith("    from .") and " as " in line
    }
    assert declared == set(ck.__all__) - {"methods"}


def test_importing_costs_nothing() -> None:
    script = "import sys, closeknit; print(*(m for m in sys.modules if 'numpy' in m))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_a_solution_says_what_is_known() -> None:
    solution = ck.solve(JOB, time_limit=10)
    assert repr(solution).startswith(
        "<Solution optimal: cost 72 = bound 72 (checked: town bound), "
        "9 of 62 free processors, "
    )
    assert solution.cost == solution.bound == 72
    assert solution.ratio == 1
    assert solution.nodes == 0
    assert solution.status is ck.Status.OPTIMAL
    assert solution.chosen is not None
    assert solution.selection is not None
    assert [tuple(site) for site in solution.selection] == [
        JOB.free[i] for i in solution.chosen
    ]


@pytest.mark.parametrize("job", ALL, ids=lambda job: job.name)
def test_every_problem_is_solved_checked_drawn_and_written(
    job: Any, tmp_path: Path
) -> None:
    solution = ck.solve(job, time_limit=10)
    assert solution.status is ck.Status.OPTIMAL
    assert ck.check(solution, accept=("enumerated", "confirmed")) == []
    assert ck.check(job, solution.selection) == []
    ElementTree.fromstring(solution._repr_svg_())
    ck.write_instance(job, tmp_path / "job.json")
    solution.write(tmp_path / "solution.json")
    assert ck.read_instance(tmp_path / "job.json") == job
    files = tmp_path / "job.json", tmp_path / "solution.json"
    assert ck.check(*files, accept=("enumerated", "confirmed")) == []
    assert json.loads(solution.to_json())["status"] == "optimal"


def test_print_shows_what_the_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ck.write_instance(JOB, tmp_path / "job.json")
    assert run(["solve", str(tmp_path / "job.json"), "--method", "mm"]) == 0
    printed = capsys.readouterr().out.rstrip("\n")
    shown = str(ck.solve(tmp_path / "job.json", "mm"))

    def but_time(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("  time")]

    assert but_time(printed) == but_time(shown)


@pytest.mark.parametrize(
    "network",
    [
        ck.Mesh(4, 4),
        ck.Torus((4, 4)),
        api.Mesh(np.array([4, 4])),
        api.Tree([-1, 0, 0, 1, 1], np.array([0, 1, 1, 1, 1]), [2, 3, 4]),
        api.Points(np.array([[0, 1], [2, 3], [4, 4]])),
    ],
    ids=str,
)
def test_networks_are_taken_as_people_write_them(network: Any) -> None:
    job = api.ksubset(network, np.int64(2), busy=[next(iter(network.locations()))])
    assert job.n == sum(1 for _ in network.locations()) - 1
    assert type(job.k) is int
    assert ck.check(ck.solve(job), accept="enumerated") == []


def test_meshes_are_equal_however_they_are_written() -> None:
    assert ck.Mesh(8, 4) == ck.Mesh((8, 4)) == ck.Mesh([8, 4]) == ck.Mesh(shape=(8, 4))
    assert type(api.Torus(np.int64(8)).shape[0]) is int


def test_decimals_are_kept_exactly() -> None:
    points = api.Points([[0.1, 1], [0.25, 2]])
    assert points.scale == 100
    assert points.coordinates == ((10, 100), (25, 200))


def test_objects_are_short_however_large_they_are() -> None:
    sites = [(i,) for i in range(3000)]
    large = ck.ksubset(api.Points(sites), k=2000, free=sites[1:], name="x" * 500)
    things: list[Any] = [
        *ALL,
        large,
        large.topology,
        ck.Settings(),
        ck.METHODS["ksubset"],
    ]
    things += [ck.solve(JOB, "mm"), ck.solve(JOB).result, ck.METHODS["ksubset"]["mm"]]
    things += [ck.compare(JOB, "mm"), api.methods("ksubset"), ck.draw(JOB)]
    things += [ck.worst("mm", shape=(4, 3), k=3)]
    for thing in things:
        assert len(repr(thing)) < 200
        assert "\n" not in repr(thing)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ck.Settings(time_limit=-5), "time_limit: must be at least 0 s"),
        (lambda: ck.Settings(time_limit=float("nan")), "time_limit: must be"),
        (lambda: api.Settings(seed=1.5), "seed: must be an integer"),
        (lambda: ck.solve(JOB, "mmm"), "did you mean mm?"),
        (lambda: ck.solve(JOB, "4iss"), "4iss is a method for submesh"),
        (lambda: ck.solve(JOB, ties="first"), "ties: must be one of lex"),
        (lambda: api.solve(5), "must be an instance"),
        (lambda: ck.solve("nowhere.json"), "nowhere.json: cannot be read"),
        (lambda: ck.METHODS["sukp"]["tabu"](JOB), "tabu: is a method for sukp"),
        (lambda: ck.compare(JOB, ["mm"], exact="mm"), "exact: is not an exact method"),
        (lambda: ck.Mesh(0, 8), "topology.shape[0]: must be at least 1"),
        (lambda: api.Mesh(8.5), "topology.shape[0]: must be an integer"),
        (lambda: ck.ksubset(ck.Mesh(4, 4), 3, busy=[(9, 9)]), "busy[0]: no such"),
        (lambda: ck.ksubset(ck.Mesh(4, 4), 17), "k: must be at most"),
        (lambda: ck.ksubset(ck.Mesh(4, 4), 2, busy=[], free=[]), "not both"),
        (lambda: api.ksubset(4, 3), "network: must be a topology"),
        (lambda: ck.procset(["a"], 1, [("s", ["b"], 1)]), "sets[0].members[0]"),
        (lambda: ck.procset(["a"], 1, ["s"]), "sets[0]: must be a name"),
        (lambda: ck.sukp([1], [1], [[2]], 1), "items[0]: no such element"),
        (lambda: ck.submesh((4,), (1,)), "mesh: must have two or three sides"),
        (
            lambda: ck.submesh(ck.Grid((3, 4), (True, False)), (2, 4)),
            "mesh: must be a mesh or a torus",
        ),
        (
            lambda: ck.submesh(ck.Grid((3, 4), (True, False)), (2, 4), torus=True),
            "mesh: must be a mesh or a torus",
        ),
        (
            lambda: ck.submesh(ck.Torus(4, 4), (2, 2), torus=False),
            "torus: is not what the given network has",
        ),
        (lambda: ck.verify("nothing-of-this-name"), "unknown claim"),
        (lambda: api.methods("sukpp"), "did you mean sukp?"),
        (lambda: ck.worst("auto"), "auto is exact"),
    ],
)
def test_what_cannot_be_used_is_one_line(call: Any, message: str) -> None:
    with pytest.raises(ck.InputError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_solution_is_found_out() -> None:
    other = ck.ksubset(ck.Mesh(8, 8), k=9, name="job")
    assert "sha256: is for another instance" in ck.check(other, ck.solve(JOB))
    assert ck.check(JOB, [0] * 9)
    assert ck.check(JOB, [(0, 3)] * 9) != []


def test_plots_go_onto_axes_and_into_files(tmp_path: Path) -> None:
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    solution = ck.solve(JOB, "mm")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
    assert solution.plot(left) is left
    ck.draw(JOB).plot(right)
    assert len(left.patches) > len(right.patches) > 2  # what is chosen comes on top
    assert not any(text.get_text() == "mm" for text in right.texts)
    assert any(text.get_text() == "mm" for text in left.texts)
    plt.close(figure)
    own = solution.plot()
    assert own.figure.get_size_inches()[0] > 3
    plt.close(own.figure)
    for form, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        solution.draw().write(tmp_path / f"a{form}")
        assert (tmp_path / f"a{form}").read_bytes().startswith(start)
    with pytest.raises(ck.InputError, match=r"must end in \.svg"):
        solution.draw().write(tmp_path / "a.gif")


def test_a_comparison_is_a_table_and_a_frame() -> None:
    table = ck.compare([JOB, SUKP], exact="auto")
    assert {row["problem"] for row in table} == {"ksubset", "sukp"}
    frame = table.to_frame()
    assert list(frame.index) == [(row["instance"], row["method"]) for row in table]
    assert (frame.xs("auto", level="method")["ratio"] == 1.0).all()
    assert "<table>" in table._repr_html_()
    assert str(table).splitlines()[0].split()[:2] == ["instance", "method"]


def test_without_pandas_a_frame_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = ck.compare(JOB, "mm")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ck.InputError, match=re.escape(install("pandas"))):
        table.to_frame()


def test_methods_are_listed_with_what_they_promise() -> None:
    listed = api.methods("ksubset")
    assert list(listed) == list(ck.METHODS["ksubset"])
    assert "mc1x1" in str(listed)
    assert set(api.methods()) == set(ck.METHODS)
