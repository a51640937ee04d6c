"""What the paper states of its Figure 3, held against the panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from ...reports.pages.document import Finding, all_hold
from .machines import COLUMN, CONSECUTIVE, QUADRANT, RANDOM, ROW
from .panels import TIE, Panel

FEW = 2
"""Workloads of a panel that may be exceptions to what is stated in general."""
_NEAR = 1.25
"""A ratio is that of the paper if neither is larger by this factor."""
_ALIKE = 1.1
"""Row and column perform equally if they differ by no more."""
_NO_MATTER = 1.25
"""Worst to best, below which placement is stated not to matter."""
_TIED = f"ties within {100 * (TIE - 1):.0f} %"
_LARGEST = {
    ("torus", 64): 2.5,
    ("fat-tree", 64): 2.5,
    ("torus", 256): 4.5,
    ("fat-tree", 256): 4.0,
    ("torus", 1024): 8.5,
    ("fat-tree", 1024): 6.0,
}
"""Worst to best of the worst workload, as the text gives it."""


@dataclass(frozen=True)
class Seen:
    """What one panel shows of a claim."""

    text: str
    holds: bool
    remark: str = ""


def findings(panels: Sequence[Panel]) -> Iterator[Finding]:
    """Yield every claim that these panels can judge, in the order of the text."""
    for machine, largest in _LARGEST.items():
        for panel in _those(panels, machine[0], machine[1]):
            yield _worst_to_best(panel, largest)
    yield from _judge(
        panels,
        "random placement is the worst, with very few exceptions",
        f"worst of the paper's placements in all but {FEW} workloads of a panel, "
        + _TIED,
        _random_worst,
    )
    yield from _judge(
        _those(panels, "fat-tree"),
        "consecutive placement is the best on the fat-tree",
        f"best in all but {FEW} workloads of a panel, {_TIED}",
        lambda panel: _best(panel, CONSECUTIVE),
    )
    yield from _judge(
        _those(panels, "torus", 64),
        "row and column placements perform equally well on the torus of 64 nodes",
        f"within {100 * (_ALIKE - 1):.0f} % of each other in all but {FEW} workloads",
        _row_as_column,
    )
    several = [*_those(panels, "torus", 256), *_those(panels, "torus", 1024)]
    yield from _judge(
        several,
        "quadrant placement is the best on tori of several instances, save for MG",
        f"best in all but {FEW} workloads of a panel, MG not counted, {_TIED}",
        lambda panel: _best(panel, QUADRANT, without=("MG",)),
    )
    yield from _judge(
        several,
        "row and column are as good as quadrant for MG",
        f"both within {100 * (_ALIKE - 1):.0f} % of quadrant",
        _multigrid,
    )
    yield from _growth(panels)
    yield from _judge(
        panels,
        "LU, BT and SP are very sensitive to placement, on either network",
        "worst to best of each above the median of all workloads",
        lambda panel: _above(panel, ("LU", "BT", "SP")),
    )
    yield from _judge(
        panels,
        "2W and 3W respond least to placement",
        "no more than two other workloads have a smaller worst to best",
        _wave_fronts,
    )
    yield from _judge(
        panels,
        "IS is not very sensitive to placement",
        "worst to best not above the median of all workloads",
        _integer_sort,
    )
    yield from _judge(
        panels,
        "2M gains from placement on the torus; on the fat-tree it hardly matters",
        f"worst to best above the median on the torus, at most {_NO_MATTER} on the "
        "fat-tree",
        _square,
    )
    yield from _judge(
        panels,
        "BU gains from consecutive placement alone on the fat-tree; on the torus "
        "every placement is as good",
        f"all others beyond {_NO_MATTER} times consecutive on the fat-tree; worst to "
        f"best at most {_NO_MATTER} on the torus",
        _butterfly,
    )
    yield from _judge(
        _those(panels, "torus", 64),
        "for FT on the torus of 64 nodes row and column are worse than random",
        "both above the mean of the permutations",
        _fourier,
    )


def _those(panels: Sequence[Panel], topology: str, nodes: int = 0) -> list[Panel]:
    return [
        panel
        for panel in panels
        if panel.machine.topology == topology and nodes in (0, panel.machine.nodes)
    ]


def _judge(
    panels: Sequence[Panel],
    claim: str,
    criterion: str,
    see: Callable[[Panel], Seen],
) -> Iterator[Finding]:
    """Judge a claim on every panel that it is about; nothing where there is none."""
    if not panels:
        return
    seen = {_short(panel): see(panel) for panel in panels}
    failed = [name for name, one in seen.items() if not one.holds]
    remarks = [f"{name}: {one.remark}" for name, one in seen.items() if one.remark]
    if failed:
        remarks.insert(0, f"not on {', '.join(failed)}")
    yield Finding(
        claim=claim,
        paper="section IV",
        ours="; ".join(f"{name} {one.text}" for name, one in seen.items()),
        holds=all_hold(one.holds for one in seen.values()),
        criterion=criterion,
        remark="; ".join(remarks),
    )


def _short(panel: Panel) -> str:
    return f"{panel.machine.topology} {panel.machine.nodes}"


def _worst_to_best(panel: Panel, paper: float) -> Finding:
    name, ratio = panel.most
    others = sorted(panel.workloads, key=panel.ratio, reverse=True)[1:3]
    more = ", ".join(f"{other} {panel.ratio(other):.2f}" for other in others)
    return Finding(
        claim=f"the largest worst-to-best ratio on the {panel.machine.topology} of "
        f"{panel.machine.nodes} nodes",
        paper=f"about {paper:g}",
        ours=f"{ratio:.2f} ({name}); then {more}; median {panel.middle:.2f}",
        holds=paper / _NEAR <= ratio <= paper * _NEAR,
        criterion=f"within a factor of {_NEAR}, random by its mean",
    )


def _random_worst(panel: Panel) -> Seen:
    other = [name for name in panel.workloads if not panel.is_worst(name, RANDOM)]
    worse = ", ".join(f"{name} ({panel.worst(name)})" for name in other)
    return Seen(
        _of(panel, other), len(other) <= FEW, worse and f"others worse: {worse}"
    )


def _best(panel: Panel, placement: str, without: Sequence[str] = ()) -> Seen:
    names = [name for name in panel.workloads if name not in without]
    other = [name for name in names if not panel.is_best(name, placement)]
    better = ", ".join(
        f"{name} ({', '.join(panel.beaten(name, placement))})" for name in other
    )
    return Seen(
        f"{len(names) - len(other)} of {len(names)}",
        len(other) <= FEW,
        better and f"others better: {better}",
    )


def _row_as_column(panel: Panel) -> Seen:
    gaps = {
        name: panel.mean(name, COLUMN) / panel.mean(name, ROW)
        for name in panel.workloads
    }
    other = [name for name, gap in gaps.items() if not 1 / _ALIKE <= gap <= _ALIKE]
    apart = ", ".join(f"{name} {gaps[name]:.2f}" for name in other)
    return Seen(
        _of(panel, other), len(other) <= FEW, apart and f"column over row: {apart}"
    )


def _multigrid(panel: Panel) -> Seen:
    base = panel.mean("MG", QUADRANT)
    row, column = panel.mean("MG", ROW) / base, panel.mean("MG", COLUMN) / base
    better = max(row, column) < 1 / _ALIKE
    return Seen(
        f"row {row:.2f}, column {column:.2f} times quadrant",
        max(row, column) <= _ALIKE and min(row, column) >= 1 / _ALIKE,
        "both are better than quadrant" if better else "",
    )


def _growth(panels: Sequence[Panel]) -> Iterator[Finding]:
    """Judge whether the ratios grow from each machine to the next larger one."""
    for topology in ("torus", "fat-tree"):
        line = _those(panels, topology)
        if len(line) < 2:  # there is nothing to grow
            continue
        most = [panel.most[1] for panel in line]
        middle = [median(map(panel.ratio, panel.workloads)) for panel in line]
        fallen = [
            name
            for name in line[0].workloads
            if line[-1].ratio(name) < line[0].ratio(name)
        ]
        yield Finding(
            claim=f"the effect of a bad placement grows with the {topology}",
            paper="section IV",
            ours="largest "
            + ", ".join(f"{one:.2f}" for one in most)
            + "; median "
            + ", ".join(f"{one:.2f}" for one in middle),
            holds=most == sorted(most) and middle == sorted(middle),
            criterion="largest and median worst to best rise from size to size",
            remark=f"smaller on the largest than on the smallest: {', '.join(fallen)}"
            if fallen
            else "",
        )


def _above(panel: Panel, names: Sequence[str]) -> Seen:
    text = ", ".join(f"{name} {panel.ratio(name):.2f}" for name in names)
    low = [name for name in names if panel.ratio(name) <= panel.middle]
    return Seen(
        f"{text} (median {panel.middle:.2f})",
        not low,
        f"not above: {', '.join(low)}" if low else "",
    )


def _wave_fronts(panel: Panel) -> Seen:
    two = ("2W", "3W")
    most = max(map(panel.ratio, two))
    below = [
        name for name in panel.workloads if name not in two and panel.ratio(name) < most
    ]
    return Seen(
        ", ".join(f"{name} {panel.ratio(name):.2f}" for name in two),
        len(below) <= FEW,
        f"smaller: {', '.join(below)}" if below else "",
    )


def _integer_sort(panel: Panel) -> Seen:
    ratio = panel.ratio("IS")
    return Seen(f"{ratio:.2f} (median {panel.middle:.2f})", ratio <= panel.middle)


def _square(panel: Panel) -> Seen:
    ratio = panel.ratio("2M")
    torus = panel.machine.is_torus
    return Seen(f"{ratio:.2f}", ratio > panel.middle if torus else ratio <= _NO_MATTER)


def _butterfly(panel: Panel) -> Seen:
    ratio = panel.ratio("BU")
    if panel.machine.is_torus:
        return Seen(f"{ratio:.2f}", ratio <= _NO_MATTER)
    base = panel.mean("BU", CONSECUTIVE)
    others = {
        name: panel.mean("BU", name) / base
        for name in panel.machine.of_paper
        if name != CONSECUTIVE
    }
    return Seen(
        ", ".join(f"{name} {times:.2f}" for name, times in others.items()),
        min(others.values()) > _NO_MATTER,
    )


def _fourier(panel: Panel) -> Seen:
    names = (ROW, COLUMN)
    base = panel.mean("FT", RANDOM)
    times = {name: panel.mean("FT", name) / base for name in names}
    text = ", ".join(f"{name} {value:.2f}" for name, value in times.items())
    return Seen(f"{text} times random", min(times.values()) > 1)


def _of(panel: Panel, exceptions: Sequence[str]) -> str:
    count = len(panel.workloads)
    return f"{count - len(exceptions)} of {count}"
