"""Copy the clips of a study with their systems, texts and questions. Stored files, which never change, are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studies.clips.models import Clip, Question, System, Text
from studies.definition.models import Study

CHUNK = 2000


def copy_clips(*, study: Study, copy: Study, clips: Sequence[Clip], questions: Sequence[Question]) -> dict[int, int]:
    """Copy these clips, their texts, these questions and every system; return {clip: its copy}."""
    texts = {clip.text_id for clip in clips}
    systems_by_key = written(list(System.objects.filter(study=study).order_by("pk")), study=copy)
    texts_by_key = written(
        [text for text in Text.objects.filter(study=study).order_by("pk") if text.pk in texts], study=copy
    )
    for clip in clips:
        clip.system_id = systems_by_key[clip.system_id]
        clip.text_id = clip.text_id and texts_by_key[clip.text_id]
    for question in questions:
        question.text_id = question.text_id and texts_by_key[question.text_id]
    clips_by_key = written(clips, study=copy)
    written(questions, study=copy)
    return clips_by_key


def written(rows: Sequence[Any], **columns: Any) -> dict[int, int]:
    """Insert copies of rows with other values in these columns; return {old key: new key}."""
    old_keys = [row.pk for row in rows]
    for row in rows:
        row.pk = None
        row._state.adding = True
        for name, value in columns.items():
            setattr(row, name, value)
    if rows:
        type(rows[0])._base_manager.bulk_create(rows, batch_size=CHUNK)
    return {old: row.pk for old, row in zip(old_keys, rows, strict=True)}
