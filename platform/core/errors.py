"""Domain errors; views, forms and the API turn them into a page, a form message or a JSON body."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any


class DomainError(Exception):
    """A request that can't be carried out; nothing was changed."""

    status = 400
    code = "error"

    def __init__(self, message: str, *, code: str | None = None, **detail: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.detail = detail


class Invalid(DomainError):
    """Input that breaks a rule, with a message for each field."""

    status = 422
    code = "invalid"

    def __init__(self, message: str, problems: Mapping[str, str] | None = None, **detail: Any) -> None:
        super().__init__(message, problems=dict(problems or {}), **detail)
        self.problems = dict(problems or {})


class NotFound(DomainError):
    """The object doesn't exist, or this person may not see it."""

    status = 404
    code = "not_found"


class Conflict(DomainError):
    """The request is valid but comes at the wrong time."""

    status = 409
    code = "conflict"


class Gone(DomainError):
    """The object has ended and won't come back."""

    status = 410
    code = "ended"


class TooEarly(DomainError):
    """The clip can't have been heard yet; wait `retry_after` seconds and send the same again."""

    status = 425
    code = "too_early"

    def __init__(self, message: str, *, retry_after: float, code: str | None = None, **detail: Any) -> None:
        # Rounded up: to the microsecond, a clip's duration would tell the sample rate of its original.
        self.retry_after = ceil(round(retry_after * 100, 4)) / 100
        super().__init__(message, code=code, retry_after=self.retry_after, **detail)


class StoreAway(OSError):
    """The file store doesn't answer, or denies access; try again later."""
