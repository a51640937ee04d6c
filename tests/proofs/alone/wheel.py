"""The wheel of the checker, gathered or built into a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.modules import loaded
from tests.paths import ROOT

PACKAGING = ROOT / "packaging" / "check"
gather = loaded(PACKAGING / "gather.py")
"""The backend that builds the wheel."""


def gathered(into: Path) -> Path:
    """Gather the files under a folder, which goes on the path of Python."""
    gather.gather(into)
    return into


def run_gathered(
    tree: Path, *words: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has the standard library and these files."""
    code = (
        f"import sys; sys.path.insert(0, {str(tree)!r})\n"
        "from closeknit_check.proofs.checking.answers.command import main\n"
        "status = main()\n"
        "others = {name.partition('.')[0] for name in sys.modules}\n"
        "others -= {*sys.stdlib_module_names, 'closeknit_check', '__main__'}\n"
        "assert not {one for one in others if one[0] != '_'}, others\n"
        "sys.exit(status)"
    )
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
