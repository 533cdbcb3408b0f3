"""Log lines without personal data: people appear as numbers, and tokens are masked."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

# Tokens (`core.rng`, `django.core.signing`) have at least this length. So have some slugs and file names, but these
# consist of words and numbers, or of 32 hexadecimal digits.
SEGMENT = re.compile(r"(?<=/)[\w.:~=-]{20,}", re.ASCII)
WORD = "[A-Z]{0,3}[a-z]*[0-9]{0,8}"
READABLE = re.compile(rf"(?:{WORD}[-_.:])*{WORD}|[0-9a-f]{{32}}")
API_KEY = re.compile(r"\besh_[\w-]+", re.ASCII)

# Ids of people and sessions at crowd platforms: in an address by the names of its parameters, anywhere as 24
# hexadecimal digits, and as PostgreSQL quotes a duplicate row.
QUERY = re.compile(r"""(/[^\s?"'<>]*)\?[^\s"'<>]+""")
PARAMETERS = re.compile(
    r"""\b(PROLIFIC_PID|STUDY_ID|SESSION_ID|prolific_token|worker_?id|assignment_?id|participant(?:_?id)?)"""
    r"""(["']?\s*[=:]\s*\[?["']?)[^\s&"',\])}]+""",
    re.IGNORECASE,
)
PLATFORM_ID = re.compile(r"\b[0-9a-f]{24}\b")
ROW = re.compile(r"(Key \([^)]*\)=)\([^\n]*\)")

_context: ContextVar[dict[str, str | int]] = ContextVar("earshot_log_context")


def begin(**fields: str | int) -> None:
    """Replace the context of the last request or task with that of this one."""
    _context.set(dict(fields))


def bind(**fields: str | int) -> None:
    """Add fields to every line until the end of the request or task: our own numbers, nothing personal."""
    _context.set({**context(), **fields})


def context() -> dict[str, str | int]:
    """Return the context of the current request or task."""
    return _context.get({})


def without_tokens(text: str) -> str:
    """Mask API keys, and the segments of paths that are tokens: of raters, clips, invitations and uploads."""
    text = API_KEY.sub("esh_…", text)
    return SEGMENT.sub(lambda segment: segment[0] if READABLE.fullmatch(segment[0]) else "…", text)


def masked(text: str) -> str:
    """Mask values known only to a user or a platform."""
    text = without_tokens(text)
    text = QUERY.sub(r"\1?…", text)
    text = PARAMETERS.sub(r"\1\2…", text)
    return ROW.sub(r"\1(…)", PLATFORM_ID.sub("…", text))


class WithoutKeys(logging.Filter):
    """Mask tokens in the arguments of log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(without_tokens(arg) if isinstance(arg, str) else arg for arg in record.args)
        return True


class PlainFormatter(logging.Formatter):
    """One line for people, with the context at its end."""

    def format(self, record: logging.LogRecord) -> str:
        about = " ".join(f"{name}={value}" for name, value in context().items())
        line, *more = masked(super().format(record)).split("\n")
        return "\n".join([f"{line} [{about}]" if about else line, *more])


class JsonFormatter(logging.Formatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": masked(record.getMessage()),
            **context(),
        }
        if record.exc_info:
            fields["traceback"] = masked(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False, default=str)
