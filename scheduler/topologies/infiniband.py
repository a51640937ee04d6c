"""Output of ``ibnetdiscover``, and lists of cables as CSV.

Adapters of one host count as one node, aggregation nodes inside switches not at all; an
adapter whose description names no host is a node of its own, ``CA-`` and its identity.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from .fabric import Cluster
from .forest import Where
from .wiring import wired

MOST_LINKS = 2**21
_DEVICE = re.compile(r'(?P<kind>Switch|Ca|Rt)\s+\d+\s+"(?P<id>[^"]+)"(?P<rest>.*)')
_PORT = re.compile(r'\[\d+\](?:\[[^\]]*\])?(?:\([^)]*\))?\s+"(?P<id>[^"]+)"')
_COMMENT = re.compile(r'#\s*"(?P<text>[^"]*)"')
_HOST = re.compile(r"(?P<host>\S+) (?:mlx|HCA-|hfi|qib|ib|bnxt_re|irdma)\w*")
_UNNAMED = {"localhost", "localhost.localdomain", "ubuntu"}
"""Names that hosts have before they are given one."""
_AGGREGATION = "Aggregation Node"
_HEADS = ({"a", "b"}, {"source", "target"}, {"from", "to"}, {"node1", "node2"})
_SWITCH = "S-"
_COLUMNS = {"links", "count", "weight", "speed"}


def looks_like_ibnetdiscover(text: str) -> bool:
    """Whether there is a device with its ports as ibnetdiscover prints it."""
    return bool(re.search(r'^(?:Switch|Ca)\s+\d+\s+"[SH]-', text, re.MULTILINE))


def read_ibnetdiscover(text: str, where: Where) -> Cluster:
    """Build a cluster from the output; raises InputError with the line."""
    title: dict[str, str] = {}
    cables: dict[tuple[str, str], int] = {}
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if device := _DEVICE.match(line):
            current = device["id"]
            if current in title:
                where.fail(number, "is listed twice", "device", current)
            title[current] = _title(device, current)
        elif line.startswith("["):
            port = _PORT.match(line)
            if port is None:
                where.fail(number, "is not a port", "line", line)
            if not current:
                where.fail(number, "belongs to no device", "port", line)
            cables.setdefault((current, port["id"]), number)
            if len(cables) > MOST_LINKS:
                where.fail(number, f"has more than {MOST_LINKS} links")
    links: dict[tuple[str, str], int] = {}
    for (a, b), number in cables.items():
        if a not in title or b not in title:
            problem = "ends at a device that is not listed: is the file cut off?"
            where.fail(number, problem, "port", b if a in title else a)
        names = title[a], title[b]
        if all(names) and names[0] != names[1]:
            links.setdefault((min(names), max(names)), number)
    hosts = [one for device, one in title.items() if one and device[:2] != _SWITCH]
    return wired("ibnetdiscover", links, list(dict.fromkeys(hosts)), where)


def _title(device: re.Match[str], identity: str) -> str:
    """Return the name of a device; empty for an aggregation node."""
    found = _COMMENT.search(device["rest"])
    text = found["text"] if found else ""
    if device["kind"] == "Switch":
        return identity
    if _AGGREGATION in text:
        return ""
    host = _HOST.fullmatch(text)
    if host and host["host"] not in _UNNAMED:
        return host["host"]
    return f"CA-{identity.partition('-')[2] or identity}"


def looks_like_edges(header: list[str]) -> bool:
    """Whether a line of column names is that of a list of cables."""
    names = [name.strip().lower() for name in header]
    return set(names[:2]) in _HEADS and set(names[2:]) <= _COLUMNS


def read_edges(text: str, where: Where) -> Cluster:
    """Build a cluster from a list of cables, one a line: two names, and more columns.

    Switches are the names that begin with ``S-``. If there are none, hosts are the
    names with one cable.
    """
    links: dict[tuple[str, str], int] = {}
    names: dict[str, set[str]] = {}
    for number, row in csv_rows(text, where):
        if len(row) < 2 or not row[0] or not row[1]:
            where.fail(number, "needs two names", "cable", ",".join(row))
        a, b = row[0], row[1]
        if a == b:
            where.fail(number, "joins a node to itself", "cable", a)
        if (min(a, b), max(a, b)) in links:
            where.fail(number, "is listed twice", "cable", f"{a},{b}")
        links[min(a, b), max(a, b)] = number
        names.setdefault(a, set()).add(b)
        names.setdefault(b, set()).add(a)
        if len(links) > MOST_LINKS:
            where.fail(number, f"has more than {MOST_LINKS} links")
    hosts = [name for name in names if not name.startswith(_SWITCH)]
    if len(hosts) == len(names):
        hosts = [name for name, others in names.items() if len(others) == 1]
    return wired("list of cables", links, hosts, where)


def csv_rows(text: str, where: Where) -> Iterator[tuple[int, list[str]]]:
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
