"""Limits of the checker: a proof at each, one beyond; and proofs that never end."""

import lzma
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import chain, count, repeat
from pathlib import Path
from time import monotonic, process_time

import pytest

from closeknit.instances import (
    Distances,
    Instance,
    KSubset,
    Mesh,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    write_instance,
)
from closeknit.instances.submesh import Resident
from closeknit.methods import METHODS
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import (
    CheckLimits,
    NoProof,
    Propagator,
    Refused,
    TooLong,
    check_proof,
    check_proof_file,
    opb,
    proof_file,
)
from closeknit.proofs.checking.statements import MOST_BITS, MOST_DIGITS, SHORT_BITS
from closeknit.proofs.writing.kinds import WRITTEN
from closeknit.solvers import Settings, write_solution
from tests.forging.small_proofs import PROPAGATORS, by_both, cover, proof

PAGE = (Path(__file__).parents[3] / "docs/science/proofs.md").read_text()
ENDS = ("conclusion BOUNDS 0 INF", "end pseudo-Boolean proof")
HUGE = "1" + "0" * 1233
"""Has 1234 digits and 4096 bits."""


def test_the_table_of_limits_is_that_of_the_checker() -> None:
    table = PAGE.partition("<!-- table: limits -->")[2].strip().split("\n\n")[0]
    listed = {}
    for line in table.splitlines()[2:]:
        _, most, where = (cell.strip(" `") for cell in line.strip("|").split("|"))
        listed[where] = eval(most.replace("^", "**"))
    limits = CheckLimits()
    assert listed.pop("--time-limit") == 60  # tests of `check` look at that
    assert listed.pop("proof_file.MOST_BYTES") == proof_file.MOST_BYTES
    for name in ("MOST_SIZE", "MOST_WORDS", "MOST_CONSTRAINTS"):
        assert listed.pop(f"opb.{name}") == getattr(opb, name)
    assert listed.pop("MOST_BITS") == MOST_BITS
    assert listed.pop("MOST_DIGITS") == MOST_DIGITS
    assert listed.pop("SHORT_BITS") == SHORT_BITS
    names = set(CheckLimits.__slots__) - {"seconds", "now", "begun"}
    assert listed == {f"Limits.{name}": getattr(limits, name) for name in names}


def pol(count: int) -> str:
    """A combination of so many computed rows, on the stack at one time."""
    return "pol " + "1 a w " * count + "+ " * (count - 1)


AT: dict[str, tuple[CheckLimits, list[str], list[str], str]] = {
    "steps": (CheckLimits(steps=4), ["pol 1", "pol 2"], ["pol 1"] * 3, "4 steps"),
    "rows": (
        CheckLimits(rows=2),
        ["pol 1"] * 2,
        ["pol 1"] * 3,
        "stores more than 2 rows",
    ),
    "terms": (
        CheckLimits(terms=4),
        ["pol 1"] * 2,
        ["pol 1 c +"] * 2,
        "more than 4 terms",
    ),
    "stack": (CheckLimits(stack=20), [pol(5)], [pol(6)], "holds more than 20 terms"),
    "terms of large numbers": (
        CheckLimits(terms=4),
        [f"pol 1 {2**255 - 1} *", "pol 2"],
        [f"pol 1 {2**255} *", "pol 2"],
        "more than 4 terms",
    ),
    "stack of large numbers": (
        CheckLimits(stack=8),
        [f"pol 1 a w {2**255 - 1} * 1 a w +"],
        [f"pol 1 a w {2**255} * 1 a w +"],
        "holds more than 8 terms",
    ),
    "stack of sums of large numbers": (
        CheckLimits(stack=11),
        [f"pol 1 2 + 1 {2**255 - 3} * +"],
        [f"pol 1 2 + 1 {2**255 - 2} * +"],
        "holds more than 11 terms",
    ),
    "names": (
        CheckLimits(names=2),
        ["red +1 u >= 1 : u -> 1", "@v pol 1", "@v pol 2"],
        ["red +1 u >= 1 : u -> 1", "@v pol 1", "red +1 ~w >= 1 : w -> 0"],
        "more than 2 names",
    ),
    "labels": (
        CheckLimits(names=2),
        ["@u pol 1", "@v pol 1"],
        ["@u pol 1", "@v pol 1", "@w pol 1"],
        "more than 2 names",
    ),
    "name": (
        CheckLimits(),
        [f"@{'u' * 127} pol 1"],
        [f"@{'u' * 128} pol 1"],
        "128 charac",
    ),
    "name of a variable": (
        CheckLimits(),
        [f"red +1 {'u' * 128} >= 1 : {'u' * 128} -> 1"],
        [f"red +1 {'u' * 129} >= 1 : {'u' * 129} -> 1"],
        "a name of more than 128 characters",
    ),
    "bits": (
        CheckLimits(),
        [f"pol a {2**4095} * a {2**4095 - 1} * +"],
        [f"pol a {2**4095} * a {2**4095} * +"],
        "numbers that are too large",
    ),
    "bits of a degree": (
        CheckLimits(),
        [f"rup +{2**4095} a +{2**4095} b >= {2**4095}"],
        [f"pol 1 {2**4095} * 1 {2**4095} * +"],
        "numbers that are too large",
    ),
    "digits": (
        CheckLimits(),
        [f"rup +{HUGE} a +{HUGE} b >= {HUGE}"],
        [f"rup +0{HUGE} a +0{HUGE} b >= 0{HUGE}"],
        "numbers that are too large",
    ),
    "line": (
        CheckLimits(line=60),
        [f"pol 1 {'a + ' * 13}"],  # and a semicolon, and the end of the line
        [f"pol 1 {'a + ' * 13} "],
        "line or step of more than 60",
    ),
    "line of several": (
        CheckLimits(line=60),
        ["\n".join(["pol 1", *["a +"] * 13])],
        ["\n".join(["pol 1", *["a +"] * 14])],
        "line or step of more than 60",
    ),
}


@by_both
@pytest.mark.parametrize("what", AT)
def test_at_a_limit_and_beyond(what: str, propagator: type[Propagator]) -> None:
    limits, within, beyond, why = AT[what]

    def lines(steps: list[str]) -> list[str]:
        text = "".join(proof(*steps, *ENDS))
        return text.splitlines(keepends=True)

    assert check_proof(cover(), lines(within), limits, propagator).bound == 0
    with pytest.raises((TooLong, Refused), match=why):
        check_proof(cover(), lines(beyond), limits, propagator)


def test_room_is_that_of_rows_that_are_there() -> None:
    """Deleted rows count no more, nor do those of the formula."""
    steps = ["pol 1", "pol 2", "del id 4", "pol 3", "del id 1 2", *ENDS]
    limits = CheckLimits(rows=2, terms=4)
    assert check_proof(cover(), proof(*steps), limits).bound == 0
    again = ["pol 1", "del id -1"] * 99
    assert check_proof(cover(), proof(*again, *ENDS), limits).bound == 0


def test_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sack = Sukp("sack", (1,), (1,), ((0,),), 1)
    text = "".join(["pseudo-Boolean proof version 3.0\n", *(f"{x};\n" for x in ENDS)])
    (tmp_path / "proof").write_text(text)
    monkeypatch.setattr(proof_file, "MOST_BYTES", len(text))
    assert check_proof_file(sack, tmp_path / "proof").bound == 0
    monkeypatch.setattr(proof_file, "MOST_BYTES", len(text) - 1)
    with pytest.raises(TooLong, match="unpacks to more than"):
        check_proof_file(sack, tmp_path / "proof")
    monkeypatch.setattr(proof_file, "MOST_BYTES", 2**20)
    (tmp_path / "proof").write_text(text + "% more\n" * 2**18)
    with pytest.raises(TooLong, match="unpacks to more than 1 MiB"):
        check_proof_file(sack, tmp_path / "proof")


def test_what_a_pipe_holds_has_no_size() -> None:
    sack = Sukp("sack", (1,), (1,), ((0,),), 1)
    reader, writer = os.pipe()
    text = "".join(["pseudo-Boolean proof version 3.0\n", *(f"{x};\n" for x in ENDS)])
    os.write(writer, text.encode())
    os.close(writer)
    proved = check_proof_file(sack, f"/dev/fd/{reader}")
    os.close(reader)
    assert (proved.bound, proved.size) == (0, 0)


def of(version: str, *lines: str) -> Iterator[str]:
    """Return a proof whose last line is repeated for ever."""
    head = [f"pseudo-Boolean proof version {version}\n", *lines[:-1]]
    return chain(head, repeat(lines[-1]))


def counted(version: str, line: str) -> Iterator[str]:
    """Return a proof with a line again and again, always with another number."""
    yield f"pseudo-Boolean proof version {version}\n"
    number = 0
    while True:
        number += 1
        yield line.replace("#", str(number))


MEGA = 2**20
WIDE = "1" + "0" * 1200
HOSTILE: dict[str, Callable[[], Iterator[str]]] = {
    "del range": lambda: of("2.0", "del range 1 1000000000000\n"),
    "growing number": lambda: of("2.0", "pol a " + f"{'9' * 1000} * " * 7000 + "\n"),
    "longer number": lambda: of("2.0", f"pol a {'9' * 4200} *\n"),
    "statement without end": lambda: of("3.0", "a\n"),
    "lines of a statement without end": lambda: of("3.0", "\n"),
    "semicolons": lambda: of("3.0", ";" * 8 * MEGA),
    "colons": lambda: of("3.0", "rup " + ":" * 7 * MEGA + ";\n"),
    "comments": lambda: of("2.0", "*\n"),
    "long comments": lambda: of("2.0", "*" * 8 * MEGA),
    "empty lines": lambda: of("2.0", "\n"),
    "spaces": lambda: of("2.0", " " * 8 * MEGA),
    "s": lambda: of("2.0", "pol 1 " + "s " * 4 * MEGA),
    "2 *": lambda: of("2.0", "pol a " + "2 * " * 2 * MEGA),
    "1 *": lambda: of("2.0", "pol a " + "1 * " * 2 * MEGA),
    "2 d": lambda: of("2.0", "pol 1 " + "2 d " * 2 * MEGA),
    "w": lambda: of("2.0", "pol 1 " + "a w " * 2 * MEGA),
    "output": lambda: of("2.0", "output NONE\n"),
    "core": lambda: of("2.0", "core id 1\n"),
    "e": lambda: of("2.0", "e 1 a 1 b >= 1 ; 1\n"),
    "long labels": lambda: counted("3.0", f"@{'a' * 8 * MEGA}# pol 1;\n"),
    "labels": lambda: counted("3.0", f"@{'a' * 110}# pol 1;\n"),
    "literals": lambda: of("2.0", "pol " + "a " * 4 * MEGA),
    "weakened rows": lambda: of("2.0", "pol " + "1 a w " * MEGA),
    "numbers": lambda: of("2.0", "pol " + "1 " * 4 * MEGA),
    "hints": lambda: of("2.0", "rup 1 a >= 1 ; " + "1 " * 4 * MEGA),
    "terms": lambda: of("2.0", "rup " + "1 a " * 2 * MEGA + ">= 1\n"),
    "literals of a solution": lambda: of("2.0", "sol " + "a " * 4 * MEGA),
    "solutions": lambda: of("2.0", "sol a b c\n"),
    "long witness": lambda: of("2.0", "red 1 a >= 1 ; " + "a 1 " * 2 * MEGA),
    "long rows": lambda: of("2.0", "rup " + "1 a 1 b " * 32 + ">= 0\n"),
    "long rows by red": lambda: of("2.0", "red " + "1 a 1 b " * 32 + ">= 0 ; a 1\n"),
    "deleted numbers": lambda: of("2.0", "del id " + "1 " * 4 * MEGA),
    "f": lambda: of("1.1", "f 3\n"),
    "l": lambda: of("1.1", "l 1\n"),
    "rows": lambda: of("2.0", "pol 1\n"),
    "rows that come and go": lambda: of("3.0", "pol 1; del id -1;\n"),
    "new variables": lambda: counted("2.0", "red 1 y# >= 1 ; y# 1\n"),
    "wide rows": lambda: counted("2.0", f"red {WIDE} y# {WIDE} a >= {WIDE} ; y# 1\n"),
    "contradictions that come and go": lambda: of(
        "3.0", "red 1 y 1 a >= 1 : y 1; rup >= 0; del id -1 -2;\n"
    ),
    "words": lambda: of("2.0", "rup " + "xy " * 2 * MEGA),
}
ENDED = 0.15  # seconds, of the processor
BY_BOTH = (
    "solutions",
    "long rows by red",
    "new variables",
    "wide rows",
    "hints",
    "rows",
)
"""Where the propagators do most of the work."""


@pytest.mark.parametrize("what", HOSTILE)
def test_what_does_not_end_is_given_up_in_time(what: str) -> None:
    for propagator in PROPAGATORS if what in BY_BOTH else [Propagator]:
        start = process_time()
        limits = CheckLimits(seconds=ENDED, now=process_time)
        with pytest.raises((TooLong, Refused, NoProof)) as raised:
            check_proof(cover(), HOSTILE[what](), limits, propagator)
        assert len(str(raised.value).splitlines()) == 1
        assert process_time() - start < ENDED + 0.6


TABLE = Distances([[int(i != j) for j in range(150)] for i in range(150)])
LARGE: dict[str, Instance] = {
    "table": KSubset("table", TABLE, tuple(TABLE.locations()), 3),
    "cuts": KSubset("cuts", Mesh((30, 30)), tuple(Mesh((30, 30)).locations()), 3),
    "sets": ProcSet(
        *("sets", tuple(f"p{i}" for i in range(150)), tuple(range(150)), 3),
        tuple(ProcessorSet(f"s{i}", tuple(range(150)), (1,)) for i in range(150)),
    ),
    "sack": Sukp("sack", (1,) * 150, (1,) * 150, (tuple(range(150)),) * 150, 9),
    "mesh": Submesh(
        "mesh", (60, 60), tuple(Resident((i, i, i, i)) for i in range(9)), (9, 9)
    ),
    "torus": Submesh("torus", (60, 60), (), (9, 9), torus=True),
}


@pytest.mark.parametrize("what", LARGE)
def test_the_clock_is_looked_at_while_a_formula_is_listed(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is that of the whole check, and no proof is followed when it is over."""
    (tmp_path / "proof").write_text("pseudo-Boolean proof version 2.0\n")
    monkeypatch.delattr(proof_file, "follow")
    limits = CheckLimits(seconds=0.5, now=count().__next__)
    with pytest.raises(TooLong, match=r"proof: takes more than 0\.5 s to check$"):
        check_proof_file(LARGE[what], tmp_path / "proof", limits)


@pytest.mark.parametrize("kind", ["certificate", "dnn"])
def test_what_is_done_before_the_first_node_counts(kind: str, tmp_path: Path) -> None:
    """Reading a certificate, and what is listed for it, may take most of the time."""
    one = KSubset("one", Mesh((3, 3)), tuple(Mesh((3, 3)).locations()), 3)
    result = METHODS["ksubset"]["auto"](one, Settings())
    kinds = {row.option: name for name, row in WRITTEN.items()}
    found = prove_and_cite(
        one, result, tmp_path / "p", seconds=60.0, kinds={kinds[kind]}
    )
    assert found.kept is not None
    limits = CheckLimits(seconds=1.0, now=chain([0.0], repeat(2.0)).__next__)
    with pytest.raises(TooLong, match="takes more than 1 s to check"):
        check_proof_file(one, tmp_path / "p", limits)


COMMAND = """
import re, sys
from closeknit.cli.app import run
status = run(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
sys.exit(status)
"""


@pytest.mark.slow
@pytest.mark.parametrize("plain", [[], ["--plain"]])
@pytest.mark.parametrize("what", HOSTILE)
def test_the_command_keeps_time_and_memory(
    what: str, plain: list[str], tmp_path: Path
) -> None:
    """Of 64 MB of each, `check --proof --time-limit 2` takes 2.5 s and 500 MB at most.

    Beside the start of the program, and what loads the fast propagator.
    """
    sack = Sukp("sack", (1, 1, 1), (1, 1, 1), ((0,), (1,), (2,)), 2)
    names = {"a": "z0", "b": "z1", "c": "z2"}
    with lzma.open(tmp_path / "proof", "wt", preset=0) as stream:
        size, last, text = 0, "", ""
        for line in HOSTILE[what]():
            if line is not last:
                words = re.split(r"(\b[abc]\b)", line)
                text = "".join(names.get(word, word) for word in words)
            size += stream.write(text * (1 + 2**16 // len(text) if line is last else 1))
            last = line
            if size > 2**26:
                break
    write_instance(sack, tmp_path / "sack")
    result = METHODS["sukp"]["bruteforce"](sack, Settings())
    write_solution(sack, "bruteforce", result, tmp_path / "solution")
    files = [str(tmp_path / name) for name in ("sack", "solution", "proof")]
    args = ["check", *files[:2], "--proof", files[2], *plain, "--time-limit"]
    spent = {}
    for limit in ("0.001", "2"):
        start = monotonic()
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *args, limit],
            capture_output=True,
            text=True,
            check=False,
        )
        spent[limit] = monotonic() - start
        *out, memory = done.stdout.splitlines()
        assert done.returncode in (1, 2)
        assert len(out + done.stderr.splitlines()) == 1
        assert int(memory) < 500 * 1024
    assert spent["2"] < spent["0.001"] + 2.5
