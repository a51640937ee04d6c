"""K-subsets of p-median networks and of random graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from closeknit.instances import InputError, KSubset, read_instance
from closeknit.instances.ksubset.generators import random_cluster
from closeknit.papers.any_network import study
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.table import REPRODUCTIONS
from closeknit.proofs.checking.folder import print_verdicts, read_index, replay
from closeknit.reports.pages.markdown import markdown_of

SQUARE = "5 7 2\n1 2 3\n2 3 4\n3 4 1\n4 1 9\n2 1 2\n4 5 1\n1 3 2\n"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "OTHERS", ("distances-bb",))
    monkeypatch.setattr(study, "SECONDS", 2.0)


def test_random_graphs_are_bounded_and_certified(tmp_path: Path) -> None:
    options = RunOptions(seed=1, first=1, out=str(tmp_path), jobs=2)
    page = markdown_of(REPRODUCTIONS["k-cluster"](options))
    assert "of 1 there is a certificate of the bound" in page
    where = tmp_path / "certificates"
    [entry] = read_index(where)
    instance = read_instance(where / entry.instance.file)
    assert isinstance(instance, KSubset)
    assert instance == random_cluster(40, 10, 1, 25)
    assert print_verdicts(replay(where, [entry])) == 0
    bound = entry.claim
    assert isinstance(bound, int)
    assert 45 <= bound <= 90  # of ten nodes
    assert f"| {bound} |" in page


def test_files_of_the_library_are_taken_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_SIZES", ())
    monkeypatch.setenv("CLOSEKNIT_DATA", str(tmp_path))
    folder = tmp_path / "data" / "k-cluster"
    folder.mkdir(parents=True)
    (folder / "bow.dat").write_text("5 3 4\n1 2 0.5\n1 3 0.5\n2 3 0.5\n3 4 0.5\n")
    page = markdown_of(REPRODUCTIONS["k-cluster"](RunOptions(jobs=1)))
    assert "1 file of the library" in page
    assert "| `bow` | 5 | 3 | 3 | 3 |" in page


def test_grey_patterns_are_bounded(tmp_path: Path) -> None:
    options = RunOptions(first=1, out=str(tmp_path), jobs=1)
    page = markdown_of(REPRODUCTIONS["grey-patterns"](options))
    assert "| `8x8-grey-k2` | 64 | 2 | 3125 | 3125 |" in page  # 100,000 / 32
    assert "of 1 there is a certificate" in page


def test_networks_are_read_where_the_data_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data" / "pmed"
    data.mkdir(parents=True)
    (data / "pmed1.txt").write_text(SQUARE)
    monkeypatch.setenv("CLOSEKNIT_DATA", str(tmp_path))
    page = markdown_of(REPRODUCTIONS["pmed"](RunOptions(first=1)))
    assert "1 of 1 are proven optimal" in page
    assert "| `pmed1` | 5 | 2 | 1 | 1 |" in page
    assert "| checked: dnn certificate |" in page
    with pytest.raises(InputError, match=r"pmed2.txt.xz: is missing"):
        REPRODUCTIONS["pmed"](RunOptions(first=2))
