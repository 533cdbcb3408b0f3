"""Duplicate a study as a draft of its own: what is asked and heard, without people, answers and payments."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict
from studies import hooks
from studies.audit.models import AcceptedFinding, ClipAudit
from studies.clips.models import Clip, Question
from studies.clips.stored import root_of
from studies.corpus.models import CorpusSettings, CorpusText, TextVersion
from studies.definition.models import Study
from studies.definition.parsing import parse
from studies.drafting.models import DraftPrompt
from studies.imports import renditions
from studies.launch import states
from studies.launch.effort import source_of
from studies.launch.material import CHUNK, copy_clips, written

if TYPE_CHECKING:
    from accounts.users.models import User

LONGEST_TITLE = 200
NUMBERED = re.compile(r"(.+) (\d{1,2})")


@transaction.atomic
def duplicate(
    *,
    study: Study,
    slug: str,
    owner: User | None,
    now: datetime,
    title: str = "",
    with_clips: bool = True,
    excludes: bool = False,
) -> Study:
    """Create a draft with a study's settings, texts, questions and, if wanted, clips; raises `Invalid` or `Conflict`.

    Withdrawn clips are left out. Completion codes are new. Without a title, the copy's is numbered. With `excludes`,
    raters of the study can't take part in the copy.
    """
    if study.pilot_of_id is not None:
        raise Conflict(_("A pilot can’t be duplicated. Duplicate its study instead."), code="is_pilot")
    title = title.strip() or title_of_copy(study)
    states.refuse_names(slug, title)
    # Held, so that nobody deletes the clips while their files get a second owner.
    states.lock(study)
    copy = Study.objects.create(
        slug=slug,
        title=title,
        draft=_draft(study, excludes=excludes),
        owner=owner,
        notice=study.notice,
        remark=study.remark,
        created_at=now,
        designed_at=study.designed_at,
        copied_from=study.slug,
        files_of=root_of(study) if with_clips else None,
    )
    _copy_corpus(study, copy)
    _copy_clips(study, copy, with_clips=with_clips)
    if with_clips:
        written(list(AcceptedFinding.objects.filter(study=study, revoked_at=None)), study=copy)
        renditions.request(copy, now)
        hooks.tell_clips_changed(copy, now)
    return copy


def title_of_copy(study: Study) -> str:
    """Return a title for a copy: with a number, because raters see it."""
    numbered = NUMBERED.fullmatch(study.title)
    title, number = (numbered[1], int(numbered[2])) if numbered else (study.title, 1)
    return f"{title[: LONGEST_TITLE - 4]} {number + 1}"


def with_clips_field() -> forms.BooleanField:
    """Return the field that asks whether a copy has the study's clips."""
    return forms.BooleanField(label=gettext_lazy("With its clips and the audit of them"), required=False, initial=True)


def knows_people(study: Study) -> bool:
    """True if raters of the study can be excluded elsewhere: Earshot does not know raters of an open link."""
    source = source_of(study.definition.crowd)
    return source is None or source.knows_people


def exclude_field() -> forms.BooleanField:
    """Return the field that asks whether raters of the study can take part in the copy."""
    return forms.BooleanField(
        label=gettext_lazy("Exclude raters of the original"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Raters of the original know its clips. Excluded people can’t take part in the new study. You can change "
            "this on Design, under “Who takes part”."
        ),
    )


def _draft(study: Study, *, excludes: bool) -> dict[str, Any]:
    draft = states.with_new_codes(parse(study.draft)).model_dump(mode="json")
    others = draft["recruitment"]["not_in_studies"]
    if excludes and study.slug not in others:
        draft["recruitment"]["not_in_studies"] = [*others, study.slug]
    return draft


def origin_of(study: Study) -> Study | None:
    """Return the study that this one was copied from; None if it was deleted."""
    older = Study.objects.filter(slug=study.copied_from, created_at__lte=study.created_at)
    return older.first() if study.copied_from else None


def _copy_corpus(study: Study, copy: Study) -> None:
    """Copy the texts with their versions and reviews, not the comments on them."""
    texts_by_key = written(list(CorpusText.objects.filter(study=study).order_by("pk")), study=copy)
    versions = list(TextVersion.objects.filter(text__study=study).order_by("pk"))
    for version in versions:
        version.text_id = texts_by_key[version.text_id]
    written(versions)
    for table in (CorpusSettings, DraftPrompt):
        rows: Collection[Any] = table._default_manager.filter(study=study).order_by("pk")
        written(list(rows), study=copy)


def _copy_clips(study: Study, copy: Study, *, with_clips: bool) -> None:
    """Copy the clips with their measures; without clips, only questions that need no passage."""
    questions = Question.objects.filter(study=study).order_by("pk")
    if not with_clips:
        written(list(questions.filter(golden=True)), study=copy)
        return
    clips = list(Clip.objects.filter(study=study, withdrawn_at=None).order_by("pk").iterator(CHUNK))
    texts = {clip.text_id for clip in clips}
    asked = [question for question in questions if question.text_id is None or question.text_id in texts]
    clips_by_key = copy_clips(study=study, copy=copy, clips=clips, questions=asked)
    audits = list(ClipAudit.objects.filter(clip__study=study, clip__withdrawn_at=None).order_by("pk").iterator(CHUNK))
    for audit in audits:
        audit.clip_id = clips_by_key[audit.clip_id]
    written(audits)
