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
    """Turn pydantic's errors into {dotted field: message}; messages of `say` can still be translated."""
    messages: dict[str, str] = {}
    for error in errors:
        field = ".".join(str(part) for part in error["loc"]) or "value"
        cause = error.get("ctx", {}).get("error")
        said = cause.args[0] if isinstance(cause, ValueError) and cause.args else error["msg"]
        messages.setdefault(field, said)
    return messages
