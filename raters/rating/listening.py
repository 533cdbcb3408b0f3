"""The stored file behind a clip key, and the start of its plays."""

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
    """A file to stream to one rater: its name and bytes in the store, and as how many bytes it is sent."""

    trial_clip: int
    trial: int
    batch: int
    name: str
    size: int
    sent_size: int

    @property
    def is_alone(self) -> bool:
        """Say whether it is the only clip of its trial: then it is sent as it is stored."""
        return self.sent_size == self.size


class ScreenClip(NamedTuple):
    """A clip of the trial that a rater has before them."""

    key: str
    size: int
    pk: int
    trial: int
    name: str
    served_at: datetime | None
    batch: int
    position: int


# The clip of a key, and the other clips of its trial.
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
)


# Two are enough to tell that a trial is neither the current one nor the next.
BEFORE = Select(
    lambda: Trial.objects.filter(
        batch=Parameter("batch"), position__lt=Parameter("position"), answered_at=None, skipped_at=None
    ).values_list("pk")[:2]
)


def rendition(*, session_id: int, key: str) -> Rendition:
    """Return the file behind a key while its trial is the current one or the next; raises `NotFound` otherwise."""
    clips = {clip.key: clip for clip in SCREEN(key=key, session=session_id)}
    clip = clips.get(key)
    if clip is None or (clip.served_at is None and len(BEFORE(batch=clip.batch, position=clip.position)) > 1):
        raise NotFound("There is no such clip.")
    sent_size = clip.size if len(clips) == 1 else screen_rendition.screen_size(each.size for each in clips.values())
    return Rendition(clip.pk, clip.trial, clip.batch, clip.name, clip.size, sent_size)


def remaining_clips(batch: int) -> list[tuple[str, int]]:
    """Return (name in the store, bytes) of the clips of a batch that are still to be heard, in their order."""
    rows = TrialClip.objects.filter(trial__batch=batch, trial__answered_at=None).order_by("trial__position", "place")
    return list(rows.values_list("clip__rendition", "clip__rendition_bytes"))


# More plays than anybody means; it also keeps the count within its column.
MOST_PLAYS = 30_000
# Plays of one clip that an interruption gives back where it voids a play. The page reports them, so they have a limit.
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
    """Start the clock of a clip that is being shown, once, and count the play: one UPDATE unless it is refused.

    `voided` is how many earlier plays of it were interrupted; where that voids a play, they don't use up allowed ones.
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
