"""Configurations from Python, and the command ``closeknit config``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError
from closeknit.scheduler.config import (
    Constraint,
    CostBlock,
    Group,
    Price,
    parse_configuration,
    read_configuration,
)
from closeknit.scheduler.config.expression import Expression

from .samples import BROKEN, FIGURE, GOOD
from .written import written


def test_a_machine_of_2048_cores() -> None:
    hosts = [f"n{i:03}" for i in range(256)]
    prices = ", ".join(f"cluster@{host}=[{100 + i}]" for i, host in enumerate(hosts))
    one = parse_configuration(
        "queues: cluster\nslots: [n000..n255=1..8]\n"
        f"groups: {', '.join(f'{host}={{{host}}}' for host in hosts)}\n"
        f"costs: otherwise: {prices} end-costs\nconstraints: otherwise : true\n",
        name="cores",
    )
    assert len(one.processors) == 2048
    assert len(one.sets_for("cluster", 1)) == 256
    assert parse_configuration(written(one), name="cores") == one


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"queues": ("a", "a")}, "queues: must be names, all different"),
        ({"host_of": (0,)}, "host_of: must name a host for each processor"),
        ({"through": ()}, "through: must have one entry per queue"),
        ({"groups": (Group("g", ()),)}, "groups.g: is empty"),
        ({"groups": (Group("g", (1, 1)),)}, "groups.g: must be indices of processors"),
        ({"costs": ()}, "costs: there is no price"),
        (
            {"constraints": (Constraint(None, Expression("cost")),)},
            "constraints: expected a condition, found a vector: cost",
        ),
        (
            {"constraints": (Constraint(None, Expression("per")),)},
            "constraints: expected a condition, found per",
        ),
        ({"lookahead": 9}, "lookahead: must be 0 to 5, not 9"),
        (
            {"costs": (CostBlock(None, (Price("cluster", "h01", (2**62,)),)),)},
            "costs: sum up to 2^62 or more",
        ),
        (
            {"costs": (CostBlock(None, (Price("cluster", "h01", (-1,)),)),)},
            "costs.cluster@h01: must be 1 numbers, none negative",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    change: dict[str, object], says: str
) -> None:
    with pytest.raises(InputError) as caught:
        replace(read_configuration(FIGURE), **change)  # type: ignore[arg-type]
    assert says in str(caught.value)


# The command -------------------------------------------------------------------


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "check", FIGURE]) == 0
    out, err = capsys.readouterr()
    assert out == (
        f"{FIGURE}: 2 queues, 42 hosts, 168 processors, 68 groups, 5 levels, "
        "5 constraints\n"
    )
    assert len(err.splitlines()) == 2
    assert all(": warning: " in line for line in err.splitlines())
    assert run(["config", "check", "--strict", FIGURE]) == 1


def test_check_lists_every_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(BROKEN)
    assert run(["config", "check", "several-faults.conf"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    expected = (BROKEN / "expected.txt").read_text().splitlines()
    assert err.splitlines() == [
        line for line in expected if line.startswith("several-faults")
    ]
    assert len(err.splitlines()) == 5


def test_what_is_shown_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, shown = tmp_path / "good.conf", tmp_path / "shown.conf"
    text.write_text(GOOD)
    assert run(["config", "show", str(text)]) == 0
    shown.write_text(capsys.readouterr().out)
    assert shown.read_text() == GOOD
    assert run(["config", "check", str(shown)]) == 0
    assert "lookahead after 1" in capsys.readouterr().out


def test_compiled_forms_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "old.bin"
    packed.write_bytes(b"\x89CKCONF\n\x01\x00\x00\x00")
    for command in ("check", "show", "compile"):
        assert run(["config", command, str(packed)]) == 2
    select = ["select", "--config", str(packed), "--queue", "q", "--pes", "4"]
    assert run(select) == 2
    read, shown, compiled, selected = capsys.readouterr().err.splitlines()
    complaint = f"closeknit: {packed}: is a compiled configuration: give its text"
    assert read == shown == selected == complaint
    assert compiled.startswith("closeknit: compile was removed: ")
