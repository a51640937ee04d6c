"""Pictures of meshes before and after."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from closeknit.cli.app import run
from closeknit.instances import InputError, Submesh, write_submesh
from closeknit.instances.library import bundled, suite
from closeknit.instances.submesh import (
    Box,
    Placement,
    Resident,
    placement_of,
    unsolvable,
)
from closeknit.methods import SUBMESH
from closeknit.reports.drawing.drawing import draw

from ...drawn import SPACE, arrows, cells_of, panels
from ...strategies import submeshes


def classes(picture: str, tag: str = "rect") -> list[str]:
    """List the classes of elements, the swatches of the legend left out."""
    found = ET.fromstring(picture).iter(f"{SPACE}{tag}")
    return [one.get("class", "") for one in found if one.get("width") != "10"]


def steps(before: list[Box], placement: Placement) -> Iterator[tuple[Box, Box]]:
    """Yield where each move begins and ends; a resident may move more than once."""
    now = list(before)
    for i, box in placement.moves:
        yield now[i], box
        now[i] = box


def middle(instance: Submesh, box: Box) -> list[float]:
    """Return the middle of a box in the plane, within the mesh."""
    d = instance.d
    return [(box[a] + box[d + a] + 1) / 2 % instance.shape[a] for a in range(2)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(instance=submeshes())
def test_every_answer_is_drawn_cell_by_cell(instance: Submesh) -> None:
    if unsolvable(instance):
        return
    chosen = SUBMESH["migrate"](instance).chosen
    if chosen is None:
        return
    placement = placement_of(instance, chosen)
    before = [one.box for one in instance.residents]
    after = [dict(placement.moves).get(i, box) for i, box in enumerate(before)]
    moved = {i for i, box in enumerate(after) if box != before[i]}
    layers = instance.shape[2] if instance.d == 3 else 1
    states = [(before, None)] * bool(moved) + [(after, placement.at)]
    for names in (["migrate"], ["migrate", "again"]):
        picture = draw(instance, dict.fromkeys(names, chosen))
        shown = iter(panels(picture, instance))
        for accent, (boxes, request) in product(("ck-a", "ck-b")[: len(names)], states):
            for layer in range(layers):
                panel = next(shown)
                expected = {
                    "ck-busy": [b for i, b in enumerate(boxes) if i not in moved],
                    "ck-b": [b for i, b in enumerate(boxes) if i in moved],
                    "ck-text": [(*cell, *cell) for cell in instance.blocked],
                }
                if request is not None:  # the second accent is that of who moves
                    expected[accent] = [*expected.get(accent, []), request]
                cells = {k: cells_of(instance, v, layer) for k, v in expected.items()}
                assert panel.cells == {k: v for k, v in cells.items() if v}
                fixed = [boxes[i] for i, r in enumerate(instance.residents) if r.fixed]
                outlined = Counter(cell for one in panel.outlines for cell in one)
                assert outlined == cells_of(instance, fixed, layer)
        assert next(shown, None) is None
        moves = sum(
            middle(instance, a) != middle(instance, b)
            for a, b in steps(before, placement)
        )
        assert arrows(picture) == moves * len(names) * (layers == 1)


def test_who_moves_is_drawn_twice_and_has_an_arrow() -> None:
    held = (Resident((0, 0, 0, 0)), Resident((3, 0, 3, 3)))
    instance = Submesh("two", (4, 4), held, (3, 3), blocked=((1, 3),))
    placement = Placement((0, 0, 2, 2), ((0, (0, 3, 0, 3)),))
    picture = draw(instance, {"by hand": placement.flat()})
    drawn = classes(picture)
    assert drawn.count("ck-b") == 2
    assert drawn.count("ck-busy") == 2
    assert drawn.count("ck-a") == 1
    assert drawn.count("ck-text") == 2
    assert classes(picture, "path").count("ck-arrow") == 1
    assert "before" in picture
    assert "after" in picture
    assert "cost 1; 1; 3" in picture


def test_nobody_moves_one_panel() -> None:
    instance = Submesh("one", (4, 4), (Resident((0, 0, 0, 0)),), (3, 3))
    picture = draw(instance, {"by hand": (1, 1, 3, 3)})
    assert "before" not in picture
    assert "ck-arrow" not in classes(picture, "path")


def test_a_box_round_a_torus_is_drawn_in_parts() -> None:
    held = (Resident((3, 3, 4, 4)),)
    instance = Submesh("round", (4, 4), held, (2, 2), torus=True)
    assert classes(draw(instance, {"by hand": (1, 1, 2, 2)})).count("ck-busy") == 4


def test_a_wrong_placement_is_not_drawn() -> None:
    instance = Submesh("one", (4, 4), (Resident((0, 0, 0, 0)),), (3, 3))
    with pytest.raises(InputError, match="the request overlaps"):
        draw(instance, {"by hand": (0, 0, 2, 2)})


def test_solve_plots_what_it_found(tmp_path: Path) -> None:
    instance = bundled("waiting-16x16-sides1to8-s3")
    assert isinstance(instance, Submesh)
    assert instance in suite("bundled-submesh")
    path, out = tmp_path / "one.json", tmp_path / "out.svg"
    write_submesh(instance, path)
    assert run(["solve", str(path), "--plot", str(out)]) == 0
    assert classes(out.read_text()).count("ck-a") == 1
    assert classes(out.read_text(), "path").count("ck-arrow") == 5
