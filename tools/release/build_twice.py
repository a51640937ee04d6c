"""Build wheels and sdists twice, also of the checker; the digests must be the same.

    python tools/release/build_twice.py [--out DIR]

Needs `build`. Each time the files that git tracks are copied into a new folder, with
the time of the last commit (or SOURCE_DATE_EPOCH) and plain modes, so that neither the
checkout's umask nor what lies about in it counts. The second folder has another name,
time zone and language. Members of the sdist are sorted, and belong to no one.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "7"}


def git(*words: str) -> str:
    """Return what git prints about the checkout."""
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True
    ).stdout


def epoch() -> int:
    """Return the seconds that every file gets as its time."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))


def export(target: Path, seconds: int) -> None:
    """Copy the tracked files as they are in the checkout, links as links."""
    for name in git("ls-files", "-z").split("\0"):
        source, copy = ROOT / name, target / name
        if not name or not (source.is_symlink() or source.is_file()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy, follow_symlinks=False)
        os.utime(copy, (seconds, seconds), follow_symlinks=False)
        if not copy.is_symlink():
            copy.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def repack(sdist: Path, seconds: int) -> None:
    """Write an sdist again: sorted, of one time, of no owner, in plain modes."""
    with tarfile.open(sdist) as old:
        members = sorted(old.getmembers(), key=lambda one: one.name)
        contents = [old.extractfile(one) if one.isfile() else None for one in members]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
            for one, content in zip(members, contents, strict=True):
                one.mtime, one.uid, one.gid, one.uname, one.gname = (
                    seconds,
                    0,
                    0,
                    "",
                    "",
                )
                one.mode = 0o755 if one.isdir() or one.mode & 0o100 else 0o644
                one.pax_headers = {}
                new.addfile(one, content)
    with (
        sdist.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=seconds) as zipped,
    ):
        zipped.write(packed.getvalue())


def build(folder: Path, name: str, more: dict[str, str]) -> dict[str, Path]:
    """Build both in a folder of this name; return them by their names."""
    seconds, source, out = epoch(), folder / name, folder / f"{name}-dist"
    export(source, seconds)
    known = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    for project in (source, source / "packaging" / "check"):
        done = subprocess.run(
            [sys.executable, "-m", "build", "--outdir", str(out), str(project)],
            cwd=folder,
            env={**known, **more, "SOURCE_DATE_EPOCH": str(seconds)},
            umask=0o022,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
            raise SystemExit("the build fails")
    for sdist in out.glob("*.tar.gz"):
        repack(sdist, seconds)
    return {one.name: one for one in sorted(out.iterdir())}


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> int:
    """Build twice, compare, and keep the first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR")
    out = parser.parse_args().out
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = build(folder, "here", {})
        second = build(folder, "somewhere-else", ELSEWHERE)
        both = [{k: digest(v) for k, v in one.items()} for one in (first, second)]
        if both[0] != both[1]:
            print(f"two builds differ: {both[0]}, {both[1]}", file=sys.stderr)
            return 1
        out.mkdir(parents=True, exist_ok=True)
        for file in first.values():
            shutil.copyfile(file, out / file.name)
            print(f"{digest(file)}  {file.name}  (twice the same)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
