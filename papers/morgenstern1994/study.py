"""Tables 1 to 3 of Morgenstern 1994: every method on the same queues of requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...reports.pages.document import Document, Section
from ...simulation.submesh.stream import Uniform
from ..catalogue import RunOptions
from .findings import compare_mbv, lead, slips, statements, steps_agree
from .printed import TABLE_1, TABLE_2, TABLE_3
from .runs import (
    FIVE,
    RUNS,
    SECONDS,
    Laboratory,
    Part,
    RunGroup,
    small_groups,
    values_of,
)
from .tables import fragmentation, ranking, steps, times, work

_ON_WORK = (
    "Completion time times utilisation is the work of the queue, whatever the method: "
    "sides times residence times. It differs by some per cent from one set of five "
    "runs to another, and completion times with it; utilisation hardly depends on it. "
    "Divided by the number of requests it can be compared for queues of any length."
)
_ON_STEPS = (
    "A step is a pointer followed to a node of a list. What is one node, and whether "
    "the search for the place to insert counts, the paper leaves open, so that only "
    "the order of magnitude can agree."
)
_NOTES = (
    f"The paper's figures are means of {FIVE} runs, without intervals. Ours are means "
    f"of {RUNS}, with a 95 % interval of Student; migration fragmentation and steps, "
    f"and whole rows that are slow, of the first {FIVE}.",
    "Run i has the seed plus i; each side and the residence times have a stream of "
    "their own, and every method of a run is given the same queue. Normal sides are "
    "rounded, and drawn again outside 1 to the side of the mesh.",
    "mig lets fs-f try first; on failure the cascade of proofs, packings and CP-SAT "
    "decides whether the residents, not turned, and the request can be packed, within "
    f"{SECONDS:g} s a decision.",
    "External fragmentation is averaged over the failures at which enough processors "
    "were free, migration fragmentation over those that migration would have mended.",
)


def table1(options: RunOptions) -> Document:
    """256x256, sides uniform and normal, as asked."""
    return _small(options, "morgenstern-table1", rotate=False)


def table2(options: RunOptions) -> Document:
    """256x256, sides uniform and normal, requests may be turned."""
    return _small(options, "morgenstern-table2", rotate=True)


def _small(options: RunOptions, name: str, *, rotate: bool) -> Document:
    whole = 1000
    printed = TABLE_2 if rotate else TABLE_1
    rows = [
        (group, [row for row in printed if row.group == group.name.split(",")[0]])
        for group in small_groups(options.first or whole, rotate=rotate)
    ]
    how = "with" if rotate else "without"
    return _study(
        options,
        name,
        f"Allocation in a 256x256 mesh, {how} rotation",
        f"Morgenstern 1994, Table {2 if rotate else 1}",
        rows,
        whole,
    )


def table3(options: RunOptions) -> Document:
    """1024x1024, sides uniform up to 1024, 512, 256, 128 and 64."""
    whole = 4000
    n = options.first or whole
    rows = []
    for longest in (1024, 512, 256, 128, 64):
        group = RunGroup(str(longest), (1024, 1024), n, Uniform(1, longest))
        rows.append((group, [row for row in TABLE_3 if row.group == group.name]))
    return _study(
        options,
        "morgenstern-table3",
        "Allocation in a 1024x1024 mesh, the longest side from 1024 down to 64",
        "Morgenstern 1994, Table 3",
        rows,
        whole,
        doubt=rows[1][0],
    )


def _study(
    options: RunOptions,
    name: str,
    title: str,
    source: str,
    parts: Sequence[Part],
    whole: int,
    doubt: RunGroup | None = None,
) -> Document:
    """Run all rows, and compare them; of another number of requests, what can be."""
    laboratory = Laboratory(options.seed)
    total = sum(len(rows) for _, rows in parts)
    done = 0
    for group, rows in parts:
        for row in rows:
            options.progress(done, total, f"{group.name} {row.method}")
            values_of(laboratory, group, row, "completion_time")
            done += 1
    options.progress(total, total, "")
    n = parts[0][0].requests
    comparable = n == whole
    findings = [
        *(f for part in parts for f in statements(laboratory, *part, comparable)),
        *steps_agree(laboratory, parts),
    ]
    if doubt is not None:
        findings.append(compare_mbv(laboratory, doubt))
    about = lead(laboratory, parts, comparable)
    if not comparable:
        short = f"{n} requests, not the paper's {whole}"
        about = (
            f"Queues of {short}: completion times cannot be compared with the paper's; "
            "utilisation can, roughly, as the mesh fills and empties within fewer "
            "requests. No statement of the paper is judged.",
            *about,
        )
        findings = [replace(f, holds=None, remark=short) for f in findings]
    findings += slips(parts)
    sections = [
        Section(
            title="Completion time and utilisation",
            text=(_ON_WORK,),
            tables=(
                times(laboratory, parts, comparable),
                work(laboratory, parts, whole),
            ),
        ),
        Section(title="The ranking", tables=(ranking(laboratory, parts),)),
        Section(title="Fragmentation", tables=(fragmentation(laboratory, parts),)),
        Section(title="Steps", text=(_ON_STEPS,), tables=(steps(laboratory, parts),)),
    ]
    return Document(
        name=name,
        title=title,
        source=source,
        lead=about,
        findings=tuple(findings),
        sections=tuple(sections),
        notes=(*_NOTES, f"{n} requests per run, seed {options.seed}."),
    )
