"""Tables of routes from files."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from closeknit.instances import Graph, InputError, Mesh
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.routes_file import parse_routes, read_routes

from .loads import deliver

RING = Graph(
    4, tuple((v, (v + 1) % 4, 1) for v in range(4)), (0, 1, 2, 3), 1, tuple("abcd")
)
AROUND = "at,to,next\n" + "".join(
    f"{'abcd'[v]},{'abcd'[to]},{'abcd'[(v + 1) % 4]}\n"
    for v, to in permutations(range(4), 2)
)
"""All go the same way round."""


def test_packets_follow_the_table(tmp_path: Path) -> None:
    path = tmp_path / "around.csv"
    path.write_text(AROUND)
    engine = deliver(CutThrough(RING, table=read_routes(path, RING)), [(1, 0, 16)])
    assert engine.time == 3 + 16  # not the one hop back
    assert engine.carried.sum() == 3 * 16


def test_numbers_where_there_are_no_names() -> None:
    plain = Graph(3, ((0, 1, 1), (1, 2, 1)), (0, 2))
    text = "at,to,next\n0,2,1\n1,2,2\n2,0,1\n1,0,0\n"
    assert parse_routes(text, plain).tolist() == [[-1, 0, 1], [1, 2, -1]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1: must be at,to,next"),
        ("at;to;next\n", "line 1: must be at,to,next"),
        ("at,to,next\na,b\n", "line 2: must have 3 fields, not 2"),
        ("at,to,next\na,b,b\na,e,b\n", "line 3: to: no such node: 'e'"),
        ("at,to,next\na,b,c\n", "line 2: next: is no neighbour of a: 'c'"),
        ("at,to,next\na,b,b\na,b,d\n", "line 3: at, to: is listed twice: 'a,b'"),
    ],
)
def test_bad_files_are_one_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_routes(path, RING)
    assert str(raised.value) == f"{path}: {told}"


def test_a_switch_is_no_target() -> None:
    graph = Graph(3, ((0, 1, 1), (1, 2, 1)), (0, 2), 1, ("p", "s", "q"))
    with pytest.raises(InputError, match=r"^line 2: to: is no processor: 's'"):
        parse_routes("at,to,next\np,s,s\n", graph)


def test_a_pair_without_a_route_is_named() -> None:
    lines = AROUND.splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("c,a"))
    told = "^table: processor b has no route to a: packets do not get past node c$"
    with pytest.raises(InputError, match=told):
        CutThrough(RING, table=parse_routes(text, RING))


def test_grids_take_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^routes: are for graphs and dragonflies"):
        read_routes(tmp_path / "none.csv", Mesh(2, 2))
