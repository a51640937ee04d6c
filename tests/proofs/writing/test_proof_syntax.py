"""Proofs say the same in every version of the syntax."""

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError, write_instance
from closeknit.methods import SUKP
from closeknit.proofs.checking import ProvenResult, check_proof, check_proof_file
from closeknit.proofs.writing.exact_log import solve_by_exact
from closeknit.proofs.writing.proof_syntax import SYNTAXES, rewrite
from closeknit.solvers import Settings, write_solution
from tests.forging.small_proofs import SACK, cover, proof, proof_texts

OLD = [
    "pseudo-Boolean proof version 1.1\n",
    "rup >= 0 ;\n",
    "l 2\n",
    "l 3\n",
    "l 1\n",
    "o a b ~c\n",
    "p -3 4 + 2 + 2 d\n",
    "del id 2 3\n",
    "u +1 ~a +1 ~b >= 1 ;\n",
    "p 6 5 +\n",
    "c 8\n",
]
"""Loads the rows of the formula one by one, in another order; half of them go."""
LABELS = proof(
    "f 3",
    "@all pol 1 2 + 3 + 2 d",
    "soli a b ~c",
    "@end pol @all -1 +",
    "del id @all",
    "conclusion BOUNDS 2 : @end 2",
    "end pseudo-Boolean proof",
)
UNTOLD = [
    "pseudo-Boolean proof version 2.0\n",
    "soli a b ~c\n",
    "pol 1 2 + 3 + 2 d\n",
    "pol -1 -2 +\n",
    "output NONE\n",
    "conclusion BOUNDS 2 2\n",
    "end pseudo-Boolean proof\n",
]
"""Does not say how many rows the formula has; they have their numbers all the same."""
NAMED = proof(
    "soli a b ~c",
    "pol 1 2 + 3 + 2 d",
    "@two e +1 a +1 b +1 c >= 2 : 5",
    "rup >= 0",
    "pol @two 4 +",
    "conclusion BOUNDS 2 : 7 2",
    "end pseudo-Boolean proof",
)
"""A label names a row that was there."""
ODD = [
    *["pseudo-Boolean proof version 2.0\n", "red +1 new >= 1 ; new 1\n"],
    *["del id\n", f"del range 999 1{'0' * 30}\n"],
    *["soli a b ~c new\n", "pol 1 2 + 3 + 2 d\n", "pol -1 -2 +\n"],
    *["conclusion BOUNDS 2 ; -1 -2 ~ 2\n", "end pseudo-Boolean proof\n"],
]
"""Deletes nothing, and rows that never were; prices a variable of its own."""
SEVERAL = [
    *["pseudo-Boolean proof version 1.1\n", "f 3 0\n", "o a b ~c\n"],
    *["pol 1 2 + 3 + 2 d\n", "pol -1 -2 +\n", "c 1 -1 ~ 0\n"],
]
"""Concludes from several rows."""
FIRST = proof(
    "f 3", "sol a b ~c", "pol 1 2 + 3 + 2 d", "conclusion BOUNDS 1 2", "end p"
)


@pytest.mark.parametrize("version", SYNTAXES)
@pytest.mark.parametrize("which", range(4))
def test_every_version_proves_the_same(which: int, version: str) -> None:
    formula, lines, bound = proof_texts()[which]
    there = list(rewrite(formula, lines, version))
    assert there[0].split()[-1] == version
    assert check_proof(formula, there).bound == bound
    back = rewrite(formula, there, "3.0")
    assert check_proof(formula, back).bound == bound


@pytest.mark.parametrize("version", SYNTAXES)
@pytest.mark.parametrize("lines", [OLD, LABELS, UNTOLD, NAMED, ODD, SEVERAL])
def test_rows_are_renumbered(lines: list[str], version: str) -> None:
    assert check_proof(cover(), lines).bound == 2
    assert check_proof(cover(), rewrite(cover(), lines, version)).bound == 2


def test_what_an_old_version_cannot_say() -> None:
    assert check_proof(cover(), rewrite(cover(), FIRST, "2.0")) == ProvenResult(1, 6)
    with pytest.raises(InputError, match="without improving"):
        list(rewrite(cover(), FIRST, "1.1"))
    weak = proof("f 3", "soli a b ~c", "conclusion BOUNDS 0 2", "end p")
    with pytest.raises(InputError, match="below the best"):
        list(rewrite(cover(), weak, "1.1"))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """An instance, its solution, and Exact's proof."""
    paths = [str(tmp_path / name) for name in ("i.json", "s.json", "p.xz")]
    write_instance(SACK, paths[0])
    write_solution(SACK, "sukp-bb", SUKP["bruteforce"](SACK, Settings()), paths[1])
    solve_by_exact(SACK, seconds=30, keep=paths[2])
    return paths


@pytest.mark.parametrize("version", SYNTAXES)
def test_check_rewrites_a_proof_that_holds(
    version: str, files: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out.pbp"
    command = ["check", *files[:2], "--proof", files[2]]
    assert run([*command, "--rewrite", str(out), "--syntax", version]) == 0
    assert out.read_text().startswith(f"pseudo-Boolean proof version {version}\n")
    assert check_proof_file(SACK, out).bound == 5


@pytest.mark.parametrize("source", ["-", "/dev/null"])
def test_what_can_be_read_once_only_is_not_rewritten(
    files: list[str],
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rewriting would find nothing, or something else than what holds."""
    instance, solution, proof = files
    content = TextIOWrapper(BytesIO(Path(proof).read_bytes()))
    monkeypatch.setattr("sys.stdin", content)
    out = Path(proof).with_name("out")
    command = ["check", instance, solution, "--proof", source, "--rewrite", str(out)]
    assert run(command) == 2
    assert "must be a file for --rewrite" in capsys.readouterr().err
    assert not out.exists()
