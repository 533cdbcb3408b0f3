"""Tell temporary failures from those that need a corrected setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connections

# Error messages about a wrong name or password: waiting can't help.
DATABASE = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied")
STORE = ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket", "(403)", "Forbidden")
BROKER = ("invalid username-password pair", "Authentication required", "NOAUTH", "WRONGPASS", "invalid password")


@dataclass(frozen=True)
class PartFault:
    """The reason why a part doesn't work; a final one stays until a setting is corrected."""

    message: str
    is_final: bool


def database_fault() -> PartFault | None:
    """Connect without the pool, which only reports that it waited; return None if the database accepts us."""
    connection: Any = connections["default"]
    if connection.vendor != "postgresql":
        return None
    try:
        connection.Database.connect(**{**connection.get_connection_params(), "connect_timeout": 3}).close()
    except connection.Database.OperationalError as error:
        if any(words in str(error) for words in DATABASE):
            return PartFault(f"EARSHOT_DATABASE_URL: the database denies access: {_last(error)}", is_final=True)
        return PartFault(
            f"EARSHOT_DATABASE_URL: the database can't be reached: {' '.join(str(error).split())}", is_final=False
        )
    return None


def hopeless(part: str, error: Exception) -> str:
    """Return why waiting can't help with this error of a store or broker; empty when it may pass."""
    message = str(error)
    if part == "files" and any(words in message for words in STORE):
        return (
            f"EARSHOT_S3_BUCKET {settings.S3_BUCKET!r}, EARSHOT_S3_ACCESS_KEY: the store denies access: {_last(error)}"
        )
    if part == "broker" and any(words in message for words in BROKER):
        return f"EARSHOT_BROKER_URL: the broker denies access: {_last(error)}"
    return ""


def _last(error: Exception) -> str:
    """Return the last line of an error: earlier ones list the addresses that were tried."""
    return str(error).strip().splitlines()[-1].strip()
