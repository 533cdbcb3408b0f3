"""A web server that dies, all of it, between an answer's commit and the claim of the rater's next batch."""

from __future__ import annotations

import os
import signal
from typing import Any

from config.wsgi import application
from raters.rating import trials

__all__ = ["application"]


def die(**_: Any) -> None:
    """Take the worker away with its master, as a power cut would."""
    os.killpg(os.getpgid(0), signal.SIGKILL)


trials.resume = die  # type: ignore[assignment]
