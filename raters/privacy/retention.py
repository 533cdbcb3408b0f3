"""Delete the platforms' ids of people some time after their studies were closed: their answers stay, nameless."""

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
    """Note closed studies, and delete the ids of people in those whose retention period is over; return how many.

    Called every few seconds: three SELECTs of short tables when there is nothing to do.
    """
    closed = set(pool_queries.closed())
    # A study that was reopened starts a new period when it is closed again.
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
    """Return how long a study's people stay known after it was closed."""
    version = facts.newest_version(study_id)
    return timedelta(days=facts.frozen(version).definition.crowd.identity_days)


def delete_ids(*, study_id: int, due: Collection[int], now: datetime) -> int:
    """Delete the ids of a study's people, except those who took part in a study that is not due; return how many."""
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
    # Identities are locked before sessions, in the same order as on arrival.
    list(Identity.objects.filter(rater__in=raters).order_by("pk").select_for_update(no_key=True))
    sessions = Session.objects.filter(rater__in=raters).order_by("pk").select_for_update(no_key=True)
    reached = erasing.reached_rows(Session, list(sessions.values_list("pk", flat=True)), only=KEPT)
    for model, rows in reached.to_blank.items():
        blank_columns(model, rows, KEPT[model].person)
    Identity.objects.filter(rater__in=raters).delete()
    return len(raters)
