"""Delete a study with its pilots, previews, raters, answers and files; files shared with other studies stay."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from core.database.references import delete_with_references
from core.errors import Conflict, Invalid
from raters.deletion.open_work import open_work
from raters.people.models import Rater, Session
from studies.launch import deleting

if TYPE_CHECKING:
    from studies.definition.models import Study


def needs_typing(study: Study) -> bool:
    """True if people took part, so that the deletion must be confirmed by the study's address or title."""
    return study.launched_at is not None or Session.objects.filter(_of(study), preview=False).exists()


@transaction.atomic
def delete(*, study: Study, typed: str = "") -> None:
    """Delete a draft or a closed study for good; `typed` is its address or title where `needs_typing` asks for one.

    Raises `Invalid` if that differs; `Conflict` while the study collects, has active raters, or has open payments.
    """
    keys = deleting.lock(study)
    if needs_typing(study) and typed.strip() not in {study.slug, study.title}:
        text = _("Type {address} to delete the study.").format(address=study.slug)
        raise Invalid(text, {"typed": text})
    _refuse_open_work(keys)
    people = only_in(keys)
    # First, because it includes sessions of raters who also took part elsewhere.
    deleting.delete(study, keys)
    delete_with_references(Rater, people)


def only_in(studies: Collection[int]) -> set[int]:
    """Return the raters who took part in no other study."""
    elsewhere = Session.objects.filter(rater=OuterRef("pk")).exclude(study__in=studies)
    people = Session.objects.filter(study__in=studies).values("rater")
    return set(Rater.objects.filter(~Exists(elsewhere), pk__in=people).values_list("pk", flat=True))


def _of(study: Study) -> Q:
    return Q(study=study) | Q(study__pilot_of=study)


def _refuse_open_work(studies: Collection[int]) -> None:
    work = open_work(studies)
    if work.is_active:
        raise Conflict(_("Somebody is still taking part in this study. Wait until they have finished."), code="active")
    if work.has_payments:
        text = _(
            "Payments of this study are open. Submissions to decide: {waiting}; open lists: {lists}; unclear payments: "
            "{unclear}. Finish them under Payments, then delete the study."
        )
        message = text.format(waiting=work.waiting, lists=work.lists, unclear=work.unclear)
        raise Conflict(message, code="payments_open")
