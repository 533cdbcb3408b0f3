"""Create a study, change its draft, and change its state: draft, live, paused, closed. Pilots are in `pilots`."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from base64 import b32encode
from collections.abc import Mapping
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from core.errors import Conflict, Invalid
from core.nudge import nudge
from studies.definition import presets, texts, widths
from studies.definition.definition import Audio, Definition, ResultSettings
from studies.definition.models import Study, StudyVersion
from studies.definition.parsing import change, parse
from studies.definition.queries import newest
from studies.definition.settings.crowd import CODES
from studies.imports import renditions
from studies.launch import checks, saved_presets
from studies.launch.return_urls import with_return_url
from studies.pool import layout
from studies.pool.layout import want
from studies.pool.models import Pool

if TYPE_CHECKING:
    from accounts.users.models import User

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
State = Study.State
# Audio settings that `studies.audit.repairing` changes, with the clips.
REPAIRS = frozenset({"edges", "band", "level"})
# Groups of settings of experts' work, payments and the audit: they belong to the study, not to a version.
AT_ONCE = ("payment", "review", "coding", "spot_check", "audit")


def create_study(
    *,
    slug: str,
    title: str,
    preset: str,
    owner: User | None,
    changes: Mapping[str, Any],
    now: datetime,
    language: str = "en",
) -> Study:
    """Create a draft from a preset, with texts in `language` and dotted settings changed: {"audio.peak": -3}.

    A preset of this server has its own language.
    """
    saved = saved_presets.definition_of(preset)
    translated = saved or texts.begun_in(presets.get(preset).definition, language)
    definition = parse(translated.model_dump(mode="json"))
    raw = definition.model_dump(mode="json")
    definition = parse(change(raw, with_return_url(raw, changes)))
    if unfit := texts.written_wrong(definition, None):
        raise Invalid(_("A translation doesn’t fit the original."), unfit)
    if wrong := widths.problems(definition):
        raise Invalid(_("Some settings are not valid."), wrong)
    raw = with_codes(definition).model_dump(mode="json")
    with transaction.atomic():
        refuse_names(slug, title)
        return Study.objects.create(
            slug=slug,
            title=title.strip(),
            draft=raw,
            owner=owner,
            created_at=now,
            designed_at=now if changes else None,
        )


def refuse_names(slug: str, title: str) -> None:
    """Raise `Invalid` if no study can be created with this address and title."""
    problems = {"slug": slug_problem(slug), "title": _title_problem(title)}
    if not problems["slug"] and Study.with_previews.filter(slug=slug).exists():
        problems["slug"] = _("Another study has this address; choose a different one.")
    if any(problems.values()):
        raise Invalid(
            _("The study can’t be created with these settings."),
            {field: text for field, text in problems.items() if text},
        )


def fixed_settings(study: Study) -> dict[str, str]:
    """Return {dotted setting: reason why it is fixed}.

    The launch fixes interim analyses and hidden scores (rule D10); the first clip fixes audio, since renditions are
    made at import.
    """
    reasons = {}
    is_launched = newest(study) is not None
    if is_launched:
        launched = _("This can’t change after the launch. Create another study.")
        reasons = {f"results.{name}": launched for name in ResultSettings.model_fields}
    if study.clips.exists():
        # The limit may be raised later: it doesn't affect existing clips.
        names = Audio.model_fields.keys() - {"max_seconds"}
        heard = _("This can’t change once there are clips: new ones would sound different.")
        reasons |= {f"audio.{name}": heard for name in Audio.model_fields if name in names}
        if not is_launched:
            repaired = _("Once there are clips, the page Audit changes this for all of them, after a preview.")
            reasons |= {f"audio.{name}": repaired for name in REPAIRS}
    return reasons


def checked_draft(*, study: Study, raw: Mapping[str, Any]) -> Definition:
    """Validate a changed draft; raises `Invalid` by dotted field, also for what is fixed."""
    refuse_pilot(study)
    definition = parse(raw)
    version = newest(study)
    before = {"audio": study.definition.audio, "results": study.definition.results}
    problems = {}
    if version is not None:
        launched = parse(version.definition)
        before["results"] = launched.results
        if definition.task_type != launched.task_type:
            problems["task_type"] = _("The task type can’t change after the launch. Create another study.")
    for dotted, reason in fixed_settings(study).items():
        group, _dot, name = dotted.partition(".")
        if getattr(getattr(definition, group), name) != getattr(before[group], name):
            problems[dotted] = reason
    if problems:
        raise Invalid(_("Some settings can’t change any more."), problems)
    known = widths.problems(study.definition)
    if wrong := {dotted: text for dotted, text in widths.problems(definition).items() if dotted not in known}:
        raise Invalid(_("Some settings are not valid."), wrong)
    if definition.translations and (unfit := texts.written_wrong(definition, study.definition)):
        raise Invalid(_("A translation doesn’t fit the original."), unfit)
    return definition


def update_draft(
    *,
    study: Study,
    raw: Mapping[str, Any],
    title: str | None = None,
    notice: str | None = None,
    remark: str | None = None,
) -> Study:
    """Save changed settings as the draft; they apply to raters after a launch or publication."""
    if title is not None and (problem := _title_problem(title)):
        raise Invalid(_("The study can’t be changed in this way."), {"title": problem})
    with transaction.atomic():
        lock(study)
        before = _anchors(study)
        study.draft = checked_draft(study=study, raw=raw).model_dump(mode="json")
        study.title = study.title if title is None else title.strip()
        study.notice = study.notice if notice is None else notice.strip()
        study.remark = study.remark if remark is None else remark.strip()
        study.save(update_fields=["draft", "title", "notice", "remark"])
        if _anchors(study) != before:
            renditions.request(study, clock.now())
            if (job := renditions.waiting(study)) is not None:
                nudge(job.task_name, job.pk)
    return study


def _anchors(study: Study) -> tuple[int, ...]:
    definition = study.definition
    return definition.kind.anchors(definition.params)


def note_design(study: Study, now: datetime) -> None:
    """Store that the settings were seen or changed by a person who may change them: a step on the way to the launch."""
    if study.is_draft and study.designed_at is None:
        Study.objects.filter(pk=study.pk, designed_at=None).update(designed_at=now)


def describe(*, study: Study, title: str, notice: str, remark: str) -> None:
    """Save the fields outside the versions; the draft isn't touched, since others may be changing it."""
    if problem := _title_problem(title):
        raise Invalid(_("The study can’t be changed in this way."), {"title": problem})
    Study.objects.filter(pk=study.pk).update(title=title.strip(), notice=notice.strip(), remark=remark.strip())


def launch(*, study: Study, now: datetime, rng: Random | None = None) -> StudyVersion:
    """Freeze version 1, add places for every clip and open the study, unless a finding blocks it."""
    with transaction.atomic():
        lock(study)
        refuse_while_pilot(study)
        refuse_archived(study)
        expect(study, State.DRAFT, otherwise=_("This study was already launched."))
        refuse_blocked(study)
        study.draft = with_rate(study)
        version = _freeze(study, number=1, now=now)
        layout.lay_out(study=study, now=now, rng=rng)
        study.state, study.launched_at = State.LIVE, now
        study.save(update_fields=["state", "launched_at", "draft"])
    return version


def publish(*, study: Study, now: datetime) -> StudyVersion:
    """Freeze the changed draft as the next version; open sessions keep theirs."""
    with transaction.atomic():
        lock(study)
        refuse_pilot(study)
        expect(study, State.LIVE, State.PAUSED, otherwise=_("Only a live or paused study has versions to publish."))
        last = newest(study)
        if last is None or not has_changes(study, last):
            raise Conflict(_("Nothing has changed since the current version."), code="unchanged")
        refuse_blocked(study)
        version = _freeze(study, number=last.number + 1, now=now)
        # Withdrawn items want no ratings, now and later.
        places = Pool.objects.filter(cell__study=study, cell__role="test", wanted__gt=0)
        before = last.definition["protocol"]
        if before.get("most_ratings"):
            # Items with disagreeing raters want more ratings than the others, now and later.
            places = places.filter(wanted=before["ratings_wanted"])
        want(places, study.definition.protocol.ratings_wanted)
    return version


def pause(*, study: Study) -> Study:
    """Pause a study: nobody can start; raters finish their batch and are asked to come back later."""
    return _move(study, State.PAUSED, State.LIVE, otherwise=_("Only a live study can be paused."))


def resume(*, study: Study) -> Study:
    """Resume a paused study: raters can start again."""
    return _move(study, State.LIVE, State.PAUSED, otherwise=_("Only a paused study can be resumed."))


def close(*, study: Study) -> Study:
    """Close a study: raters finish their batch, and their session then ends as complete.

    The study of a pilot that is closed is a draft again.
    """
    otherwise = _("Only a live or paused study can be closed.")
    with transaction.atomic():
        closed = _move(study, State.CLOSED, State.LIVE, State.PAUSED, otherwise=otherwise)
        if study.pilot_of_id is not None:
            Study.objects.filter(pk=study.pilot_of_id, state=State.PILOT).update(state=State.DRAFT)
    return closed


def reopen(*, study: Study) -> Study:
    """Reopen a closed study as paused; resuming it is a second, deliberate step.

    Raise `Conflict` if scores were hidden until the end: while the study was closed, they were visible.
    """
    refuse_pilot(study)
    refuse_archived(study)
    if study.state == State.CLOSED and study.definition.results.hide_scores:
        message = _(
            "Its scores were hidden until it was closed, and have been visible since. Duplicate the study instead."
        )
        raise Conflict(message, code="scores_were_open")
    return _move(study, State.PAUSED, State.CLOSED, otherwise=_("Only a closed study can be reopened."))


def has_changes(study: Study, version: StudyVersion) -> bool:
    """True if the draft differs from a version; settings of later releases have their defaults."""
    return frozen(study.definition) != frozen(parse(version.definition))


def frozen(definition: Definition) -> tuple[dict[str, Any], str]:
    """Return a definition as JSON, and the SHA-256 of its canonical form: sorted keys, no spaces, UTF-8.

    Settings of experts' work, payments and the audit are left out: they may change while raters rate.
    """
    body = definition.model_dump(mode="json", exclude=set(AT_ONCE))
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return body, hashlib.sha256(canonical.encode()).hexdigest()


def _freeze(study: Study, *, number: int, now: datetime) -> StudyVersion:
    body, sha256 = frozen(study.definition)
    return StudyVersion.objects.create(study=study, number=number, definition=body, sha256=sha256, published_at=now)


def with_rate(study: Study) -> dict[str, Any]:
    """Return the draft with the sample rate that its clips were converted to."""
    if study.definition.audio.sample_rate is not None:
        return dict(study.draft)
    return change(study.draft, {"audio.sample_rate": renditions.highest(study)})


def lock(study: Study) -> None:
    """Lock the study's row for the transaction, and read it again.

    Its key stays unlocked, so that raters' answers, which refer to it, don't wait.
    """
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))


def expect(study: Study, *states: str, otherwise: str) -> None:
    if study.state not in states:
        now_is = _("It is now: {state}.").format(state=study.get_state_display().lower())
        raise Conflict(f"{otherwise} {now_is}", code="wrong_state", state=study.state)


def refuse_pilot(study: Study) -> None:
    """Raise `Conflict` for a pilot: its settings never change."""
    if study.pilot_of_id is not None:
        message = _("A pilot stays as it was started. Change the study itself, then start another pilot.")
        raise Conflict(message, code="is_pilot")


def refuse_while_pilot(study: Study) -> None:
    """Raise `Conflict` while a pilot of the study is running."""
    if study.state == State.PILOT:
        raise Conflict(_("A pilot of this study is running. End the pilot first."), code="pilot_running")


def refuse_archived(study: Study) -> None:
    """Raise `Conflict` for an archived study: nobody would see it collect."""
    if study.archived_at is not None:
        raise Conflict(_("This study is archived. Unarchive it first."), code="is_archived")


def _move(study: Study, to: str, *states: str, otherwise: str) -> Study:
    with transaction.atomic():
        lock(study)
        expect(study, *states, otherwise=otherwise)
        study.state = to
        study.save(update_fields=["state"])
    return study


def refuse_blocked(study: Study) -> None:
    blocking = [finding.message for finding in checks.findings(study) if finding.level == "blocking"]
    if blocking:
        raise Conflict(" ".join(blocking), code="launch_blocked", findings=blocking)


def with_codes(definition: Definition) -> Definition:
    """Fill in empty completion codes, so that a preset can be launched unchanged; each outcome gets its own."""
    crowd = definition.crowd
    codes = {
        field: getattr(crowd, field) or "C" + b32encode(secrets.token_bytes(5)).decode()[:7] for field in CODES.values()
    }
    return definition.model_copy(update={"crowd": crowd.model_copy(update=codes)})


def with_new_codes(definition: Definition) -> Definition:
    """Replace all completion codes, so that a copy's code can't claim the pay of its original."""
    empty = dict.fromkeys(CODES.values(), "")
    return with_codes(definition.model_copy(update={"crowd": definition.crowd.model_copy(update=empty)}))


def slug_problem(slug: str) -> str:
    """Return the problem of a slug; empty if it is valid."""
    if not SLUG.fullmatch(slug) or not 2 <= len(slug) <= 60:
        return _("Use 2 to 60 lower-case letters, digits and single hyphens, such as my-first-study.")
    return ""


def _title_problem(title: str) -> str:
    if not title.strip():
        return _("Write a title. It is shown to raters.")
    return _("Write at most 200 characters.") if len(title.strip()) > 200 else ""


def change_settings(*, study: Study, changes: Mapping[str, Any], **words: str | None) -> Study:
    """Change dotted settings ({"protocol.ratings_wanted": 5}), title, notice or remark; raises `Invalid`."""
    with transaction.atomic():
        study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
        return update_draft(study=study, raw=changed(study, changes), **words)


def changed(study: Study, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the raw draft with dotted changes; settings that an old draft lacks are added.

    The return URL follows the source.
    """
    raw = {**study.draft, **study.definition.model_dump(mode="json")}
    return change(raw, with_return_url(raw, changes))


def tried(*, study: Study, changes: Mapping[str, Any]) -> Definition:
    """Return the draft with these changes without saving it; raise `Invalid`."""
    return checked_draft(study=study, raw=changed(study, changes))
