"""What the logs say: who asked is known by number alone, and what only a rater or an expert knows is left out."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

# The end of such an address is the name of one rater's trial or clip, or lets an expert in.
KEYED = re.compile(r"(/rate/[^/\s]+/(?:api/\w+|audio)/|/experts/(?:invitation|studies/[^/\s]+/audio)/)\S+")

_context: ContextVar[dict[str, str | int]] = ContextVar("earshot_log_context")


def begin(**fields: str | int) -> None:
    """Forget what the last request or task was about, and say what this one is about."""
    _context.set(dict(fields))


def bind(**fields: str | int) -> None:
    """Add to what every line says from here to the end of the request or task: our own numbers, nothing personal."""
    _context.set({**context(), **fields})


def context() -> dict[str, str | int]:
    """Return what the request or task at hand is about."""
    return _context.get({})


class WithoutKeys(logging.Filter):
    """Shorten the addresses of trials, clips and invitations in what is logged about a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(KEYED.sub(r"\1…", arg) if isinstance(arg, str) else arg for arg in record.args)
        return True


class Plain(logging.Formatter):
    """One line for people, with what it is about at its end."""

    def format(self, record: logging.LogRecord) -> str:
        about = " ".join(f"{name}={value}" for name, value in context().items())
        line, *more = super().format(record).split("\n")
        return "\n".join([f"{line} [{about}]" if about else line, *more])


class Json(logging.Formatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **context(),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)
