"""Fetch Python for the browser, Pyodide, as an npm package, by version and digest.

    python tools/pyodide.py       # prints the folder that has its files

`npm` asks the registry that is set up for it. The package lies in the cache of the
user afterwards; nothing of it is in the repository.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "314.0.7"  # Python 3.14
SHA512 = (
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)


def cache() -> Path:
    """Return the folder of this version, which may not be there yet."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / f"closeknit-pyodide-{VERSION}"


def is_here(folder: Path) -> bool:
    """Whether all files are there."""
    return all((folder / name).is_file() for name in FILES)


def unpack(package: Path, folder: Path, sha512: str = SHA512) -> None:
    """Unpack what is needed of a package; ValueError if its digest is another one."""
    found = hashlib.sha512(package.read_bytes()).hexdigest()
    if found != sha512:
        raise ValueError(f"{package.name}: has the SHA-512 {found}, not {sha512}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        with tarfile.open(package) as archive:
            for name in FILES:
                archive.extract(f"package/{name}", made, filter="data")
        shutil.rmtree(folder, ignore_errors=True)
        (Path(made) / "package").rename(folder)


def main() -> int:
    """Fetch the package unless it is there; print where its files are."""
    folder = cache()
    if not is_here(folder):
        npm = shutil.which("npm")
        if npm is None:
            print("Pyodide is fetched by npm, which is not here", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory() as made:
            words = [npm, "pack", f"pyodide@{VERSION}", "--silent"]
            done = subprocess.run(words, cwd=made, check=False, stdout=sys.stderr)
            packages = list(Path(made).glob("*.tgz"))
            if done.returncode or not packages:
                print(f"npm could not fetch pyodide {VERSION}", file=sys.stderr)
                return 2
            try:
                unpack(packages[0], folder)
            except (ValueError, KeyError, OSError, tarfile.TarError) as error:
                print(f"pyodide {VERSION}: {error}", file=sys.stderr)
                return 2
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
