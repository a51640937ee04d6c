"""The public dump of a DGX pod: 74 of its adapters name no host."""

from __future__ import annotations

from pathlib import Path

from closeknit.clusters.topologies import read_name_map

from ..modules import loaded
from ..paths import ROOT, SHARED

FOLDER = SHARED / "data" / "topology"
DUMP = FOLDER / "topograph_dgx_ndr_2025.ibnetdiscover.txt.xz"


def dgx_map(folder: Path) -> Path:
    """Write a map that names these adapters after themselves; return its path."""
    names = loaded(ROOT / "benchmarks" / "bench_rules.py").adapter_names(DUMP)
    lines = [f'{guid:#x} "{name}"' for guid, name in names.items()]
    path = folder / "dgx.map"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_name_map(path) == names
    return path
