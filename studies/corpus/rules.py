"""What may happen to a text: states, who may check, what may leave this server, and what lists use."""

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
    """Return whether a text's words may be sent to an endpoint: those of black-box texts only to a private one."""
    return text.box != BLACK or endpoint_is_private


def is_usable(state: str, *, cross_check: bool) -> bool:
    """Return whether lists may contain a text: it was cross-checked, or accepted where one expert is enough."""
    return state == CHECKED or (state == ACCEPTED and not cross_check)


def may_check(*, accepted_by: int | None, user: int) -> bool:
    """Return whether a person may cross-check a text: whoever accepted it may not."""
    return accepted_by is not None and accepted_by != user
