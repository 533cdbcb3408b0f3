"""Who works on a study as an expert, and what they may hear."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from core.errors import NotFound
from studies.models import ExpertClip, ExpertInvite, Study, StudyExpert

# Settings of what experts do with answers; each has a mode.
QUEUES = ("review", "coding")


class CardClip(NamedTuple):
    """A clip on an expert's card: its length, and what the reader of its text needs to know."""

    clip: int
    seconds: float
    text: str
    language: str


def may_review(study: Study, user: Any) -> bool:
    """Say whether this person may work on the study: one of its experts, its owner, or a superuser."""
    if not user.is_active:
        return False
    if user.is_superuser or (study.owner_id is not None and study.owner_id == user.pk):
        return True
    return StudyExpert.objects.filter(study=study, user=user.pk, revoked_at=None).exists()


def studies_of(user: Any) -> QuerySet[Study]:
    """Return the studies on which this person may work as an expert."""
    if user.is_superuser:
        return Study.objects.all()
    given = StudyExpert.objects.filter(user=user.pk, revoked_at=None).values("study")
    return Study.objects.filter(Q(pk__in=given) | Q(owner=user.pk))


def of_study(study: Study) -> Sequence[StudyExpert]:
    """Return everybody who is or was an expert of the study, in the order they came."""
    return list(StudyExpert.objects.filter(study=study).select_related("user", "invited_by").order_by("pk"))


def invites(study: Study) -> Sequence[ExpertInvite]:
    """Return the invitations that nobody has used or taken back."""
    waiting = ExpertInvite.objects.filter(study=study, used_at=None, revoked_at=None)
    return list(waiting.select_related("invited_by").order_by("-pk"))


def rendition(*, study: Study, user: Any, key: str) -> tuple[str, int]:
    """Return the stored name and the size in bytes of what a key stands for; raises `NotFound`."""
    found = (
        ExpertClip.objects.filter(key=key, user=user.pk, clip__study=study)
        .values_list("clip__rendition", "clip__rendition_bytes")
        .first()
    )
    if found is None:
        raise NotFound("There is no such clip.")
    return found


def queues(study_ids: Collection[int] | None = None) -> dict[int, str]:
    """Return {study: which queues of answers its experts have, and which take in simulated ones}; one SELECT.

    Studies that weren't launched yet and those without such a queue are left out.
    """
    rows = Study.objects.exclude(state=Study.State.DRAFT)
    if study_ids is not None:
        rows = rows.filter(pk__in=study_ids)
    columns = [f"draft__{queue}__{setting}" for queue in QUEUES for setting in ("mode", "simulated")]
    found = {}
    for study, *values in rows.values_list("pk", *columns):
        settings = zip(QUEUES, values[::2], values[1::2], strict=True)
        names = [f"{queue}+simulated" if simulated else queue for queue, mode, simulated in settings if is_on(mode)]
        if names:
            found[study] = " ".join(names)
    return found


def is_on(mode: str | None) -> bool:
    """Say whether a queue with this setting is filled."""
    return mode not in {None, "off"}
