"""Write, review, import and copy the texts of a study."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.users.models import User
from core.errors import Conflict, Invalid, NotFound
from studies import hooks
from studies.clips.models import Clip, Text
from studies.corpus import queries, rules
from studies.corpus.models import CorpusSettings, CorpusText, TextComment, TextVersion
from studies.corpus.rules import StoredFlag
from studies.corpus.text_table import TextRow
from studies.definition.models import Study

# A change of these needs a new review: speakers and raters read them.
SPOKEN = ("body", "style", "turns")
FIELDS = (*SPOKEN, "language", "dimension", "box", "source", "licence")
# Clips take these from their text if the manifest is silent, as in an import.
GIVEN = ("dimension", "language", "box")
REVIEW = ("state", "accepted_by_id", "checked_by_id", "reject_reason")
LONGEST_NOTE = 300


@transaction.atomic
def add(
    *,
    study: Study,
    name: str,
    values: Mapping[str, Any],
    author: User | None,
    now: datetime,
    note: str = "",
    flags: Sequence[StoredFlag] = (),
) -> CorpusText:
    """Add a draft of a text with its first version; `author` None: a model wrote it. Raises `Invalid`."""
    if problems := _problems(study, name, values):
        raise Invalid(" ".join(problems.values()), problems)
    text = CorpusText.objects.create(
        study=study,
        name=name,
        **{column: value for column, value in values.items() if column in FIELDS},
        flags=list(flags),
        created_by=author,
        created_at=now,
        changed_at=now,
    )
    _version(text, author, note, now)
    return text


@transaction.atomic
def edit(
    *, text: CorpusText, values: Mapping[str, Any], author: User | None, now: datetime, note: str = "", seen: int = 0
) -> bool:
    """Change a text; return False if nothing differs. Other words are a new version.

    A text with changed words, style or turns is a draft again. With `seen`, raises `Conflict` if that isn't the newest
    version any more.
    """
    text = _held(text, seen)
    changed = {name: values[name] for name in FIELDS if name in values and values[name] != getattr(text, name)}
    if not changed:
        return False
    if "body" in changed and not str(changed["body"]).strip():
        raise Invalid(_("Write the text."), {"body": _("Write the text.")})
    for name, value in changed.items():
        setattr(text, name, value)
    if any(name in changed for name in SPOKEN):
        _reset(text)
    text.changed_at = now
    if "body" in changed:
        text.version += 1
        text.flags = []
        _version(text, author, note, now)
    text.save()
    _tell_clips(text, now)
    return True


def restore(*, text: CorpusText, number: int, author: User, now: datetime) -> None:
    """Restore an earlier version as a new one; raises `NotFound`."""
    version = TextVersion.objects.filter(text=text, number=number).first()
    if version is None:
        raise NotFound(_("There is no such version of this text."))
    note = _("Version {number} restored").format(number=number)
    edit(text=text, values={"body": version.body}, author=author, now=now, note=note)


@transaction.atomic
def accept(*, text: CorpusText, user: User, now: datetime, seen: int = 0) -> dict[str, Any]:
    """Accept a draft or a rejected text; return the argument for `undo`."""
    text = _held(text, seen)
    if text.state not in {rules.DRAFT, rules.REJECTED}:
        raise Conflict(_("{name} is accepted already.").format(name=text.name))
    if not text.body.strip():
        raise Invalid(_("{name} has no words: write them first.").format(name=text.name))
    return _reviewed(text, now, state=rules.ACCEPTED, accepted_by=user, checked_by=None, reject_reason="")


@transaction.atomic
def cross_check(*, text: CorpusText, user: User, now: datetime, seen: int = 0) -> dict[str, Any]:
    """Cross-check a text that another person accepted; return the argument for `undo`."""
    text = _held(text, seen)
    if text.state != rules.ACCEPTED:
        raise Conflict(_("{name} isn’t accepted: somebody must accept it first.").format(name=text.name))
    if not rules.may_check(accepted_by=text.accepted_by_id, user=user.pk):
        raise Conflict(
            _("You accepted {name}: another person must cross-check it.").format(name=text.name), code="same_person"
        )
    return _reviewed(text, now, state=rules.CHECKED, checked_by=user)


@transaction.atomic
def reject(*, text: CorpusText, user: User, reason: str, now: datetime, seen: int = 0) -> dict[str, Any]:
    """Reject a text in any state; return the argument for `undo`. The reason becomes a comment of `user`."""
    text = _held(text, seen)
    if text.state == rules.REJECTED:
        raise Conflict(_("{name} is rejected already.").format(name=text.name))
    if reason.strip():
        TextComment.objects.create(text=text, author=user, body=reason.strip(), at=now)
    return _reviewed(text, now, state=rules.REJECTED, accepted_by=None, checked_by=None, reject_reason=reason.strip())


@transaction.atomic
def undo(*, study: Study, change: Mapping[str, Any], now: datetime) -> CorpusText:
    """Undo a review; raises `Conflict` if the text was changed since."""
    text = CorpusText.objects.select_for_update().filter(study=study, pk=change["text"]).first()
    if text is None or text.changed_at.isoformat() != change["at"]:
        raise Conflict(_("The text was changed meanwhile, so this can’t be undone."))
    for name in REVIEW:
        setattr(text, name, change["before"][name])
    text.changed_at = now
    text.save(update_fields=[*(name.removesuffix("_id") for name in REVIEW), "changed_at"])
    return text


def comment(*, text: CorpusText, author: User, body: str, now: datetime) -> None:
    """Add a comment; raises `Invalid` for an empty one."""
    if not body.strip():
        raise Invalid(_("Write a comment."), {"comment": _("Write a comment.")})
    TextComment.objects.create(text=text, author=author, body=body.strip()[:5000], at=now)


@transaction.atomic
def import_rows(
    *, study: Study, rows: Iterable[TextRow], author: User, now: datetime, note: str = ""
) -> tuple[int, int]:
    """Add and change texts from a table; return the number of new and of changed ones.

    The importer accepts the texts that the table calls accepted or checked: a second person must cross-check them.
    """
    existing = {text.name: text for text in CorpusText.objects.select_for_update().filter(study=study)}
    added = changed = 0
    for row in rows:
        values = columns_of(row)
        text = existing.get(row.name)
        if text is None:
            text = add(study=study, name=row.name, values=values, author=author, now=now, note=note)
            _follow(text, row.values.get("state", ""), author, now)
            added += 1
        else:
            is_changed = edit(text=text, values=values, author=author, now=now, note=note)
            text.refresh_from_db()
            changed += _follow(text, row.values.get("state", ""), author, now) or is_changed
    return added, changed


@transaction.atomic
def copy(*, study: Study, source: Study, author: User, now: datetime, withheld: Collection[str]) -> tuple[int, int]:
    """Copy texts of another study as drafts, with their newest words; return how many, and how many existed already.

    Rejected texts are left out, and `withheld` ones, since the person may not read them there. The first version names
    the source.
    """
    rows = CorpusText.objects.filter(study=source).exclude(state=rules.REJECTED).exclude(name__in=withheld)
    there = set(CorpusText.objects.filter(study=study).values_list("name", flat=True))
    note = _("Copied from “{title}” (version {number})")
    copied = skipped = 0
    for text in rows:
        if text.name in there:
            skipped += 1
            continue
        values = {name: getattr(text, name) for name in FIELDS}
        said = note.format(title=source.title, number=text.version)
        add(study=study, name=text.name, values=values, author=author, now=now, note=said)
        copied += 1
    return copied, skipped


def save_settings(*, study: Study, dimensions: Sequence[Mapping[str, str]], cross_check: bool) -> None:
    """Store the study's own dimensions (none: the ATT paper's) and whether a second person must check."""
    values = {"dimensions": [dict(each) for each in dimensions], "cross_check": cross_check}
    CorpusSettings.objects.update_or_create(study=study, defaults=values)


def columns_of(row: TextRow) -> dict[str, Any]:
    """Return a table's values by field name."""
    return {"body" if name == "text" else name: value for name, value in row.values.items() if name != "state"}


def will_follow(text: CorpusText, state: str, *, is_changed: bool) -> bool:
    """True if an import changes a text's state; texts with changed words become drafts first."""
    now = rules.DRAFT if is_changed else text.state
    if state in {rules.ACCEPTED, rules.CHECKED}:
        return now in {rules.DRAFT, rules.REJECTED}
    return state == rules.REJECTED and now != rules.REJECTED


def _follow(text: CorpusText, state: str, user: User, now: datetime) -> bool:
    """Give a text the state of its row, as far as one person may; return False if it had that state."""
    if not will_follow(text, state, is_changed=False):
        return False
    if state == rules.REJECTED:
        reject(text=text, user=user, reason="", now=now)
    else:
        accept(text=text, user=user, now=now)
    return True


def _problems(study: Study, name: str, values: Mapping[str, Any]) -> dict[str, str]:
    problems = {}
    if not name:
        problems["name"] = _("Give the text an id.")
    elif CorpusText.objects.filter(study=study, name=name).exists():
        problems["name"] = _("The study has a text {name} already.").format(name=name)
    if not str(values.get("body", "")).strip():
        problems["body"] = _("Write the text.")
    return problems


def _held(text: CorpusText, seen: int) -> CorpusText:
    """Return the current text, locked; raise `Conflict` if another version was seen."""
    text = CorpusText.objects.select_for_update().select_related("study").get(pk=text.pk)
    if seen and text.version != seen:
        raise Conflict(_("{name} was changed meanwhile. Read the new version first.").format(name=text.name))
    return text


def _reset(text: CorpusText) -> None:
    text.state, text.accepted_by, text.checked_by, text.reject_reason = rules.DRAFT, None, None, ""


def _version(text: CorpusText, author: User | None, note: str, now: datetime) -> None:
    TextVersion.objects.create(
        text=text, number=text.version, body=text.body, author=author, note=note[:LONGEST_NOTE], at=now
    )


def _reviewed(text: CorpusText, now: datetime, **values: Any) -> dict[str, Any]:
    before = {name: getattr(text, name) for name in REVIEW}
    for name, value in values.items():
        setattr(text, name, value)
    text.changed_at = now
    text.save(update_fields=[*values, "changed_at"])
    if text.state == rules.ACCEPTED:
        _tell_clips(text, now)
    return {"text": text.pk, "name": text.name, "before": before, "at": now.isoformat()}


def _tell_clips(text: CorpusText, now: datetime) -> None:
    """Give a draft's clips of this text its context and missing facts. Launched studies don't change."""
    if text.state not in {rules.ACCEPTED, rules.CHECKED} or not text.study.is_draft:
        return
    spoken = Text.objects.filter(study=text.study_id, name=text.name)
    spoken.update(context=queries.context(text))
    spoken.filter(body="").update(body=text.body)
    clips = Clip.objects.filter(study=text.study_id, text__in=spoken)
    given = {name: value for name in GIVEN if (value := getattr(text, name))}
    if sum(clips.filter(**{name: ""}).update(**{name: value}) for name, value in given.items()):
        hooks.tell_clips_changed(text.study, now)
