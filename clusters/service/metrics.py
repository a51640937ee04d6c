"""What Prometheus reads of the service."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from ..placement.space import largest_in
from .service import Service

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Counts requests; reads the state when it is asked."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "closeknit_requests",
            "Requests by path and status.",
            ("path", "status"),
            registry=registry,
        )
        self.seconds = Histogram(
            "closeknit_request_seconds",
            "Time from the head of a request to its answer.",
            ("path",),
            buckets=_SECONDS,
            registry=registry,
        )
        self.outcomes = Counter(
            "closeknit_selections",
            "Answers to POST /select by status of the choice.",
            ("status",),
            registry=registry,
        )

        def gauge(name: str, says: str, *labels: str) -> Gauge:
            return Gauge(f"closeknit_{name}", says, labels, registry=registry)

        self.waiting = gauge("waiting", "Requests queued or at work.")
        self._nodes = gauge("nodes", "Nodes of the topology.")
        self._free = gauge("free_nodes", "Nodes that are free.")
        self._sequence = gauge("state_sequence", "Of the last step.")
        says = "The largest job that fits into one domain of a level now."
        self._largest = gauge("largest_job_nodes", says, "level")

    def text(self) -> bytes:
        """Return all of them in the text format of Prometheus."""
        state, largest = self._service.state, {"any": 0}
        self._nodes.set(self._service.nodes)
        self._free.set(state.count())
        self._sequence.set(state.sequence)
        choosers = self._service.selector.choosers
        for chooser, flags in zip(choosers, state.free, strict=True):
            largest["any"] = max(largest["any"], int(flags.sum()))
            for level, most in largest_in(chooser, flags).items():
                largest[level] = max(largest.get(level, 0), most)
        for level, most in largest.items():
            self._largest.labels(level).set(most)
        return generate_latest(self._registry)
