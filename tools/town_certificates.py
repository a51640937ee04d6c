"""Write the certificates of `instances.ksubset.towns` again, into its folder.

The sums come from the search over (plane) partitions, the certificates from cuts-bb;
`python tools/town_certificates.py` follows all of them at the end, in plain Python.
"""

from __future__ import annotations

import sys
from math import inf
from pathlib import Path

from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.formulations.ksubset.bounds.towns import town, town_in_space
from closeknit.instances.ksubset.towns import CERTIFIED_TOWNS, least_sum, town_box
from closeknit.proofs.writing.proof_files import write_certificate

FOLDER = Path(__file__).parents[1] / "instances" / "data" / "towns"


def main() -> None:
    """Write a file for every entry of the table; leave with an error if one differs."""
    for dimension, table in CERTIFIED_TOWNS.items():
        search = town if dimension == 2 else town_in_space
        for k in range(2, len(table)):
            box, value = town_box(k, dimension), search(k)
            if value != table[k]:
                sys.exit(f"{box.name}: the table has {table[k]}, the search {value}")
            nodes = record(box, value, inf)
            assert isinstance(nodes, list)
            write_certificate(box, value, nodes, FOLDER / f"{box.name}.xz")
        print(dimension, len(table) - 1, least_sum(len(table) - 1, dimension))


if __name__ == "__main__":
    main()
