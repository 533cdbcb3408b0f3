"""Encryption keys of the platforms' ids: check that they fit, and change them."""

from __future__ import annotations

from django.db import transaction

from core import sealing
from core.database.paging import keys
from raters.payments.models import Submission
from raters.people.models import Identity, Session

AT_ONCE = 500


def are_readable() -> bool:
    """True if the server has the key of the newest identity, or there is none."""
    newest = Identity.objects.order_by("-pk").first()
    try:
        return newest is None or bool(newest.person)
    except sealing.Unreadable:
        return False


def reseal() -> int:
    """Encrypt all identities with the newest key; return their number. For erased names see `tombstones`."""
    number = 0
    for some in keys(Identity.objects.all(), AT_ONCE):
        with transaction.atomic():
            rows = list(Identity.objects.filter(pk__in=some).select_for_update())
            for row in rows:
                person = row.person
                row.digest = sealing.digest("person", row.source, person)
                row.sealed = sealing.seal(person)
            Identity.objects.bulk_update(rows, ["digest", "sealed"])
        number += len(rows)
    return number


def tombstones() -> int:
    """Count the erased names: keyed hashes that can't be recomputed with a new key, so old keys are still needed."""
    return sum(
        model._default_manager.filter(ext_session__startswith="erased-").count() for model in (Session, Submission)
    )
