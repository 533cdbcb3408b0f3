"""A worker whose process is killed at its first batch, as when memory runs out; its leases are the usual ones."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import django

from config.celery import app

django.setup()

from studies.rules import validity  # noqa: E402

__all__ = ["app"]

decide = validity.decide
WAS_KILLED = Path(os.environ["EARSHOT_TEST_KILLED"])


def die_once(*arguments: Any) -> Any:
    if not WAS_KILLED.exists():
        WAS_KILLED.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return decide(*arguments)


validity.decide = die_once
