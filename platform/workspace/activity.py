"""The last activity in a study: an answer of a rater, or an entry of the study's history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from raters.rating import monitor
from studies.members import pages

if TYPE_CHECKING:
    from studies.definition.models import Study


def last_of(studies: Sequence[Study]) -> dict[int, datetime]:
    """Return {study: its last activity}; one SELECT, and one for each launched study."""
    recorded = pages.last_recorded([study.pk for study in studies])
    last = {}
    for study in studies:
        answered = monitor.last_answer(study.pk) if study.launched_at else None
        moments = (study.created_at, study.launched_at, recorded.get(study.pk), answered)
        last[study.pk] = max(moment for moment in moments if moment is not None)
    return last


def in_words(moment: datetime, now: datetime) -> str:
    """Return a moment as a phrase about the time since then."""
    if now - moment < timedelta(minutes=1):
        return _("active just now")
    return _("active {time} ago").format(time=timesince(moment, now, depth=1))
