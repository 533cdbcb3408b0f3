"""Exclude people on arrival who rated or heard the same material in other studies here."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q

from raters.people.models import Session
from raters.rating.models import TrialClip
from studies.clips import queries as clips_queries

if TYPE_CHECKING:
    from studies.definition.settings.recruitment import Recruitment


class EarlierClip(NamedTuple):
    """A clip of another study that a rater heard."""

    sha256: str
    text: str | None
    system: str
    voice: str
    at: datetime


def is_left_out(*, rater_id: int, study_id: int, recruitment: Recruitment, now: datetime) -> bool:
    """True if this person rated in an excluded study, or recently heard clips, texts or voices of this study.

    At most five SELECTs.
    """
    if recruitment.not_in_studies and _rated_in(rater_id, study_id, recruitment.not_in_studies):
        return True
    if not recruitment.longest:
        return False
    clips = _heard(rater_id, study_id, now - timedelta(days=recruitment.longest))

    def lately(days: int | None) -> list[EarlierClip]:
        return [clip for clip in clips if days and clip.at >= now - timedelta(days=days)]

    return (
        clips_queries.has_clip(study_id, {clip.sha256 for clip in lately(recruitment.same_clip_days)})
        or clips_queries.has_text(study_id, {clip.text for clip in lately(recruitment.same_text_days) if clip.text})
        or clips_queries.has_voice(
            study_id, {(clip.system, clip.voice) for clip in lately(recruitment.same_voice_days) if clip.voice}
        )
    )


def took_part_in_pilot(*, rater_id: int, study_id: int, pilot_of: int | None) -> bool:
    """True if this person consented in a pilot of the study; for a pilot, in another pilot of its study.

    Pilots have the same clips as their study (rule A3). People who declined have heard none.
    """
    pilots = Session.objects.filter(rater=rater_id, study__pilot_of=pilot_of or study_id, simulated=False)
    return pilots.filter(consented_at__isnull=False).exclude(study=study_id).exists()


def _rated_in(rater_id: int, study_id: int, slugs: tuple[str, ...]) -> bool:
    begun = Session.objects.filter(rater=rater_id, simulated=False, started_at__isnull=False)
    begun = begun.filter(Q(study__slug__in=slugs) | Q(study__pilot_of__slug__in=slugs))
    return begun.exclude(study=study_id).exists()


def _heard(rater_id: int, study_id: int, since: datetime) -> list[EarlierClip]:
    clips = TrialClip.objects.filter(
        trial__rater=rater_id, trial__session__simulated=False, play_began_at__gte=since
    ).exclude(trial__session__study=study_id)
    columns = ("clip__sha256", "clip__text__body", "clip__system__name", "clip__voice", "play_began_at")
    return [EarlierClip(*row) for row in clips.values_list(*columns)]
