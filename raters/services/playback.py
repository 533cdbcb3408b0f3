"""What the server sees of listening: bytes sent, and plays begun."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import DateTimeField, F
from django.db.models.functions import Coalesce

from core.errors import Conflict, NotFound
from core.prepared import Given, Update
from raters.models import Session, TrialClip
from raters.selectors.sessions import version_of
from raters.services.trials import other_tab
from studies.selectors import facts

# More plays than anybody means; it also keeps the count within its column.
MOST_PLAYS = 30_000
BEGIN = Update(
    lambda: TrialClip.objects.filter(
        key=Given("key"),
        trial__session=Given("session"),
        trial__session__tab=Given("tab"),
        trial__session__step=Session.Step.RATING,
        trial__served_at__isnull=False,
        trial__answered_at=None,
        trial__skipped_at=None,
        plays__lt=Given("most"),
    ),
    plays=F("plays") + 1,
    play_began_at=Coalesce("play_began_at", Given("now", DateTimeField())),
)


def merge(ranges: list[list[int]], start: int, stop: int) -> list[list[int]]:
    """Return half-open byte ranges with [start, stop) added, sorted and joined where they touch."""
    merged: list[list[int]] = []
    for low, high in sorted([*ranges, [start, stop]]):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged


def sent(*, trial_clip: int, start: int, stop: int, size: int, now: datetime) -> None:
    """Note that these bytes went out; the clip counts as fetched once they cover the file."""
    if start == 0 and stop >= size:
        TrialClip.objects.filter(pk=trial_clip, fetched_at=None).update(fetched_at=now, sent=[])
        return
    with transaction.atomic():
        row = TrialClip.objects.select_for_update().filter(pk=trial_clip).first()
        # Whoever asked for it may have been erased while it went out.
        if row is not None and row.fetched_at is None:
            row.sent = merge(row.sent, start, stop)
            if row.sent == [[0, size]]:
                row.sent, row.fetched_at = [], now
            row.save(update_fields=["sent", "fetched_at"])


def began(*, session_id: int, key: str, tab: str, now: datetime) -> None:
    """Start the clock of a clip that is being shown, once, and count the play: one UPDATE unless it is refused."""
    most = facts.frozen(version_of(session_id)).protocol.max_plays or MOST_PLAYS
    if BEGIN(key=key, session=session_id, tab=tab, most=most, now=now):
        return
    found = TrialClip.objects.filter(key=key, trial__session=session_id).select_related("trial__session").first()
    if found is None:
        raise NotFound("There is no such clip.")
    if found.trial.session.tab != tab:
        raise other_tab()
    if found.trial.served_at is None or found.trial.is_closed:
        raise Conflict("This clip is not the one being rated.", code="not_current")
    raise Conflict("This clip was played as often as the study allows.", code="plays_used_up")
