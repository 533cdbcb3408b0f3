"""End pilots that have enough raters, and delete ended pilots."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from core.database.references import delete_with_references
from core.errors import Conflict, Invalid
from core.jobs import QUEUED
from raters.payments.models import OPEN_LISTS, Payment, PaymentList, Submission
from raters.people.models import Rater, Session
from raters.pilots import queries
from raters.rating.models import OPEN, Batch
from studies.launch import copies, pilots, states

if TYPE_CHECKING:
    from studies.definition.models import Study

# Submissions not decided at the platform: raters still wait for their pay.
UNDECIDED = (Submission.State.ACTIVE, Submission.State.AWAITING_REVIEW)

logger = logging.getLogger(__name__)


def end_full(*, now: datetime) -> int:
    """End the pilots with as many finished raters as requested; return their number. One SELECT if none runs."""
    running = pilots.running()
    done = queries.finished([pilot.pk for pilot in running.values()]) if running else {}
    full = [pilot for pilot in running.values() if done.get(pilot.pk, 0) >= (pilot.pilot_raters or 0)]
    for pilot in full:
        try:
            states.close(study=pilot)
        except Conflict:
            # Ended by another request at the same time.
            logger.info("%s was ended already", pilot)
    return len(full)


@transaction.atomic
def delete(*, study: Study, number: int, typed: str) -> Study:
    """Delete an ended pilot with all its raters and answers; `typed` is its address, as confirmation.

    Raises `Invalid` if that differs; `Conflict` while the pilot runs, has active raters, or has undecided payments.
    """
    pilot = pilots.get(study, number)
    if pilot.state != pilot.State.CLOSED:
        raise Conflict(_("This pilot is running. End it first."), code="pilot_running")
    if typed.strip() != pilot.slug:
        text = _("Type {address} to delete the pilot.").format(address=pilot.slug)
        raise Invalid(text, {"typed": text})
    _refuse_unpaid(pilot)
    people = Session.objects.filter(study=pilot.pk)
    elsewhere = Session.objects.filter(rater=OuterRef("pk")).exclude(study=pilot.pk)
    only_here = Rater.objects.filter(~Exists(elsewhere), pk__in=people.values("rater"))
    keys = set(only_here.values_list("pk", flat=True))
    # First, because it includes sessions of raters who also took part elsewhere.
    copies.delete(pilot.pk)
    delete_with_references(Rater, keys)
    return pilot


def _refuse_unpaid(pilot: Study) -> None:
    if Batch.objects.filter(session__study=pilot.pk, state__in=[OPEN, QUEUED]).exists():
        raise Conflict(_("Somebody is still taking part in this pilot. Wait until they have finished."), code="active")
    waiting = Submission.objects.filter(platform__study=pilot.pk, state__in=UNDECIDED).count()
    unclear = Payment.objects.filter(list__platform__study=pilot.pk, state=Payment.State.UNCLEAR).count()
    lists = PaymentList.objects.filter(platform__study=pilot.pk, state__in=OPEN_LISTS).count()
    if waiting or unclear or lists:
        text = _(
            "Payments of this pilot are open. Submissions to decide: {waiting}; open lists: {lists}; unclear payments: "
            "{unclear}. Finish them under Payments, then delete the pilot."
        )
        message = text.format(waiting=waiting, lists=lists, unclear=unclear)
        raise Conflict(message, code="payments_open")
