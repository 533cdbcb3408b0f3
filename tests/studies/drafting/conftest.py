"""A stand-in for the language model, served for one test, and studies to draft for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from demo.stand_in import StandIn
from studies.drafting import kinds
from studies.drafting.endpoint import Endpoint
from studies.drafting.models import DraftRun

KEY = "sk-secret-0123456789"


@pytest.fixture
def stand_in(settings: Any) -> Iterator[StandIn]:
    """Serve the stand-in, and name it in the settings."""
    server = StandIn(key=KEY, slow_seconds=1.0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    settings.DRAFT_URL, settings.DRAFT_MODEL, settings.DRAFT_KEY = server.url, "stand-in", KEY
    settings.DRAFT_SECOND_MODEL, settings.DRAFT_PRIVATE = "", False
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def draft(now: datetime, settings: Any) -> Callable[..., DraftRun]:
    """Return a function that carries a run out, with waits that take no time."""

    def work(run: DraftRun, **options: Any) -> DraftRun:
        waited: list[float] = []
        endpoint = Endpoint(
            settings.DRAFT_URL,
            settings.DRAFT_KEY,
            sleep=waited.append,
            seconds_now=lambda: sum(waited),
            seconds=options.pop("seconds", 30),
        )
        try:
            kinds.work(
                pk=run.pk, clock=options.pop("clock", lambda: now + timedelta(seconds=1)), endpoint=endpoint, **options
            )
        finally:
            endpoint.close()
        run.refresh_from_db()
        run.waited = waited  # type: ignore[attr-defined]
        return run

    return work
