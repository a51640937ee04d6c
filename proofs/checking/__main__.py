"""``python -m closeknit.proofs.checking``: the same as ``closeknit-check``."""

import sys

from .answers.command import main

if __name__ == "__main__":
    sys.exit(main())
