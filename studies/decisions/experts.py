"""Experts' access to studies: invitations, who works on which study, and the clips they may hear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.users import invitations
from accounts.users.models import User
from accounts.users.roles import EXPERTS
from core import rng
from core.errors import Conflict, NotFound
from studies.decisions.models import ExpertClip, ExpertInvite, StudyExpert
from studies.definition.models import Study
from studies.members import access
from studies.members.models import Member
from studies.rules.roles import Capability, Role

# Settings of the experts' work on answers; each has a mode.
QUEUES = ("review", "coding")


class CardClip(NamedTuple):
    """A clip on an expert's card: duration, text and language, and the letter that raters saw."""

    clip: int
    seconds: float
    text: str
    language: str
    letter: str = ""


def card_clips(rows: QuerySet[Any], of: str) -> dict[int, list[CardClip]]:
    """Return the clips of rows, grouped by the rows' column `of`, in one SELECT; each row has a column `clip`."""
    clips: dict[int, list[CardClip]] = defaultdict(list)
    columns = ("clip_id", "clip__duration", "clip__text__body", "clip__language")
    for key, clip, seconds, text, language in rows.order_by(of, "place").values_list(of, *columns):
        clips[key].append(CardClip(clip, seconds, text or "", language, letter_of(len(clips[key]))))
    return clips


def letter_of(place: int, leads: int = 0) -> str:
    """Return the letter of the clip at a place, from A; the clips that lead are X."""
    return "X" if place < leads else chr(ord("A") + place - leads)


def may_review(study: Study, user: Any) -> bool:
    """True if this person may work on the study now: as one of its experts, or by role."""
    if not user.is_active:
        return False
    if access.may(study, user, Capability.REVIEW):
        return True
    if access.role_of(study, user) == Role.BLINDED:
        return False
    return StudyExpert.objects.filter(study=study, user=user.pk, revoked_at=None).exists()


def studies_of(user: Any) -> QuerySet[Study]:
    """Return the studies this person may work on as an expert, without archived ones."""
    listed = Q(archived_at=None, pilot_of__archived_at=None)
    by_role = access.visible(user, Capability.REVIEW).filter(listed)
    if user.is_superuser:
        return by_role
    as_expert = StudyExpert.objects.filter(user=user.pk, revoked_at=None)
    blinded = Member.objects.filter(user=user.pk, role=Role.BLINDED, removed_at=None)
    as_expert = as_expert.exclude(study__in=blinded.values("study"))
    return Study.objects.filter(listed, Q(pk__in=as_expert.values("study")) | Q(pk__in=by_role.values("pk")))


def of_study(study: Study) -> Sequence[StudyExpert]:
    """Return all present and former experts of the study, in the order they joined."""
    return list(StudyExpert.objects.filter(study=study).select_related("user", "invited_by").order_by("pk"))


def invites(study: Study) -> Sequence[ExpertInvite]:
    return invitations.waiting(ExpertInvite, study=study)


def rendition(*, study: Study, user: Any, key: str) -> tuple[str, int]:
    """Return the stored name and the size in bytes of the rendition behind a key; raise `NotFound`."""
    file = (
        ExpertClip.objects.filter(key=key, user=user.pk, clip__study=study)
        .values_list("clip__rendition", "clip__rendition_bytes")
        .first()
    )
    if file is None:
        raise NotFound("There is no such clip.")
    return file


def queues(study_ids: Collection[int] | None = None) -> dict[int, str]:
    """Return {study: its queues of answers, and those that include simulated ones}; one SELECT.

    Studies that weren't launched and those without such a queue are left out.
    """
    rows = Study.objects.exclude(state__in=[Study.State.DRAFT, Study.State.PILOT])
    if study_ids is not None:
        rows = rows.filter(pk__in=study_ids)
    columns = [f"draft__{queue}__{setting}" for queue in QUEUES for setting in ("mode", "simulated")]
    open_queues = {}
    for study, *values in rows.values_list("pk", *columns):
        settings = zip(QUEUES, values[::2], values[1::2], strict=True)
        names = [f"{queue}+simulated" if simulated else queue for queue, mode, simulated in settings if is_on(mode)]
        if names:
            open_queues[study] = " ".join(names)
    return open_queues


def is_on(mode: str | None) -> bool:
    """True if a queue with this setting is filled."""
    return mode not in {None, "off"}


VALID_FOR = timedelta(days=14)


def invite(*, study: Study, by: User | None, now: datetime, email: str = "") -> tuple[ExpertInvite, str]:
    """Create an invitation and return it with its token, which is not stored."""
    return invitations.issue(ExpertInvite, study=study, by=by, now=now, valid_for=VALID_FOR, email=email)


@transaction.atomic
def accept(*, token: str, user: User, now: datetime) -> StudyExpert:
    """Make a signed-in person an expert of the study; raises `NotFound` or `Gone`."""
    record = invitations.checked(ExpertInvite, token=token, now=now, lock=True)
    invitations.use(record, user=user, now=now)
    user.groups.add(Group.objects.get(name=EXPERTS))
    known = StudyExpert.objects.filter(study=record.study, user=user, revoked_at=None).first()
    return known or StudyExpert.objects.create(study=record.study, user=user, invited_by=record.invited_by, at=now)


accept_as_new = partial(invitations.accept_as_new, ExpertInvite, accept)
revoke_invite = partial(invitations.revoke, ExpertInvite)


@transaction.atomic
def revoke(*, study: Study, expert_id: int, now: datetime) -> StudyExpert:
    """Revoke an expert's access to a study; their decisions are kept."""
    expert = StudyExpert.objects.select_for_update(no_key=True).filter(study=study, pk=expert_id).first()
    if expert is None:
        raise NotFound(_("There is no such expert in this study."))
    if expert.revoked_at is not None:
        raise Conflict(_("This access was already revoked."), code="already_revoked")
    expert.revoked_at = now
    expert.save(update_fields=["revoked_at"])
    return expert


def audio_keys(*, user_id: int, clips: Collection[int]) -> dict[int, str]:
    """Return {clip: its key for this person}; a clip keeps its key."""
    rows = ExpertClip.objects.filter(user=user_id, clip__in=clips).values_list("clip_id", "key")
    known = dict(rows)
    if new := [clip for clip in clips if clip not in known]:
        # If another tab does this at the same moment, its keys are used.
        ExpertClip.objects.bulk_create(
            (ExpertClip(user_id=user_id, clip_id=clip, key=rng.token()) for clip in new), ignore_conflicts=True
        )
        known = dict(rows.all())
    return known


def note_plays(*, user_id: int, keys: Collection[str], now: datetime) -> None:
    """Store that this person has played the clips behind these keys."""
    ExpertClip.objects.filter(user=user_id, key__in=keys, played_at=None).update(played_at=now)


def played(*, user_id: int, clips: Collection[int]) -> set[int]:
    """Return the clips among these that this person has played."""
    rows = ExpertClip.objects.filter(user=user_id, clip__in=clips, played_at__isnull=False)
    return set(rows.values_list("clip_id", flat=True))
