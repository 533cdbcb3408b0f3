"""What differences, states and deeds are called on the pages of pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from raters.models import PaymentList, Submission

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

Kind = PaymentList.Kind
ALL: Words = _("All")
ANY: Words = _("Anything differs")
UNDECIDED: Words = _("Pay undecided")
STATES: dict[str, Words] = dict(Submission.State.choices)
DIFFERS: dict[str, Words] = {
    "not_here": _("Handed in there, no session here"),
    "not_there": _("Session here, no submission there"),
    "other_person": _("Another person there"),
    "no_code": _("No code entered"),
    "wrong_code": _("Another code entered"),
    "unfinished_here": _("Handed in there, under way here"),
    "not_handed_in": _("Over here, not handed in there"),
    "finished_late": _("Owed pay, timed out there"),
    "owed_not_paid": _("Owed pay, and gets none there"),
    "paid_not_owed": _("Paid there, not owed here"),
    "times_apart": _("Times differ by more than ten minutes"),
}
ABOUT: dict[str, Words] = {
    Kind.APPROVE: _("Sessions that are owed their pay. Prolific then pays the reward."),
    Kind.BONUS: _("What is owed beyond the reward, less what was paid as a bonus already."),
    Kind.SCREEN_OUT: _("People whom the first checks left out: the code for them takes effect at Prolific."),
    Kind.REQUEST_RETURN: _("Handed in there without anything here that is owed pay. Prolific writes to them."),
    Kind.REJECT: _("Only people who failed enough fair attention checks; traps and scores never count."),
    Kind.PLACES: _("More people can take part, each for the reward."),
}
