"""The compiled form: equal to its text, always the same bytes, refused if damaged."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError
from closeknit.scheduler.config import (
    Configuration,
    Constraint,
    CostBlock,
    Group,
    Price,
    binary,
    configuration_text,
    examine,
    load,
    parse_configuration,
    read_configuration,
    write_compiled,
)
from closeknit.scheduler.config.expression import Expression

from ..clusters.samples import BROKEN, FIGURE, GOOD


def _cores(racks: int = 16, nodes: int = 16, cores: int = 8) -> Configuration:
    """Nodes of cores in racks, line cards of 12 nodes: 2048 cores unless said."""
    count = racks * nodes
    hosts = tuple(f"n{i:03}" for i in range(1, count + 1))
    processors = tuple(f"{host}.{c}" for host in hosts for c in range(1, cores + 1))
    everything = tuple(range(len(processors)))
    groups, prices = [], []
    for prefix, width, level in (("cn", 1, 0), ("ib", 12, 1), ("ctl", 50, 2)):
        for i, begin in enumerate(range(0, count, width), start=1):
            members = everything[begin * cores : (begin + width) * cores]
            groups.append(Group(f"{prefix}{i}", members))
            cost = tuple((100 + i) * (at == level) for at in range(5))
            prices.append(Price("cluster", f"{prefix}{i}", cost))
    return Configuration(
        name="cores",
        queues=("cluster",),
        hosts=hosts,
        processors=processors,
        host_of=tuple(i // cores for i in everything),
        through=(everything,),
        groups=tuple(groups),
        costs=(CostBlock(None, tuple(prices)),),
        constraints=read_configuration(FIGURE).constraints[-1:],
    )


def test_loading_gives_the_same_as_reading(tmp_path: Path) -> None:
    one = read_configuration(FIGURE)
    write_compiled(one, tmp_path / "a.ckc")
    write_compiled(read_configuration(FIGURE), tmp_path / "b.ckc")
    assert (tmp_path / "a.ckc").read_bytes() == (tmp_path / "b.ckc").read_bytes()
    again = load(tmp_path / "a.ckc")
    assert again == one
    assert [c.line for c in again.constraints] == [c.line for c in one.constraints]
    assert read_configuration(tmp_path / "a.ckc") == one
    assert examine(tmp_path / "a.ckc").configuration == one


def test_a_machine_of_2048_cores(tmp_path: Path) -> None:
    one = _cores()
    assert len(one.processors) == 2048
    write_compiled(one, tmp_path / "cores.ckc")
    assert load(tmp_path / "cores.ckc") == one
    assert parse_configuration(configuration_text(one), name="cores") == one


def test_the_form_is_little_endian_and_fixed() -> None:
    packed = binary.dumps(parse_configuration(GOOD, name="good"))
    assert packed[:20] == b"\x89CKCONF\n" + struct.pack("<HHQ", 1, 0, len(packed) - 52)
    assert packed[20:52] == sha256(packed[52:]).digest()
    assert packed[52:60] == b"\x04\x00\x00\x00good"


def test_loading_needs_no_parser(tmp_path: Path) -> None:
    write_compiled(read_configuration(FIGURE), tmp_path / "a.ckc")
    code = (
        "import sys; from closeknit.scheduler.config import load;"
        f"one = load({str(tmp_path / 'a.ckc')!r});"
        "c = one.constraint_for('cluster', 40);"
        "assert c.holds((0,) * 5, 40, lambda n: (0,) * 5); print('lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


PACKED = binary.dumps(read_configuration(FIGURE))


def _with_body(body: bytes) -> bytes:
    """A right head for any body."""
    head = struct.pack(
        "<8sHHQ32s", binary.MAGIC, 1, 0, len(body), sha256(body).digest()
    )
    return head + body


DAMAGED = {
    "empty": (b"", "is not a compiled configuration"),
    "text": (b"queues: cluster", "is not a compiled configuration"),
    "other magic": (b"\x89PNG" + PACKED[4:], "is not a compiled configuration"),
    "one byte": (PACKED[:1], "is truncated: 1 bytes, the header has 52"),
    "half a head": (PACKED[:30], "is truncated: 30 bytes, the header has 52"),
    "half a body": (PACKED[:1052], f"is truncated: 1000 of {len(PACKED) - 52} bytes"),
    "too long": (PACKED + b"..", "has 2 extra bytes at the end"),
    "newer": (
        PACKED[:8] + b"\x02" + PACKED[9:],
        "has version 2 of the compiled format, expected 1",
    ),
    "a flipped bit": (
        PACKED[:900] + bytes([PACKED[900] ^ 4]) + PACKED[901:],
        "is damaged: its checksum does not match",
    ),
    "no body": (_with_body(b""), "is damaged, although its checksum matches"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(name: str, tmp_path: Path) -> None:
    content, says = DAMAGED[name]
    path = tmp_path / "bad.ckc"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {says}")
    assert "\n" not in str(caught.value)


def test_nonsense_with_a_right_checksum_is_refused_too() -> None:
    body = PACKED[52:]
    drawn = random.Random(4)
    refused = 0
    for _ in range(400):
        changed = bytearray(body)
        for _ in range(drawn.randint(1, 3)):
            changed[drawn.randrange(len(body))] = drawn.choice((0, 1, 255, 10, 128))
        try:
            binary.loads(_with_body(bytes(changed)))
        except InputError:
            refused += 1
    assert refused > 100


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


def test_compile_show_and_check_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "good.conf"
    text.write_text(GOOD)
    packed = tmp_path / "good.ckc"
    assert run(["config", "compile", str(text), "-o", str(packed)]) == 0
    assert "lookahead after 1" in capsys.readouterr().out
    assert run(["config", "show", str(packed)]) == 0
    shown = capsys.readouterr().out
    assert parse_configuration(shown, name="good") == load(packed)
    assert run(["config", "check", str(packed)]) == 0


def test_compile_writes_nothing_if_anything_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.ckc"
    assert (
        run(["config", "compile", str(BROKEN / "price-negative.conf"), "-o", str(out)])
        == 2
    )
    wrong = capsys.readouterr().err
    assert wrong.startswith(f"closeknit: {BROKEN / 'price-negative.conf'}:")
    assert run(["config", "compile", FIGURE, "--strict", "-o", str(out)]) == 1
    assert run(["config", "compile", str(tmp_path / "none.conf"), "-o", str(out)]) == 2
    assert not list(tmp_path.iterdir())
    assert run(["config", "compile", FIGURE, "-o", str(tmp_path / "no" / "x")]) == 2
    assert "cannot be written" in capsys.readouterr().err
