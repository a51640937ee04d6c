"""Is a better task mapping faster on the wire? Measured traffic, ordered and timed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from ...instances import InputError
from ...instances.reading.files import read_bytes, stem
from ...network.workloads.measured import read_traffic
from ...reports.pages.document import Cell, Document, Section, Table
from ..catalogue import RunOptions
from ..parts import run_all
from .panels import AllocationPanel, ChosenProcessors, allocations
from .parts import DRAWN, LEAST_BYTES, MOST_NODES, Found, Part, run

_SUFFIXES = (".csv", ".csv.xz")
_LEAST_RANKS = 64


def study(options: RunOptions) -> Document:
    """Order the ranks of every program on every allocation, and time them."""
    lineup = allocations(options.seed, full=options.full)
    files, silent = _files(options, max(_LEAST_RANKS, *(one.ranks for one in lineup)))
    parts = {
        (one, name): Part(
            shape=(),
            nodes=MOST_NODES,
            seed=options.seed,
            machine=one.machine,
            places=one.places,
            packets=one.packets,
            digest=sha256(read_bytes(path)).hexdigest(),
            file=str(path),
        )
        for one in lineup
        for (name, ranks), path in files.items()
        if ranks == max(one.ranks, _LEAST_RANKS)
    }
    found = run_all(parts, run, Found, options)
    panels = []
    for one in lineup:
        of_it = {name: found[where, name] for where, name in parts if where is one}
        if of_it:
            panels.append(AllocationPanel(one, of_it))
    return Document(
        name="task-mapping",
        title="Task mapping: is a better order of ranks faster on the wire?",
        source="measured communication of MPI programs, docs/science/task-mapping.md",
        lead=tuple(_opening(panels)),
        sections=(
            Section(title="All allocations", tables=(_summary(panels),)),
            *(
                Section(
                    title=_title(panel.allocation),
                    tables=(_costs(panel), _times(panel)),
                )
                for panel in panels
            ),
        ),
        notes=tuple(_notes(options, silent)),
    )


def _files(
    options: RunOptions, most: int
) -> tuple[dict[tuple[str, int], Path], list[str]]:
    """Return files by program and ranks, and the names of those without traffic."""
    where = options.traffic
    if where is None and (data := os.environ.get("CLOSEKNIT_DATA")):
        where = str(Path(data, "data", "comm"))
    if where is None:
        raise InputError(
            "needs a folder of measured communication, or CLOSEKNIT_DATA", "traffic"
        )
    found: dict[tuple[str, int], Path] = {}
    silent = []
    for path in sorted(Path(where).rglob("*")):
        if not path.name.endswith(_SUFFIXES):
            continue
        traffic = read_traffic(path)
        if traffic.tasks > most or traffic.tasks & (traffic.tasks - 1):
            continue
        name = stem(path).partition(f".{traffic.tasks}")[0]
        if not len(traffic.at_least(LEAST_BYTES).size):
            silent.append(f"{name} ({traffic.tasks} ranks)")
        else:
            found[name, traffic.tasks] = path
    if not any(ranks == _LEAST_RANKS for _, ranks in found):
        raise InputError(
            f"has no measured communication of {_LEAST_RANKS} ranks", "traffic", where
        )
    return found, silent


def _opening(panels: Sequence[AllocationPanel]) -> Iterator[str]:
    for panel in panels:
        if panel.allocation.ranks < _LEAST_RANKS:
            continue
        faster, equal, slower = panel.outcomes("identity")
        yield (
            f"{_title(panel.allocation)}: by geometric means over programs, annealing "
            f"has {panel.mean('cost', 'annealing'):.2f} of the identity's byte hops "
            f"and takes {panel.mean('time', 'annealing'):.2f} of its time. Of "
            f"{faster + equal + slower} programs that it gives fewer byte hops, "
            f"{faster} are faster, {equal} equal within 1 %, {slower} slower."
        )
    proven = [
        bool(one.bound[1])
        for panel in panels
        if "exact" in panel.methods
        for one in panel.found.values()
    ]
    yield f"With 16 ranks {sum(proven)} of {len(proven)} optima are proven."


def _summary(panels: Sequence[AllocationPanel]) -> Table:
    rows: list[dict[str, Cell]] = []
    for panel in panels:
        faster, equal, slower = panel.outcomes("identity")
        rows.append(
            {
                "*allocation": panel.allocation.title,
                "programs": len(panel.found),
                **{
                    f"{measure}: {method}": panel.mean(measure, method)
                    for measure in ("cost", "time")
                    for method in ("random", "greedy", "annealing")
                },
                "fewer hops: faster": faster,
                "equal": equal,
                "slower": slower,
                "rho of cost and time": panel.rank_correlation("cost"),
                "rho of busiest link and time": panel.rank_correlation("busiest"),
            }
        )
    return Table.of(
        "allocations",
        "Byte hops (cost) and simulated time relative to the identity, geometric means "
        "over programs; what becomes of programs that annealing gives fewer byte hops; "
        "rank correlation with the time over the orders of a program, mean",
        rows,
    )


def _costs(panel: AllocationPanel) -> Table:
    rows: list[dict[str, Cell]] = []
    for name, found in panel.found.items():
        rows.append(
            {
                "*program": name,
                "identity, byte hops": int(found.cost[0]),
                **{one: panel.relative(name, "cost", one) for one in panel.methods},
                "bound": int(found.bound[0]) / int(found.cost[0]),
                "gap, %": panel.gap(name),
                "*proven": "yes" if found.bound[1] else "no",
            }
        )
    return Table.of(
        f"{_slug(panel.allocation)}_cost",
        "Byte hops relative to the identity, and the best lower bound",
        rows,
    )


def _times(panel: AllocationPanel) -> Table:
    rows: list[dict[str, Cell]] = []
    for name, found in panel.found.items():
        rows.append(
            {
                "*program": name,
                "bytes per one sent": int(found.bound[2]),
                "identity, cycles": int(found.time[0]),
                **{one: panel.relative(name, "time", one) for one in panel.methods},
                "identity, busiest link": int(found.busiest[0]),
            }
        )
    return Table.of(
        f"{_slug(panel.allocation)}_time",
        "Simulated time relative to the identity; phits on its busiest link",
        rows,
    )


def _title(allocation: ChosenProcessors) -> str:
    return allocation.title[0].upper() + allocation.title[1:]


def _slug(allocation: ChosenProcessors) -> str:
    kind = allocation.machine.partition(":")[0]
    return f"{kind}_{allocation.ranks}"


def _notes(options: RunOptions, silent: Sequence[str]) -> Iterator[str]:
    yield (
        f"Seed {options.seed}: annealing, {DRAWN} random orders of each program, ties "
        "of the network, and the busy half of the mesh, from whose free processors mm "
        "chooses. Identity there is the order of the processors' numbers."
    )
    yield (
        "Network: virtual cut-through in packets of 16 phits of 4 bytes; adaptive "
        "routing on tori and meshes, up by credit on trees. Every rank sends to all "
        "its partners at once; of the bytes measured only one of so many is sent as "
        "the tables say, rounded up for each pair."
    )
    yield (
        f"Pairs with less than {LEAST_BYTES} bytes are left out: set-up and "
        "bookkeeping. With 16 ranks: the traffic of the first 16 among themselves."
    )
    if silent:
        yield f"Without any other traffic, and so not shown: {', '.join(silent)}."
