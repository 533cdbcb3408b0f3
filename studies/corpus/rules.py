"""Rules about texts: states, cross-checks, what may leave this server, and lists."""

from __future__ import annotations

from typing import Protocol, TypedDict

WHITE, BLACK = "white", "black"
DRAFT, ACCEPTED, CHECKED, REJECTED = "draft", "accepted", "checked", "rejected"


class StoredFlag(TypedDict):
    """What an automatic check found, as texts and questions store it; `detail` is filled into the code's sentence."""

    code: str
    detail: str


class Boxed(Protocol):
    """Anything with a box."""

    @property
    def box(self) -> str: ...


def may_leave(text: Boxed, endpoint_is_private: bool) -> bool:
    """True if a text's words may be sent to an endpoint: black-box texts only to a private one."""
    return text.box != BLACK or endpoint_is_private


def may_check(*, accepted_by: int | None, user: int) -> bool:
    """True if a person may cross-check a text: not the one who accepted it."""
    return accepted_by is not None and accepted_by != user
