"""Metrics for Prometheus: requests of this server's processes, and waiting jobs."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.db.models import Count, Min
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from core import clock
from core.jobs import QUEUED, RUNNING, job_models
from core.operations import health

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

# The page's name and never its address, which holds tokens.
requests = Counter("earshot_requests", "Requests answered", ["page", "method", "status"])
latency = Histogram("earshot_request_seconds", "Seconds to an answer's first byte", ["page"], buckets=SECONDS)


class JobMetrics(Collector):
    """How many jobs wait or run, and since when the oldest waits, by kind of job."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        number = GaugeMetricFamily("earshot_jobs", "Jobs that wait or run", labels=["job", "state"])
        waiting = GaugeMetricFamily("earshot_job_waiting_seconds", "Age of the oldest waiting job", labels=["job"])
        now = clock.now()
        for model in job_models():
            name, rows = model._meta.label_lower, model._default_manager.filter(state__in=(QUEUED, RUNNING))
            by_state = {
                row["state"]: row for row in rows.values("state").annotate(jobs=Count("pk"), since=Min("queued_at"))
            }
            for state in (QUEUED, RUNNING):
                number.add_metric([name, state], by_state[state]["jobs"] if state in by_state else 0)
            since = by_state[QUEUED]["since"] if QUEUED in by_state else None
            waiting.add_metric([name], (now - since).total_seconds() if since else 0)
        yield number
        yield waiting


class Parts(Collector):
    """Whether database, store and broker work."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        up = GaugeMetricFamily("earshot_part_up", "Whether a part gives back what it takes", labels=["part"])
        for name, works in health.parts().items():
            up.add_metric([name], int(works))
        yield up


def exposition() -> bytes:
    """Return everything in Prometheus's text format; with several web processes, the sum of all of them."""
    registry = CollectorRegistry()
    registry.register(JobMetrics())
    registry.register(Parts())
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(requests)
        registry.register(latency)
    return generate_latest(registry)
