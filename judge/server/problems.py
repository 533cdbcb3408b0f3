"""What can go wrong, told apart by whose fault it is."""

from __future__ import annotations

from judge.schemas import Reason


class Refused(Exception):
    """This clip can't be scored, now or later."""

    def __init__(self, code: Reason, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Misconfigured(Exception):
    """Model, adapter, profile or settings don't fit; the operator has to act."""
