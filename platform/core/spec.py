"""The base class of parameters, answers and definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict


class Spec(BaseModel):
    """A frozen pydantic model that forbids unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


def labels(**words: str) -> dict[str, Any]:
    """Return `json_schema_extra` for a field, so that forms show words instead of its values."""
    return {"labels": words}


def problems(errors: Sequence[Any]) -> dict[str, str]:
    """Turn pydantic's errors into {dotted field: message}."""
    messages: dict[str, str] = {}
    for error in errors:
        field = ".".join(str(part) for part in error["loc"]) or "value"
        messages.setdefault(field, str(error["msg"]).removeprefix("Value error, "))
    return messages
