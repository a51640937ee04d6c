"""Build wheels and sdists, twice; install each into a fresh environment; solve.

Needs `build`, and downloads the dependencies. Files that are not Python must be the
same in both: data, grammars, studies, py.typed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import closeknit
from closeknit.instances.library import bundled, bundled_names
from closeknit.methods import METHODS
from closeknit.reports.frontier.worst import read_worst
from closeknit.scheduler.config import read_configuration

assert "site-packages" in closeknit.__file__, closeknit.__file__
for name in bundled_names():
    bundled(name)
result = METHODS["ksubset"]["auto"](bundled("6x6-full-k9"))
assert result.objective == 72, result
assert read_configuration("drakenberg-figure-6")
assert len(read_worst()) > 40
"""
EXAMPLE = ("mesh.json", "solution.json", "proof.xz")
JOB = """{"format": "closeknit/ksubset", "version": 1, "name": "job", "k": 9,
"topology": {"kind": "mesh", "shape": [8, 8]}, "busy": [[0, 3], [1, 3]]}"""


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a command in an environment without the checkout; return its output."""
    outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=outside, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, words))}: exit status {done.returncode}")
    return done.stdout


def demand(condition: bool, what: object) -> None:
    """End with one line unless something holds, also where Python skips ``assert``."""
    if not condition:
        raise SystemExit(f"not as it should be: {what!r}")


def data_files(archive: Path) -> set[str]:
    """Return the files of the package in an archive that are not Python."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(archive) as sdist:
            names = [m.name.partition("/")[2] for m in sdist if m.isfile()]
    inside = {name for name in names if name.startswith("closeknit/")}
    return {name for name in inside if not name.endswith(".py")}


def check_alone(archive: Path, folder: Path) -> None:
    """Install the checker into an environment of its own, without its dependencies."""
    home = folder / f"venv-check-{archive.suffix[1:]}"
    venv.create(home, with_pip=True)
    pip = [home / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", archive, cwd=folder)
    listed = run(*pip, "list", "--format=freeze", cwd=folder).split()
    others = {one.partition("==")[0] for one in listed} - {"pip", "setuptools"}
    demand(others == {"closeknit-check"}, others)
    files = [ROOT / "docs" / "check" / "examples" / name for name in EXAMPLE]
    shown = run(home / "bin" / "closeknit-check", *files, cwd=folder)
    demand("holds: optimal, cost 76" in shown, shown)
    print(f"{archive.name}: installs alone and checks")


def check(archive: Path, folder: Path) -> None:
    """Install an archive into an environment of its own and solve, or check, there."""
    if archive.name.startswith("closeknit_check"):
        check_alone(archive, folder)
        return
    home = folder / f"venv-{archive.suffix[1:]}"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, archive, cwd=folder)
    (folder / "job.json").write_text(JOB, encoding="utf-8")
    command = home / "bin" / "closeknit"
    hard = ("--shape", "16x16", "--free", "50%", "--k", "32", "--seed", "1")
    run(command, "generate", "random", *hard, "--out", "hard", cwd=folder)
    for name in ("job.json", *(f"hard/{file.name}" for file in folder.glob("hard/*"))):
        seconds = []
        for _ in range(2):  # nothing is compiled at first
            begin = perf_counter()
            shown = run(command, "solve", name, cwd=folder)
            seconds.append(perf_counter() - begin)
            demand("status  optimal" in shown, shown)
        print("  solve {}: first {:.1f} s, again {:.1f} s".format(name, *seconds))
    run(python, "-c", PROGRAM, cwd=folder)
    shown = run(command, "methods", "ksubset", cwd=folder)
    demand("mm-inc" in shown, shown)
    shown = run(command, "ratios", "--help", cwd=folder)
    demand("bundled" in shown, shown)
    print(f"{archive.name}: installs and solves outside the checkout")


def main() -> int:
    """Build both and check both."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        print(
            run(
                sys.executable,
                ROOT / "tools" / "release" / "build_twice.py",
                "--out",
                folder,
            )
        )
        wheel, alone = sorted(folder.glob("*.whl"))
        sdist, source = sorted(folder.glob("*.tar.gz"))
        found = data_files(wheel)
        demand(found == data_files(sdist), found ^ data_files(sdist))
        for ending in ("worst-ratios.json", ".toml", ".lark", ".conf", "py.typed"):
            demand(any(file.endswith(ending) for file in found), f"no {ending}")
        print(f"{len(found)} data files in both")
        for archive in (wheel, sdist):
            check(archive, folder)
        for archive in (alone, source):
            check(archive, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
