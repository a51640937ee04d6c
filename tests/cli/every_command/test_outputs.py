"""What commands write: through links, into pipes and devices, tried before the work."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.cli.frame.outputs import OutputFile, OutputFolder, try_all
from closeknit.instances import InputError, mesh, write_ksubset
from closeknit.instances.writing.files import (
    file_in,
    try_file,
    try_folder,
    write_bytes,
    write_text,
    writing,
)
from closeknit.proofs.writing.proof_files import write_index
from closeknit.reports.pages.document import Document
from closeknit.reports.pages.writing import write_document


@pytest.fixture
def instance(tmp_path: Path) -> str:
    path = tmp_path / "in" / "t.json"
    path.parent.mkdir()
    write_ksubset(mesh(3, 3, k=2), path)
    return str(path)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "real").write_text("old")
    (tmp_path / "one").symlink_to("there/real")
    (tmp_path / "two").symlink_to("one")
    (tmp_path / "dangling").symlink_to("there/new")
    write_text(tmp_path / "two", "new")
    write_text(tmp_path / "dangling", "made")
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").readlink() == Path("one")
    assert (there / "real").read_text() == "new"
    assert (tmp_path / "dangling").is_symlink()
    assert (there / "new").read_text() == "made"
    assert names(there) == ["new", "real"]


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="cannot be written: Too many levels"):
        write_text(tmp_path / "a", "x")


@pytest.mark.parametrize("name", ["report.html", "parts/1.npz", "a[b].json"])
def test_a_link_in_a_folder_to_be_filled_is_refused(tmp_path: Path, name: str) -> None:
    there, out = tmp_path / "there", tmp_path / "out"
    there.mkdir()
    (tmp_path / "real").mkdir()
    out.symlink_to("real")  # the user's word
    write_text(file_in(out, name), "x")
    assert (out / name).read_text() == "x"
    planted = out / Path(name).parts[0]
    for target in (there, there / "new"):
        planted.rename(tmp_path / "aside") if target == there else planted.unlink()
        planted.symlink_to(target)
        with pytest.raises(InputError, match=r"must not be a symbolic link$"):
            file_in(out, name)
    assert names(there) == []


FILLING = [
    ("generate random --shape 3x3 --k 2 --out {out}", "3x3-random-50pct-k2-s0.json"),
    ("reproduce bender-figure2 --out {out}", "report.html"),
    ("reproduce bender-figure2 --out {out}", "parts"),
    ("ratios {file} --methods mm --out {out}", "report.md"),
]


@pytest.mark.parametrize(("command", "name"), FILLING)
def test_commands_do_not_follow_links_in_their_folders(
    command: str,
    name: str,
    instance: str,
    tmp_path: Path,
    refusal: Callable[..., str],
) -> None:
    out, target = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    (out / name).symlink_to(target)
    said = refusal(command.format(file=instance, out=out))
    assert said == f"{out / name}: must not be a symbolic link"
    assert not target.exists()
    assert names(out) == [name]


WRITERS: dict[str, Callable[[Path], object]] = {
    "report.html": lambda out: write_document(Document(name="name", title="t"), out),
    "index.json": lambda out: write_index(out, []),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_fills_a_folder_does_not_follow_links_in_it(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=rf"{name}: must not be a symbolic link$"):
        WRITERS[name](tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_permissions_stay_and_new_files_have_those_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o600)
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "secret", "new")
        write_text(tmp_path / "fresh", "new")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("secret", "fresh")]
    assert modes == [0o600, 0o640]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    try_file(pipe)  # does not open it: the reader would see an end
    write_bytes(pipe, b"through")
    reader.join(60)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_full_device_is_one_line_and_stays(
    instance: str, capsys: pytest.CaptureFixture[str]
) -> None:
    full = Path("/dev/full")
    before = full.lstat()
    for option in ("--json", "--proof"):
        assert run(["solve", instance, option, str(full)]) == 2
        said = capsys.readouterr().err
        told = "/dev/full: cannot be written: No space left on device"
        assert said == f"closeknit: {told}\n"
    after = full.lstat()
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)


def test_standard_output_by_name_goes_on_where_it_is(tmp_path: Path) -> None:
    code = (
        "from closeknit.instances.writing.files import write_text\n"
        "print('one'); write_text('/dev/stdout', 'two\\n'); print('three')"
    )
    out = tmp_path / "out"
    with out.open("w") as stream:
        subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
    assert out.read_text() == "one\ntwo\nthree\n"
    piped = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True
    )
    assert piped.stdout == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("broken_by", "raised"),
    [
        (OSError(28, "No space left on device"), InputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_file_is_written_whole_or_not_at_all(
    broken_by: BaseException, raised: type[BaseException], tmp_path: Path
) -> None:
    def broken() -> None:
        with writing(tmp_path / "a") as stream:
            stream.write("half")
            raise broken_by

    (tmp_path / "a").write_text("old")
    with pytest.raises(raised, match=r"No space left|^$"):
        broken()
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800"])
def test_what_names_no_file_is_refused(name: str) -> None:
    for action in (try_file, try_folder):
        with pytest.raises(InputError, match="is not a valid file name"):
            action(name)


NOWHERE = [
    "solve {file} --json {bad}",
    "solve {file} --plot {bad}.svg",
    "solve {file} --proof {bad}",
    "compare {file} --json {bad}",
    "plot {file} --out {bad}.png",
    "export {file} --to lp --out {bad}",
    "verify --quick --junit {bad}",
    "verify --quick --json {bad}",
    "verify --quick --markdown {bad}",
    "verify --quick --out {bad}",
    "worst mm --out {bad}",
    "worst mm --json {bad}",
    "worst mm --record {bad}",
    "frontier check --json {bad}",
    "frontier page --out {bad}",
    "ratios {file} --out {bad}",
    "ratios compare a b --markdown {bad}",
    "reproduce bender-figure2 --out {bad}",
    "generate random --shape 3x3 --k 2 --out {bad}",
    "simulate stream --method mm --shape 4x4 --json {bad}",
    "simulate stream --method mm --shape 4x4 --jobs-csv {bad}",
    "simulate submesh --method fs --shape 4x4 --json {bad}",
]


@pytest.mark.parametrize("command", NOWHERE)
def test_outputs_are_tried_before_the_work(
    command: str,
    instance: str,
    tmp_path: Path,
    refusal: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "file").write_text("in the way")
    monkeypatch.chdir(place)
    monkeypatch.setattr(
        "closeknit.instances.problems._read", lambda *_, **__: pytest.fail("it worked")
    )
    bad = "/dev/null/x" if "submesh" in command else str(place / "file" / "x")
    words = command.format(file=instance, bad=bad)
    said = refusal(words)
    assert said.startswith(f"{words.split()[-1]}: cannot be ")
    assert said.endswith(": Not a directory")
    assert names(place) == ["file"]
    assert (place / "file").read_text() == "in the way"


CLASHES = [
    ("solve {file} --json {file}", "--json: is also what is read"),
    ("solve {file} --proof {link}", "--proof: is also what is read"),
    ("export {file} --to lp --out {hard}", "--out: is also what is read"),
    ("grade d --topology @{file} --json {file}", "--json: is also what is read"),
    ("fragmentation --topology {file} --json {file}", "--json: is also what is"),
    (
        "simulate network --topology graph:{file} --traffic x --placement row-major "
        "--json {file}",
        "--json: is also",
    ),
    ("compare x {file} --json {link}", "--json: is also what is read"),
    ("ratios compare x {folder} --markdown {link}", "--markdown: is also what is read"),
    ("solve {file} --plot {new}.svg --json {new}.svg", "is also what --json writes"),
    ("frontier check --folder {folder} --json {file}", "--json: is also what is read"),
]


@pytest.mark.parametrize(("command", "complaint"), CLASHES)
def test_an_input_or_another_output_is_not_overwritten(
    command: str, complaint: str, instance: str, refusal: Callable[..., str]
) -> None:
    folder = Path(instance).parent
    before = Path(instance).read_bytes()
    (folder / "link").symlink_to("t.json")
    (folder / "hard").hardlink_to(instance)
    forms = {name: str(folder / name) for name in ("link", "hard", "new")}
    forms["folder"] = str(folder)
    assert complaint in refusal(command.format(file=instance, **forms))
    assert Path(instance).read_bytes() == before
    assert names(folder) == ["hard", "link", "t.json"]


def test_a_store_that_is_filled_is_not_overwritten(tmp_path: Path) -> None:
    store, report = tmp_path / "results.sqlite", tmp_path / "ratios.xml"
    for each in (store, report):
        each.write_text("kept")
    out = OutputFolder(tmp_path)
    try_all(Namespace(out=out, json=OutputFile(report)))
    with pytest.raises(InputError, match="--json: is also what is read"):
        try_all(Namespace(out=out, json=OutputFile(store)))


WORST = "worst mm --shape 3x3 --k 3 --evaluations 9"


@pytest.mark.parametrize("option", ["--json", "--out"])
def test_a_frontier_that_is_added_to_is_not_overwritten(
    option: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    """What is recorded in a file would be gone; also where that is not there yet."""
    out = tmp_path / "worst-ratios.json"
    words = f"{WORST} --record {tmp_path} {option}"
    assert f"{option}: is also what is read" in refusal(words, out)
    assert names(tmp_path) == []
    assert run([*words.split(), str(tmp_path / "bad.txt")]) == 0
    before = out.read_bytes()
    refusal(words, out)
    assert out.read_bytes() == before


@pytest.mark.parametrize("option", ["--json", "--out"])
def test_a_family_of_a_frontier_that_is_added_to_is_not_overwritten(
    option: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    """Nor what may be one; and nothing is added that check would take for one."""
    family, broken, other = (tmp_path / f"{name}.json" for name in "abc")
    head = {"format": "closeknit/frontier", "version": 1, "family": "a"}
    family.write_text(json.dumps(head | {"source": "here", "entries": []}))
    broken.write_text('{"format": "closeknit/frontier", <<<')
    other.write_text("{}")
    for path in (family, broken, other):
        before = path.read_bytes()
        said = refusal(WORST, "--record", tmp_path, option, path)
        assert f"{option}: is also what is read" in said
        assert path.read_bytes() == before
        assert names(tmp_path) == ["a.json", "b.json", "c.json"]


@pytest.mark.parametrize(
    "command",
    [
        f"{WORST} --record {{new}} --out",
        f"{WORST} --record {{new}} --json",
        "frontier page --folder {there} --out",
        "frontier check --folder {there} --json",
    ],
)
def test_nothing_is_added_to_a_frontier_that_is_no_family(
    command: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    """The next `frontier check` would refuse it."""
    there, new = tmp_path / "there", tmp_path / "new"
    there.mkdir()
    words = command.format(there=there, new=new)
    where = new if str(new) in words else there
    says = f"{words.split()[-1]}: would be read as a family of this frontier: "
    assert says in refusal(words, where / "other.json")
    assert (names(there), new.exists()) == ([], False)


def test_an_older_output_in_this_folder_is_replaced(
    instance: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options' values, such as those of --ties, name no folder that is read."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run(["solve", instance, "--json", "solution.json"]) == 0


def test_devices_may_be_written_twice(instance: str) -> None:
    nowhere, out = OutputFile("/dev/null"), OutputFile(instance)
    try_all(Namespace(json=nowhere, plot=nowhere, files=["/dev/null", "-"], seed=1))
    with pytest.raises(InputError, match="--plot: is also what --json writes"):
        try_all(Namespace(json=out, plot=out))


def test_a_named_pipe_is_not_waited_for(
    instance: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    said = f"{link}: is a named pipe: give - and send it to standard input"
    for command in ("solve", "select -k 1 --topology", "explore --port 0"):
        assert refusal(command, link) == said
    ends = os.pipe()
    os.write(ends[1], Path(instance).read_bytes())
    os.close(ends[1])
    try:  # as the shell's <(...) does
        assert run(["solve", f"/dev/fd/{ends[0]}", "--method", "mm"]) == 0
    finally:
        os.close(ends[0])


def test_an_empty_name_is_refused(
    instance: str,
    tmp_path: Path,
    refusal: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert "--out: must not be empty" in refusal("ratios", instance, "--out=")
    assert names(empty) == []


def test_the_suffix_decides_the_form_of_a_drawing(
    instance: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    for form, begin in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        out = tmp_path / f"a.{form}"
        assert run(["solve", instance, "--method", "mm", "--plot", str(out)]) == 0
        assert out.read_bytes().startswith(begin)
    said = refusal("solve", instance, "--plot", tmp_path / "a.jpg")
    assert "--plot: must end in .svg, .png, .pdf" in said


def test_a_certificate_is_for_methods_that_prove(
    instance: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    out = tmp_path / "c"
    words = f"--method mm --proof {out} --proof-kind certificate"
    said = refusal("solve", instance, words)
    assert "--proof-kind: certificate is for exact methods" in said
    assert not out.exists()


def test_a_solution_with_a_certificate_can_be_proved_anew(
    instance: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, solution = str(tmp_path / "c.xz"), str(tmp_path / "s.json")
    assert run(["solve", instance, "--proof", proof, "--json", solution]) == 0
    assert run(["check", instance, solution]) == 2
    assert "--proof: is needed to check this proof" in capsys.readouterr().err
    assert run(["check", instance, solution, "--prove"]) == 0
    assert "proved again" in capsys.readouterr().out
    assert run(["check", instance, solution, "--proof", proof]) == 0


@pytest.mark.parametrize(
    "option", ["--trace nofile", "--seed 1", "--first 3", "--jobs 2"]
)
def test_a_reproduction_refuses_what_it_does_not_use(
    option: str, refusal: Callable[..., str]
) -> None:
    said = refusal("reproduce bender-figure2", option)
    assert said == f"{option.split()[0]}: is not for bender-figure2"
