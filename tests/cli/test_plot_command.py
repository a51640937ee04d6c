"""The command `plot`: pictures of instances and solutions, and what it refuses."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from closeknit.cli.app import run
from closeknit.instances import Instance, Submesh, write_submesh
from closeknit.instances.library import bundled, bundled_names
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.submesh import Placement, Resident
from closeknit.instances.support import support_of
from closeknit.methods import METHODS
from closeknit.reports.drawing.drawing import draw, drawing_of
from closeknit.reports.drawing.rendering import render
from closeknit.solvers import Status, answer, write_solution

from ..drawn import SPACE, arrows, cells_of, panels
from ..strategies import submeshes

BLUE, VERMILION = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
NAMES = {
    "ksubset": "6x6-full-k9",
    "procset": "random-18-12sets-of5-l3-full-r8-s1",
    "sukp": "sukp-18x16-density15pct-capacity50pct-s1",
    "submesh": "waiting-16x16-sides1to8-s3",
}
HELD = (Resident((0, 0, 0, 0)), Resident((3, 0, 3, 3), fixed=True))
TWO = Submesh("two", (4, 4), HELD, (3, 3), blocked=((1, 3),))
MOVED = Placement((0, 0, 2, 2), ((0, (0, 3, 0, 3)),)).flat()


def saved(instance: Instance, folder: Path) -> str:
    file = folder / f"{instance.name}.json"
    file.write_text(dumps(support_of(instance).document_of(instance)))
    return str(file)


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, Path]:
    """Return the paths of an instance and of a solution that holds."""
    solution = tmp_path / "solution.json"
    write_solution(TWO, "by hand", answer(TWO, MOVED, start=0.0), solution)
    return saved(TWO, tmp_path), solution


def painted(picture: bytes) -> set[tuple[int, ...]]:
    """Return the colours of a PNG."""
    pixels = matplotlib.image.imread(BytesIO(picture), format="png")
    red, green, blue = (255 * pixels[..., :3]).round().astype(int).reshape(-1, 3).T
    found = np.flatnonzero(np.bincount(red << 16 | green << 8 | blue)).tolist()
    return {(one >> 16, one >> 8 & 255, one & 255) for one in found}


@pytest.mark.parametrize("problem", NAMES)
def test_alone_and_with_a_solution_in_every_form(problem: str, tmp_path: Path) -> None:
    instance = bundled(NAMES[problem])
    file, solution = saved(instance, tmp_path), tmp_path / "solution.json"
    result = METHODS[problem]["auto"](instance)
    write_solution(instance, "auto", result, solution)
    for words, colours in (([], set()), ([str(solution)], {BLUE})):
        pictures = {}
        for form in ("svg", "png", "PDF"):
            out = tmp_path / f"picture.{form}"
            assert run(["plot", file, *words, "--out", str(out)]) == 0
            pictures[form] = out.read_bytes()
        root = ET.fromstring(pictures["svg"])
        said = [one.text for one in root.iter(f"{SPACE}text")]
        assert said[0] == instance.name
        assert ("auto" in said) == bool(words)
        assert pictures["PDF"].startswith(b"%PDF-")
        assert painted(pictures["png"]) >= colours
        wide, high = (float(root.get(side, "0")) for side in ("width", "height"))
        pixels = matplotlib.image.imread(BytesIO(pictures["png"]), format="png")
        assert pixels.shape[0] == pytest.approx(2 * high, abs=2)
        assert pixels.shape[1] == pytest.approx(2 * wide, abs=2)


def test_before_and_after_with_arrows(two: tuple[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    assert run(["plot", two[0], str(two[1]), "--out", str(out)]) == 0
    assert out.read_text() == draw(TWO, {"by hand": MOVED})
    assert 'class="ck-arrow"' in out.read_text()
    assert "outlined residents must stay" in out.read_text()
    assert painted(render(drawing_of(TWO, {"by hand": MOVED}), "png")) >= {
        BLUE,
        VERMILION,
    }


def test_the_request_beside_the_mesh_to_scale() -> None:
    wide = Submesh("wide", (8, 4), HELD, (4, 2), rotate=True, migrate=False)
    root = ET.fromstring(drawing_of(wide, {}).svg)
    boxes = {
        kind: [
            (float(one.get("width", 0)), float(one.get("height", 0)))
            for one in root.iter(f"{SPACE}rect")
            if one.get("class") == kind and one.get("width") != "10"
        ]
        for kind in ("ck-free", "ck-a", "ck-busy")
    }
    (mesh,) = boxes["ck-free"]
    (request,) = boxes["ck-a"]
    assert request == pytest.approx((mesh[0] / 2 - 1, mesh[1] / 2 - 1))
    assert len(boxes["ck-busy"]) == 2
    notes = "the request may be turned; residents must not be moved; outlined residents"
    assert any(notes in (one.text or "") for one in root.iter(f"{SPACE}text"))


def test_what_has_no_placement_is_drawn_alone(tmp_path: Path) -> None:
    full = Submesh("full", (4, 4), HELD, (4, 3))
    file, solution = saved(full, tmp_path), tmp_path / "solution.json"
    result = METHODS["submesh"]["auto"](full)
    assert result.status is Status.INFEASIBLE
    write_solution(full, "auto", result, solution)
    out = tmp_path / "out.svg"
    assert run(["plot", file, str(solution), "--out", str(out)]) == 0
    said = [one.text or "" for one in ET.parse(out).iter(f"{SPACE}text")]
    assert said[0] == "full"
    assert "auto: infeasible (checked: counting)" in said


@pytest.mark.parametrize("name", bundled_names())
def test_whatever_comes_with_closeknit_can_be_painted(name: str) -> None:
    drawing = drawing_of(bundled(name), {})
    assert "chosen" not in drawing.svg
    if name not in [*bundled_names()[::6], NAMES["submesh"]]:
        return
    picture = render(drawing, "png")
    assert (255, 255, 255) in painted(picture)
    if name == NAMES["submesh"]:
        assert render(drawing, "png") == picture
        assert render(drawing, "pdf") == render(drawing, "pdf")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(instance=submeshes())
def test_any_submesh_is_drawn_alone_cell_by_cell(instance: Submesh) -> None:
    picture = drawing_of(instance, {}).svg
    shown = panels(picture, instance)
    assert len(shown) == (instance.shape[2] if instance.d == 3 else 1)
    for layer, panel in enumerate(shown):
        held = {
            "ck-busy": [one.box for one in instance.residents],
            "ck-text": [(*cell, *cell) for cell in instance.blocked],
        }
        cells = {k: cells_of(instance, v, layer) for k, v in held.items()}
        assert panel.cells == {k: v for k, v in cells.items() if v}
        fixed = [one.box for one in instance.residents if one.fixed]
        outlined = Counter(cell for one in panel.outlines for cell in one)
        assert outlined == cells_of(instance, fixed, layer)
    ((kind, wide, high),) = shown[-1].beyond
    assert kind == "ck-a"
    assert (round(wide), round(high)) == instance.request[:2]
    assert arrows(picture) == 0


def test_solutions_that_do_not_hold(
    two: tuple[str, Path], tmp_path: Path, refusal: Callable[..., str]
) -> None:
    file, path = two
    out = tmp_path / "out.png"
    true = json.loads(path.read_text())
    wrongs = {
        "sha256: is for another instance": {"sha256": "0" * 64},
        "objective: is (0, 1, 3), but it costs (1, 1, 3)": {"objective": [0, 1, 3]},
        "selection: the request overlaps residents[0]": {
            "selection": {"at": [0, 0, 2, 2]}
        },
    }
    for told, change in wrongs.items():
        path.write_text(json.dumps(true | change))
        said = refusal("plot", file, path, "--out", out, status=1)
        assert said == f"{path}: {told}"
    write_submesh(Submesh("other", (4, 4), HELD, (3, 3)), tmp_path / "other.json")
    path.write_text(json.dumps(true))
    said = refusal("plot", tmp_path / "other.json", path, "--out", out, status=1)
    assert said.startswith(f"{path}: instance: is for 'two', not 'other'; sha256: is")
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("{file} --out a.jpg", "argument --out: must end in .svg, .png, .pdf, not 'a"),
        ("{file}", "the following arguments are required: --out"),
        ("{file} {file} --out a.svg", "{file}: format: must be"),
        ("{file} /nowhere --out a.svg", "/nowhere: cannot be read: No such"),
        ("{file} --out /nowhere/a.pdf", "/nowhere/a.pdf: cannot be written"),
        ("{file} {solution} --proof /nowhere --out a.svg", "/nowhere: cannot be read"),
        ("{file} --proof x --out a.svg", "--proof: is for a SOLUTION"),
    ],
)
def test_bad_usage(
    words: str, told: str, two: tuple[str, Path], refusal: Callable[..., str]
) -> None:
    named = {"file": two[0], "solution": str(two[1])}
    said = refusal("plot", words.format(**named))
    assert said.startswith(told.format(**named))


def test_nothing_is_left_behind_where_nothing_can_be_written(
    two: tuple[str, Path], tmp_path: Path, refusal: Callable[..., str]
) -> None:
    taken = tmp_path / "taken.png"
    taken.mkdir()
    before = sorted(tmp_path.iterdir())
    assert refusal("plot", two[0], "--out", taken).startswith(f"{taken}: ")
    assert sorted(tmp_path.iterdir()) == before
