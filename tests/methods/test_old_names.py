"""Names of the version before: accepted, not listed, and found in old stores."""

from dataclasses import replace
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import ProcessorSet, ProcSet, write_instance
from closeknit.instances.library import SUITES
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.support import procset
from closeknit.methods import METHODS
from closeknit.methods.code_digest import code_of
from closeknit.methods.old_names import OLD_NAMES, REMOVED
from closeknit.reports.campaigns.campaign import Campaign, Lineup
from closeknit.reports.campaigns.rows import row_of
from closeknit.reports.campaigns.store import ResultStore, address
from closeknit.solvers import DEFAULT

PAIR = ProcSet(
    "pair", ("h1", "h2", "h3"), (0, 1, 2), 2, (ProcessorSet("s", (0, 1), (1,)),)
)


@pytest.mark.parametrize(
    ("problem", "old", "name"),
    [(p, old, name) for p, names in OLD_NAMES.items() for old, name in names.items()],
)
def test_an_old_name_finds_the_method(problem: str, old: str, name: str) -> None:
    table = METHODS[problem]
    assert table[old] is table[name]
    assert table[name].name == name
    assert old in table
    assert old not in list(table)


def test_commands_accept_old_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pair.json"
    file.write_text(dumps(procset.document_of(PAIR)))
    for name in ("opened-bb", "set-opening-bb", "mip", "classes/highs"):
        assert run(["solve", str(file), "--method", name]) == 0
    assert run(["compare", str(file), "--methods", "opened-bb,reaching"]) == 0
    shown = capsys.readouterr().out
    assert "set-opening-bb" in shown
    assert "opened-bb" not in shown.replace("set-opening-bb", "")


@pytest.mark.parametrize(
    ("problem", "name", "new"),
    [(p, name, new) for p, names in REMOVED.items() for name, new in names.items()],
)
def test_a_removed_method_ends_in_one_line_that_says_what_to_take(
    problem: str,
    name: str,
    new: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = METHODS[problem]
    assert name not in table
    assert new.partition(",")[0] in table
    file = tmp_path / "instance.json"
    write_instance(SUITES[f"bundled-{problem}"]()[0], file)
    study = tmp_path / "study.toml"
    study.write_text(
        'format = "closeknit/study"\nversion = 1\nname = "one"\n'
        f'[methods]\n{problem} = ["{name}"]\n'
        f'[[instances]]\nsuite = "bundled-{problem}"\n'
    )
    for words in (
        ["solve", str(file), "--method", name],
        ["compare", str(file), "--methods", name],
        ["ratios", str(study), "--out", str(tmp_path / "out")],
        ["methods", name],
        ["simulate", "stream", "--shape", "4x4", "--method", name],
    )[: None if problem == "ksubset" else 4]:
        assert run(words) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert f"{name} was removed: take {new}" in told


def test_rows_stored_under_an_old_name_are_used(tmp_path: Path) -> None:
    table = METHODS["procset"]
    result = table["set-opening-bb"](PAIR)
    code = code_of(table["set-opening-bb"])
    row = row_of(PAIR, "opened-bb", DEFAULT, result, "failed", code=code)
    with ResultStore(tmp_path) as store:
        store.append(row)
    lineup = Lineup(methods=[], exact=table["set-opening-bb"])
    campaign = Campaign(instances=[PAIR], lineups={"procset": lineup})
    with ResultStore(tmp_path) as store:
        found = campaign.rows(store)
        assert found == [replace(row, method="set-opening-bb")]
        assert not campaign.missing_methods(store)
        assert address(found[0].key) != address(row.key)
        store.forget([found[0].key])
    with ResultStore(tmp_path) as store:
        assert not store.rows
        store.append(row)
    with ResultStore(tmp_path) as store:  # both spellings: the later row counts
        store.rows.clear()
        store.append(replace(row, method="set-opening-bb", seconds=7.0))
    with ResultStore(tmp_path) as store:
        assert [one.seconds for one in store.rows.values()] == [7.0]


def test_a_study_leaves_methods_out_by_their_old_names() -> None:
    table = METHODS["procset"]
    lineup = Lineup(
        methods=[table["classes/cpsat"], table["cpsat"], table["reaching"]],
        exact=table["auto"],
    )
    campaign = Campaign(
        instances=[PAIR],
        lineups={"procset": lineup},
        without={"pair": frozenset({"cpsat"})},
    )
    assert [task.method.name for task in campaign.tasks()] == ["auto", "reaching"]
    whole = replace(campaign, without={})
    names = [task.method.name for task in whole.tasks()]
    assert names == ["auto", "classes/cpsat", "reaching"]
