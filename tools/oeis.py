"""Compute terms of A193452 and A290190 again, and compare them with docs/papers/oeis.

    python tools/oeis.py                  # 60 terms in the plane, 20 in space: a minute
    python tools/oeis.py --last 400 64    # also terms that the folder does not have
    python tools/oeis.py --proofs FOLDER  # keeps the certificates

The terms come from the search over (plane) partitions. Those beyond the ones that the
encyclopedia lists are proved once more, by a certificate of cuts-bb for a box that
holds an optimum; it is followed in plain Python. Ends with 1 if a term differs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.formulations.ksubset.bounds.towns import town, town_in_space
from closeknit.instances import mesh
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.ksubset.towns import longest_side
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.solvers.running import clock

FOLDER = Path(__file__).parents[1] / "docs" / "papers" / "oeis"
SEQUENCES = {2: ("A193452", town, 49), 3: ("A290190", town_in_space, 13)}
"""By dimension: name, search, and the last n that the encyclopedia lists."""


def published(name: str) -> dict[int, int]:
    """Read the terms of a b-file."""
    lines = (FOLDER / f"b{name[1:]}.txt").read_text("ascii").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {int(n): int(term) for n, term in pairs}


def certified(dimension: int, n: int, folder: Path, seconds: float) -> bool:
    """Write and follow the certificate of a term; False if time does not suffice."""
    name, search, _ = SEQUENCES[dimension]
    side = longest_side(n, search(n) - search(n - 1), dimension)
    box = mesh(*[side] * dimension, k=n)
    nodes = record(box, search(n), clock.now() + seconds)
    if not isinstance(nodes, list):
        return False
    path = folder / f"{name}-n{n}.xz"
    write_certificate(box, search(n), nodes, path)
    return check_certificate(box, path) == search(n)


def main() -> int:
    """Print a row for each term; compare those that are published."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--last", type=int, nargs=2, default=(60, 20), metavar="N")
    parser.add_argument("--seconds", type=float, default=40.0, help="a certificate")
    parser.add_argument("--proofs", type=Path, help="folder of the certificates")
    args = parser.parse_args()
    wrong = 0
    print("| sequence | n | a(n) | proof |\n|---|--:|--:|---|")
    with TemporaryDirectory() as temporary:
        folder = args.proofs or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for (d, (name, search, listed)), last in zip(
            SEQUENCES.items(), args.last, strict=True
        ):
            known = published(name)
            for n in range(min(known), last + 1):
                beyond = n > listed and certified(d, n, folder, args.seconds)
                proof = "certificate" if beyond else "search"
                print(f"| {name} | {n} | {search(n)} | {proof} |")
                if known.get(n, search(n)) != search(n):
                    text = f"docs/papers/oeis: a({n}) of {name} is {known[n]}"
                    print(text, file=sys.stderr)
                    wrong += 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
