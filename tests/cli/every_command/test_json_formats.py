"""JSON answers name format and version, and have the fields of their schema only."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from closeknit.cli.app import parse, run
from closeknit.cli.select import command as select
from closeknit.clusters.jobs import placing
from closeknit.formulations.cluster import proof
from closeknit.formulations.cluster.changes import change
from closeknit.formulations.cluster.conflict import find_clash
from closeknit.solvers import Limit
from closeknit.solvers.running.kernels import interpreted

from ...clusters.pods import grid_rows, pod_csv
from ...paths import ROOT

CASES = ROOT / "examples" / "grade"
TREE = (
    "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b\n"
)
MESH = "# torus 5x5\nnode,x,y\n" + "".join(
    f"n{x}{y},{x},{y}\n" for x in range(5) for y in range(5)
)
CUBE, CHIP = (2, 2, 2), (1, 1, 1)
POD = pod_csv("mesh 2x2x6", grid_rows((2, 2, 6), CHIP), CUBE, CHIP)
LINKS = "a,b,capacity\na,t,200\nt,b,100\nb,b1,100\n"
RACK, ROW = "topology.kubernetes.io/zone", "example.com/row"


def report(kind: str, *rows: Any) -> str:
    return json.dumps({kind: rows})


def job(roles: dict[str, int], *constraints: Any) -> str:
    listed = [{"name": name, "count": count} for name, count in roles.items()]
    head = {"format": "closeknit/job", "version": 1}
    return json.dumps({**head, "roles": listed, "constraints": constraints})


FILES = {
    "TREE": TREE,
    "LINKS": LINKS,
    "MESH": MESH,
    "POD": POD,
    "NODES": json.dumps(
        {
            "kind": "NodeList",
            "items": [
                {
                    "metadata": {
                        "name": f"{rack}{i}",
                        "labels": {RACK: rack, ROW: f"{rack}{i // 2}"},
                    },
                    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
                }
                for rack in "ab"
                for i in range(4)
            ],
        }
    ),
    "SINFO": report(
        "sinfo",
        *(
            {"node": {"state": states}, "nodes": {"nodes": [nodes]}}
            for states, nodes in (
                (["IDLE", "POWERED_DOWN"], "a[1-2],b[1-4]"),
                (["IDLE", "PLANNED"], "a3"),
                (["DOWN"], "a4,z1"),
            )
        ),
    ),
    "PARTS": report(
        "sinfo",
        *(
            {
                "node": {"state": ["IDLE"]},
                "nodes": {"nodes": [nodes]},
                "partition": {"name": name},
            }
            for nodes, name in (("a[1-4]", "cpu"), ("b[1-4]", "gpu"))
        ),
    ),
    "SQUEUE": report(
        "jobs",
        {"job_id": 1, "job_state": ["RUNNING"], "nodes": "a1"},
        {"job_id": 2, "job_state": ["COMPLETING"], "nodes": "a2"},
        {"job_id": 3, "job_state": ["SUSPENDED"], "nodes": "b1"},
    ),
    "JOBS": '{"id": "7", "nodes": "a1,b1"}\n',
    "BATCH": "#!/bin/sh\n#SBATCH -N 9 --segment=2 --time=3\n",
    "APART": job({"w": 3, "l": 1}, {"apart": "switch"}),
    "MIXED": job(
        {"w": 8, "l": 1}, {"apart": "switch"}, {"within": "switch", "roles": ["w"]}
    ),
    "PROOF": "",
    "BUSY": json.dumps(
        {
            "format": "closeknit/running-jobs",
            "version": 1,
            "jobs": [{"name": "7", "nodes": "a[1-4],b1"}],
        }
    ),
    "GRADED": "".join(
        json.dumps({"job": {"name": name, "k": 2, **more}, "busy": "", "chosen": on})
        + "\n"
        for name, on, more in (
            ("1", "a1,b1", {}),
            ("2", "z9,b1", {}),
            ("3", "a1,b1", {"segment": 2}),
        )
    ),
    "SPREAD": json.dumps(
        {"job": {"name": "1", "k": 5}, "busy": "n22", "chosen": "n[00,11,23,34,42]"}
    ),
    "SWF": "; Version: 2\n"
    + "".join(
        f"{i} {10 * i} -1 {60 + 7 * i} {n} {'-1 ' * 3}200 {'-1 ' * 8}-1\n"
        for i, n in ((1, 3), (2, 9999), (3, 6))
    ),
}
COMMANDS = [
    "select --topology POD --slice 2x2x4 --json",
    "why --topology POD --slice 2x2x4 --busy h002 --json",
    "select --topology TREE -k 3 --busy a1 --json",
    "select --topology TREE -k 3 --format json --map ring",
    "select --topology TREE -k 5 --objective links --links LINKS --json",
    "select --topology TREE -k 5 --objective links --links LINKS --proof PROOF --json",
    "select --topology TREE -k 5 --objective links --links LINKS --proof PROOF "
    "--time-limit 1e-9 --json",
    "select --topology TREE -k 9 --json",
    "select --topology TREE -k 2 --state SINFO --json",
    "select --topology NODES -k 2 --json",
    "select --topology MESH -k 4 --time-limit 1e-9 --json",
    "select --topology NODES -k 2 --format kubernetes",
    "select --topology TREE --job APART --state SINFO --json",
    "select --topology TREE --job BATCH --proof PROOF --json",
    "select --topology TREE --job MIXED --proof PROOF --time-limit 1e-9 --json",
    "select --topology TREE --job APART --time-limit 1e-9 --json",
    "select --config drakenberg-figure-6 --queue cluster --pes 8 --json",
    "select --config drakenberg-figure-6 --queue standby --pes 8 --json",
    "why --topology TREE -k 6 --busy a[1-3] --json",
    "why --topology TREE -k 3 --json",
    "why --topology TREE -k 5 --objective links --links LINKS --json",
    "why --topology TREE -k 9 --json",
    "why --topology TREE -k 8 --state JOBS SINFO --json",
    "why --topology TREE -k 8 --segment 4 --state JOBS --assume-up --json",
    "why --topology TREE -k 8 --busy a1 --segment 4 --time-limit 1e-9 --json",
    "fragmentation --topology TREE --busy a1 --sizes 2 --json",
    "fragmentation --topology TREE --state SINFO --json",
    "fragmentation --topology MESH --busy n11 --json",
    "defrag --topology TREE --state JOBS --assume-up --json",
    "defrag --topology TREE --state JOBS SINFO --json",
    "defrag --topology TREE --state JOBS --assume-up --fit 4 --json",
    "defrag --topology TREE --state JOBS --assume-up --time-limit 1e-9 --json",
    "defrag --topology TREE --state SQUEUE PARTS --json",
    "change preempt --topology TREE -k 4 --state JOBS SINFO --json",
    "change repair --topology TREE --placed a[1-2] --failed a2 --json",
    "change drain --topology TREE --state JOBS --assume-up --json",
    "change drain --topology TREE --state JOBS --assume-up --count 2 --json",
    "change preempt --topology TREE -k 9 --state JOBS SINFO --json",
    "change drain --topology TREE --state JOBS --assume-up --time-limit 1e-9 --json",
    "change preempt --topology TREE --job APART --running BUSY --proof PROOF --json",
    "change preempt --topology TREE --job MIXED --running BUSY --proof PROOF --json",
    "why --topology TREE -k 6 --state PARTS --partition gpu --json",
    "grade --topology TREE GRADED --json",
    "grade --topology MESH SPREAD --time-limit 1e-9 --json",
    "grade --topology TREE GRADED --max-ratio 1.1 --json",
    "whatif --topology TREE --trace SWF --json",
]
ENDED = [
    "select --topology TREE --job MIXED --proof PROOF --json -",
    "change preempt --topology TREE --job MIXED --running BUSY --proof PROOF --json -",
    "change preempt --topology TREE --job APART --running BUSY --proof PROOF --json -",
]
"""Commands of which a limit ends the proofs, and the search for what would help."""
REQUESTS = b'{"queue": "cluster", "pes": 8}\n{"queue": "none", "pes": 8}\n'
SERVED = "select --config drakenberg-figure-6 --serve"


def schema_of(document: dict[str, Any]) -> dict[str, Any]:
    name = document["format"].removeprefix("closeknit/")
    file = ROOT / "docs" / "schema" / f"{name}.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert found["title"] == f"closeknit/{name}, version 1"
    return found


def strict(schema: Any) -> Any:
    """Return a schema by which objects have the named fields only."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    if (
        isinstance(schema.get("properties"), dict)
        and "additionalProperties" not in schema
    ):
        found["additionalProperties"] = False
    return found


def fields_of(schema: dict[str, Any], place: str) -> Iterator[str]:
    for name, below in schema.get("properties", {}).items():
        yield f"{place}.{name}"
        yield from fields_of(below, f"{place}.{name}")
    if "items" in schema:
        yield from fields_of(schema["items"], place)


def places_in(value: Any, place: str) -> Iterator[str]:
    for name, below in value.items() if isinstance(value, dict) else ():
        yield f"{place}.{name}"
        yield from places_in(below, f"{place}.{name}")
    for below in value if isinstance(value, list) else ():
        yield from places_in(below, place)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Run all commands; return what they wrote, by command."""
    folder = tmp_path_factory.mktemp("json")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    found = {}
    for line in (*COMMANDS, *ENDED):
        words = [str(folder / w) if w in FILES else w for w in line.split()]
        with pytest.MonkeyPatch.context() as patch, interpreted():
            if line in ENDED:
                end_early(patch)
            patch.setattr("sys.stdout", out := io.StringIO())
            run(words)
        text = out.getvalue()
        assert text, line
        found[line] = [
            json.loads(one)
            for one in (text.splitlines() if line.startswith("grade") else [text])
        ]
    found[SERVED] = served()
    return found


def end_early(patch: pytest.MonkeyPatch) -> None:
    def search(job: Any, tree: Any, fits: Any, deadline: float) -> Any:
        return find_clash(job, tree, fits, 0.0)

    for module in (placing, change):
        patch.setattr(module, "find_clash", search)
    for name in ("prove_no_fit", "prove_impossible"):
        patch.setattr(proof, name, lambda *_: Limit.TIME)


def served() -> list[Any]:
    """Serve requests as `select --serve` does; return its answers."""
    (source, given), (taken, sink) = os.pipe(), os.pipe()
    os.write(given, REQUESTS)
    os.close(given)
    args = parse(SERVED.split())[0]
    with pytest.MonkeyPatch.context() as patch, interpreted():
        patch.setattr("sys.stdin", os.fdopen(source))
        patch.setattr("sys.stdout", stream := os.fdopen(sink, "w"))
        args.free = ["all"]
        assert select._serve(args, None) == 0
    stream.close()
    with os.fdopen(taken) as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("line", [*COMMANDS, *ENDED, SERVED])
def test_an_answer_obeys_the_schema_of_its_format(
    line: str, answers: dict[str, list[Any]]
) -> None:
    assert answers[line]
    for document in answers[line]:
        schema = schema_of(document)
        assert line == SERVED or list(document)[:2] == ["format", "version"]
        Draft202012Validator.check_schema(schema)
        checked = Draft202012Validator(strict(schema))
        assert not [error.message for error in checked.iter_errors(document)]
        without = {key: document[key] for key in document if key != "format"}
        for other in (without, {**document, "version": 2}, {**document, "new": 1}):
            assert list(checked.iter_errors(other))


def test_every_field_of_the_schemas_is_written(answers: dict[str, list[Any]]) -> None:
    documents = [one for listed in answers.values() for one in listed]
    written = {place for one in documents for place in places_in(one, one["format"])}
    schemas = {one["format"]: schema_of(one) for one in documents}
    named = {
        place for form, schema in schemas.items() for place in fields_of(schema, form)
    }
    assert sorted(named - written) == []
