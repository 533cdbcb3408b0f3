"""Texts of the last page, by outcome."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from raters.people.models import Session
from raters.rating import places
from raters.sessions.models import CheckResult
from raters.sessions.screening import device
from studies.definition import facts

Outcome = Session.Outcome


class Ending(NamedTuple):
    """Texts of the last page; `debriefs` is false if nothing was started."""

    title: str
    message: str
    debriefs: bool = True


def words(outcome: str) -> Ending:
    return ENDINGS[Outcome(outcome)]()


def bad_device(session: Session) -> Ending:
    """Return the last page after a failed device check, which names what failed."""
    result = CheckResult.objects.filter(session=session, name=device.Device.name, passed=False).order_by("pk").last()
    fault = device.fault(result.answers[-1][-1]) if result is not None and result.answers[-1] else "sound"
    if fault == "count":
        title = _("The sound check was not passed")
        message = _(
            "The numbers that you typed didn’t match the beeps that were played, so the study can’t be sure that "
            "you hear its clips well. This does not count against you."
        )
    elif fault == "width":
        title = _("This study needs another device")
        message = _("This window is too narrow for the study. That is not your fault.")
    else:
        return ENDINGS[Outcome.BAD_DEVICE]()
    return Ending(title, message, debriefs=False)


def slow_line(*, may_return: bool) -> Ending:
    """Return the last page of a rater who left because of a slow connection."""
    message = _("The clips of this study would have taken long to load. That is not your fault.")
    if may_return:
        message = _(
            "The clips of this study would have taken long to load. That is not your fault. You can take part on a "
            "better connection: open the study’s link again, or try again here."
        )
    return Ending(_("You left before the first clip"), message, debriefs=False)


def no_place(session: Session, now: datetime) -> Ending:
    """Return the last page of a rater without a place: whether to come back, and when (rule A11)."""
    if facts.by_id(session.study_id).is_closed:
        return Ending(_("This study has ended"), _("It no longer accepts answers."), debriefs=False)
    if places.has_open(session.study_id, simulated=session.simulated):
        message = _("A place may be free now. Try again, or return your place.")
        return Ending(_("There was no place for you"), message, debriefs=False)
    minutes = places.minutes_to_wait(session.study_id, now, simulated=session.simulated)
    if minutes is None:
        message = _("It has all the answers that it needs. Thank you for coming.")
        return Ending(_("This study is full"), message, debriefs=False)
    message = ngettext(
        "Come back in {n} minute, or return your place.", "Come back in {n} minutes, or return your place.", minutes
    )
    return ENDINGS[Outcome.NO_PLACE]()._replace(message=message.format(n=minutes))


ENDINGS: dict[Outcome, Callable[[], Ending]] = {
    Outcome.COMPLETE: lambda: Ending(_("Thank you, that was all"), _("All your answers are saved.")),
    Outcome.DECLINED: lambda: Ending(
        _("You chose not to take part"),
        _("That’s fine. There is nothing more to do here."),
        debriefs=False,
    ),
    Outcome.BAD_DEVICE: lambda: Ending(
        _("This study needs another device"),
        _("Your device or browser can’t play the clips of this study. That is not your fault."),
        debriefs=False,
    ),
    Outcome.SCREENED_OUT: lambda: Ending(
        _("You don’t meet the requirements of this study"),
        _("Thank you for going through its first checks: the study needs other listeners or another setting."),
        debriefs=False,
    ),
    Outcome.FAILED_COMPREHENSION: lambda: Ending(
        _("The study ends here for you"),
        _("You didn’t answer all questions about the instructions correctly. This does not count against you."),
        debriefs=False,
    ),
    Outcome.FAILED_ATTENTION: lambda: Ending(
        _("The study ends here"), _("Thank you for your time. A person will look at your answers.")
    ),
    Outcome.TECHNICAL_FAILURE: lambda: Ending(
        _("Something didn’t work"),
        _("That is not your fault, and thank you for trying. What you saved is kept, and a person will look at it."),
    ),
    Outcome.WITHDRAWN: lambda: Ending(
        _("You left the study"), _("Thank you for your time. What you had saved is kept.")
    ),
    Outcome.NO_PLACE: lambda: Ending(
        _("All places are taken at the moment"), _("Come back later, or return your place."), debriefs=False
    ),
}  # fmt: skip
