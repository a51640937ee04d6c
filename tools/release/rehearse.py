"""Rehearse a release: tag a clone, and do with it what the release workflow does.

    python tools/release/rehearse.py [--keep DIR]

Needs `build`. The last commit is cloned to a temporary folder and tagged there with
the version of pyproject.toml; the checkout gets no tag. There it is compared with
all that names the version, wheel and sdist are built twice, each is installed into a
fresh environment, and solves outside the checkout. A person pushes the tag.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from check_tag import versions
from check_wheel import check

ROOT = Path(__file__).resolve().parents[2]


def step(*words: str | Path, cwd: Path) -> None:
    """Run a command, and end with it if it fails."""
    print("+", *words, flush=True)
    known = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    if subprocess.run([*map(str, words)], cwd=cwd, env=known).returncode:
        raise SystemExit(f"the rehearsal ends here: {' '.join(map(str, words))}")


def main() -> int:
    """Tag a clone, build, install, solve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where they are kept")
    keep = parser.parse_args().keep
    tag = f"v{versions()['pyproject.toml']}"
    with TemporaryDirectory() as name:
        folder = Path(name)
        clone, dist = folder / "clone", folder / "dist"
        step("git", "clone", "--quiet", "--no-hardlinks", ROOT, clone, cwd=folder)
        who = ("-c", "user.name=rehearsal", "-c", "user.email=rehearsal@localhost")
        step("git", *who, "tag", "-a", "-m", "rehearsal", tag, cwd=clone)
        step(sys.executable, "tools/release/check_tag.py", tag, cwd=clone)
        step(sys.executable, "tools/release/pin.py", "--check", cwd=clone)
        step(sys.executable, "tools/release/build_twice.py", "--out", dist, cwd=clone)
        for archive in sorted(dist.iterdir()):
            check(archive, folder)
        if keep:
            shutil.copytree(dist, keep, dirs_exist_ok=True)
    print(f"{tag}: rehearsed; to release it: git tag -s {tag} && git push origin {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
