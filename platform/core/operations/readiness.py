"""Whether a part that doesn't work is worth waiting for, or only somebody who corrects a setting can help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connections

# What parts say to a wrong name or password; waiting changes none of it.
DATABASE = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied")
STORE = ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket", "(403)", "Forbidden")
BROKER = ("invalid username-password pair", "Authentication required", "NOAUTH", "WRONGPASS", "invalid password")


@dataclass(frozen=True)
class PartFault:
    """Why a part doesn't work; a final one stays until somebody corrects a setting."""

    message: str
    is_final: bool


def database_fault() -> PartFault | None:
    """Ask the database itself, past the pool, which only says that it waited; None where it lets us in."""
    connection: Any = connections["default"]
    if connection.vendor != "postgresql":
        return None
    try:
        connection.Database.connect(**{**connection.get_connection_params(), "connect_timeout": 3}).close()
    except connection.Database.OperationalError as error:
        if any(words in str(error) for words in DATABASE):
            return PartFault(f"EARSHOT_DATABASE_URL: the database refuses us: {_last(error)}", is_final=True)
        return PartFault(
            f"EARSHOT_DATABASE_URL: the database can't be reached: {' '.join(str(error).split())}", is_final=False
        )
    return None


def hopeless(part: str, error: Exception) -> str:
    """Return what no wait can mend about a store or broker that failed so; empty when it may come yet."""
    message = str(error)
    if part == "files" and any(words in message for words in STORE):
        return f"EARSHOT_S3_BUCKET {settings.S3_BUCKET!r}, EARSHOT_S3_ACCESS_KEY: the store refuses us: {_last(error)}"
    if part == "broker" and any(words in message for words in BROKER):
        return f"EARSHOT_BROKER_URL: the broker refuses us: {_last(error)}"
    return ""


def _last(error: Exception) -> str:
    """Return the last line of what was said: earlier ones name addresses that were tried."""
    return str(error).strip().splitlines()[-1].strip()
