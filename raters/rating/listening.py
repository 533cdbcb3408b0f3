"""Stored files of clip keys, and the start of playback."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import DateTimeField, F
from django.db.models.functions import Coalesce

from core.database.prepared import Parameter, Rows, Select, Update
from core.errors import Conflict, NotFound
from raters.people.models import Session
from raters.people.queries import version_of
from raters.rating import screen_rendition
from raters.rating.models import Trial, TrialClip
from raters.rating.trials import other_tab
from studies.definition import facts


@dataclass(frozen=True, slots=True)
class Rendition:
    """A file to send to a rater: name and size in the store, and the size sent."""

    trial_clip: int
    trial: int
    batch: int
    name: str
    size: int
    sent_size: int

    @property
    def is_alone(self) -> bool:
        """True if it is sent unchanged: the only clip of its trial, in a study without repeated trials."""
        return self.sent_size == self.size


class ScreenClip(NamedTuple):
    """A clip on the screen of an open trial."""

    key: str
    size: int
    pk: int
    trial: int
    name: str
    served_at: datetime | None
    batch: int
    position: int
    version: int


# The clip with a key, and the other clips of its trial.
SCREEN = Rows(
    ScreenClip,
    lambda: TrialClip.objects.filter(
        trial__clips__key=Parameter("key"),
        trial__session=Parameter("session"),
        trial__answered_at=None,
        trial__skipped_at=None,
        trial__session__step=Session.Step.RATING,
    ),
    size="clip__rendition_bytes",
    trial="trial_id",
    name="clip__rendition",
    served_at="trial__served_at",
    batch="trial__batch_id",
    position="trial__position",
    version="trial__session__version_id",
)


# Two earlier open trials are enough to reject a clip.
BEFORE = Select(
    lambda: Trial.objects.filter(
        batch=Parameter("batch"), position__lt=Parameter("position"), answered_at=None, skipped_at=None
    ).values_list("pk")[:2]
)


def rendition(*, session_id: int, key: str) -> Rendition:
    """Return the file of a clip key if its trial is the current or next one; otherwise raises `NotFound`."""
    clips = {clip.key: clip for clip in SCREEN(key=key, session=session_id)}
    clip = clips.get(key)
    if clip is None or (clip.served_at is None and len(BEFORE(batch=clip.batch, position=clip.position)) > 1):
        raise NotFound("There is no such clip.")
    sent_size = screen_rendition.sent_size(clip.size, [each.size for each in clips.values()], clip.version)
    return Rendition(clip.pk, clip.trial, clip.batch, clip.name, clip.size, sent_size)


def remaining_clips(batch: int) -> list[tuple[str, int]]:
    """Return (name in the store, bytes) of the clips still to be heard in a batch, in order."""
    rows = TrialClip.objects.filter(trial__batch=batch, trial__answered_at=None).order_by("trial__position", "place")
    return list(rows.values_list("clip__rendition", "clip__rendition_bytes"))


# Used if the study sets no limit; fits the database column.
MOST_PLAYS = 30_000
# Maximum number of interrupted plays of a clip that aren't counted. The browser reports them, so they need a limit.
GIVEN_BACK = 5
BEGIN = Update(
    lambda: TrialClip.objects.filter(
        key=Parameter("key"),
        trial__session=Parameter("session"),
        trial__session__tab=Parameter("tab"),
        trial__session__step=Session.Step.RATING,
        trial__served_at__isnull=False,
        trial__answered_at=None,
        trial__skipped_at=None,
        plays__lt=Parameter("most"),
    ),
    durable=False,
    plays=F("plays") + 1,
    play_began_at=Coalesce("play_began_at", Parameter("now", DateTimeField())),
)


def start_play(*, session_id: int, key: str, tab: str, now: datetime, voided: int = 0) -> None:
    """Count a play of a clip being shown, and store the time of the first; one UPDATE unless it is refused.

    `voided` is the number of interrupted plays. If the study voids them, they don't count as allowed plays.
    """
    protocol = facts.frozen(version_of(session_id)).protocol
    most = protocol.max_plays or MOST_PLAYS
    if protocol.interruption == "void":
        most += min(voided, GIVEN_BACK)
    if BEGIN(key=key, session=session_id, tab=tab, most=most, now=now):
        return
    trial_clip = TrialClip.objects.filter(key=key, trial__session=session_id).select_related("trial__session").first()
    if trial_clip is None:
        raise NotFound("There is no such clip.")
    if trial_clip.trial.session.tab != tab:
        raise other_tab()
    if trial_clip.trial.served_at is None or trial_clip.trial.is_closed:
        raise Conflict("This clip is not the one being rated.", code="not_current")
    raise Conflict("This clip was played as often as the study allows.", code="plays_used_up")
