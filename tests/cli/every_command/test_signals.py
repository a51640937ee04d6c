"""Signals end commands at any moment: no traceback, no files and no processes left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from closeknit.cli.frame import progress, streams
from closeknit.instances import write_ksubset
from closeknit.instances.ksubset.generators import random_occupancy
from closeknit.solvers.running import kernels

HANG = 120
CLUSTER = "SwitchName=a Nodes=n[1-8]\nSwitchName=b Nodes=n[9-16]\n"
TOP = "SwitchName=top Switches=a,b\n"

COMMANDS = {
    "solve": ("solve", "job.json", "--method", "cuts-bb", "--time-limit", "30"),
    "select": ("select", "--topology", "topology.conf", "-k", "6"),
    "methods": ("methods",),
    "ratios": ("ratios", "job.json", "--out", "out", "--methods", "mm"),
    "verify": ("verify", "exact"),
    "compare": ("compare", "job.json", "--methods", "mm", "--time-limit", "5"),
    "warm": ("warm", "sukp"),
}
ENTRY = """
import sys
sys.argv = ["closeknit", *sys.argv[1:]]
import closeknit.__main__
print("begun", file=sys.stderr, flush=True)
closeknit.__main__.main()
"""
"""What the installed command runs; signals are sent from when it runs our code."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with inputs, and one for temporary files."""
    job = random_occupancy((24, 24), 60, Fraction(7, 10), seed=6)
    write_ksubset(job, tmp_path / "job.json")
    (tmp_path / "topology.conf").write_text(CLUSTER + TOP)
    (tmp_path / "temporary").mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Heed SIGHUP in what is started here, also where the tests run under nohup."""
    kept = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, kept)


def begin(place: Path, words: tuple[str, ...], mark: str) -> subprocess.Popen[str]:
    """Start a command, with ``mark`` in its environment; its own group."""
    program = subprocess.Popen(
        [sys.executable, "-c", ENTRY, *words],
        cwd=place,
        env={**os.environ, "TMPDIR": str(place / "temporary"), "MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert program.stderr is not None
    assert program.stderr.readline() == "begun\n"
    return program


def alive(mark: str) -> list[str]:
    """Return what still runs of all that was started with this mark."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if f"MARK={mark}\0".encode() in (each / "environ").read_bytes():
                found.append((each / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return [words for words in found if words]


def press(place: Path, name: str, after: float, times: int) -> None:
    """Press Ctrl-C so many seconds after the start, as a terminal does."""
    program = begin(place, COMMANDS[name], "pressed")
    time.sleep(after)
    for _ in range(times):
        os.killpg(program.pid, signal.SIGINT)
        time.sleep(0.01)
    out, errors = program.communicate(timeout=HANG)
    told = f"{name} after {after:.3f} s, {times}: {program.returncode}\n{out}{errors}"
    lines = [line for line in errors.splitlines() if "compiling kernels" not in line]
    assert all(line.startswith("closeknit: interrupted") for line in lines), told
    if lines:
        # `solve` shows the best so far, with the status of that answer.
        assert program.returncode in ((130, 0) if name == "solve" else (130,)), told
    else:
        assert out or name == "solve", told
        assert program.returncode == 0, told


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_is_answered_in_one_line(place: Path, name: str, times: int) -> None:
    press(place, name, random.Random(f"{name} {times}").uniform(0.0, 0.6), times)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_is_answered_at_every_moment(place: Path, name: str) -> None:
    draw = random.Random(f"{name} again")
    for _ in range(30):
        press(place, name, draw.uniform(0.0, 0.6), draw.choice((1, 1, 3)))


def test_an_interrupted_command_does_not_end_as_if_it_were_over(place: Path) -> None:
    """While modules are imported Ctrl-C is put off; `methods` was over before."""
    for after in (0.0, 0.05, 0.1):
        program = begin(place, COMMANDS["methods"], "listing")
        time.sleep(after)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=HANG)
        assert (program.returncode, errors) == (130, "closeknit: interrupted\n")


DROPPED = {
    "weak reference": (
        "class Held: pass\n"
        "held = Held()\n"
        "noticed = weakref.ref(held, lambda reference: wait())\n"
        "held = None\n"
    ),
    "generator": (
        "def steps():\n"
        "    try:\n"
        "        yield\n"
        "    finally:\n"
        "        wait()\n"
        "held = steps()\n"
        "next(held)\n"
        "held = None\n"
    ),
}
"""Code that calls `wait` where Python drops exceptions."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", DROPPED)
def test_a_signal_is_not_lost_where_python_drops_exceptions(
    where: str, number: int
) -> None:
    program = (
        "import sys, time, weakref\n"
        "from closeknit import cli\n"
        "from closeknit.cli import app\n"
        "from closeknit.ending import Ending\n"
        "def wait():\n"
        "    print('waiting', flush=True)\n"
        "    time.sleep(60)\n"
        "def run(words):\n"
        + "".join(f"    {line}\n" for line in DROPPED[where].splitlines())
        + "    time.sleep(60)\n"
        "app.run = run\n"
        "cli.main([], ending=Ending())\n"
    )
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(number)
        _, errors = running.communicate(timeout=HANG)
    how = "interrupted" if number == signal.SIGINT else "terminated"
    assert (running.returncode, errors) == (128 + number, f"closeknit: {how}\n")


CLEARING = {
    "an alarm": "time.sleep(0.6)",
    "what Python drops": "dropped()",
}
"""What comes while a program that was told to end clears up."""


@pytest.mark.parametrize("what", CLEARING)
def test_nothing_takes_the_place_of_a_signal_or_sends_it_again(what: str) -> None:
    """The program went on and heeded no signal any more, or left half of it undone."""
    program = (
        "import os, time, weakref\n"
        "from closeknit import cli\n"
        "from closeknit.cli import app\n"
        "from closeknit.ending import Ending\n"
        "from closeknit.solvers.running.interrupt import run_alarmed\n"
        "class Held: pass\n"
        "class Stop(BaseException): pass\n"
        "def stop(reference): raise Stop\n"
        "def dropped():\n"
        "    held = Held()\n"
        "    noticed = weakref.ref(held, stop)\n"
        "    del held\n"
        "    time.sleep(0.3)\n"
        "def call():\n"
        "    try:\n"
        "        os.kill(os.getpid(), 15)\n"
        "        time.sleep(9)\n"
        "    finally:\n"
        f"        {CLEARING[what]}\n"
        "        print('cleared', flush=True)\n"
        "app.run = lambda words: bool(run_alarmed(0.1, call))\n"
        "cli.main([], ending=Ending())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=HANG
    )
    assert (done.returncode, done.stdout) == (143, "cleared\n")
    assert done.stderr.endswith("closeknit: terminated\n")


def test_ctrl_c_that_a_method_keeps_to_itself_ends_compare(place: Path) -> None:
    """`town` goes on without its bound."""
    program = (
        "import signal\n"
        "from closeknit.cli import main\n"
        "from closeknit.heuristics.ksubset import town\n"
        "def pressed(k):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "town.town_sites = pressed\n"
        "main(['compare', 'job.json', '--methods', 'town,mm'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert done.returncode == 130, done


def test_python_without_docstrings_describes_methods_and_keeps_kernels(
    place: Path,
) -> None:
    """The key of machine code is made of code as it is where nothing is left out."""
    code = (
        "from closeknit.heuristics.ksubset.ranking import kernels\n"
        "from closeknit.solvers.running.kernels import KERNELS\n"
        "from closeknit.methods import KSUBSET\n"
        "print([each.ingredients() for each in KERNELS])\n"
        "print([each.summary for each in KSUBSET.values()])\n"
        "assert all(each.summary for each in KSUBSET.values())\n"
    )
    plain, stripped = (
        subprocess.run(
            [sys.executable, *flags, "-c", code],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=True,
        ).stdout
        for flags in ((), ("-OO",))
    )
    assert "Try every" in plain
    assert stripped == plain


def end(place: Path, words: tuple[str, ...], number: int, after: float) -> None:
    mark = f"{os.getpid()}-{number}-{after}"
    program = begin(place, words, mark)
    time.sleep(after)
    program.send_signal(number)
    _, errors = program.communicate(timeout=HANG)
    told = f"{words} after {after:.2f} s\n{errors}"
    assert program.returncode in (128 + number, 0), told
    assert "Traceback" not in errors, told
    assert list((place / "temporary").iterdir()) == [], told
    assert alive(mark) == [], told


SOLVERS = {
    "solve": ("solve", "job.json", "--method", "pairs/highs", "--time-limit", "60"),
    "verify": ("verify", "exact", "--jobs", "2"),
    "ratios": (
        *("ratios", "job.json", "--out", "out", "--methods", "mm"),
        *("--exact", "pairs/highs", "--time-limit", "60"),
    ),
}


@pytest.mark.parametrize(
    ("number", "name"),
    [*((signal.SIGTERM, name) for name in SOLVERS), (signal.SIGHUP, "verify")],
)
@pytest.mark.parametrize("longest", [4.0, pytest.param(0.5, marks=pytest.mark.slow)])
def test_a_command_that_is_terminated_leaves_nothing(
    place: Path, name: str, number: int, longest: float
) -> None:
    draw = random.Random(f"{name} {number} {longest}")
    end(place, SOLVERS[name], number, draw.uniform(0.0, longest))


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVERS)
def test_a_command_leaves_nothing_at_any_moment(place: Path, name: str) -> None:
    draw = random.Random(f"{name} again")
    for number in (signal.SIGTERM, signal.SIGHUP) * 10:
        end(place, SOLVERS[name], number, draw.uniform(0.0, 8.0))


def test_a_line_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between a text and its newline joined two lines."""
    pieces: list[str] = []

    class Stream(StringIO):
        def write(self, text: str) -> int:
            pieces.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stderr", Stream())
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setattr(kernels, "_worth_saying", 0.0)
    kernels.announce(9.0)
    streams.complain("interrupted")
    with progress.progress_bar() as show:
        show(1, 2, "instances")
    lines = [piece for piece in pieces if piece]
    assert [line.partition(" ")[0] for line in lines] == ["closeknit:"] * 3
    assert all(line.endswith("\n") for line in lines)
