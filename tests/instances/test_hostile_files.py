"""Whatever is in a file: it is read, or refused in one line; nothing else happens."""

from __future__ import annotations

import hashlib
import lzma
import random
import re
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from closeknit.instances import InputError
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.reports.campaigns.study.file import read_study

from ..corpus import PROVED, READERS, STUDY, spoilt


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    for number, seed in enumerate(reader.seeds()):
        path = tmp_path / f"{number}{reader.suffix}"
        path.write_bytes(seed)
        reader.read(path)


@pytest.mark.parametrize("name", READERS)
def test_spoilt_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    rng = random.Random(name)
    path = tmp_path / f"spoilt{reader.suffix}"
    refused = 0
    for seed in reader.seeds():
        for content in spoilt(reader, seed, rng, reader.spoil):
            path.write_bytes(content)
            try:
                reader.read(path)
            except InputError as error:
                refused += 1
                said = " ".join(str(error).split())
                assert said, content
                assert len(said) < 1000, content
                assert "Traceback" not in said
            except Exception as error:
                kept = Path("/tmp") / f"spoilt-{len(content)}{reader.suffix}"
                kept.write_bytes(content)
                raise AssertionError(f"{error!r} for {kept}") from error
    assert refused


@cache
def packed(mebibyte: bytes) -> bytes:
    """Pack so much 200 times."""
    packer = lzma.LZMACompressor(preset=0)
    pieces = [packer.compress(mebibyte) for _ in range(200)]
    return b"".join([*pieces, packer.flush()])


MIB = b"1 " * 2**19
BOMBS: dict[str, tuple[str, bytes | Callable[[], bytes], str]] = {
    "zeros": ("ksubset", lambda: packed(bytes(2**20)), "unpacks to more than 32 MiB"),
    "a certificate": (
        "certificate",
        lambda: packed(MIB),
        "unpacks to more than 32 MiB",
    ),
    "one line": ("trace, xz", lambda: packed(MIB), "longer than 65536 bytes"),
    "one plain line": ("trace", MIB * 8, "longer than 65536 bytes"),
    "brackets": ("ksubset", b"[" * 8_000_000, "has more than 2097152 values"),
    "deep": ("solution", b"[" * 100_000, "nested too deeply"),
    "digits": (
        "ksubset",
        b"9" * 8_000_000,
        "not usable JSON: an integer has more than 4300 digits",
    ),
    "many values": (
        "ksubset",
        b"[" + b"0," * 5_000_000,
        "has more than 2097152 values",
    ),
    "a header": ("trace", b"; A: b\n" * 1_000_000, "a header longer than 65536"),
    "a configuration": ("configuration", b"#" * 8_000_000, "is larger than 4 MiB"),
    "a study": ("study", b"#" * 8_000_000, "is larger than 1 MiB"),
    "deep TOML": ("study", b"a=" + b"[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_large_files_are_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    which, content, said = BOMBS[name]
    path = tmp_path / f"bomb{READERS[which].suffix}"
    path.write_bytes(content() if callable(content) else content)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said):
            READERS[which].read(path)
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()


def test_an_archive_may_not_ask_for_any_memory(tmp_path: Path) -> None:
    filters = [
        {
            "id": lzma.FILTER_LZMA2,
            "dict_size": 2**28,
            "mf": lzma.MF_HC3,
            "mode": lzma.MODE_FAST,
        }
    ]
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=filters)
    archive = packer.compress(b"x") + packer.flush()
    for name in ("a.json", "a.swf.xz"):
        path = tmp_path / name
        path.write_bytes(archive)
        read = READERS["ksubset" if name == "a.json" else "trace"].read
        with pytest.raises(InputError, match="Memory usage limit exceeded"):
            read(path)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"\xff\xfe\n", "is not UTF-8 text"),
        (b"[]\n", "document: must be an object"),
        (b"{\n", "not JSON"),
        (b"\n", "not JSON"),
        (b"NaN\n", "NaN is not a number"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
    ],
)
def test_a_certificate_with_a_right_digest_and_a_bad_header_is_bad_input(
    body: bytes, said: str, tmp_path: Path
) -> None:
    proof = tmp_path / "c.xz"
    proof.write_bytes(
        lzma.compress(body + hashlib.sha256(body).hexdigest().encode() + b"\n")
    )
    with pytest.raises(InputError, match=said):
        check_certificate(PROVED, proof)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "time-limit = 1e300",
            "time-limit: must be seconds above 0 and at most 1000000",
        ),
        ("time-limit = nan", "time-limit: must be seconds above 0"),
        ("repeats = 2000000000", "instances[0]: comes to 4000000000 runs or more"),
        ("repeats = 2e9", "repeats: must be an integer"),
        ("count = 1000000000", "instances[0].count: must be from 1 to 1000000"),
        ("count = 1000000", "instances[0]: comes to"),
        (f"seed = {list(range(10**5))}", "instances[0]: comes to"),
        ('files = "a\\u0000b"', "instances[1].files: no such file"),
    ],
)
def test_studies_that_never_end_are_refused(
    change: str, said: str, tmp_path: Path
) -> None:
    field = change.partition(" ")[0]
    text = re.sub(rf"^{field} = .*$", lambda _: change, STUDY, flags=re.M)
    if field in ("seed",):
        text = STUDY.replace("count = 2", f"count = 2\n{change}")
    if field == "files":
        text = text.replace("optional = true", "optional = false")
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_study(str(path))
    assert str(caught.value).startswith(f"{path}: {said}")


def test_the_flag_allows_more_runs(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    with pytest.raises(InputError, match="above 20 needs --max-runs"):
        read_study(str(path), max_runs=20)
    assert len(read_study(str(path), max_runs=24).tasks()) <= 24
