"""The prompts of a study: each change is a new version, and drafts name the version that they were made with."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Invalid
from studies.definition.models import Study
from studies.drafting.models import DraftPrompt
from studies.drafting.rules import prompts as rules

if TYPE_CHECKING:
    from studies.drafting.rules.prompts import Step


def newest(study_id: int, step: Step, kind: str, language: str) -> DraftPrompt | None:
    """Return the newest version of a prompt that was stored."""
    rows = DraftPrompt.objects.filter(study_id=study_id, step=step, kind=kind, language=language)
    return rows.order_by("-number").first()


@transaction.atomic
def current(*, study_id: int, step: Step, kind: str, language: str, now: datetime) -> DraftPrompt:
    """Return the version to use now; the built-in one becomes version 1."""
    kind = kind if step == "generate" else ""
    return newest(study_id, step, kind, language) or DraftPrompt.objects.create(
        study_id=study_id,
        step=step,
        kind=kind,
        language=language,
        number=1,
        body=rules.built_in(step, kind, language),
        at=now,
    )


@transaction.atomic
def save(*, study: Study, step: Step, kind: str, language: str, body: str, user: Any, now: datetime) -> DraftPrompt:
    """Store an edited prompt as the next version; raises `Invalid` with what is wrong. Unchanged, it stays as it is."""
    # Locked, since two people may edit one prompt at once.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    body = body.replace("\r\n", "\n").strip()
    code, names = rules.problem(step, body)
    if code:
        message = _problem(code, names)
        raise Invalid(message, {"body": message})
    last = current(study_id=study.pk, step=step, kind=kind, language=language, now=now)
    if last.body == body:
        return last
    return DraftPrompt.objects.create(
        study=study,
        step=step,
        kind=last.kind,
        language=language,
        number=last.number + 1,
        body=body,
        author=user,
        at=now,
    )


def _problem(code: str, names: tuple[str, ...]) -> str:
    listed = ", ".join(f"{{{name}}}" for name in names)
    if code == "missing":
        return _("The prompt must contain {names}: that is where it is filled in.").format(names=listed)
    if code == "unknown":
        return _("The prompt contains {names}, which nothing fills in. Remove it.").format(names=listed)
    if code == "long":
        return _("The prompt is too long. Write at most {number} characters.").format(number=rules.LONGEST_PROMPT)
    return _("Write a prompt.")
