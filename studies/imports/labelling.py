"""Change the labels of a draft's clips, delete clips from a draft, and undo either."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from studies import hooks
from studies.clips.models import Clip, System, Text
from studies.definition.models import Study
from studies.imports import changes
from studies.pool.layout import checked

# What a label is called, and its column.
COLUMNS = {"role": "role", "system": "system_id", "text": "text_id", "voice": "voice", "dimension": "dimension"}
CHUNK = 5000
REASONS = 5
# (clip, reason), in order.
Problems = dict[tuple[int | None, str], None]


class Changed(NamedTuple):
    """The number of changed clips, and what `undo` needs, as JSON."""

    number: int
    undo: dict[str, Any]


def relabel(*, study: Study, clips: QuerySet[Clip], labels: Mapping[str, str], now: datetime) -> Changed:
    """Give all these clips of a draft the labels; systems and texts that don't exist are created.

    Raises `Conflict` after the launch or without clips, and `Invalid` if the study's task could not use the clips
    with these labels; then nothing was changed.
    """
    if not labels:
        raise Invalid(_("Choose at least one label to change."))
    with transaction.atomic():
        _hold_draft(study)
        existing_problems = _problems(study)
        values = _columns(study, labels)
        rows = _chosen(clips).values_list("pk", *values)
        previous: dict[tuple[Any, ...], list[int]] = {}
        for pk, *before in rows:
            if before != list(values.values()):
                previous.setdefault(tuple(before), []).append(pk)
        changed = [pk for keys in previous.values() for pk in keys]
        _write(changed, values)
        _refuse_problems(_problems(study), existing_problems)
        if changed:
            hooks.tell_clips_changed(study, now)
    undo = {"kind": "labels", "after": values, "before": [[list(old), keys] for old, keys in previous.items()]}
    return Changed(len(changed), undo)


def delete(*, study: Study, clips: QuerySet[Clip], now: datetime) -> Changed:
    """Withdraw clips of a draft, so that this can be undone; raise `Conflict` after the launch or without clips."""
    with transaction.atomic():
        _hold_draft(study)
        keys = list(_chosen(clips).filter(withdrawn_at=None).values_list("pk", flat=True))
        changes.withdraw(clips=keys, now=now)
    return Changed(len(keys), {"kind": "deleted", "at": now.isoformat(), "clips": keys})


def restore(*, study: Study, clips: QuerySet[Clip], now: datetime) -> int:
    """Restore deleted clips of a draft, and return their number; raise `Conflict` after the launch."""
    with transaction.atomic():
        _hold_draft(study)
        return changes.restore(clips=list(_chosen(clips).values_list("pk", flat=True)), now=now)


def remove(*, study: Study, clips: QuerySet[Clip], now: datetime) -> int:
    """Remove deleted clips of a draft for good, with their files, and return their number.

    Clips that are in use stay.
    """
    with transaction.atomic():
        _hold_draft(study)
        keys = list(_chosen(clips).exclude(withdrawn_at=None).values_list("pk", flat=True))
        return changes.remove(clips=keys, now=now)


def undo(*, study: Study, change: Mapping[str, Any], now: datetime) -> int:
    """Undo a change that `relabel` or `delete` returned, and return the number of clips.

    Raises `Conflict` after the launch, or if one of the clips changed since; then nothing was undone.
    """
    with transaction.atomic():
        _hold_draft(study)
        number = UNDOERS[change["kind"]](study, change, now)
        hooks.tell_clips_changed(study, now)
    return number


def _undo_labels(study: Study, change: Mapping[str, Any], _now: datetime) -> int:
    after, number = change["after"], 0
    for before, keys in change["before"]:
        _check_unchanged(study, keys, after)
        _write(keys, dict(zip(after, before, strict=True)))
        number += len(keys)
    return number


def _undo_delete(study: Study, change: Mapping[str, Any], now: datetime) -> int:
    keys = change["clips"]
    _check_unchanged(study, keys, {"withdrawn_at": datetime.fromisoformat(change["at"])})
    return changes.restore(clips=keys, now=now)


UNDOERS: Mapping[str, Callable[[Study, Mapping[str, Any], datetime], int]] = {
    "labels": _undo_labels,
    "deleted": _undo_delete,
}


def _hold_draft(study: Study) -> None:
    """Lock the study's row, and raise `Conflict` unless it is still a draft."""
    if not Study.with_previews.select_for_update(no_key=True).get(pk=study.pk).is_draft:
        raise Conflict(
            _("The study was launched: the labels of its clips can’t be changed any more, and no clip can be deleted."),
            code="launched",
        )


def _chosen(clips: QuerySet[Clip]) -> QuerySet[Clip]:
    if not clips.exists():
        raise Conflict(_("No clip is selected. Select at least one."), code="none_selected")
    return clips.order_by("pk")


def _columns(study: Study, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return {column: new value}; create the system and the text if the study has none of this name."""
    values: dict[str, Any] = {COLUMNS[name]: value for name, value in labels.items()}
    if "system" in labels:
        values["system_id"] = System.objects.get_or_create(study=study, name=labels["system"])[0].pk
    if "text" in labels:
        name = labels["text"]
        values["text_id"] = Text.objects.get_or_create(study=study, name=name)[0].pk if name else None
    return values


def _write(keys: Sequence[int], values: Mapping[str, Any]) -> None:
    for chunk in _chunks(keys):
        Clip.objects.filter(pk__in=chunk).update(**values)


def _check_unchanged(study: Study, keys: Sequence[int], values: Mapping[str, Any]) -> None:
    """Raise `Conflict` unless all these clips still exist with these values."""
    unchanged = sum(Clip.objects.filter(study=study, pk__in=chunk, **values).count() for chunk in _chunks(keys))
    if unchanged != len(keys):
        raise Conflict(_("These clips were changed again meanwhile. Nothing was undone."), code="changed")


def _chunks(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    return (keys[start : start + CHUNK] for start in range(0, len(keys), CHUNK))


def _problems(study: Study) -> Problems:
    """Return the clips that the study's task can't use, and why, in order."""
    return {(trouble.clip, trouble.reason): None for trouble in checked(study).problems}


def _refuse_problems(problems: Problems, existing: Problems) -> None:
    """Raise `Invalid` if there are problems that didn't exist before."""
    new = [problem for problem in problems if problem not in existing]
    if not new:
        return
    files = dict(Clip.objects.filter(pk__in=[clip for clip, _reason in new[:REASONS]]).values_list("pk", "file"))
    reasons = [f"{files[clip]}: {reason}" if clip in files else reason for clip, reason in new[:REASONS]]
    message = _("The study’s task can’t use the clips with these labels. Nothing was changed.")
    raise Invalid(message, {"clips": " ".join(reasons)})
