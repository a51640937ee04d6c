"""Figures of README and docs: the command beside each, and whether it still says so.

Before a table of figures, or a paragraph with some, stands a comment:
``<!-- regenerate: COMMAND -->``, with ``&&`` between several commands, or
``<!-- not regenerated: WHY -->``. It holds until the next one or the next heading.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest

from closeknit.cli import app

from ..data import LOGS, require
from ..modules import loaded
from ..paths import PAGES as READ
from ..paths import ROOT

PAGES = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in READ}
WRITTEN = {
    "docs/science/claims.md": "closeknit verify",
    "docs/science/frontier.md": "closeknit frontier page",
}
"""Pages that a command writes as a whole; tests/reports/claims/test_page.py and
tests/api/test_frontier.py compare them."""
words_of = loaded(ROOT / "tools" / "published.py").words_of
MARK = re.compile(r"^<!-- (regenerate|not regenerated): (.*) -->$")
FIGURE = re.compile(
    r"(?:[\d\s.,;:%±+\-–−~/()<>≤≥*×=|]|to|of|over|under|about|or|and|up|all|s|ms|µs|min)*"
)
Rows = list[list[str]]


@dataclass
class Part:
    """What one mark speaks for: the text and the tables that follow it."""

    page: str
    mark: str | None
    command: str
    text: str = ""
    tables: list[Rows] = field(default_factory=list)

    @property
    def measured(self) -> bool:
        """Whether a table shows figures beside its first column."""
        return any(
            re.search(r"\d", cell) and FIGURE.fullmatch(cell)
            for table in self.tables
            for row in table[1:]
            for cell in row[1:]
        )


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def parts(page: str, text: str) -> Iterator[Part]:
    """Cut a page at its headings and marks."""
    part = Part(page, None, "")
    before = ""
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        found = MARK.match(line)
        if found or (line.startswith("#") and not fenced):
            yield part
            part = Part(page, *(found.groups() if found else (None, "")))
        elif line.startswith("|"):
            if not before.startswith("|"):
                part.tables.append([])
            if not re.fullmatch(r"[|:\-\s]+", line):
                part.tables[-1].append(cells(line))
        part.text += line + "\n"
        before = line
    yield part


PARTS = [part for page, text in PAGES.items() for part in parts(page, text)]
MARKED = [part for part in PARTS if part.mark == "regenerate"]


def test_every_table_of_figures_has_its_command() -> None:
    bare = [
        f"{part.page}: {part.tables[0][0]}"
        for part in PARTS
        if part.measured and part.mark is None and part.page not in WRITTEN
    ]
    assert not bare
    assert sum(part.measured for part in PARTS) > 40
    for page, command in WRITTEN.items():
        assert re.search(r"ritten by\s+`[^`]*`", PAGES[page][:900]), page
        assert command in PAGES[page][:900]


@pytest.mark.parametrize(
    "command", sorted({one for part in MARKED for one in part.command.split(" && ")})
)
def test_the_options_of_a_command_are_there(command: str) -> None:
    name, *words = words_of(command)
    if name == "closeknit":
        app.parse(words)
        return
    assert name in ("python", "pytest")
    source = (ROOT / words[0]).read_text()
    for word in words[1:]:
        if word.startswith("--"):
            assert f'"{word}"' in source, word
        assert name == "python"


# What of these is compared, and why the rest is not.

HOURS = "takes a quarter of an hour or more"
MINUTES = "takes several minutes"
SPEED = "seconds, which depend on the machine"
TRACE = f"{HOURS}, with traces that do not come along"
NOT_COMPARED = {
    ("docs/use/how-fast.md", "make bench NAME=exact"): SPEED,
    ("docs/use/how-fast.md", "python benchmarks/bench_procset.py"): SPEED,
    ("docs/use/how-fast.md", "closeknit reproduce morgenstern-undecided"): SPEED,
    ("docs/use/how-fast.md", "python benchmarks/bench_mm.py"): SPEED,
    ("docs/use/how-fast.md", "closeknit reproduce online-rule"): TRACE,
    ("docs/science/graphs.md", "make bench NAME=graphs"): SPEED,
    ("docs/clusters/jobs.md", "make bench NAME=clusters"): SPEED,
    ("docs/clusters/links.md", "make bench NAME=clusters"): SPEED,
    (
        "docs/science/checker-alone.md",
        "pytest tests/proofs/alone/test_parity.py",
    ): "is a test of its own",
    (
        "docs/science/allocators.md",
        "pytest tests/heuristics/allocation/test_curves.py",
    ): "are tests",
    ("docs/science/network.md", "pytest tests/network/flits/test_booksim.py"): "are "
    "tests",
    ("docs/papers/bender-flow.md", "closeknit reproduce bender-flow"): TRACE,
    ("docs/papers/bender-table1.md", "closeknit reproduce bender-table1"): TRACE,
    ("docs/papers/drakenberg.md", "closeknit reproduce drakenberg-time"): SPEED,
    ("docs/science/exact.md", "make bench NAME=exact"): SPEED,
    ("docs/papers/hops-or-seconds.md", "closeknit reproduce hops-or-seconds"): MINUTES,
    ("docs/papers/hops-or-seconds.md", "make bench NAME=links"): SPEED,
    ("docs/papers/mache-dispersal.md", "closeknit reproduce mache-dispersal"): TRACE,
    ("docs/papers/mache-table2.md", "closeknit reproduce mache-table2"): MINUTES,
    ("docs/science/models.md", "make bench NAME=models"): SPEED,
    ("docs/science/models.md", "python benchmarks/bench_models.py"): SPEED,
    ("docs/science/network.md", "make bench NAME=network"): SPEED,
    ("docs/papers/navaridas.md", "closeknit reproduce navaridas-figure3"): HOURS,
    ("docs/papers/online-rule.md", "make bench NAME=stream"): SPEED,
    ("docs/papers/online-rule.md", "closeknit reproduce online-rule"): TRACE,
    ("docs/clusters/serve.md", "make bench NAME=serve"): SPEED,
    ("docs/science/set-opening-bb.md", "make bench NAME=procset-bb"): SPEED,
    ("docs/science/proofs.md", "make bench NAME=procset-proofs"): SPEED,
    (
        "docs/science/procset-heuristics.md",
        "python benchmarks/bench_reaching.py",
    ): HOURS,
    ("docs/science/procset-models.md", "make bench NAME=procset-models"): SPEED,
    ("docs/science/procset.md", "python benchmarks/bench_procset.py"): SPEED,
    ("docs/clusters/clusters.md", "make bench NAME=clusters"): SPEED,
    ("docs/clusters/clusters-rules.md", "python benchmarks/bench_rules.py"): MINUTES,
    ("docs/clusters/graded-rules.md", "closeknit reproduce graded-rules"): MINUTES,
    ("docs/clusters/graded-rules.md", "python benchmarks/worst_decisions.py"): MINUTES,
    ("docs/clusters/grade.md", "closeknit whatif"): f"{MINUTES}, with a trace of "
    f"others",
    ("docs/science/proofs.md", "make bench NAME=ksubset-proofs"): SPEED,
    ("docs/science/proofs.md", "make veripb"): HOURS,
    ("docs/science/proofs.md", "python benchmarks/bench_packing_proofs.py"): SPEED,
    ("docs/science/proofs.md", "closeknit ratios bundled"): SPEED,
    ("docs/science/proofs.md", "closeknit ratios benchmarks/proofs.toml"): SPEED,
    ("docs/science/ratios.md", "closeknit ratios standard"): TRACE,
    ("docs/clusters/slurm.md", "make slurm-live"): HOURS,
    ("docs/science/streams.md", "make bench NAME=stream"): SPEED,
    ("docs/science/task-mapping.md", "closeknit reproduce task-mapping"): MINUTES,
    ("docs/science/task-mapping.md", "make bench NAME=mapping"): SPEED,
    ("docs/science/submesh-allocators.md", "make bench NAME=submesh"): SPEED,
    ("docs/science/submesh-feasibility.md", "make bench NAME=packing"): SPEED,
    ("docs/science/submesh-migration.md", "closeknit generate submesh"): SPEED,
    (
        "docs/science/submesh-simulation.md",
        "closeknit reproduce morgenstern-beyond",
    ): HOURS,
    (
        "docs/science/submesh-simulation.md",
        "closeknit reproduce morgenstern-table1",
    ): HOURS,
    (
        "docs/papers/submesh-undecided.md",
        "closeknit reproduce morgenstern-undecided",
    ): HOURS,
    ("docs/science/sukp-bb.md", "make bench NAME=sukp"): SPEED,
    ("docs/science/sukp.md", "make bench NAME=sukp-table"): SPEED,
}
"""By page and the beginning of the command, why."""


def agrees(shown: str, value: float) -> bool:
    """Whether a number is the value, rounded to as many digits.

    >>> agrees("62.5", 62.54), agrees("12.3", 12.36), agrees("1", 0.7)
    (True, False, True)
    """
    number = shown.replace(" ", "").rstrip("%")
    decimals = len(number.partition(".")[2])
    return bool(abs(float(number) - value) <= 0.5 * 10**-decimals + 1e-9)


def hold(shown: str, value: float, where: object) -> None:
    assert agrees(shown, value), f"{where}: {shown} on the page, now {value}"


def run_all(part: Part, *, only: str = "") -> str:
    """Carry out the commands of a part here; return what they print."""
    printed = io.StringIO()
    for command in part.command.split(" && "):
        name, *words = words_of(command)
        words = [
            str(LOGS / word) if word.endswith(".swf.xz") else word for word in words
        ]
        if name == "closeknit":
            if words[0] == "reproduce":
                words += ["--out", "out"]
            with contextlib.redirect_stdout(printed):
                assert app.run(words) == 0
            continue
        words[0] = str(ROOT / words[0])
        done = subprocess.run(
            [sys.executable, *words, *([only] if only else [])],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.write(done.stdout)
    return printed.getvalue()


def csv_rows(name: str) -> list[dict[str, str]]:
    with Path("out", f"{name}.csv").open() as stream:
        return list(csv.DictReader(stream))


def drawn_streams(part: Part) -> None:
    run_all(part)
    keys = (
        "mean_pair_sum",
        "mean_average_distance_hops",
        "mean_nodes_affected",
        "mean_balance_factor",
        "system_balance_factor",
        "contiguous_pct",
        "mean_idle_fragmentation_pct",
    )
    lines = Path("measures.jsonl").read_text().splitlines()
    found = {one["allocator"]: one for one in map(json.loads, lines)}
    (table,) = part.tables
    assert len(table) - 1 == len(found)
    for name, *shown in table[1:]:
        for key, cell in zip(keys, shown, strict=True):
            hold(cell, found[name][key], (name, key))


def first_picture(part: Part) -> None:
    run_all(part)
    (instance,) = Path().glob("*.json")
    words = ["compare", str(instance), "--methods", "mc1x1", "--json", "rows.json"]
    assert app.run(words) == 0
    lines = map(json.loads, Path("rows.json").read_text().splitlines())
    (row,) = (one for one in lines if one["method"] == "mc1x1")
    found = re.search(r"costs (\d+) hops, (\d+)\s+%", part.text)
    assert found
    ours, best = row["cost"], row["optimum"]
    hold(found[1], ours, "mc1x1")
    hold(found[2], 100 * (ours / best - 1), "above the optimum")


def jobs_of_the_paragon(part: Part) -> None:
    require("data/swf")
    run_all(part)
    with Path("report", "ratios.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    text = " ".join(part.text.split())
    found = re.search(
        r"all (\d+) optima proven.* MM's choice is optimal for ([\d.]+) % of these "
        r"jobs and at most (\S+) of the optimum, MM\+Inc's for ([\d.]+) % and (\S+), "
        r"MC1x1's for ([\d.]+) % and (\d+)",
        text,
    )
    assert found
    number, *shown = found.groups()
    pairs = zip(("mm", "mm-inc", "mc1x1"), shown[::2], shown[1::2], strict=True)
    for method, optimal, worst in pairs:
        ratios = [Fraction(row["ratio"]) for row in rows if row["method"] == method]
        assert len(ratios) == int(number)
        share = 100 * sum(ratio == 1 for ratio in ratios) / len(ratios)
        hold(optimal, share, method)
        assert max(ratios) == Fraction(worst.rstrip(",.")), method


def ratio_of_pair_sums(part: Part) -> None:
    printed = run_all(part)
    small, _, large = printed.partition("128x128")
    (table,) = part.tables
    for name, _, near, _, far in table[1:]:
        for shown, block in ((near, small), (far, large)):
            found = re.search(rf"^\| {name.strip('`')} \|.*", block, re.MULTILINE)
            assert found, name
            hold(shown, float(cells(found.group())[3]), name)


def ptas_of_a_row(part: Part) -> None:
    name = "16x16 k=32"
    printed = run_all(part, only=name)
    (table,) = part.tables
    rows, mesh = [], ""
    for row in table[1:]:
        mesh = row[0] or mesh  # an empty cell says the same again
        if mesh.replace(", ", " k=") == name:
            rows.append(row)
    assert len(rows) > 2
    for row in rows:
        method = row[1].strip("`")
        found = re.search(rf"{name}\s+{method}\s+(.*)", printed)
        assert found, method
        values = found[1].split()
        hold(row[3], float(values[1]), (method, "choice"))
        if re.search(r"\d", row[4]):
            hold(row[4], float(values[2]), (method, "bound"))


def steps_of_table_1(part: Part) -> None:
    run_all(part)
    rows = {(row["sides"], row["method"]): row for row in csv_rows("steps")}
    (table,) = part.tables
    for name, *shown in table[1:]:
        for group, ours, paper in (("uniform", *shown[:2]), ("normal", *shown[2:])):
            row = rows[group, name.strip("`")]
            for cell, whose in ((ours, "ours"), (paper, "paper")):
                success, failure = cell.split(", ")
                hold(success, float(row[f"success, {whose}"]), (name, group, whose))
                hold(failure, float(row[f"failure, {whose}"]), (name, group, whose))


def few_requests_beyond(part: Part) -> None:
    run_all(part)
    budgets, policies = part.tables
    found = csv_rows("budgets")
    by_moves = {(row["sides"], row["moves"]): row for row in found}
    for moves, *shown in budgets[1:]:
        for group, (time, kept) in zip(
            ("uniform", "normal"), (shown[:2], shown[2:]), strict=True
        ):
            row = by_moves[group, moves]
            hold(time, float(row["completion time"]), (group, moves))
            hold(kept, float(row["gain kept, %"]), (group, moves))
    by_policy = {
        (row["sides"], row["policy"], row["method"]): row
        for row in csv_rows("policies")
    }
    for policy, *times in policies[1:]:
        for method, cell in zip(policies[0][1:], times, strict=True):
            row = by_policy["uniform", policy, method.strip("`")]
            hold(cell, float(row["completion time"]), (policy, method))


def reaching_s_quality(part: Part) -> None:
    run_all(part)
    statements = csv_rows("findings")
    first, second = part.tables
    for line, found in zip(first[1:], statements, strict=True):
        assert line[2].partition(" (")[0] == found["ours"], line
    bins = {row["|Pa| - r"]: row for row in csv_rows("by_surplus")}
    for surplus, requests, real, plain, versus in second[1:]:
        row = bins[surplus]
        hold(requests, float(row["requests"]), surplus)
        hold(real, float(row["optimal, realistic, %"]), surplus)
        hold(plain, float(row["optimal, uniform, %"]), surplus)
        better, worse = versus.split(" / ")
        hold(better, float(row["realistic better"]), surplus)
        hold(worse, float(row["realistic worse"]), surplus)


def line_cards(part: Part) -> None:
    printed = run_all(part)
    for table in part.tables:
        if table[0][-1] == "lookahead":
            weeks: dict[str, list[dict[str, str]]] = {}
            for row in csv_rows("lookahead"):
                weeks.setdefault(row["load"], []).append(row)
            for load, work, *shown in table[1:]:
                rows = weeks[load]
                hold(work, float(rows[0]["work, % of the week"]), load)
                for cell, name in zip(shown, ("exact", "lookahead"), strict=True):
                    for number, row in zip(cell.split(", "), rows, strict=True):
                        hold(number, float(row[name]), (load, name))
            continue
        for name, mean in table[1:]:
            word = name.split()[0]
            pattern = rf"{word} ([\d.]+)[,.]"
            if word == "each":
                pattern = r"fewer than ([\d.]+),"
            found = re.search(pattern, printed)
            assert found, name
            hold(mean, float(found[1]), name)


def placements_on_64_nodes(part: Part) -> None:
    run_all(part)
    networks = [
        {row["workload"]: row for row in csv_rows(name)}
        for name in ("torus_64", "fat_tree_64")
    ]
    (table,) = part.tables
    assert [row[0] for row in table[1:]] == list(networks[0])
    for name, *shown in table[1:]:
        for head, cell in zip(table[0][1:], shown, strict=True):
            network, _, placement = head.partition(": ")
            row = networks[network == "fat-tree"][name]
            hold(cell, float(row[placement]), (name, head))


COMPARED: dict[tuple[str, str], Callable[[Part], None]] = {
    ("README.md", "closeknit generate random"): first_picture,
    ("docs/use/how-fast.md", "closeknit generate trace"): jobs_of_the_paragon,
    (
        "docs/science/allocators.md",
        "python benchmarks/bench_allocation.py",
    ): ratio_of_pair_sums,
    ("docs/papers/drakenberg.md", "closeknit reproduce drakenberg-quality"): (
        reaching_s_quality
    ),
    (
        "docs/papers/drakenberg.md",
        "closeknit reproduce drakenberg-linecards",
    ): line_cards,
    ("docs/papers/navaridas.md", "closeknit reproduce navaridas-figure3 --shape 8x8"): (
        placements_on_64_nodes
    ),
    ("docs/science/ptas.md", "make bench NAME=ptas"): ptas_of_a_row,
    ("docs/science/streams.md", "closeknit simulate stream"): drawn_streams,
    ("docs/science/submesh-allocators.md", "closeknit reproduce morgenstern-table1"): (
        steps_of_table_1
    ),
    (
        "docs/science/submesh-simulation.md",
        "closeknit reproduce morgenstern-beyond --first",
    ): (few_requests_beyond),
}
"""By page and the beginning of the command, who compares."""


def entry(part: Part) -> tuple[str, str] | None:
    """Return the entry with the longest beginning of its command."""
    fitting = [
        key
        for key in (*COMPARED, *NOT_COMPARED)
        if key[0] == part.page and part.command.startswith(key[1])
    ]
    return max(fitting, key=lambda key: len(key[1]), default=None)


def test_every_command_is_compared_or_it_is_said_why_not() -> None:
    assert [part.command for part in MARKED if entry(part) is None] == []
    used = {entry(part) for part in MARKED}
    assert {*COMPARED, *NOT_COMPARED} == used
    assert not COMPARED.keys() & NOT_COMPARED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("key", COMPARED, ids=" ".join)
def test_figures_are_those_of_the_command(
    key: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [part for part in MARKED if key == entry(part)]
    # several tables of one command under several headings: run once
    whole = chosen[0]
    for other in chosen[1:]:
        assert other.command == whole.command
        whole.tables += other.tables
    monkeypatch.chdir(tmp_path)
    COMPARED[key](whole)


def test_numbers_are_compared_as_they_are_rounded() -> None:
    assert agrees("62.5", 62.54)
    assert not agrees("62.5", 62.56)
    assert agrees("100 %", 99.7)
    assert not agrees("100 %", 98.4)
