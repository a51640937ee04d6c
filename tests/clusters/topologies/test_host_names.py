"""Hosts in the output of ibnetdiscover: named by adapters, by a map, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from closeknit.clusters.topologies import parse_cluster, read_name_map
from closeknit.instances import InputError

from ..asking import Ask
from ..fabrics import dump, refusal

MELLANOX = "MT4129 ConnectX7   Mellanox Technologies"


ADAPTERS = [
    *("mlx5_0", "mlx4_1", "HCA-1", "HCA-12", "mlx5_bond_0", "mlx5_ib3", "hfi1_0"),
    *("qib0", "mthca0", "ibp65s0", "ibp0s12f4", "rocep193s0f0S88", "ibs1", "ibo1"),
    *("rocex525400c0fe123455", "opap3s0", "iwp1s0", "irdma0", "rdmap0s31", "rxe0"),
    *("bnxt_re0", "hns_0", "efa_0", "mana_0", "ionic_0"),
]


@pytest.mark.parametrize("adapter", ["", *(f" {name}" for name in ADAPTERS)])
def test_a_host_is_named_with_or_without_its_adapter(adapter: str) -> None:
    cluster = parse_cluster(dump(f"a1{adapter}", f"rack-2.n_3{adapter}"))
    assert set(cluster.index) == {"a1", "rack-2.n_3"}


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", MELLANOX, "MT25408", "localhost", "localhost mlx5_0"),
        *("ubuntu HCA-1", "localhost.localdomain HCA-2", "a1 rail0", "a1  mlx5_0"),
        *("a1 mlx5_0 x", "é mlx5_0", "-a mlx5_0", "Mellanox", "ConnectX-7"),
    ],
)
def test_an_adapter_without_a_host_is_refused_with_its_line(text: str) -> None:
    said = refusal(dump("a1 mlx5_0", text, "a3", text))
    assert said.startswith("t:10: Ca: names no host: ")
    assert 'FILE with a line 0x0000000000000002 "HOST" names it; 2 have none' in said
    names = parse_cluster(dump("a1 mlx5_0", text), host_names={2: "a2"}).index
    assert set(names) == {"a1", "a2"}


def test_one_adapter_cannot_be_there_twice() -> None:
    """Two machines of one name would become one node."""
    with pytest.raises(InputError, match=r"8: Ca: is there twice: 'a1 mlx5_0'"):
        parse_cluster(dump("a1 mlx5_0", "a1 mlx5_0"), "t")
    both = parse_cluster(dump("a1 mlx5_0", "a1 mlx5_0"), host_names={2: "a2"})
    assert set(both.index) == {"a1", "a2"}
    assert set(parse_cluster(dump("a1", "a1")).index) == {"a1"}


def test_routers_are_no_hosts() -> None:
    text = dump("a1 mlx5_0") + '\nRt\t1 "R-0b"\t\t# "router"\n[1](b) "S-0a"[9]\n'
    assert set(parse_cluster(text).index) == {"a1"}


def test_a_map_is_read_as_ibnetdiscover_reads_it(tmp_path: Path, ask: Ask) -> None:
    file = tmp_path / "names.map"
    file.write_text('# hosts\n\n0x02 "b2"  # new\n00000000000000AB\t"b3"\n0x2 "b2"\n')
    assert read_name_map(file) == {2: "b2", 0xAB: "b3"}
    words = "select --topology NET -k 2"
    given = {"NET": dump("a1 mlx5_0", MELLANOX)}
    assert ask(words, **given)[0] == 2
    assert ask(words, f"--node-name-map {file} --busy b2", **given)[0] == 3
    assert ask(words, f"--node-name-map {file}", **given)[0] == 0


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("0x2 b2", "t.map:2: line: must be a GUID and a name"),
        ('0xg "b2"', "t.map:2: line: must be a GUID and a name"),
        ('0x12345678901234567 "b2"', "t.map:2: line: must be a GUID and a name"),
        ('0x2 "b 2"', "t.map:2: line: must be a GUID and a name"),
        ('0x2 ""', "t.map:2: line: must be a GUID and a name"),
        ('0x1 "b2"', "t.map:2: GUID: has two names: '0x1'"),
    ],
)
def test_bad_maps_are_refused(
    line: str,
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.map").write_text(f'0x1 "b1"\n{line}\n')
    with pytest.raises(InputError) as raised:
        read_name_map("t.map")
    assert str(raised.value).startswith(complaint)


def test_a_map_is_for_ibnetdiscover_only() -> None:
    for text in ("SwitchName=a Nodes=n1", '{"kind": "Node", "metadata": {}}'):
        with pytest.raises(InputError, match="--node-name-map: is for ibnetdiscover"):
            parse_cluster(text, host_names={})
