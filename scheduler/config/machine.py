"""Validation of the machine of a configuration: queues, hosts, processors, groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .expectations import abbreviate
from .findings import Diagnostics, list_some
from .model import MOST_MEMBERS, MOST_PROCESSORS, Group
from .source import GroupText, Share, Slot, Span, Word

_NUMBERED = re.compile(r"(.*?)([0-9]+)", re.ASCII)


def _breadth(share: Share) -> int:
    spans = ((int(a.text), int((b or a).text)) for a, b in share.numbers)
    return max(1, sum(max(0, last - first + 1) for first, last in spans))


class ConfiguredMachine:
    """Queues, hosts and processors as the first two parts of a text define them."""

    def __init__(
        self, queues: Sequence[Word], slots: Sequence[Slot], findings: Diagnostics
    ) -> None:
        self._findings = findings
        self.queues = tuple(self._unique(queues, "queue"))
        self.whole = True
        """Whether all slots are valid, so that the numbers of processors are known."""
        self.line_of: dict[str, int] = {}
        self.hosts: list[str] = []
        self.places: list[Word] = []
        self.processors: list[str] = []
        self.host_of: list[int] = []
        self._hosts_known = True
        self._left = MOST_PROCESSORS
        self._room = MOST_MEMBERS
        self.at: dict[str, dict[int, int]] = {}
        """For each host, the index of each processor number."""
        through: list[list[int]] = [[] for _ in self.queues]
        for slot in slots:
            self._add(slot, through)
        self.through = tuple(map(tuple, through))

    def _unique(self, words: Sequence[Word], kind: str) -> Iterator[str]:
        lines: dict[str, int] = {}
        for word in words:
            if word.text in lines:
                self._findings.error(
                    word,
                    f"{kind} {abbreviate(word)} is already named "
                    f"(line {lines[word.text]})",
                )
            else:
                lines[word.text] = word.line
                yield word.text

    def _wrong(self, place: Word, problem: str) -> None:
        self._findings.error(place, problem)
        self.whole = False

    def _add(self, slot: Slot, through: list[list[int]]) -> None:
        place = slot.hosts.first
        if self._left < 0:  # too large already: further messages would be guesses
            self._hosts_known = False
            return
        hosts = self.expand(slot.hosts, MOST_PROCESSORS)
        if not hosts:
            self.whole = self._hosts_known = False
        numbers: dict[int, set[int]] = {}
        if self._afford(max(len(hosts), 1), slot.shares, place):
            numbers = self._numbers(slot.shares)
        else:
            hosts = hosts[:1]
        for host in hosts:
            if host in self.at:
                self._wrong(
                    place,
                    f"host {host} already has slots (line {self.line_of[host]})",
                )
                continue
            self.line_of[host] = place.line
            self.at[host] = {}
            for number in sorted(numbers):
                index = len(self.processors)
                self.at[host][number] = index
                self.processors.append(f"{host}.{number}")
                self.host_of.append(len(self.hosts))
                for queue in numbers[number]:
                    through[queue].append(index)
            self.hosts.append(host)
            self.places.append(place)

    def _afford(self, hosts: int, shares: Sequence[Share], place: Word) -> bool:
        """Whether that many more hosts are allowed; record an error the first time."""
        broad = [(_breadth(share), share.queue) for share in shares]
        each = len(self.queues)
        number = hosts * sum(breadth for breadth, _ in broad)
        listed = hosts * sum(b if queue else b * each for b, queue in broad)
        self._left -= number
        self._room -= listed
        if self._left < 0:
            self._wrong(place, f"more than {MOST_PROCESSORS} processors in all")
        elif self._room < 0:
            self._wrong(place, f"more than {MOST_MEMBERS} processors in all queues")
            self._left = -1
        return self._left >= 0

    def _numbers(self, shares: Sequence[Share]) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for share in shares:
            queues = set(range(len(self.queues)))
            if share.queue is not None:
                if share.queue.text not in self.queues:
                    self._wrong(share.queue, self.no_queue(share.queue))
                    continue
                queues = {self.queues.index(share.queue.text)}
            for span in share.numbers:
                first = int(span.first.text)
                last = first if span.last is None else int(span.last.text)
                if last < first:
                    self._wrong(span.first, f"the range {first}..{last} is empty")
                else:
                    self._number(span, range(first, last + 1), queues, found)
        return found

    def _number(
        self, span: Span, numbers: range, queues: set[int], found: dict[int, set[int]]
    ) -> None:
        twice = [i for i in numbers if not queues.isdisjoint(found.get(i, ()))]
        if twice:
            self._wrong(span.first, f"processor {twice[0]} is listed twice")
        for i in numbers:
            found.setdefault(i, set()).update(queues)

    def no_queue(self, word: Word) -> str:
        """Return the message for an unknown queue."""
        return (
            f"there is no queue {abbreviate(word)} (queues: {list_some(self.queues)})"
        )

    def expand(self, span: Span, most: int) -> list[str]:
        """Return the hosts of a span.

        If the span is invalid or has more than ``most`` hosts, record an error and
        return none.
        """
        first, last = span
        if last is None:
            return [first.text]
        one, other = map(_NUMBERED.fullmatch, (first.text, last.text))
        if one and other and one[1] == other[1] and len(other[2]) < 20:
            (prefix, begin), (_, end) = one.groups(), other.groups()
            if int(end) < int(begin):
                self._findings.error(
                    first, f"the range {abbreviate(first)}..{abbreviate(last)} is empty"
                )
                return []
            if int(end) - int(begin) >= most:
                self._findings.error(
                    first,
                    f"expected a range of at most {most} hosts, "
                    f"found {abbreviate(first)}..{abbreviate(last)}",
                )
                return []
            width = len(begin)
            if str(int(end)).zfill(width) == end:
                return [
                    f"{prefix}{str(i).zfill(width)}"
                    for i in range(int(begin), int(end) + 1)
                ]
        self._findings.error(
            first,
            f"expected two names alike up to their number, "
            f"found {abbreviate(first)}..{abbreviate(last)}",
        )
        return []

    def groups(self, texts: Sequence[GroupText]) -> tuple[dict[str, Word], list[Group]]:
        """Return the position of each group's definition, and the valid groups."""
        places: dict[str, Word] = {}
        found: list[Group] = []
        left = MOST_MEMBERS
        for text in texts:
            name = text.name
            if name.text in places:
                self._findings.error(
                    name,
                    f"group {abbreviate(name)} is already defined "
                    f"(line {places[name.text].line})",
                )
                continue
            places[name.text] = name
            if not text.members:
                self._findings.error(
                    name,
                    f"group {abbreviate(name)} is empty: expected a host or processor",
                )
                continue
            members: dict[int, None] = {}
            for span in text.members:
                left -= self._member(span, name, members)
                if left < 0:
                    self._findings.error(
                        span.first, f"more than {MOST_MEMBERS} members in all groups"
                    )
                    return places, found
            if members:
                found.append(Group(name.text, tuple(sorted(members))))
        return places, found

    def _member(self, span: Span, group: Word, members: dict[int, None]) -> int:
        new = self._processors(span)
        twice = [i for i in new if i in members]
        if twice:
            host = span.first.text
            whole = span.last is None and len(twice) == len(self.at.get(host, ()))
            what = f"host {host}" if whole else f"processor {self.processors[twice[0]]}"
            self._findings.error(
                span.first, f"{what} is in group {abbreviate(group)} twice"
            )
        members.update(dict.fromkeys(new))
        return len(new)

    def _processors(self, span: Span) -> list[int]:
        first, last = span
        if "." in first.text or (last is not None and "." in last.text):
            return self._hosts_of(span)
        found: list[int] = []
        most = len(self.at) if self._hosts_known else MOST_PROCESSORS
        for host in self.expand(span, most):
            if host not in self.at:
                self._no_host(first, host)
                if last is not None:
                    break
            found += self.at.get(host, {}).values()
        return found

    def _no_host(self, place: Word, host: str) -> None:
        """Record an error for a host without slots, unless some slots are invalid."""
        if self._hosts_known:
            self._findings.error(place, f"host {host[:60]} has no slots")

    def _hosts_of(self, span: Span) -> list[int]:
        first, last = span
        host, _, begin = first.text.partition(".")
        same, dot, end = (first if last is None else last).text.partition(".")
        if same != host or not begin or not dot:
            self._findings.error(
                first,
                "expected a range of hosts, or of processors of one host, "
                f"found {abbreviate(first)}..{abbreviate(last or first)}",
            )
            return []
        if host not in self.at:
            self._no_host(first, host)
            return []
        if len(begin) > 19 or len(end) > 19 or int(end) < int(begin):
            self._findings.error(
                first,
                f"the range {abbreviate(first)}..{abbreviate(last or first)} is empty "
                "or too large",
            )
            return []
        numbers = self.at[host]
        if not numbers:  # its slots are invalid
            return []
        found = []
        for i in range(int(begin), int(end) + 1):
            if i not in numbers:
                self._findings.error(first, f"host {host} has no processor {i}")
                break
            found.append(numbers[i])
        return found
