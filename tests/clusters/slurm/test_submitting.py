"""``closeknit-sbatch`` in front of an sbatch that writes down what it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from closeknit.clusters.slurm.submitting import nodes_wanted

from ...serving.listeners import listening, response

PLAIN = "#!/bin/sh\nhostname\n"
ANSWER = {"hostlist": "n[1-3]", "chosen": ["n1", "n2", "n3"], "state_age": 0.5}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.sh").write_text(PLAIN, encoding="utf-8")
    Path("own.sh").write_text("#!/bin/sh\n#SBATCH -C fast\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "k"),
    [
        ("-N3 job.sh", 3),
        ("-N 3 -t 10 --output=/dev/null job.sh -w n7", 3),
        ("--nodes=12 --parsable -J x -v --wrap=hostname", 12),
        ("--nodes 12 --exclusive --wrap hostname", 12),
        ("-N3 --wait job.sh a b", 3),
        ("", None),
        ("job.sh", None),
        ("-N1 job.sh", None),
        ("-N3", None),
        ("-N3-5 job.sh", None),
        ("-N 0x3 job.sh", None),
        ("-N99999999 job.sh", None),
        ("-N3 -w n7 job.sh", None),
        ("-N3 --nodelist=n7 job.sh", None),
        ("-N3 --nodel=n7 job.sh", None),
        ("-N3 -x n7 job.sh", None),
        ("-N3 -p big job.sh", None),
        ("-N3 --array=1-3 job.sh", None),
        ("-N3 --comment=mine job.sh", None),
        ("-N3 -t", None),
        ("-N3 own.sh", None),
        ("-N3 missing.sh", None),
        ("-N3 --wrap=hostname job.sh", None),
    ],
)
def test_which_jobs_are_plain(words: str, k: int | None) -> None:
    assert nodes_wanted(words.split()) == k


def submitted(
    folder: Path, *words: str, sbatch: str = ""
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the command; return it and what sbatch was given, a line a call."""
    program = folder / "sbatch"
    text = f'#!/bin/sh\necho "$@" >> {folder}/calls\n{sbatch}\necho Submitted 7\n'
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    main = "from closeknit.clusters.slurm.submitting import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", main, *words],
        env={
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "CLOSEKNIT_SERVICE": f"unix:{folder / 's'}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    calls = folder / "calls"
    return done, calls.read_text().splitlines() if calls.exists() else []


def test_the_nodes_of_the_answer_are_asked_for(tmp_path: Path) -> None:
    with listening(tmp_path / "s", lambda _: response(ANSWER)):
        done, calls = submitted(tmp_path, "-N3", "job.sh", "x")
    assert calls == ["--nodelist=n[1-3] --comment=closeknit -N3 job.sh x"]
    assert (done.returncode, done.stdout, done.stderr) == (0, "Submitted 7\n", "")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        response({"detail": "no"}, 409),
        response(ANSWER | {"chosen": ["n1"]}),
        response(ANSWER | {"hostlist": "n1 --uid=0"}),
        response(ANSWER | {"hostlist": 3}),
        response(ANSWER | {"state_age": 60}),
        response({**ANSWER, "state_age": None}),
    ],
    ids=range(7),
)
def test_otherwise_the_job_is_submitted_as_it_is(tmp_path: Path, answer: bytes) -> None:
    with listening(tmp_path / "s", lambda _: answer):
        done, calls = submitted(tmp_path, "-N3", "job.sh")
    assert calls == ["-N3 job.sh"]
    assert done.returncode == 0


def test_without_a_service_or_a_wish_sbatch_is_all_there_is(tmp_path: Path) -> None:
    for words in (["-N3", "job.sh"], ["--version"], []):
        done, calls = submitted(tmp_path, *words, sbatch="exit 5")
        assert calls.pop() == " ".join(words)
        assert done.returncode == 5
        (tmp_path / "calls").unlink()


def test_nodes_that_slurm_refuses_are_not_insisted_on(tmp_path: Path) -> None:
    refuses = (
        'case "$1" in --nodelist*) '
        "echo 'sbatch: error: Invalid node name specified' >&2; exit 1;; esac"
    )
    with listening(tmp_path / "s", lambda _: response(ANSWER)):
        done, calls = submitted(tmp_path, "-N3", "job.sh", sbatch=refuses)
    assert calls[1:] == ["-N3 job.sh"]
    assert (done.returncode, done.stdout) == (0, "Submitted 7\n")


def test_a_job_that_may_be_there_is_not_submitted_again(tmp_path: Path) -> None:
    late = "echo 'sbatch: error: Socket timed out' >&2; exit 1"
    with listening(tmp_path / "s", lambda _: response(ANSWER)):
        done, calls = submitted(tmp_path, "-N3", "job.sh", sbatch=late)
    assert len(calls) == 1
    assert (done.returncode, done.stderr) == (1, "sbatch: error: Socket timed out\n")
