"""Delete the platforms' ids some time after a study is closed; the answers stay, anonymous."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction

from core.database.paging import keys
from raters.people.models import Identity, IdentityTerm, Rater, Session
from raters.privacy import erasing
from raters.privacy.erasing import blank_columns
from raters.privacy.kept_tables import KEPT
from studies import hooks
from studies.definition import facts
from studies.pool import queries as pool_queries

AT_ONCE = 500


def delete_due_ids(*, now: datetime) -> int:
    """Record closed studies, and delete the raters' ids of those past their retention period; return their number.

    Called every few seconds: three SELECTs on short tables if there is nothing to do.
    """
    closed = set(pool_queries.closed())
    # After a study is reopened, its next closing starts a new period.
    IdentityTerm.objects.exclude(study__in=closed).delete()
    known = {term.study_id: term for term in IdentityTerm.objects.all()}
    for study in sorted(closed - set(known)):
        known[study] = IdentityTerm.objects.get_or_create(study_id=study, defaults={"closed_at": now})[0]
    due = {study for study, term in known.items() if term.closed_at + retention_period(study) <= now}
    waiting = sorted(study for study in due if known[study].forgotten_at is None)
    for study in waiting:
        delete_ids(study_id=study, due=due, now=now)
    return len(waiting)


def retention_period(study_id: int) -> timedelta:
    """Return how long a study's platform ids are kept after closing."""
    version = facts.newest_version(study_id)
    return timedelta(days=facts.frozen(version).definition.crowd.identity_days)


def delete_ids(*, study_id: int, due: Collection[int], now: datetime) -> int:
    """Delete the ids of a study's raters, except those in another study that is not due; return their number."""
    theirs = Rater.objects.filter(pk__in=Session.objects.filter(study=study_id).values("rater"))
    forgotten = 0
    for raters in keys(theirs.filter(identities__isnull=False).distinct(), AT_ONCE):
        elsewhere = Session.objects.filter(rater__in=raters).exclude(study__in=due).values_list("rater_id", flat=True)
        forgotten += _delete_ids(set(raters) - set(elsewhere))
    for hook in hooks.erasures:
        hook.files(study_id)
    IdentityTerm.objects.filter(study=study_id).update(forgotten_at=now)
    return forgotten


@transaction.atomic
def _delete_ids(raters: Collection[int]) -> int:
    # Lock identities before sessions, as on arrival.
    list(Identity.objects.filter(rater__in=raters).order_by("pk").select_for_update(no_key=True))
    sessions = Session.objects.filter(rater__in=raters).order_by("pk").select_for_update(no_key=True)
    reached = erasing.reached_rows(Session, list(sessions.values_list("pk", flat=True)), only=KEPT)
    for model, rows in reached.to_blank.items():
        blank_columns(model, rows, KEPT[model].person)
    Identity.objects.filter(rater__in=raters).delete()
    return len(raters)
