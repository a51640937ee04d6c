"""The worst decisions of rules of schedulers on small machines, as files and words.

``python benchmarks/worst_decisions.py`` draws states and jobs as
``closeknit reproduce graded-rules`` does, keeps for every rule the job that fits and
finds no place, and the one with most domains more than needed (or most jobs that end),
makes each as small as it stays as bad, writes examples/jobs/worst-decisions, and prints
the paragraphs of docs/clusters/graded-rules.md.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from closeknit.clusters.rules.jobs import JOB_RULES, preempt_by_rule
from closeknit.formulations.cluster.answer import decide
from closeknit.formulations.cluster.changes.change import (
    RunningState,
    preempt,
)
from closeknit.formulations.cluster.constraints import (
    Apart,
    Groups,
    LeastDomains,
    MostPods,
    Slices,
)
from closeknit.formulations.cluster.job import GangJob, JobConstraint, JobPlacement
from closeknit.instances import InputError
from closeknit.instances.words import with_noun
from closeknit.papers.graded_rules.drawing import (
    KINDS,
    drawn_job,
    drawn_state,
    even_tree,
)
from closeknit.solvers import Settings, Status

FOLDER = Path(__file__).parents[1] / "examples" / "jobs" / "worst-decisions"
SIZES, EACH = (3, 3, 6), 4
TREE = even_tree(*SIZES)
_LIMIT = Settings(time_limit=5.0)
_WHOLE = KINDS[:4]
_FAILS = {
    "no place": ["kubernetes-5732", "volcano-hard", "kai"],
    "more": [
        *("kueue-best-fit", "kueue-least-free", "kubernetes-5732", "volcano-hard"),
        *("kai", "slurm-segment"),
    ],
    "ends": ["kueue-best-fit"],
}
"""The ten: what goes wrong, and with which rules."""


@dataclass(frozen=True)
class WorstDecision:
    """A decision, and how bad it is."""

    rule: str
    fail: str
    job: GangJob
    state: RunningState
    did: JobPlacement | None
    best: JobPlacement
    gone: tuple[str, ...] = ()
    fewest: tuple[str, ...] = ()
    cost: int = 0


def decision(
    rule: str, fail: str, job: GangJob, state: RunningState
) -> WorstDecision | None:
    """Return what a rule does wrong, if it does."""
    place = JOB_RULES[rule]
    try:
        job.refuse(TREE)
        if fail == "ends":
            exact = preempt(job, state, _LIMIT)
            if not exact.ends or exact.status is not Status.OPTIMAL:
                return None
            gone = preempt_by_rule(place, job, state)
            if gone is None or len(gone) <= len(exact.ends):
                return None
            did, best = place(job, state.without(gone)), exact.placement
            assert did is not None
            assert best is not None
            if job.violations(did, state.without(gone)):
                return None
            names = tuple(x.name for x in gone)
            cost = len(gone) - len(exact.ends)
            return WorstDecision(
                rule, fail, job, state, did, best, names, exact.ends, cost
            )
        found = decide(job, state.devices, _LIMIT)
        if found.status is not Status.OPTIMAL or found.placement is None:
            return None
        did = place(job, state.devices)
    except InputError:
        return None
    if did is None:
        wrong = fail == "no place"
        return (
            WorstDecision(rule, fail, job, state, None, found.placement)
            if wrong
            else None
        )
    if fail != "more" or job.violations(did, state.devices):
        return None
    assert found.objective is not None
    more = np.subtract(job.value(did, state.devices), found.objective)
    cost = int(more[0] * 10 + more[1])
    if cost <= 0:
        return None
    return WorstDecision(rule, fail, job, state, did, found.placement, cost=cost)


def smaller(one: WorstDecision) -> Iterator[tuple[GangJob, RunningState]]:
    """Yield the decision with fewer pods, running jobs or free nodes."""
    job, state = one.job, one.state
    for role in job.roles:
        for count in (role.count // 2, role.count - 2, role.count - 1):
            if 0 < count < role.count:
                yield job.resize({role.name: count}), state
    for group in [x for x in job.constraints if isinstance(x, Groups)]:
        counts = {
            x: job.role(x).count - n
            for x, n in zip(group.roles, group.sizes, strict=True)
        }
        if min(counts.values()) > 0:
            yield job.resize(counts), state
    for x in job.constraints:
        yield (
            replace(job, constraints=tuple(y for y in job.constraints if y != x)),
            state,
        )
    devices = state.devices
    if one.fail == "ends":
        for x in state.jobs:
            yield job, replace(state, jobs=tuple(y for y in state.jobs if y != x))
    for i in np.flatnonzero(devices.free > 0):
        free = devices.free.copy()
        free[i] = 0
        yield job, replace(state, devices=replace(devices, free=free))


def shrink(one: WorstDecision) -> WorstDecision:
    """Return the decision when nothing can be left out that does not make it better."""
    again = True
    while again:
        again = False
        for job, state in smaller(one):
            found = decision(one.rule, one.fail, job, state)
            if found is not None and found.cost >= one.cost:
                one, again = found, True
                break
    return one


def search(draws: int) -> list[WorstDecision]:
    """Return the worst decision of each of the ten kinds."""
    worst: dict[tuple[str, str], WorstDecision] = {}
    for i in range(draws):
        lots = random.Random(f"worst {i}")
        state = drawn_state(lots, TREE, EACH, lots.uniform(0.1, 0.7))
        for kind in KINDS:
            plain = drawn_job(lots, kind, state.devices)
            large = drawn_job(lots, kind, state.without(state.jobs))
            for fail, rules in _FAILS.items():
                if fail == "ends" and kind not in _WHOLE:
                    continue
                job = large if fail == "ends" else plain
                for rule in rules:
                    one = decision(rule, fail, job, state)
                    old = worst.get((rule, fail))
                    if one and (old is None or rank(one) < rank(old)):
                        worst[rule, fail] = one
    return [shrink(one) for one in worst.values()]


def rank(one: WorstDecision) -> tuple[int, int]:
    """Return the worst first, then the smallest."""
    return -one.cost, one.job.pods


def entry(one: JobConstraint) -> dict[str, Any]:
    """Return a constraint as closeknit/job has it."""
    match one:
        case Slices(level, roles, size):
            return (
                {"slices": {level: size}, "roles": [*roles]}
                if size < 10**6
                else {"within": level, "roles": [*roles]}
            )
        case Groups(level, roles, sizes):
            return {"groups": dict(zip(roles, sizes, strict=True)), "level": level}
        case MostPods(level, roles, most):
            return {"spread": level, "most_pods": most, "roles": [*roles]}
        case LeastDomains(level, roles, least):
            return {"spread": level, "least_domains": least, "roles": [*roles]}
        case Apart(level, roles):
            return {"apart": level, "roles": [*roles]}
    raise AssertionError(one)


def as_json(one: WorstDecision) -> dict[str, Any]:
    """Return a decision as a file has it; nodes are numbered from the first rack on."""
    roles = [
        {"name": x.name, "count": x.count}
        | ({} if x.devices is None else {"devices": x.devices})
        for x in one.job.roles
    ]
    found = {
        "rule": one.rule,
        "tree": SIZES,
        "devices": EACH,
        "free": one.state.devices.free.tolist(),
        "job": {
            "format": "closeknit/job",
            "version": 1,
            "roles": roles,
            "constraints": [entry(x) for x in one.job.constraints],
            "objective": [{"domains": x.level} for x in one.job.objective],
        },
        "did": one.did,
        "optimum": one.best,
    }
    if one.fail == "ends":
        found["running"] = [
            {
                "name": x.name,
                "nodes": {str(i): n for i, n in x.nodes.items()},
                "lost": x.lost,
            }
            for x in one.state.jobs
        ]
        found |= {"ends": one.gone, "fewest": one.fewest}
    return found


def words(one: WorstDecision, name: str) -> str:
    """Return a paragraph on a decision."""
    free = one.state.devices.free.reshape(-1, SIZES[-1])
    racks = []
    for v, row in enumerate(free.tolist()):
        some = [str(n) for n in row if n > 0]
        if some:
            racks.append(f"{v // SIZES[1]}/{v % SIZES[1]}: {', '.join(some)}")
    listed = "; ".join(racks) or "none"
    text = f"Free devices of the nodes by rack (of {EACH} each): {listed}."
    whole = "on whole nodes"
    asks = ", ".join(
        f"{x.count} of {x.name} "
        + (whole if x.devices is None else f"with {with_noun(x.devices, 'device')}")
        for x in one.job.roles
    )
    text += f" The job: {asks}"
    text += "".join(f"; {x.text}" for x in one.job.constraints) + ". "
    if one.fail == "ends":
        runs = "; ".join(
            f"{x.name} on {by_rack({str(x.lost): [*x.nodes]})}" for x in one.state.jobs
        )
        text += (
            f"Jobs run, in brackets what they lose: {runs}. "
            f"The rule ends {len(one.gone)} "
            f"({', '.join(one.gone)}); {len(one.fewest)} do ({', '.join(one.fewest)})."
        )
    elif one.did is None:
        text += f"The rule finds no place; {by_rack(one.best)} is one."
    else:
        text += f"The rule takes {by_rack(one.did)}; {by_rack(one.best)} would do."
    return f"**{name}.** {text}\n"


def by_rack(placed: JobPlacement) -> str:
    """Return how many pods of each role are in which racks."""
    found = []
    for role, nodes in placed.items():
        at = [int(TREE.home[i]) for i in nodes]
        some = ", ".join(f"{at.count(v)} in {TREE.names[v]}" for v in dict.fromkeys(at))
        found.append(f"{some} ({role})")
    return ", ".join(found)


def main() -> None:
    """Search, write the files, and print the paragraphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    args = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for one in search(args.draws):
        name = f"{one.rule}-{one.fail.replace(' ', '-')}"
        text = json.dumps(as_json(one), indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")
        print(words(one, name), flush=True)


if __name__ == "__main__":
    main()
