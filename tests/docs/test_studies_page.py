"""The examples of docs/use/studies.md are read as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from closeknit.instances import mesh, write_ksubset
from closeknit.reports.campaigns.study.file import read_study

from ..paths import ROOT

PAGE = (ROOT / "docs" / "use" / "studies.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.S)


def test_the_example_is_valid(tmp_path: Path) -> None:
    """Also in an empty folder."""
    [example] = EXAMPLES
    path = tmp_path / "study.toml"
    path.write_text(example.replace("32x32", "8x8").replace("[8, 16]", "[4, 6]"))
    assert len(read_study(str(path)).instances) > 40
    (tmp_path / "occupancies").mkdir()
    write_ksubset(mesh(3, 3, k=2), tmp_path / "occupancies" / "a.json")
    plan = read_study(str(path))
    assert plan.repeats == 3
    made = [one.name for one in plan.instances if "fragmented" in one.name]
    assert len(made) == 40
    assert plan.without[made[0]] == {"mm-inc"}
