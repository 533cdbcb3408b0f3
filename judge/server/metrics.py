"""Counters for `GET /metrics`, in Prometheus text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class ServerMetrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.answers = Counter(
            "earshot_judge_answers", "Requests for a score, by how they ended.", ["outcome"], registry=self.registry
        )
        self.audio = Counter("earshot_judge_audio_seconds", "Sound that was scored.", registry=self.registry)
        self.in_flight = Gauge(
            "earshot_judge_in_flight", "Clips that were taken and not answered yet.", registry=self.registry
        )
        self.batches = Histogram(
            "earshot_judge_batch_clips",
            "Clips in a forward pass.",
            buckets=(1, 2, 4, 8, 16, 32),
            registry=self.registry,
        )
        self.latency = Histogram(
            "earshot_judge_seconds",
            "From request to score.",
            buckets=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
            registry=self.registry,
        )

    def text(self) -> bytes:
        return generate_latest(self.registry)
