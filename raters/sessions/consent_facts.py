"""Facts at the top of the consent page: time, clips, pay, task, contact, institution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from core.text.languages import translate
from studies.definition import facts
from studies.definition.settings.payment import PaymentSettings, money
from studies.pool import session_time

if TYPE_CHECKING:
    from studies.definition.definition import Definition, Wording


@dataclass(frozen=True, slots=True)
class ConsentFacts:
    """Facts on the consent page; empty or 0 if the study doesn't state them."""

    minutes: int
    clips: int
    batches: int
    task: str
    pay: tuple[str, ...]
    contact: str
    institution: str


def consent_facts(study_id: int, definition: Definition, wording: Wording, *, platform: str) -> ConsentFacts:
    """Return the facts in the page's language; `platform` is the one that pays this rater, empty if none does."""
    payment = facts.payment(study_id)
    session = session_time.content_of(study_id, definition)
    return ConsentFacts(
        minutes=payment.minutes or session.minutes,
        clips=session.clips,
        batches=session.batches,
        task=translate(definition.kind.asked(definition.params)),
        pay=tuple(pay_sentences(payment, session.batches, platform, wording.institution)),
        contact=wording.contact,
        institution=wording.institution,
    )


def pay_sentences(payment: PaymentSettings, batches: int, platform: str, institution: str) -> Iterator[str]:
    """Yield sentences on the pay and who pays it; none if neither the study nor a platform states it."""
    if payment.rate is None:
        if platform:
            yield _("{platform} states the pay and pays you.").format(platform=platform)
        return
    bonus = payment.bonus_per_valid_batch * batches
    if not payment.rate and not bonus:
        yield _("This study is not paid.")
        return
    amount = f"{payment.currency} {money(payment.rate)}"
    if payment.per == "clip":
        yield _("You get {amount} for each clip of a finished session.").format(amount=amount)
    else:
        yield _("You get {amount} for a finished session.").format(amount=amount)
    if bonus:
        yield _("You may get a bonus of up to {amount}.").format(amount=f"{payment.currency} {money(bonus)}")
    if platform:
        yield _("{platform} pays you.").format(platform=platform)
    elif institution:
        yield _("{institution} pays you.").format(institution=institution)
