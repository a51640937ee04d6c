"""Output of ibnetdiscover, and the line with which a topology is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from closeknit.clusters.topologies import parse_cluster, read_name_map
from closeknit.instances import InputError

from ..modules import loaded
from ..paths import ROOT, SHARED

FOLDER = SHARED / "data" / "topology"
DUMP = FOLDER / "topograph_dgx_ndr_2025.ibnetdiscover.txt.xz"
"""The public dump of a pod, 74 of whose adapters name no host."""


def dgx_map(folder: Path) -> Path:
    """Write a map that names these adapters after themselves; return its path."""
    names = loaded(ROOT / "benchmarks" / "bench_rules.py").adapter_names(DUMP)
    lines = [f'{guid:#x} "{name}"' for guid, name in names.items()]
    path = folder / "dgx.map"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_name_map(path) == names
    return path


def dump(*texts: str) -> str:
    """Return the output for one switch, and an adapter for each description."""
    lines = [f'Switch\t{len(texts)} "S-0a"\t\t# "leaf" base port 0 lid 1 lmc 0']
    for i, text in enumerate(texts, 1):
        lines.append(f'[{i}]\t"H-{i:016x}"[1]({i:x}) \t\t# "{text}" lid {i} 4xHDR')
    for i, text in enumerate(texts, 1):
        lines.append(f'\nCa\t1 "H-{i:016x}"\t\t# "{text}"')
        lines.append(f'[1]({i:x}) \t"S-0a"[{i}]\t\t# lid {i} lmc 0 "leaf" lid 1 4xHDR')
    return "\n".join(lines)


def refusal(text: str) -> str:
    """Return the line with which a topology in the file t is refused."""
    with pytest.raises(InputError) as raised:
        parse_cluster(text, "t")
    said = str(raised.value)
    assert "\n" not in said
    return said
