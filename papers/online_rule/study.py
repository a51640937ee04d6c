"""Whether optimal single decisions do badly in the long run, and what does better.

Bender et al. 2008 leave it open how a stream should be placed. Everyone places the
same stream from beginning to end; what is compared is the second half of the jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...heuristics.allocation.thrifty import REGARD
from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Cell, Document, Finding, Section, Table
from ..bender2008_table1.entries import relative
from ..bender2008_table1.parts import OPTIMAL
from ..bender2008_table1.study import MESH
from ..catalogue import RunOptions
from .runs import NODES, REGARDS, RULE, Race, lineup, races, states


def study(options: RunOptions) -> Document:
    """Place a stream by all strategies, the rule, and the optimum of every step."""
    shape = options.mesh or MESH
    rivals, missing = lineup(shape)
    about, ways = states(options, shape)
    found = list(races(ways, rivals, shape, options))
    sections = [_section(race) for race in found]
    return Document(
        name="online-rule",
        title=f"Placing a stream: {RULE} against the strategies of the papers, "
        f"{'x'.join(map(str, shape))} mesh",
        source="Bender et al. 2008, section 5, the open question at its end",
        lead=(_summary(found),),
        findings=(
            _corner(found),
            _worse_is_better(found),
            _beats(found, tuned=False),
            _beats(found, tuned=True),
        ),
        sections=(*sections, _tuning(found)),
        notes=(
            *about,
            *(f"{race.state.name}: {race.state.about}" for race in found),
            "Strict first come first served: no strategy here refuses a job, so that "
            "all of them see the same starts and ends, and differences are paired by "
            "job. The rule looks at nothing but what is free and at k.",
            "Everybody places the whole stream; the second half of the jobs is judged. "
            f"The weight of the rule, {REGARD}, was set once for all streams, on jobs "
            "that are not judged where whole traces are run "
            "(docs/papers/online-rule.md).",
            f"An optimum is searched for by auto, to at most {NODES} nodes; the best "
            "that is found is taken.",
            "Intervals: 95 %, circular block bootstrap over consecutive jobs, 2000 "
            "streams of blocks as long as the square root of the number of jobs; both "
            "sides of a comparison are given the same blocks.",
            *((f"Left out: {'; '.join(missing)}.",) if missing else ()),
        ),
    )


def gain(race: Race, name: str) -> Estimate:
    """By how many per cent a strategy is above the rule over the second half."""
    return relative(race.judged(RULE), race.judged(name))


def _summary(found: Sequence[Race]) -> str:
    against = "; ".join(
        f"{race.state.name}: {race.best} is {gain(race, race.best)} % above {RULE}"
        for race in found
    )
    return (
        f"Mean pair sum over the judged half, the best strategy of the papers against "
        f"{RULE}: {against}. {_corner(found).ours.capitalize()}."
    )


def _corner(found: Sequence[Race]) -> Finding:
    """Compare optimal decisions with the best strategy of the same information."""
    gaps = []
    for race in found:
        if OPTIMAL in race.costs:
            best = min((RULE, race.best), key=lambda name: int(race.judged(name).sum()))
            gap = relative(race.judged(best), race.judged(OPTIMAL))
            gaps.append((race.state.name, best, gap))
    return Finding(
        claim="deciding optimally at each step paints one into a corner: another rule, "
        "which sees no more, places the stream better",
        paper="seems so for mm-inc",
        ours="deciding optimally is "
        + "; ".join(f"{gap} % above {best} ({name})" for name, best, gap in gaps),
        holds=all(gap.sign > 0 for _, _, gap in gaps) if gaps else None,
        criterion="deciding optimally is above the best other one with a 95 % interval "
        "above 0, on every stream",
    )


def _worse_is_better(found: Sequence[Race]) -> Finding:
    """List the strategies of the papers that surely do better than optimal steps."""
    parts, always = [], True
    for race in found:
        if OPTIMAL not in race.costs:
            continue
        gaps = {
            name: relative(race.judged(name), race.judged(OPTIMAL))
            for name in race.rivals
            if name != OPTIMAL
        }
        sure = [name for name, gap in gaps.items() if gap.sign > 0]
        always &= bool(sure)
        best = race.best
        parts.append(
            f"{', '.join(sure) or 'none'} ({race.state.name}; the best, {best}: "
            f"{gaps[best]} %, mm-inc: {gaps['mm-inc']} %)"
        )
    return Finding(
        claim="strategies of the papers whose single decisions are worse than optimal "
        "place the stream better",
        paper="hilbert/best-fit",
        ours="surely better than deciding optimally: " + "; ".join(parts),
        holds=always if parts else None,
        criterion="on every stream there is at least one that deciding optimally is "
        "above with a 95 % interval above 0",
        remark="in brackets by how much deciding optimally is above them",
    )


def _beats(found: Sequence[Race], *, tuned: bool) -> Finding:
    """Count the comparisons with the papers' strategies that are surely won."""
    gaps = {
        (race, name): relative(
            race.tuned if tuned else race.judged(RULE), race.judged(name)
        )
        for race in found
        for name in race.rivals
        if name != OPTIMAL
    }
    unsure = [
        f"{name} {gap} ({race.state.name})"
        for (race, name), gap in gaps.items()
        if gap.sign <= 0
    ]
    least = min(gaps.values(), key=lambda gap: gap.value)
    how = f" with its weight of {REGARD} for all streams"
    if tuned:
        how = " with the weight that the first half of the same stream chooses: "
        how += ", ".join(f"{race.weight} ({race.state.name})" for race in found)
    return Finding(
        claim=f"{RULE} beats every strategy of the papers on mean pair sum{how}",
        paper="",
        ours=f"by more than chance in {len(gaps) - len(unsure)} of {len(gaps)} "
        f"comparisons, least {least} %",
        holds=not unsure,
        criterion="every other one is above it with a 95 % interval above 0",
        remark="not sure: " + "; ".join(unsure) if unsure else "",
    )


def _section(race: Race) -> Section:
    rows: list[dict[str, Cell]] = []
    for name in (RULE, *race.rivals):
        judged = None if name == RULE else gain(race, name)
        early = (race.costs[one][: race.half] for one in (RULE, name))
        rows.append(
            {
                "*strategy": name,
                "mean pair sum": float(race.judged(name).mean()),
                f"above {RULE}, %": judged.value if judged else None,
                "from": judged.low if judged else None,
                "to": judged.high if judged else None,
                "the same, first half": relative(*early).value if judged else None,
            }
        )
    table = Table.of(
        "stream_" + race.state.name.replace(" ", "_").replace(".", ""),
        f"Mean pair sum over the last {len(race.judged(RULE))} jobs, and by how much "
        f"it is above {RULE}",
        rows,
    )
    text = [race.state.about]
    if race.looked:
        text.append(
            f"Of the {race.looked} decisions of {OPTIMAL} for more than one processor "
            f"{race.proved} are proved."
        )
    return Section(
        title=f"Who places the stream: {race.state.name}",
        text=tuple(text),
        tables=(table,),
    )


def _tuning(found: Sequence[Race]) -> Section:
    rows: list[dict[str, Cell]] = []
    for regard in REGARDS:
        row: dict[str, Cell] = {"*weight": str(regard)}
        for race in found:
            own, plain, half = race.tried[regard], race.tried[REGARDS[0]], race.half
            for name, part in (("first", slice(half)), ("second", slice(half, None))):
                gap = relative(plain[part], own[part])
                row[f"{race.state.name}, {name} half"] = gap.value
        rows.append(row)
    gaps = "; ".join(
        f"{race.weight} ({race.state.name}): "
        f"{relative(race.tuned, race.judged(RULE))} %"
        for race in found
    )
    table = Table.of(
        "weights",
        "Mean pair sum of the rule by its weight, in per cent above weight 0, which "
        "looks at the present job alone",
        rows,
    )
    return Section(
        title="The weight of what is left over",
        text=(
            "The weight that is best on a first half, and by how much the rule as "
            f"shipped ({REGARD}) is above it on the second: {gaps}.",
        ),
        tables=(table,),
    )
