"""Problems of a study's material by cause: one sentence for many clips with the same problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.text.words import Translatable, say
from studies.task_types.base import Trouble

# Examples of one cause that a list keeps.
MOST = 20


@dataclass(frozen=True, slots=True)
class TroubleGroup:
    """The troubles of one cause: a sentence, examples where there are several, and what fixes it (`Trouble.fix`)."""

    reason: str
    fix: str
    examples: list[str]


def grouped(troubles: Iterable[Trouble]) -> list[TroubleGroup]:
    """Return a group for each cause, in the order of first occurrence; troubles in the same words count once."""
    causes: dict[tuple[str, str], dict[str, Trouble]] = {}
    for trouble in troubles:
        reason = trouble.reason
        pattern = reason.pattern if isinstance(reason, Translatable) else reason
        fix = trouble.fix or ("questions" if trouble.question is not None else "")
        causes.setdefault((pattern, fix), {}).setdefault(reason, trouble)
    return [_group(list(some.values()), fix) for (_pattern, fix), some in causes.items()]


def _group(troubles: list[Trouble], fix: str) -> TroubleGroup:
    first, number = troubles[0], len(troubles)
    if number == 1:
        return TroubleGroup(first.reason, fix, [])
    if first.many:
        reason = say(first.many, number=number)
    else:
        reason = say("{example} And {number} more like this.", example=first.reason, number=number - 1)
    return TroubleGroup(reason, fix, [trouble.reason for trouble in troubles[:MOST]])
