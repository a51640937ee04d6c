"""Answers of the corpus with pseudo-Boolean proofs, and in other formats of files."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from closeknit.instances import (
    Instance,
    KSubset,
    Mesh,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    cost,
    read_instance,
)
from closeknit.instances.result import LOGGED
from closeknit.instances.submesh import Resident
from closeknit.proofs.checking.formulas import formula_of
from closeknit.solvers import Status
from tests.forging.small_proofs import branching_proof, cheapest_assignment

from .corpus import (
    Answer,
    Part,
    best,
    file_of,
    infeasible,
    networks,
    rare_steps,
    solution,
)

# Pseudo-Boolean proofs


def answer_by_log(instance: Instance, chosen: Sequence[int], version: str) -> Answer:
    """Return an answer that branching proves; there is none if nothing is chosen."""
    formula = formula_of(instance)
    price = cost(instance, chosen) if chosen else None
    true = cheapest_assignment(formula) if chosen else None
    proof = Part(".pbp", "".join(branching_proof(formula, true, version)).encode())
    claimed = {"chosen": tuple(chosen), "objective": price, "bound": price}
    part = (
        solution(instance, status=Status.OPTIMAL, **claimed, proof=LOGGED)
        if chosen
        else infeasible(instance, LOGGED)
    )
    return Answer(f"{instance.name}-log", (file_of(instance), part, proof))


SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6, required=(2,))


def logs() -> Iterator[Answer]:
    """Yield answers of each problem with pseudo-Boolean proofs."""
    for instance in networks():
        if instance.name in ("priced", "ring", "table"):
            yield answer_by_log(instance, best(instance), "3.0")
    moved = Submesh(
        "moved",
        (3, 3),
        (Resident((1, 1, 1, 1)),),
        *((2, 3),),
        rotate=True,
        blocked=((0, 0),),
    )
    yield answer_by_log(moved, (1, 0, 2, 2, *(0, 0, 1, 0, 1)), "2.0")
    around = Submesh(
        "moved-around", (3, 3), (Resident((1, 1, 1, 1)),), (1, 3), torus=True
    )
    yield answer_by_log(around, (0, 0, 0, 2), "3.0")
    sets = ProcessorSet("s", (0, 1), (0, 1)), ProcessorSet("t", (1, 2), (2, 0))
    yield answer_by_log(
        ProcSet("sets", ("a", "b", "c"), (0, 1), 1, sets, required=(0,)), (0,), "3.0"
    )
    yield answer_by_log(SACK, (1, 2), "2.0")
    busy = KSubset("busy", Mesh(3, 2), tuple(Mesh(3, 2).locations())[1:], 2)
    yield answer_by_log(busy, best(busy), "3.0")
    full = Submesh("no-room", (3, 3), (Resident((1, 1, 1, 1), fixed=True),), (2, 2))
    yield answer_by_log(full, (), "2.0")


COVER = b"""* #variable= 3 #constraint= 3
min: +1 xa +1 xb +1 xc ;
+1 xa +1 xb >= 1 ;
+1 xb +1 xc >= 1 ;
+1 xa +1 xc >= 1 ;
"""
STEPS = {
    "1.1": """l 1
l 2
l 3
e 1 +1 xa +1 xb >= 1
* the second is no dearer than the first
red +1 xa +1 ~xb >= 1 ; xa -> xb xb -> xa
o xa xb ~xc
u +1 xa >= 1
u >= 1
c -1""",
    "2.0": """f 3
red +1 z1 +1 ~xa >= 1 ; z1 1
p 1 2 + 3 + 2 d
soli xa xb ~xc
core id 1
d 4
p 5 s 6 +
rup >= 1 ; 7
output NONE
conclusion BOUNDS 2 2
end pseudo-Boolean proof""",
    "3.0": """f 3;
@half pol 1 2 + 3 + 2 d;
e +1 xa +1 xb +1 xc >= 2 : @half;
sol xa xb ~xc;
del range 1 3;
conclusion BOUNDS 2 : @half 2;
end pseudo-Boolean proof;""",
}
"""Proofs that two nodes of a triangle are needed, in statements of each version."""


def formulas() -> Iterator[Answer]:
    """Yield formulas with proofs."""
    for version, steps in STEPS.items():
        text = f"pseudo-Boolean proof version {version}\n{steps}\n"
        proof = Part(".pbp", text.encode())
        yield Answer(f"cover-{version}", (Part(".opb", COVER), proof))


# Other formats of files

TEXTS = {
    "pmed": "4 4 2\n1 2 3\n2 3 4\n3 4 1\n1 4 9\n",
    "cluster": "4 3 4\n1 2 0.5\n2 3 0.5\n3 4 0.5\n1 3 0.5\n",
    "sukp": """m=3 n=3 knapsack size=6
The profit of 3 items:
5 4 3
The weight of 3 elements:
3 3 3
Relation matrix:
1 1 0
0 1 1
0 0 1
""",
}
RECOUNT = {
    **{"format": "closeknit/recount", "version": 1, "pods": 5, "sizes": []},
    **{"most": [], "parent": [-1], "height": [0], "home": [0, 0], "room": [2, 2]},
}


def texts() -> Iterator[Answer]:
    """Yield answers about instances in other people's formats."""
    with TemporaryDirectory() as folder:
        for name, text in TEXTS.items():
            path = Path(folder) / f"{name}.txt"
            path.write_text(text)
            instance = read_instance(path)
            chosen = (1, 2) if name == "sukp" else best(instance)
            files = answer_by_log(instance, chosen, "3.0").files
            yield Answer(name, (Part(".txt", text.encode()), *files[1:]))


def others() -> Iterator[Answer]:
    """Yield what is packed otherwise, and a certificate of counting."""
    instance, answer, proof = next(rare_steps()).files
    body = lzma.decompress(proof.content)
    packed = Part(".json.xz", lzma.compress(instance.content))
    yield Answer("gz", (packed, answer, Part(".gz", gzip.compress(body))))
    yield Answer("recount", (Part(".recount.json", json.dumps(RECOUNT).encode()),))
