"""Capabilities of each role in a study: one table for every page, endpoint, list and export."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Capability(StrEnum):
    """Something that a person may do in a study."""

    # Settings, texts, clips, progress, and machines' scores.
    SEE_STUDY = "see_study"
    # Settings, texts, clips, launch, pause, personal links, exclusions; everything without a capability of its own
    # below.
    CHANGE_STUDY = "change_study"
    CLOSE_STUDY = "close_study"
    INVITE_EXPERTS = "invite_experts"
    # Decide on answers and clips as an expert does.
    REVIEW = "review"
    SEE_SESSIONS = "see_sessions"
    # Answers, reasons, verdicts and all figures computed from them.
    SEE_SCORES = "see_scores"
    EXPORT = "export"
    SEE_PLATFORM_IDS = "see_platform_ids"
    SEE_PAYMENTS = "see_payments"
    PAY = "pay"
    MANAGE_MEMBERS = "manage_members"


class Role(StrEnum):
    """A person's role in a study."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"
    BLINDED = "blinded"
    PAYER = "payer"


C = Capability
EVERYTHING: Final = frozenset(Capability)
EDITING: Final = EVERYTHING - {C.CLOSE_STUDY, C.PAY, C.MANAGE_MEMBERS}
CAPABILITIES: Final[dict[Role, frozenset[Capability]]] = {
    Role.OWNER: EVERYTHING,
    Role.EDITOR: EDITING,
    Role.BLINDED: EDITING,
    # The payments pages consist of platform ids, so they need the right to see these.
    Role.VIEWER: frozenset({C.SEE_STUDY, C.SEE_SESSIONS, C.SEE_SCORES, C.EXPORT}),
    Role.PAYER: frozenset({C.SEE_SESSIONS, C.SEE_PLATFORM_IDS, C.SEE_PAYMENTS, C.PAY, C.EXPORT}),
}
# Withheld while a study collects. A person who may invite experts could invite themselves under another name.
BLINDED_WHILE_COLLECTING: Final = frozenset({C.SEE_SCORES, C.REVIEW, C.INVITE_EXPERTS})
# Roles that can be given; the owner is a field of the study.
GIVEN: Final = (Role.EDITOR, Role.VIEWER, Role.BLINDED, Role.PAYER)


def capabilities(role: Role | None, *, is_collecting: bool) -> frozenset[Capability]:
    """Return a role's present capabilities; empty without a role."""
    if role is None:
        return frozenset()
    if role == Role.BLINDED and is_collecting:
        return CAPABILITIES[role] - BLINDED_WHILE_COLLECTING
    return CAPABILITIES[role]


def roles_with(capability: Capability, *, is_collecting: bool) -> list[Role]:
    """Return the roles that have a capability now."""
    return [role for role in Role if capability in capabilities(role, is_collecting=is_collecting)]
