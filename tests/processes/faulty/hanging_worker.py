"""A worker that takes a batch in hand and never comes to its end; its leases are short."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import django

from config.celery import app

django.setup()

from core import jobs  # noqa: E402
from studies.rules import validity  # noqa: E402

__all__ = ["app"]


def think_for_ever(*_: Any) -> None:
    time.sleep(3600)


jobs.LEASE, jobs.EVERY = timedelta(seconds=2), 0.3
validity.decide = think_for_ever  # type: ignore[assignment]
