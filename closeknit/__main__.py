"""``python -m closeknit`` and the command ``closeknit``.

Signals are heeded before anything else is imported.
"""

import os
import sys

from .ending import Ending

_CALLED = os.path.basename(sys.argv[0])  # noqa: PTH119  pathlib takes its time
_ending = Ending() if __name__ == "__main__" or _CALLED == "closeknit" else None


def main() -> None:
    """Run the command line and exit with its status."""
    from .cli import main as run

    run(ending=_ending)


if __name__ == "__main__":
    main()
