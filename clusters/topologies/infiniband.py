"""Output of ``ibnetdiscover``, and lists of cables as CSV.

Adapters of one host count as one node, aggregation nodes inside switches not at all. A
host is named by the description of its adapters, ``%h %d`` or ``%h`` in terms of
rdma-ndd(8), or by a map of names as ibnetdiscover(8) takes it. An adapter that neither
names is refused: as a node of its own it would be free whatever its host does.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from ...instances.reading.files import read_text
from ...instances.words import with_noun
from .fabric import Cluster
from .switch_trees import SourceFile
from .wiring import build_from_cables

MOST_LINKS = 2**21
_DEVICE = re.compile(r'(?P<kind>Switch|Ca|Rt)\s+\d+\s+"(?P<id>[^"]+)"(?P<rest>.*)')
_PORT = re.compile(r'\[\d+\](?:\[[^\]]*\])?(?:\([^)]*\))?\s+"(?P<id>[^"]+)"')
_RATE = re.compile(r"\b(?P<width>\d{1,2})x(?P<speed>[A-Z]{3}(?:10)?)\s*$")
_LANE = {
    "SDR": "2",
    "DDR": "4",
    "QDR": "8",
    "FDR10": "10",
    "FDR": "13.64",
    "EDR": "25",
    "HDR": "50",
    "NDR": "100",
    "XDR": "200",
}
"""Gbit/s of a lane."""
_COMMENT = re.compile(r'#\s*"(?P<text>[^"]*)"')
_HOST = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)
_ADAPTER = re.compile(
    r"HCA-\d+|(?:ib|roce|iw|opa|rdma)[opsx]\w+"
    r"|(?:bnxt_re|cxgb|efa_|erdma_|hfi1?_|hns_|i40iw|ib|ionic|ipath|irdma|mana_|mlx[45]_"
    r"|mthca|nes|ocrdma|opa|qedr|qib|rocep|rxe|siw|usnic_|vmw_pvrdma)\w*",
    re.ASCII,
)
"""Names of adapters: ``HCA-1`` of OFED, those that rdma-core's
kernel-boot/rdma-persistent-naming.rules give, and those of drivers of Linux,
drivers/infiniband."""
_UNNAMED = re.compile(
    r"(?:localhost|ubuntu)(?:\..*)?|MT\d+|ConnectX.*|Mellanox|NVIDIA|Intel|QLogic"
    r"|HCA-\d+|(?:mlx[45]|hfi1|mthca|qib|ipath|efa|irdma|bnxt_re)_?\d+",
    re.IGNORECASE,
)
"""Names that hosts and adapters have before they are given one."""
_MAPPED = re.compile(r'\s*(?:0x)?(?P<id>[0-9a-fA-F]{1,16})\s+"(?P<name>[^"]*)"\s*')
_AGGREGATION = "Aggregation Node"
_BESIDE = re.compile(r"\s*(?:#|\w+=|(?:Non-)?Chassis\b|Hostname: |$)")
"""Lines that are neither a device nor a port; those in words are of ``--grouping``."""
_HEADS = ({"a", "b"}, {"source", "target"}, {"from", "to"}, {"node1", "node2"})
_SWITCH = "S-"
_COUNTS = {"links", "count"}
_COLUMNS = _COUNTS | {"weight", "speed"}


def looks_like_ibnetdiscover(text: str) -> bool:
    """Whether there is a device with its ports as ibnetdiscover prints it."""
    return bool(re.search(r'^(?:Switch|Ca)\s+\d+\s+"[SH]-', text, re.MULTILINE))


def read_name_map(path: str | Path) -> dict[int, str]:
    """Read names of hosts by the GUID of their adapters: ``0x2c90300a1b2 "node7"``.

    This is the file format of ibnetdiscover's option ``--node-name-map``; ``#`` begins
    a comment. Raises InputError with the line.
    """
    where = SourceFile(str(path))
    found: dict[int, str] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        shown = line.partition("#")[0]
        if not shown.strip():
            continue
        entry = _MAPPED.fullmatch(shown)
        if entry is None or not _HOST.fullmatch(entry["name"]):
            where.fail(number, 'must be a GUID and a name: 0x2c9 "node7"', "line", line)
        if found.setdefault(int(entry["id"], 16), entry["name"]) != entry["name"]:
            where.fail(number, "has two names", "GUID", shown.split()[0])
    return found


def read_ibnetdiscover(
    text: str, where: SourceFile, names: Mapping[int, str] | None = None
) -> Cluster:
    """Build a cluster from the output; ``names`` are those of adapters, by GUID.

    Raises InputError, with the line, also if an adapter has no name of a host.
    """
    mapped = names or {}
    title: dict[str, str] = {}
    cables: dict[tuple[str, str], int] = {}
    rates: dict[tuple[str, str], list[Decimal | None]] = {}
    hosts: dict[str, str] = {}
    adapters: dict[str, int] = {}
    unnamed: list[tuple[int, str, str]] = []
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if device := _DEVICE.match(line):
            current = device["id"]
            if current in title:
                where.fail(number, "is listed twice", "device", current)
            title[current] = current
            if device["kind"] != "Ca":
                continue
            comment = _COMMENT.search(device["rest"])
            said = comment["text"] if comment else ""
            if _AGGREGATION in said:
                title[current] = ""
            elif host := mapped.get(_guid(current), "") or _host(said):
                title[current] = host
                plain = host.lower() if host[0].isdigit() else _label(host)
                if (other := hosts.setdefault(plain, host)) != host:
                    problem = f"may be the host {other}"
                    where.fail(number, problem + _hint(current), "Ca", said)
                named_so = " " in said and _guid(current) not in mapped
                if named_so and adapters.setdefault(said, number) != number:
                    problem = f"is there twice (before in line {adapters[said]})"
                    where.fail(number, problem + _hint(current), "Ca", said)
            else:
                unnamed.append((number, current, said))
        elif line.startswith("["):
            port = _PORT.match(line)
            if port is None:
                where.fail(number, "is not a port", "line", line)
            if not current:
                where.fail(number, "belongs to no device", "port", line)
            cables.setdefault((current, port["id"]), number)
            speed = _RATE.search(line)
            lane = _LANE.get(speed["speed"]) if speed else None
            rate = Decimal(lane) * int(speed["width"]) if speed and lane else None
            rates.setdefault((current, port["id"]), []).append(rate)
            if len(cables) > MOST_LINKS:
                where.fail(number, f"has more than {MOST_LINKS} links")
        elif not _BESIDE.match(line):
            where.fail(number, "is no line of ibnetdiscover", "line", line)
    if unnamed:
        number, current, said = unnamed[0]
        more = f"; {len(unnamed)} have none" if len(unnamed) > 1 else ""
        where.fail(number, "names no host" + _hint(current, more), "Ca", said)
    links: dict[tuple[str, str], int] = {}
    for (a, b), number in cables.items():
        if a not in title or b not in title:
            problem = "ends at a device that is not listed: is the file cut off?"
            where.fail(number, problem, "port", b if a in title else a)
        ends = title[a], title[b]
        if all(ends) and ends[0] != ends[1]:
            links.setdefault((min(ends), max(ends)), number)
    cluster = build_from_cables("ibnetdiscover", links, list(hosts.values()), where)
    return replace(cluster, cables=_cables(rates, cables, title))


def _cables(
    rates: Mapping[tuple[str, str], Sequence[Decimal | None]],
    lines: Mapping[tuple[str, str], int],
    title: Mapping[str, str],
) -> tuple[tuple[int, str, str, Decimal], ...]:
    """Return the widths times speeds of all cables, each once; or none at all."""
    found = []
    for (a, b), several in rates.items():
        twice = (b, a) in rates and b < a  # the other end lists them, too
        if twice or not title[a] or not title[b] or title[a] == title[b]:
            continue
        for rate in several:
            if rate is None:
                return ()
            found.append((lines[a, b], title[a], title[b], rate))
    return tuple(found)


def _label(host: str) -> str:
    """Return the first label of a host's name, in which case does not count."""
    return host.partition(".")[0].lower()


def _host(text: str) -> str:
    host, _, adapter = text.partition(" ")
    if adapter and not _ADAPTER.fullmatch(adapter):
        return ""
    return host if _HOST.fullmatch(host) and not _UNNAMED.fullmatch(host) else ""


def _guid(identity: str) -> int:
    """Return the GUID in an identity such as ``H-0002c903``; -1 if there is none."""
    digits = identity.partition("-")[2]
    return int(digits, 16) if re.fullmatch(r"[0-9a-f]{1,16}", digits) else -1


def _hint(identity: str, more: str = "") -> str:
    guid = identity.partition("-")[2][:16]
    return f' (--node-name-map FILE with a line 0x{guid} "HOST" names it{more})'


def looks_like_edges(header: list[str]) -> bool:
    """Whether a line of column names is that of a list of cables."""
    names = [name.strip().lower() for name in header]
    return set(names[:2]) in _HEADS and set(names[2:]) <= _COLUMNS


def read_edges(text: str, header: Sequence[str], where: SourceFile) -> Cluster:
    """Build a cluster from a list of cables, one a line: two names, and more columns.

    A pair that is repeated has parallel cables; where a column counts these, it is
    refused. Switches are the names that begin with ``S-``. If there are none, hosts are
    the names with one cable.
    """
    columns = [name.strip().lower() for name in header]
    with_counts = not _COUNTS.isdisjoint(columns)
    links: dict[tuple[str, str], int] = {}
    parallel = 0
    names: dict[str, set[str]] = {}
    for number, row in csv_rows(text, where):
        if len(row) < 2 or not row[0] or not row[1]:
            where.fail(number, "needs two names", "cable", ",".join(row))
        if len(row) > len(header):
            problem = f"has more than {len(header)} cells"
            where.fail(number, problem, "cable", ",".join(row))
        for column, cell in zip(columns[2:], row[2:], strict=False):
            if column in _COUNTS and not re.fullmatch(r"0*[1-9]\d*", cell, re.ASCII):
                where.fail(number, "must be a positive integer", column, cell)
        a, b = (where.name(number, cell, "cable") for cell in row[:2])
        if a == b:
            where.fail(number, "joins a node to itself", "cable", a)
        if (min(a, b), max(a, b)) in links:
            if with_counts:
                where.fail(number, "is listed twice", "cable", f"{a},{b}")
            parallel += 1
        links[min(a, b), max(a, b)] = number
        names.setdefault(a, set()).add(b)
        names.setdefault(b, set()).add(a)
        if len(links) > MOST_LINKS:
            where.fail(number, f"has more than {MOST_LINKS} links")
    hosts = [name for name in names if not name.startswith(_SWITCH)]
    if len(hosts) == len(names):
        hosts = [name for name, others in names.items() if len(others) == 1]
    cluster = build_from_cables("list of cables", links, hosts, where)
    notes = (
        (f"{with_noun(parallel, 'parallel cable')} counted once",) if parallel else ()
    )
    return replace(cluster, notes=notes)


def csv_rows(text: str, where: SourceFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the column names, with their lines; skip comments."""
    reader = csv.reader(text.splitlines(), strict=True)
    begun = False
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if begun:
                yield reader.line_num, cells
            begun = True
    except csv.Error as error:
        where.fail(reader.line_num, f"not CSV: {error}")
