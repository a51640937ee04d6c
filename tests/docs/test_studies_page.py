"""The examples of docs/use/studies.md are read as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from closeknit.instances import mesh, write_ksubset
from closeknit.reports.campaigns.study.file import read_study

from ..paths import ROOT

PAGE = (ROOT / "docs" / "use" / "studies.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.S)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "occupancies").mkdir()
    write_ksubset(mesh(3, 3, k=2), tmp_path / "occupancies" / "a.json")
    paths = [tmp_path / f"{i}.toml" for i in range(len(EXAMPLES))]
    for path, text in zip(paths, EXAMPLES, strict=True):
        path.write_text(text.replace("32x32", "8x8").replace("[8, 16]", "[4, 6]"))
    return paths


def test_the_examples_are_valid(files: list[Path]) -> None:
    [study] = files
    plan = read_study(str(study))
    assert plan.repeats == 3
    made = [one.name for one in plan.instances if "fragmented" in one.name]
    assert len(made) == 40
    assert plan.without[made[0]] == {"mm-inc"}


def test_the_study_is_read_in_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(EXAMPLES[0].replace("32x32", "8x8"))
    plan = read_study(str(tmp_path / "study.toml"))
    assert len(plan.instances) > 40
