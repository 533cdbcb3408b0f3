"""What each outcome is called on a rater's last page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from django.utils.translation import gettext as _

from raters.people.models import Session

Outcome = Session.Outcome


class Ending(NamedTuple):
    """The last page of one outcome; it debriefs unless nothing was started."""

    title: str
    message: str
    debriefs: bool = True


def words(outcome: str) -> Ending:
    """Return the text of the last page for this outcome."""
    return ENDINGS[Outcome(outcome)]()


def slow_line() -> Ending:
    """Return the last page of a rater who left for a slow connection."""
    message = _("The clips of this study would have taken long to load. That is not your fault.")
    return Ending(_("You left before the first clip"), message, debriefs=False)


ENDINGS: dict[Outcome, Callable[[], Ending]] = {
    Outcome.COMPLETE: lambda: Ending(_("Thank you, that was all"), _("All your answers are saved.")),
    Outcome.DECLINED: lambda: Ending(
        _("You chose not to take part"),
        _("That’s fine. There is nothing more to do here."),
        debriefs=False,
    ),
    Outcome.BAD_DEVICE: lambda: Ending(
        _("This study needs another device"),
        _("Your device or browser can't play the clips of this study. That is not your fault."),
        debriefs=False,
    ),
    Outcome.SCREENED_OUT: lambda: Ending(
        _("You don't meet the requirements of this study"),
        _("Thank you for going through its first checks: the study needs other listeners or another setting."),
        debriefs=False,
    ),
    Outcome.FAILED_COMPREHENSION: lambda: Ending(
        _("The study ends here for you"),
        _("You didn't answer all questions about the instructions correctly. This does not count against you."),
        debriefs=False,
    ),
    Outcome.FAILED_ATTENTION: lambda: Ending(
        _("The study ends here"), _("Thank you for your time. A person will look at your answers.")
    ),
    Outcome.TECHNICAL_FAILURE: lambda: Ending(
        _("Something didn't work"),
        _("That is not your fault, and thank you for trying. What you saved is kept, and a person will look at it."),
    ),
    Outcome.WITHDRAWN: lambda: Ending(
        _("You left the study"), _("Thank you for your time. What you had saved is kept.")
    ),
}  # fmt: skip
