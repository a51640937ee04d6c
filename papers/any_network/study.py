"""K-subsets of OR-Library's networks and of random graphs, bounded and certified.

Drezner (OR Spectrum 28, 2006) solved the problem on 40 networks, of which 21 to
optimality; by their sizes and number they are OR-Library's pmed1 to pmed40.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ...instances import InputError, KSubset, read_instance
from ...instances.ksubset.generators import grey_pattern, random_cluster
from ...instances.words import with_noun
from ...methods import METHODS
from ...methods.warming import kind_of, warm
from ...proofs.checking.kinds import DNN
from ...proofs.writing.proof_files import write_index
from ...reports.campaigns.pool import Call, Failure, run
from ...reports.pages.document import Cell, Document, Name, Section, Table
from ...reports.proofs.proving import Proven, certify, write_entry
from ...solvers import Settings
from ..catalogue import RunOptions

SECONDS, SECONDS_FULL = 60.0, 600.0
"""Limits on solving with ``auto``; other methods have the first one."""
OTHERS = ("pairs/cpsat", "pairs/highs", "distances-bb")
"""Run on the same instances as ``auto``."""
_GRACE = 120.0
_NETWORKS = 40
_SIZES, _SIZES_FULL = (40, 60), (40, 80, 100, 120, 140, 160)
_DENSITIES, _SHARES = (25, 50, 75), (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Bounded:
    """What a method reached, and what is kept of it, if anything."""

    cost: int
    bound: int | None
    proof: str
    seconds: float
    proven: Proven | None = None
    why: str = ""

    @property
    def size(self) -> int:
        """Bytes of the certificate."""
        return self.proven.kept.size if self.proven and self.proven.kept else 0


def networks(options: RunOptions) -> Document:
    """Bound the k-subsets of the 40 networks, k being the p of the file."""
    data = os.environ.get("CLOSEKNIT_DATA")
    if not data:
        raise InputError("must name the folder that has data/pmed", "CLOSEKNIT_DATA")
    where = Path(data, "data", "pmed")
    found = []
    for number in range(1, _NETWORKS + 1)[: options.first]:
        paths = [where / f"pmed{number}{ending}" for ending in (".txt", ".txt.xz")]
        path = next((one for one in paths if one.is_file()), None)
        if path is None:
            raise InputError("is missing; see `make data`", file=paths[-1])
        instance = cast(KSubset, read_instance(path))
        found.append(replace(instance, name=f"pmed{number}"))
    lead = (
        "Drezner, in 2006, proved 21 of 40 problems of these sizes.",
        "k is the p of the file; of parallel edges the last counts.",
    )
    return _document("pmed", "Clusters in OR-Library's networks", lead, found, options)


def random_graphs(options: RunOptions) -> Document:
    """Bound k-subsets of random graphs: distance 1 on edges, 2 elsewhere."""
    sizes = _SIZES_FULL if options.full else _SIZES
    found = [
        random_cluster(n, n * share // 4, options.seed, density)
        for n, density, share in product(sizes, _DENSITIES, _SHARES)
    ]
    given = os.environ.get("CLOSEKNIT_DATA")
    files = sorted(Path(given, "data", "k-cluster").glob("*.dat")) if given else []
    found += [cast(KSubset, read_instance(path)) for path in files]
    lead = (
        "The choice of k nodes with the most edges among them, in random graphs drawn "
        "as those of the k-cluster library: n nodes, edges of a given density; then "
        f"{with_noun(len(files), 'file')} of the library in data/k-cluster.",
        "A choice of cost c has k (k - 1) - c edges.",
    )
    title = "Densest subgraphs of random graphs"
    return _document("k-cluster", title, lead, found[: options.first], options)


def grey_patterns(options: RunOptions) -> Document:
    """Bound the best grey patterns of 8x8 cells, of some densities, and of 16x16."""
    densities = range(2, 63) if options.full else (2, 4, 8, 13, 16, 20, 24, 28, 32)
    found = [grey_pattern((8, 8), k) for k in densities]
    found.append(grey_pattern((16, 16), 92))
    lead = (
        "Cells of a torus, chosen as far apart as possible: pairs cost 100,000 / e² at "
        "a distance of e, rounded. Of 8x8 cells with k = 13 Taillard's tai64c costs "
        "twice as much, of 16x16 with k = 92 tai256c.",
        "QAPLIB: tai64c costs 1,855,928, which is optimal; 44,759,294 is the best "
        "that is known of tai256c.",
    )
    title = "Grey patterns on a torus"
    return _document("grey-patterns", title, lead, found[: options.first], options)


def _bound_by(
    instance: KSubset, method: str, seconds: float, certified: bool
) -> Bounded:
    """Run one method; certify what it bounds if there is to be a proof."""
    entry = METHODS["ksubset"][method]
    warm(entry, kind_of(instance))
    result = entry(instance, Settings(time_limit=seconds))
    took, proven, why = result.seconds, None, ""
    if certified:
        proven = certify(instance, method, result, seconds, (DNN,), bounds=True)
        result, why = proven.result, proven.why
    assert isinstance(result.objective, int)
    bound = result.bound if isinstance(result.bound, int) else None
    return Bounded(result.objective, bound, str(result.proof), took, proven, why)


def _document(
    name: str,
    title: str,
    lead: Sequence[str],
    instances: Sequence[KSubset],
    options: RunOptions,
) -> Document:
    """Run all, and write instances and certificates to the folder of the report."""
    if options.out is None:
        with TemporaryDirectory(prefix="closeknit-") as folder:
            return _document(name, title, lead, instances, replace(options, out=folder))
    where = Path(options.out) / "certificates"
    where.mkdir(parents=True, exist_ok=True)
    rows = _run(instances, options)
    kept = [(one, rows[one.name, "auto"]) for one in instances]
    write_index(
        where,
        [
            write_entry(where, instance, own.proven)
            for instance, own in kept
            if isinstance(own, Bounded) and own.proven and own.size
        ],
        title,
    )
    solved = [rows[one.name, "auto"] for one in instances]
    proved = sum(isinstance(one, Bounded) and one.cost == one.bound for one in solved)
    certified = sum(isinstance(one, Bounded) and one.size > 0 for one in solved)
    columns = (
        *("*instance", "n", "k", "cost", "bound", "gap, %", "*proof", "seconds"),
        *("certificate, bytes", *(f"{other}: gap, %" for other in OTHERS)),
    )
    table = Table(
        name=name,
        caption="gaps are to the best cost of the row",
        columns=columns,
        rows=[tuple(_cells(one, rows)) for one in instances],
    )
    failed = tuple(
        (Name(one), f", {method}: {found.why}")
        for (one, method), found in rows.items()
        if found.why
    )
    return Document(
        name=name,
        title=title,
        source="Drezner 2006; closeknit, docs/science/any-network.md",
        lead=(
            f"{proved} of {len(instances)} are proven optimal; of {certified} there is "
            "a certificate of the bound, which was checked.",
            *lead,
        ),
        sections=(Section(title="All instances", tables=(table,), items=failed),),
    )


def _run(
    instances: Sequence[KSubset], options: RunOptions
) -> Mapping[tuple[str, str], Bounded | Failure]:
    """Run every method on every instance, in processes."""
    seconds = SECONDS_FULL if options.full else SECONDS
    names: list[tuple[str, str]] = []
    calls = []
    for instance in instances:
        for method in ("auto", *OTHERS):
            own = method == "auto"
            limit = seconds if own else SECONDS
            call = partial(_bound_by, instance, method, limit, own)
            calls.append(Call(call, 12 * limit + _GRACE, preparing=900.0))
            names.append((instance.name, method))
    found: dict[tuple[str, str], Bounded | Failure] = {}
    with closing(run(calls, jobs=options.jobs)) as outcomes:
        for position, outcome in outcomes:
            found[names[position]] = outcome
            options.progress(len(found), len(calls), " ".join(names[position]))
    return {name: found[name] for name in names}


def _cells(instance: KSubset, rows: Mapping[tuple[str, str], Any]) -> Iterator[Cell]:
    """Yield the cells of an instance."""
    several = [rows[instance.name, method] for method in ("auto", *OTHERS)]
    costs = [one.cost for one in several if isinstance(one, Bounded)]
    best, own = min(costs, default=0), several[0]
    yield from (Name(instance.name), instance.n, instance.k)
    if isinstance(own, Bounded):
        yield from (own.cost, own.bound, _gap(own, best), own.proof, own.seconds)
        yield own.size or None
    else:
        yield from (None, None, None, "", None, None)
    for other in several[1:]:
        yield _gap(other, best) if isinstance(other, Bounded) else None


def _gap(one: Bounded, best: int) -> float | None:
    """Return by how much a bound is below the best cost, in per cent."""
    if one.bound is None:
        return None
    return 100 * (best - one.bound) / best if best else 0.0
