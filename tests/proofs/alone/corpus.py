"""Answers and proofs that reach every function of the checker which a check can reach.

All are true; `forged` changes them. An answer is a row of files: an instance, a
solution and perhaps a proof; or a formula and a proof; or a certificate of counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from closeknit.exact.ksubset.cuts_bb.record import record as record_cuts
from closeknit.exact.ksubset.dnn_bb.record import record as record_dnn
from closeknit.instances import (
    Distances,
    Graph,
    Grid,
    Instance,
    KSubset,
    Mesh,
    Points,
    Priced,
    Submesh,
    Torus,
    Tree,
    cost,
    mesh,
)
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.certificate_file import FORMAT as CUTS_FORMAT
from closeknit.instances.ksubset.lower_bounds import STAR, derive_bound
from closeknit.instances.outcome import BOUNDED, CERTIFIED
from closeknit.instances.problems import check
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.result import Grade, Proof
from closeknit.instances.submesh import Resident
from closeknit.instances.writing.documents import solution_of
from closeknit.proofs.checking.kinds import DNN_FORMAT
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.reports.proofs.proving import text_of
from closeknit.solvers import Result, Status
from closeknit.solvers.running import clock


class Part(NamedTuple):
    """A file: how its name ends, and what it holds."""

    suffix: str
    content: bytes


class Answer(NamedTuple):
    """Files of an answer, in the order in which the commands take them."""

    name: str
    files: tuple[Part, ...]

    def write(self, folder: Path) -> list[str]:
        """Write the files to a folder; return their paths."""
        paths = []
        for role, part in zip(("", ".s", ".p"), self.files, strict=False):
            path = folder / f"{self.name}{role}{part.suffix}"
            path.write_bytes(part.content)
            paths.append(str(path))
        return paths


def best(instance: Instance) -> tuple[int, ...]:
    """Return a cheapest choice of a k-subset, by pricing all."""
    assert isinstance(instance, KSubset)
    choices = combinations(range(instance.n), instance.k)
    return min(
        (one for one in choices if not check(instance, one)),
        key=lambda one: cost(instance, one),
    )


def solution(instance: Instance, **more: Any) -> Part:
    """Return the file of a solution."""
    document = solution_of(instance, "by hand", Result(**more))
    return Part(".json", dumps(document).encode())


def optimal(instance: KSubset, proof: Proof, chosen: Sequence[int] = ()) -> Part:
    """Return the file of a solution that is cheapest, as a proof shows."""
    chosen = tuple(chosen) or best(instance)
    price = cost(instance, chosen)
    status = Status.OPTIMAL
    return solution(
        instance,
        **{"status": status, "chosen": chosen, "objective": price, "bound": price},
        proof=proof,
    )


def file_of(instance: Instance) -> Part:
    """Return the file of an instance."""
    return Part(".json", text_of(instance))


# Networks


def graph(nodes: int, edges: Iterable[tuple[int, ...]], k: int, name: str) -> KSubset:
    """Return the choice of k nodes of a graph; links have the length 1 by default."""
    links = tuple((u, v, w[0] if w else 1) for u, v, *w in edges)
    network = Graph(nodes, links, tuple(range(nodes)))
    return KSubset(name, network, tuple(network.locations()), k)


def whole(name: str, network: Any, k: int, *required: int) -> KSubset:
    """Return the choice of k processors of a network that are all free."""
    free = tuple(network.locations())
    return KSubset(name, network, free, k, required=tuple(free[i] for i in required))


def networks() -> Iterator[KSubset]:
    """Yield instances on networks of all kinds."""
    yield whole("torus-odd", Torus(5, 3), 4)
    yield whole("grid", Grid((4, 3), (True, False)), 4, 5)
    yield whole(
        "tree", Tree((-1, 0, 0, 1, 1, 2, 2), (0, 1, 2, 1, 3, 1, 1), (3, 4, 5, 6)), 2
    )
    yield graph(6, [(v, (v + 1) % 6) for v in range(6)], 3, "ring")
    yield graph(6, [(0, 1, 2), (1, 2), (1, 3, 3), (3, 4), (3, 5)], 3, "branches")
    yield graph(5, [(v, (v + 1) % 5) for v in range(5)], 2, "odd-ring")
    k23 = [(u, v) for u in (0, 1) for v in (2, 3, 4)]
    yield graph(5, k23, 3, "no-cuts")
    names = Graph(3, ((0, 1, 5), (1, 2, 10)), (0, 1, 2), 10, ("a", "b", "c"))
    yield whole("names", names, 2)
    yield whole(
        "table",
        Distances([[0, 5, 1, 2], [5, 0, 1, 2], [1, 1, 0, 2], [2, 2, 2, 0]]),
        3,
        1,
    )
    yield whole("priced", Priced(Mesh(4), (0, 9, 4, 1)), 2)
    decimals = [(0, 0), (0.5, 1), (0.5, 1), (2, 3.25), (1, 1), (1, 0)]
    yield whole("points", Points(decimals), 3)


def proofs_on(instance: KSubset) -> Iterator[Answer]:
    """Yield an answer on a network by each kind of proof that there is about it."""
    chosen = best(instance)
    price = cost(instance, chosen)
    file = file_of(instance)
    if instance.topology.has_cuts and not instance.required:
        nodes = record_cuts(instance, price, clock.now() + 60)
        yield Answer(
            f"{instance.name}-cuts",
            (
                file,
                optimal(instance, CERTIFIED, chosen),
                packed_nodes(instance, price, nodes),
            ),
        )
    nodes = record_dnn(instance, price, chosen, clock.now() + 60, 2)
    yield Answer(
        f"{instance.name}-dnn",
        (
            file,
            optimal(instance, BOUNDED, chosen),
            packed_nodes(instance, price, nodes, DNN_FORMAT),
        ),
    )
    bound = derive_bound(instance, STAR)
    claimed = solution(
        instance,
        **{"status": Status.UNKNOWN, "bound": bound},
        proof=Proof(Grade.CHECKED, STAR),
    )
    yield Answer(f"{instance.name}-star", (file, claimed))


def packed_nodes(
    instance: KSubset, objective: int, nodes: Any, kind: str = CUTS_FORMAT
) -> Part:
    """Return the file of a certificate."""
    assert isinstance(nodes, list)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        write_certificate(instance, objective, nodes, path, kind)
        return Part(".xz", path.read_bytes())


# Steps that are rare


def one_node(instance: KSubset, *steps: list[Any]) -> Part:
    """Return a certificate of one node, which ends by its bound."""
    price = cost(instance, best(instance))
    checker = CertificateChecker(instance, price)
    state = checker.root()
    for step in steps:
        checker.close(state)
        checker.step(state, checker.shapes.step(step, "step"))
    checker.close(state)
    end = ["bound", checker.bound(state)[0], [*state.low], [*state.high]]
    return packed_nodes(instance, price, [[[*steps], end]])


def rare_steps() -> Iterator[Answer]:
    """Yield certificates with steps that searches seldom take."""
    line = [(0,)] * 3 + [(1,)] * 3
    twins = KSubset("twins", Points(line), tuple(line), 4)
    rejects = ["cost", [], [4]], ["twins", [], [5]]
    few = KSubset("few-twins", Points(line[:5]), tuple(line[:5]), 4)
    chooses = ["cost", [2], []], ["twins", [0, 1], []]
    cells = (0, 1), (1, 2), (2, 0), (2, 2)
    needy = KSubset("exchange", Mesh(3, 3), cells, 3)
    exchanges = ["cost", [0], []], ["exchange", [[0, 1]]]
    for instance, steps in (twins, rejects), (few, chooses), (needy, exchanges):
        part = one_node(instance, *steps)
        yield Answer(
            instance.name, (file_of(instance), optimal(instance, CERTIFIED), part)
        )


LEFT_OUT = [[0, 736714, 791890, 683715], [736714, 0, 552716, 986030]]
LEFT_OUT += [[791890, 552716, 0, 258930], [683715, 986030, 258930, 0]]
BRANCHES = [[0, 556863, 460715, 68869], [556863, 0, 93151, 299907]]
BRANCHES += [[460715, 93151, 0, 532903], [68869, 299907, 532903, 0]]


def matrices() -> Iterator[Answer]:
    """Yield certificates by matrices with steps of every kind."""
    for name, rows in ("left-out", LEFT_OUT), ("branched", BRANCHES):
        yield next(proofs_on(whole(name, Distances(rows), 3)))
    ring = graph(6, [(v, (v + 1) % 6) for v in range(6)], 3, "symmetric")
    turned = [x for v in range(6) for x in (v, (v + 1) % 6)]
    nodes = [["orbit", 0, turned], ["list"], ["list"]]
    proof = packed_nodes(ring, cost(ring, best(ring)), nodes, DNN_FORMAT)
    yield Answer("symmetric", (file_of(ring), optimal(ring, BOUNDED), proof))


def choices() -> Iterator[Answer]:
    """Yield choices of so many that their distances are not added up one by one."""
    path = graph(10, [(v, v + 1) for v in range(9)], 9, "long-path")
    for instance in whole("torus-many", Torus(4, 3), 10), path:
        chosen = tuple(range(instance.k))
        price = cost(instance, chosen)
        claimed = {"status": Status.FEASIBLE, "chosen": chosen, "objective": price}
        yield Answer(instance.name, (file_of(instance), solution(instance, **claimed)))


# Bounds by name


def by_name() -> Iterator[Answer]:
    """Yield answers whose bound has a name that the checker derives again."""
    free = tuple(Mesh(6, 6).locations())
    some = KSubset("some", Mesh(6, 6), free[::3], 3, seed=7)
    ring = KSubset("some-rings", Grid((6, 6), (True, False)), free[::3], 3)
    points = whole("line", Points([(0, 0), (1, 0), (1, 1), (3, 5), (4, 4)]), 3)
    for instance, name in (
        (mesh(5, 5, k=5), "star bound"),
        (mesh(5, 5, k=5), "town bound"),
        (mesh(2, 2, 2, k=4), "town bound"),
        (mesh(9, k=4), "town bound"),
        (some, "star bound"),
        (ring, "star bound"),
        (points, "star bound"),
        (points, "axis bound"),
        (next(one for one in networks() if one.name == "tree"), "star bound"),
        (next(one for one in networks() if one.name == "no-cuts"), "star bound"),
    ):
        bound = derive_bound(instance, name)
        part = solution(
            instance,
            **{"status": Status.UNKNOWN, "bound": bound},
            proof=Proof(Grade.CHECKED, name),
        )
        where = "".join(c if c.isalnum() else "-" for c in f"{instance.name}-{name}")
        yield Answer(where, (file_of(instance), part))


# Submeshes


def packings() -> Iterator[Answer]:
    """Yield answers that boxes do not fit, with certificates of all kinds."""
    fixed = [Resident(box, fixed=True) for box in ((0, 0, 1, 1), (2, 2, 3, 3))]
    middle = Submesh("middle", (5, 5), (Resident((2, 2, 2, 2), fixed=True),), (3, 3))
    around = Submesh("around", (4, 4), tuple(fixed), (2, 3), torus=True)
    pair = Submesh("pair", (5, 5), (Resident((0, 0, 2, 2)),), (3, 3))
    columns = tuple(map(Resident, ((0, 0, 1, 2), (0, 3, 1, 6), (2, 0, 3, 2))))
    beside = Submesh("beside", (5, 7), columns, (2, 5))
    for instance, certificate in (
        (pair, {"kind": "pair", "items": [0, 1]}),
        (pair, {"kind": "stack", "axis": 0, "items": [0, 1]}),
        (middle, {"kind": "no place", "item": 1}),
        (around, {"kind": "no place", "item": 2}),
        (pair, {"kind": "dual feasible", "functions": [["u", 1], ["u", 1]]}),
        (
            beside,
            {"kind": "dual feasible", "functions": [["count", 2], ["identity", 1]]},
        ),
    ):
        kind = certificate["kind"]
        assert isinstance(kind, str)
        part = infeasible(instance, Proof(Grade.CHECKED, kind), certificate)
        name = f"{instance.name}-{kind.replace(' ', '-')}"
        yield Answer(name, (file_of(instance), part))


def infeasible(instance: Instance, proof: Proof, certificate: Any = None) -> Part:
    """Return the file of a solution that there is no choice."""
    return solution(
        instance, status=Status.INFEASIBLE, proof=proof, certificate=certificate
    )
