"""End pilots that have enough raters, and delete ended pilots."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core.database.references import delete_with_references
from core.errors import Conflict, Invalid
from raters.deletion.open_work import open_work
from raters.deletion.services import only_in
from raters.people.models import Rater
from raters.pilots import queries
from studies.launch import copies, pilots, states

if TYPE_CHECKING:
    from studies.definition.models import Study

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
    people = only_in([pilot.pk])
    # First, because it includes sessions of raters who also took part elsewhere.
    copies.delete(pilot.pk)
    delete_with_references(Rater, people)
    return pilot


def _refuse_unpaid(pilot: Study) -> None:
    work = open_work([pilot.pk])
    if work.is_active:
        raise Conflict(_("Somebody is still taking part in this pilot. Wait until they have finished."), code="active")
    if work.has_payments:
        text = _(
            "Payments of this pilot are open. Submissions to decide: {waiting}; open lists: {lists}; unclear payments: "
            "{unclear}. Finish them under Payments, then delete the pilot."
        )
        message = text.format(waiting=work.waiting, lists=work.lists, unclear=work.unclear)
        raise Conflict(message, code="payments_open")
