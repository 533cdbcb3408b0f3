"""How well traps are answered, over every full batch, valid or not (rule D2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many traps of a kind were answered, and how many of them rightly."""

    role: str
    asked: int
    right: int

    @property
    def share(self) -> float | None:
        """Return right / asked, in [0, 1]; None when none was asked."""
        return self.right / self.asked if self.asked else None


def accuracy(answers: Iterable[tuple[str, bool]], roles: Iterable[str]) -> list[Accuracy]:
    """Count (role, was right) pairs for each of `roles`."""
    asked = dict.fromkeys(roles, 0)
    right = dict.fromkeys(asked, 0)
    for role, is_right in answers:
        asked[role] += 1
        right[role] += is_right
    return [Accuracy(role, asked[role], right[role]) for role in asked]
