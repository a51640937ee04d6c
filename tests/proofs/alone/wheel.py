"""The wheel of the checker, gathered or built into a folder of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from tests.paths import ROOT

PACKAGING = ROOT / "packaging" / "check"


def backend() -> ModuleType:
    """Return the module that gathers the files of the wheel."""
    spec = importlib.util.spec_from_file_location("gather", PACKAGING / "gather.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def gathered(into: Path) -> Path:
    """Gather the files under a folder, which goes on the path of Python."""
    backend().gather(into)
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
