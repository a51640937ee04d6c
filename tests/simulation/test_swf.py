"""SWF traces: what is read, what is refused, and how they are replayed."""

from __future__ import annotations

import gzip
import lzma
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import InputError, Mesh, Torus, mesh
from closeknit.simulation.machine import Machine
from closeknit.simulation.replay import Replay, Skipped
from closeknit.simulation.swf import FIELDS, TraceJob, read_header, read_swf, trace_name

from ..data import IPSC, PARAGON, needs

HEADER = """\
; Version: 2.2
; Computer: Testbed (Zürich)
; Queue: 0 short
; Queue: 1 long
; Note: first line
;       second: line
;
; no key here
"""
LINE = "1 0 10 100 4 99.5 -1 8 3600 -1 1 3 1 -1 0 2 -1 -1"


def _line(**changes: object) -> str:
    """Return a good line with some fields changed, by name with underscores."""
    fields = LINE.split()
    for name, value in changes.items():
        fields[FIELDS.index(name.replace("_", " "))] = str(value)
    return " ".join(fields)


def _write(path: Path, text: str) -> Path:
    data = text.encode()
    if path.suffix == ".xz":
        data = lzma.compress(data)
    elif path.suffix == ".gz":
        data = gzip.compress(data)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["log.swf", "log.txt", "log.swf.gz", "log.swf.xz"])
def test_a_trace_is_read_whatever_it_is_packed_in(name: str, tmp_path: Path) -> None:
    second = _line(job_number=7, submit_time=30, average_CPU_time=-1, run_time=0)
    text = f"{HEADER}\n  {LINE}  \r\n\n; in between\n{second}\n"
    path = _write(tmp_path / name, text)
    first, last = read_swf(path)
    assert first == TraceJob(
        number=1,
        submit=0,
        wait=10,
        run=100,
        allocated=4,
        cpu_time=99.5,
        memory=None,
        requested=8,
        requested_time=3600,
        requested_memory=None,
        status=1,
        user=3,
        group=1,
        executable=None,
        queue=0,
        partition=2,
        preceding=None,
        think_time=None,
    )
    assert (last.number, last.submit, last.cpu_time, last.run) == (7, 30, None, 0)
    assert read_header(path) == {
        "Version": "2.2",
        "Computer": "Testbed (Zürich)",
        "Queue": "0 short\n1 long",
        "Note": "first line\nsecond: line",
    }


@pytest.mark.parametrize(
    ("allocated", "requested", "size"),
    [(4, 8, 4), (-1, 8, 8), (0, 8, 8), (4, -1, 4), (-1, -1, None), (0, 0, None)],
)
def test_the_size_of_a_job(
    allocated: int, requested: int, size: int | None, tmp_path: Path
) -> None:
    line = _line(allocated_processors=allocated, requested_processors=requested)
    (job,) = read_swf(_write(tmp_path / "log.swf", line))
    assert job.processors == size


def test_encodings_of_comments_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_bytes(b"; Computer: Z\xfcrich\n" + LINE.encode())
    assert len(list(read_swf(path))) == 1
    assert read_header(path)["Computer"].startswith("Z")


def test_jobs_come_one_by_one(tmp_path: Path) -> None:
    path = _write(tmp_path / "log.swf", f"{LINE}\nnot a job\n")
    jobs = read_swf(path)
    assert next(jobs).number == 1
    with pytest.raises(InputError):
        next(jobs)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (LINE.rsplit(" ", 1)[0], "think time: is missing (17 fields, not 18)"),
        ("1 0 10", "run time: is missing (3 fields, not 18)"),
        ("1", "submit time: is missing (1 fields, not 18)"),
        (LINE + " 5", "line: 19 fields, not 18: '5'"),
        (_line(run_time="1h"), "run time: must be an integer of at most 18 digits"),
        (_line(run_time="nan"), "run time: must be an integer of at most 18 digits"),
        (_line(run_time="1.5"), "run time: must be an integer of at most 18 digits"),
        (_line(user="1_0"), "user: must be an integer of at most 18 digits, not '1_0'"),
        (_line(user="²"), "user: must be an integer of at most 18 digits, not '²'"),
        (_line(user="٣"), "user: must be an integer of at most 18 digits, not '٣'"),
        (_line(user="+3"), "user: must be an integer of at most 18 digits, not '+3'"),
        (_line(submit_time="9" * 5000), "submit time: must be an integer of at most"),
        (_line(average_CPU_time="1e3"), "average CPU time: must be a number of at"),
        (_line(average_CPU_time="inf"), "average CPU time: must be a number of at"),
        (
            _line(run_time=-5),
            "run time: must not be negative, except -1 for unknown, not '-5'",
        ),
        (_line(allocated_processors=-2), "allocated processors: must not be negative"),
        (_line(average_CPU_time="-0.5"), "average CPU time: must not be negative"),
        (_line(job_number=-1), "job number: must be given, not -1"),
        ("\x00" * 18, "submit time: is missing (1 fields, not 18)"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str, tmp_path: Path) -> None:
    path = _write(tmp_path / "log.swf.gz", f"{HEADER}{LINE}\n{line}\n")
    with pytest.raises(InputError) as caught:
        list(read_swf(path))
    assert str(caught.value).startswith(f"{path}:10: {message}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 160


def test_submit_times_never_fall(tmp_path: Path) -> None:
    lines = [_line(submit_time=t) for t in (5, 5, -1, 9, 8)]
    path = _write(tmp_path / "log.swf", "\n".join(lines))
    with pytest.raises(InputError) as caught:
        list(read_swf(path))
    assert str(caught.value) == (
        f"{path}:5: submit time: must not be before that of the line above (9), not 8"
    )


@pytest.mark.parametrize("text", ["", HEADER, "\n\n"])
@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz", "log.swf.xz"])
def test_a_trace_without_jobs_is_refused(name: str, text: str, tmp_path: Path) -> None:
    path = _write(tmp_path / name, text)
    with pytest.raises(InputError) as caught:
        list(read_swf(path))
    assert str(caught.value) == f"{path}: has no jobs"


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-4],
        lambda data: b"plain text " + data,
        lambda data: data[:40] + bytes(b ^ 255 for b in data[40:60]) + data[60:],
        lambda data: b"",
    ],
    ids=["half", "end missing", "no archive", "flipped", "empty"],
)
def test_a_spoilt_archive_is_one_line(
    suffix: str, spoil: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    lines = [_line(job_number=i, submit_time=i * i) for i in range(1, 400)]
    path = _write(tmp_path / f"log.swf{suffix}", "\n".join(lines))
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(InputError) as caught:
        list(read_swf(path))
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    problems = ("is cut off", "cannot be unpacked", "has no jobs", "not 18")
    assert any(problem in message for problem in problems), message


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_trace_of_two_archives_is_read_whole(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Archives are told by their content, and may be put one behind the other."""
    path = tmp_path / "log.swf"
    rows = [_line(job_number=i, submit_time=i) + "\n" for i in (1, 2)]
    path.write_bytes(b"".join(pack(row.encode()) for row in rows))
    assert len(list(read_swf(path))) == 2


@pytest.mark.parametrize("name", ["none.swf", "none.swf.gz", "none.swf.xz"])
def test_a_trace_that_is_not_there(name: str, tmp_path: Path) -> None:
    for read in (read_swf, read_header):
        with pytest.raises(InputError, match="cannot be read: No such file"):
            list(read(tmp_path / name))
    (tmp_path / "folder.swf").mkdir()
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        list(read_swf(tmp_path / "folder.swf"))


def test_names_of_traces() -> None:
    assert trace_name("a/b/log.swf.xz") == "log"
    assert trace_name("log.2.swf") == "log.2"
    assert trace_name("log.gz") == "log"
    assert trace_name("two\nlines.swf") == "two_lines"


# --- replay ------------------------------------------------------------------

JOB = TraceJob(1, 0, 0, 1, 1, None, None, None, *[None] * 10)


def _jobs(*rows: tuple[int, int, int]) -> list[TraceJob]:
    """Jobs of (submit, run, size)."""
    return [
        replace(JOB, number=i + 1, submit=submit, run=run, allocated=size)
        for i, (submit, run, size) in enumerate(rows)
    ]


def test_the_queue_is_first_come_first_served() -> None:
    jobs = _jobs((0, 10, 3), (1, 5, 2), (2, 1, 1), (11, 1, 4))
    turns = list(Replay(Machine(Mesh((4,)), "row-major"), "log", "test").run(jobs))
    # the second waits for the first; the third fits but must not overtake it
    assert [turn.time for turn in turns] == [0, 10, 10, 15]
    assert [turn.met.free for turn in turns] == [
        ((0,), (1,), (2,), (3,)),
        ((0,), (1,), (2,), (3,)),
        ((2,), (3,)),
        ((0,), (1,), (2,), (3,)),
    ]
    assert [turn.met.k for turn in turns] == [3, 2, 1, 4]
    assert [turn.met.name for turn in turns] == ["log-1", "log-2", "log-3", "log-4"]
    assert turns[3].met.source == "test, job 4"


ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 12), st.integers(1, 6)), max_size=25
)


@given(ROWS)
def test_replay_equals_a_naive_simulation(rows: list[tuple[int, int, int]]) -> None:
    """Job after job: the first instant at which enough is free decides."""
    arrivals = [sum(gap for gap, _, _ in rows[: i + 1]) for i in range(len(rows))]
    jobs = _jobs(*[(t, run, k) for t, (_, run, k) in zip(arrivals, rows, strict=True)])
    replay = Replay(Machine(Mesh((2, 3)), "row-major"))
    turns = list(replay.run(jobs))
    assert [turn.place for turn in turns] == list(range(len(jobs)))
    places = mesh(2, 3, k=1).free
    held: list[tuple[int, int, set[tuple[int, ...]]]] = []
    earliest = 0
    for (_, run, size), submit, turn in zip(rows, arrivals, turns, strict=True):
        instants = [max(earliest, submit), *(end for _, end, _ in held)]
        for now in sorted(t for t in instants if t >= max(earliest, submit)):
            busy = set().union(*(s for begin, end, s in held if begin <= now < end))
            free = tuple(site for site in places if site not in busy)
            if len(free) >= size:
                break
        assert turn.time == now
        assert turn.met.free == free
        held.append((now, now + run, set(free[:size])))
        earliest = now


def test_jobs_without_duration_give_back_at_once() -> None:
    jobs = _jobs((0, 0, 4), (0, 0, 4), (3, 0, 2))
    machine = Machine(Mesh((2, 2)), "row-major")
    assert [turn.time for turn in Replay(machine).run(jobs)] == [0, 0, 3]
    assert machine.free == 4


def test_what_cannot_be_replayed_is_counted() -> None:
    good, *others = _jobs(*[(0, 1, 1)] * 8)
    bad = [
        replace(others[0], submit=None),
        replace(others[1], run=None),
        replace(others[2], allocated=None),
        replace(others[3], allocated=5),
        replace(others[4], allocated=6),
        replace(others[5], status=2),
        replace(others[6], status=4),
    ]
    replay = Replay(Machine(Torus((2, 2)), "row-major"))
    turns = list(replay.run([*bad, good]))
    assert [turn.job for turn in turns] == [good]
    assert turns[0].place == 7
    assert replay.skipped == Counter(
        {
            Skipped.NO_SUBMIT: 1,
            Skipped.NO_RUN: 1,
            Skipped.NO_SIZE: 1,
            Skipped.TOO_LARGE: 2,
            Skipped.PARTIAL: 2,
        }
    )


def test_every_so_many_th_job_is_reported() -> None:
    jobs = _jobs(*[(i, 3, 1) for i in range(20)])
    jobs[12] = replace(jobs[12], run=None)

    def numbers(first: int, every: int) -> list[str]:
        replay = Replay(Machine(Mesh((8,)), "row-major"))
        return [met.name for met in replay.occupancies(jobs, first, every)]

    assert numbers(0, 6) == ["job-1", "job-7", "job-14", "job-20"]
    assert numbers(10, 3) == ["job-11", "job-15", "job-18"]
    assert numbers(20, 1) == []
    # what came before is on the machine, reported or not
    replay = Replay(Machine(Mesh((8,)), "row-major"))
    assert next(replay.occupancies(jobs, 10, 3)).n == 6


def test_a_number_that_two_jobs_have_is_refused_if_reported() -> None:
    jobs = _jobs((0, 1, 1), (1, 1, 1), (2, 1, 1))
    jobs[2] = replace(jobs[2], number=1)
    machine = Machine(Mesh((4,)), "row-major")
    with pytest.raises(InputError, match="job number: log: given to two jobs: 1"):
        list(Replay(machine, "log").occupancies(jobs))
    machine = Machine(Mesh((4,)), "row-major")
    assert len(list(Replay(machine).occupancies(jobs, 1))) == 2


def test_unknown_allocators_are_refused() -> None:
    with pytest.raises(InputError, match="allocator: no such method"):
        Machine(Mesh((4,)), "worst-fit")


# --- the archive's logs ------------------------------------------------------


@needs("data/swf")
@pytest.mark.parametrize(
    ("path", "jobs", "key", "value"),
    [
        (PARAGON, 32135, "Computer", "Intel Paragon"),
        (IPSC, 18239, "MaxProcs", "128"),
    ],
)
def test_logs_are_read_to_their_end(
    path: Path, jobs: int, key: str, value: str
) -> None:
    assert sum(1 for _ in read_swf(path)) == jobs
    assert read_header(path)[key] == value


@needs("data/swf")
def test_the_paragon_is_replayed() -> None:
    machine = Machine(Mesh((16, 22)), "mm")
    replay = Replay(machine, trace_name(PARAGON))
    turns = list(replay.run(islice(read_swf(PARAGON), 1000)))
    assert len(turns) == 1000
    assert not replay.skipped
    assert machine.free == 352
    times = [turn.time for turn in turns]
    assert times == sorted(times)
    assert all(turn.met.k <= turn.met.n for turn in turns)
    busy = Counter(turn.met.n < 352 for turn in turns)
    assert busy[True] > 800
