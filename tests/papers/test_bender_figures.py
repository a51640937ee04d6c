"""``closeknit reproduce bender-figure2`` and ``bender-figure3``, end to end."""

from pathlib import Path

import pytest

from closeknit.cli.app import run

from .studies import pictures, rows_of


def test_towns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "bender-figure2", "--out", str(tmp_path)]) == 0
    assert "20 the same (holds: every value equal)" in capsys.readouterr().out
    assert all(
        row["paper"] == row["here"] for row in rows_of(tmp_path / "figure-2.csv")
    )
    plane, space = (
        rows_of(tmp_path / "towns-2d.csv"),
        rows_of(tmp_path / "towns-3d.csv"),
    )
    assert (len(plane), plane[-1]["k"], plane[-1]["w(k)"]) == (199, "200", "183386")
    assert (len(space), space[-1]["k"], space[-1]["w(k)"]) == (47, "48", "3808")
    assert space[6]["box"] == "2x2x2"
    assert pictures(tmp_path) == 1


def test_city(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "bender-figure3", "--out", str(tmp_path)]) == 0
    assert "here 0.650245952951 (holds: equal in 11 digits" in capsys.readouterr().out
    boundary = rows_of(tmp_path / "boundary.csv")
    assert (boundary[0]["x"], boundary[0]["y"]) == ("0.000000000", "0.574128324")
