"""Slurm's topology.conf, and the same words as ``scontrol show topology`` prints.

Tree: ``SwitchName=``, ``Switches=``, ``Nodes=``. Block: ``BlockName=``, ``Nodes=``,
``BlockSizes=``. Ring: ``RingName=``, ``Nodes=``. Lines are read as by Slurm's
``src/common/parse_config.c``: keys in any case; a value that is quoted may have blanks;
a backslash escapes the next character, and at the end of a line joins the next line to
it without a blank; ``#`` begins a comment. Unlike there, ``Key= Next=value`` has an
empty value, as ``scontrol`` prints it, and ``Include`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from ...instances import Torus
from ...scheduler.hostlist import first_repeated
from .fabric import Cluster, Fabric, FabricKind, Hierarchy, Space
from .switch_trees import SourceFile, Switch, cluster_of, left_out

_PAIR = re.compile(
    r"\s*(?P<key>[A-Za-z]\w*)\s*=(?:\s+(?=[A-Za-z]\w*\s*=)|\s*"
    r'(?:"(?P<quoted>[^"]*)"|(?P<value>[^\s="]*))(?=\s|$))'
)
_SHOWN = re.compile(r"(?:[^\\#]|\\.|\\$)*")
"""What precedes a comment."""
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*(?P<mark>\\\s*)$")
_INCLUDE = re.compile(r"^[ \t]*include[ \t]+\S", re.IGNORECASE | re.MULTILINE)
_KNOWN = {
    "switchname": ("switches", "nodes", "linkspeed", "level"),
    "blockname": ("nodes", "blockindex", "blocksize"),
    "aggregatedblock": ("nodes", "blockindex", "blocksize"),
    "ringname": ("nodes", "ringindex", "ringsize"),
    "blocksizes": (),
}
"""The key that begins a line, and those that may follow it."""
MOST_RING = 2**16
_MOST_SIZES = 16
_Line = tuple[int, dict[str, str]]


def looks_like_slurm_conf(text: str) -> bool:
    """Whether a line begins with a key of topology.conf."""
    keys = "|".join(_KNOWN)
    flags = re.IGNORECASE | re.MULTILINE
    return bool(re.search(rf"^\s*(?:{keys})\s*=", text, flags) or _INCLUDE.search(text))


def read_slurm_conf(text: str, where: SourceFile) -> Cluster:
    """Build a cluster from a topology.conf; raises InputError with the line."""
    lines = [
        _pairs(number, line, where) for number, line in _logical_lines(text, where)
    ]
    first = {next(iter(pairs)) for _, pairs in lines}
    if "ringname" in first:
        refuse_mixture(first, "ringname", lines, where)
        rings = [
            (
                number,
                _only_name(number, pairs["ringname"], where, "RingName"),
                _list_names(number, pairs, "nodes", where),
            )
            for number, pairs in lines
        ]
        return rings_of("Slurm topology.conf", rings, where)
    if first & {"blockname", "blocksizes"}:
        return _blocks(lines, first, where)
    return _tree(lines, where)


def _tree(lines: Sequence[_Line], where: SourceFile) -> Cluster:
    """Build a tree; upper switches may repeat the nodes below, as scontrol does."""
    refuse_mixture({next(iter(p)) for _, p in lines}, "switchname", lines, where)
    switches, repeated = [], []
    speeds: list[tuple[int, str, str, Decimal]] = []
    for number, pairs in lines:
        name = _only_name(number, pairs["switchname"], where, "SwitchName")
        below = _list_names(number, pairs, "switches", where)
        nodes = _list_names(number, pairs, "nodes", where)
        if below and nodes:
            if "level" not in pairs:
                where.fail(number, "has both Switches and Nodes", "SwitchName", name)
            repeated.append((number, nodes))  # of scontrol: those of all switches below
            nodes = []
        switches.append(Switch(name, number, below, nodes))
        if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", speed := pairs.get("linkspeed", "")):
            speeds.append((number, name, "", Decimal(speed)))
    known = {node for switch in switches for node in switch.nodes}
    for number, nodes in repeated:
        if lost := [node for node in nodes if node not in known]:
            where.fail(number, "is at no switch without Switches", "Nodes", lost[0])
    lower = {name for switch in switches for name in switch.children}
    cables = tuple(one for one in speeds if one[1] in lower)
    cluster = cluster_of("Slurm topology.conf", switches, where)
    return replace(cluster, cables=cables if len(cables) == len(lower) else ())


def _blocks(lines: Sequence[_Line], first: set[str], where: SourceFile) -> Cluster:
    if "switchname" in first:
        refuse_mixture(first, "blockname", lines, where)
    blocks: list[Switch] = []
    sizes: list[int] = []
    for number, pairs in lines:
        if "blocksizes" in pairs:
            if sizes:
                where.fail(number, "is given twice", "BlockSizes")
            sizes = [
                block_size(number, size, where)
                for size in pairs["blocksizes"].split(",")[: _MOST_SIZES + 1]
            ]
        elif "blockname" in pairs:
            name = _only_name(number, pairs["blockname"], where, "BlockName")
            nodes = _list_names(number, pairs, "nodes", where)
            blocks.append(Switch(name, number, (), nodes))
    shown = {p["blocksize"] for _, p in lines if "blocksize" in p}  # by scontrol
    sizes = sizes or sorted(block_size(0, size, where) for size in shown)
    aggregates = [line for line in lines if "aggregatedblock" in line[1]]
    _check_aggregates(aggregates, blocks, sizes or [1], where)
    return blocks_of("Slurm topology.conf", blocks, sizes, where)


def _check_aggregates(
    lines: Sequence[_Line],
    blocks: Sequence[Switch],
    sizes: Sequence[int],
    where: SourceFile,
) -> None:
    """Refuse aggregates that are not what BlockSizes make of successive blocks."""
    place = {block.name: i for i, block in enumerate(blocks)}
    for number, pairs in lines:
        text = pairs["aggregatedblock"]
        size = block_size(number, pairs.get("blocksize", ""), where)
        names = where.names(number, text, "AggregatedBlock")
        for name in names:
            if name not in place:
                where.fail(number, "no such block", "AggregatedBlock", name)
        width = max(1, size // sizes[0])
        begin = place[names[0]] // width * width
        if names != [block.name for block in blocks[begin : begin + width]]:
            problem = f"is no aggregate of {size} nodes as BlockSizes make them"
            where.fail(number, problem, "AggregatedBlock", text)


def blocks_of(
    source: str, blocks: Sequence[Switch], sizes: Sequence[int], where: SourceFile
) -> Cluster:
    """Build blocks, with one level for every size above the first.

    A size counts nodes; as in Slurm each is a power of two times the one before, and
    that many successive blocks form a larger one. Blocks without nodes count there.
    """
    if not blocks:
        where.fail(0, "has no blocks")
    if len(sizes) > _MOST_SIZES:
        where.fail(0, f"has more than {_MOST_SIZES} block sizes")
    domains: list[Switch] = [Switch(b.name, b.line, (), b.nodes) for b in blocks]
    names, current = ["block"], [block.name for block in blocks]
    for before, size in pairwise(sizes):
        times = size // before
        if size % before or times < 2 or times & (times - 1):
            where.fail(0, f"must be a power of two times {before}", "BlockSizes", size)
        groups = [current[i : i + times] for i in range(0, len(current), times)]
        made = [f"{size}-nodes-{i + 1}" for i in range(len(groups))]
        domains += [
            Switch(name, 0, group) for name, group in zip(made, groups, strict=True)
        ]
        names.append(f"group{size}")
        current = made
    if len(current) > 1:
        domains.append(Switch("all-blocks", 0, current))
        names.append("machine")
    cluster = cluster_of(source, domains, where, kind=FabricKind.BLOCKS, levels=names)
    [fabric] = cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    occupied = set(fabric.domains)
    places = tuple(i for i, block in enumerate(blocks) if block.name in occupied)
    fabric = replace(fabric, block_sizes=tuple(sizes), block_places=places)
    return replace(cluster, fabrics=(fabric,))


def block_size(line: int, text: object, where: SourceFile) -> int:
    """Read a block size."""
    if not re.fullmatch(r"[1-9]\d{0,6}", str(text), re.ASCII):
        where.fail(line, "must be a positive integer", "BlockSizes", text)
    return int(str(text))


def rings_of(
    source: str, rings: Sequence[tuple[int, str, Sequence[str]]], where: SourceFile
) -> Cluster:
    """Build a torus of one axis for every ring of line, name and nodes in order."""
    fabrics: list[Fabric] = []
    for line, name, nodes in rings:
        if len(nodes) > MOST_RING:
            where.fail(line, f"has more than {MOST_RING} nodes", "ring", name)
        if nodes:
            torus = Torus(len(nodes))
            sites = tuple((i,) for i in range(len(nodes)))
            words = f"ring {name}"
            fabrics.append(Space(FabricKind.PRODUCT, tuple(nodes), torus, sites, words))
    refuse_sharing(rings, where)
    empty = left_out([name for _, name, nodes in rings if not nodes])
    return Cluster(source, tuple(fabrics), empty)


def refuse_sharing(
    parts: Sequence[tuple[int, str, Sequence[str]]], where: SourceFile
) -> None:
    """Refuse parts of line, name and nodes of which two have a name or node."""
    if name := first_repeated(name for _, name, _ in parts):
        where.fail(parts[0][0], "is defined twice", "name", name)
    if node := first_repeated(node for _, _, nodes in parts for node in nodes):
        lines = [line for line, _, nodes in parts if node in nodes]
        where.fail(lines[-1], "is listed twice", "nodes", node)


def refuse_mixture(
    first: set[str], wanted: str, lines: Sequence[_Line], where: SourceFile
) -> None:
    """Refuse lines of another plugin than the one that was recognised."""
    if first - {wanted}:
        number, key = next(
            (number, next(iter(pairs)))
            for number, pairs in lines
            if next(iter(pairs)) != wanted
        )
        where.fail(number, f"cannot stand beside {wanted}", key)


def _logical_lines(text: str, where: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield lines without comments, with their numbers; join continued ones."""
    begun, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if _INCLUDE.match(line) and not begun:
            problem = "is not read: put the lines of that file in its place"
            where.fail(number, problem, "Include", line.split()[1])
        found = _SHOWN.match(line)
        shown = found.group() if found else ""
        start = start or number
        if continued := _CONTINUED.search(shown):
            begun += shown[: continued.start("mark")]
            continue
        if whole := re.sub(r"\\(.)", r"\1", begun + shown).strip():
            yield start, whole
        begun, start = "", 0
    if begun.strip():
        where.fail(start, "ends within a continued line")


def _pairs(number: int, line: str, where: SourceFile) -> _Line:
    """Return the keys, in lower case, and values of a line."""
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        pair = _PAIR.match(line, at)
        if pair is None:
            where.fail(number, "must be Key=Value", "line", line[at:].strip())
        key = pair["key"].lower()
        if key in found:
            where.fail(number, "is given twice", pair["key"])
        lead = next(iter(found), key)
        if lead not in _KNOWN or (found and key not in _KNOWN[lead]):
            where.fail(number, "unknown key", pair["key"])
        found[key] = pair["quoted"] or pair["value"] or ""
        at = pair.end()
    return number, found


def _list_names(
    number: int, pairs: dict[str, str], key: str, where: SourceFile
) -> list[str]:
    """Return the names that a key lists, none if it is missing or empty."""
    text = pairs.get(key, "").strip()
    empty = text in ("", "(null)")  # as C prints what is not there
    return [] if empty else where.names(number, text, key.capitalize())


def _only_name(number: int, text: str, where: SourceFile, field: str) -> str:
    """Return a name; a hostlist of several is refused."""
    if text.upper() == "DEFAULT":
        where.fail(number, "must be one name", field, text)
    return where.name(number, text, field)
