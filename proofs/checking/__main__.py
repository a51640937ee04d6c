"""Check a folder of answers and proofs in plain Python, without search or solver.

``python -m closeknit.proofs.checking FOLDER``: as ``closeknit verify --proofs``.
"""

from __future__ import annotations

import sys

from ...instances.errors import InputError
from .folder import print_verdicts, read_index, replay


def main(folder: str) -> int:
    """Print a line for each entry; 0 if all hold, 1 if one is wrong, else 2."""
    try:
        return print_verdicts(replay(folder, read_index(folder)))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m closeknit.proofs.checking FOLDER")
    sys.exit(main(sys.argv[1]))
