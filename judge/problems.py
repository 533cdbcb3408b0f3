"""Errors between platform and judge, by cause; raised by both sides."""

from __future__ import annotations

from judge.schemas import Code


class ClipRefusal(Exception):
    """This clip can't be scored, now or later."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Misconfigured(Exception):
    """Model, adapter, profile or settings don't fit; the operator has to act."""


class Unavailable(Exception):
    """The judge can't answer now; the request may be repeated later."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
