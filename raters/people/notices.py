"""Pages for people who can't enter a study: the problem and how to solve it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict, Invalid
from core.text import languages
from studies.definition.facts import StudyFacts

UNPROVEN = {
    "unsigned": (
        gettext_lazy("This link can’t be checked"),
        gettext_lazy("Open the study from your own account on the platform; a link that was copied doesn’t work."),
    ),
    "bad_signature": (
        gettext_lazy("This link can’t be checked"),
        gettext_lazy("Open the study from your own account on the platform, without changing the address."),
    ),
    "expired": (
        gettext_lazy("This link has expired"),
        gettext_lazy("A link is valid for a few minutes. Open the study again from the platform."),
    ),
    "preview_over": (
        gettext_lazy("This link has expired"),
        gettext_lazy("Get a new preview link from the study’s page."),
    ),
    "no_invitation": (
        gettext_lazy("There is no such invitation"),
        gettext_lazy("Check that you copied the whole link, or ask the person who invited you for a new one."),
    ),
}


def page(request: HttpRequest, status: int, title: str, message: str, **context: object) -> HttpResponse:
    return render(request, "core/problem.html", {"title": title, "message": message, **context}, status=status)


@languages.by_browser
def unknown_study(request: HttpRequest) -> HttpResponse:
    """Show that no launched study has this address; drafts are hidden in the same way."""
    return page(
        request,
        404,
        _("There is no study at this address"),
        _("Check that you copied the whole link. If you came from a crowd platform, please return your place there."),
    )


@languages.by_browser
def no_session(request: HttpRequest, study: StudyFacts) -> HttpResponse:
    """Show that the browser has no session of this study."""
    return page(
        request,
        403,
        _("We couldn’t find your session"),
        _(
            "This browser holds no session of this study. Open the study’s link again where you found it: "
            "you will continue where you stopped. If that doesn’t help, allow cookies for this site."
        ),
        study=study,
    )


def bad_link(request: HttpRequest, error: Invalid, slug: str, advice: str) -> HttpResponse:
    """Show why a link is refused: ids missing, unfilled, malformed or unproven. Nothing was created.

    `advice` is the source's instruction for researchers.
    """
    if error.code == "placeholder":
        return page(
            request,
            400,
            _("This study’s link isn’t set up yet"),
            _("Nothing is wrong on your side. Please tell the researcher, and return your place on the platform."),
            note=_(
                "For the researcher: the link still holds placeholders. Copy it from the study’s page once more. "
                "{advice} To try the study yourself, use “Try it out” on the study’s launch page."
            ).format(advice=advice),
            problems=error.problems,
        )
    if error.code in UNPROVEN:
        title, message = UNPROVEN[error.code]
        # A session that has started continues by its cookie, even with an expired link.
        onward = reverse("raters:rate", args=[slug]) if error.code == "expired" else ""
        return page(request, 403, str(title), str(message), onward=onward)
    return page(
        request,
        400,
        _("This link is incomplete"),
        _("Go back to where you found the study and open it from there, without changing the address."),
        problems=error.problems,
    )


def not_now(request: HttpRequest, error: Conflict, study: StudyFacts, *, from_platform: bool) -> HttpResponse:
    """Show why the study can't accept this person. Only people from a platform are asked to return their submission."""
    please_return = _("Please return your submission on the platform. This does not count against you.")
    give_back = please_return if from_platform else ""
    if error.code == "other_person":
        title = _("This link was opened by somebody else")
        message = _("A session belongs to one person. Open the study from your own account on the platform.")
    elif error.code == "already_took_part":
        title = _("You have already taken part")
        message = _("Thank you! Each person can take part once. {give_back}").format(give_back=give_back)
    elif error.code == "left_out":
        title = _("This study is looking for other listeners")
        message = _(
            "It is for people who have not heard its recordings before. You did nothing wrong, and nothing about this "
            "visit was saved. {give_back}"
        ).format(give_back=give_back)
    elif error.code == "taken_back":
        title = _("This invitation was withdrawn")
        message = _("If you think this is a mistake, ask the person who invited you.")
    elif study.state == "paused":
        title = _("This study is paused")
        message = _("It may continue later: the same link will work then. {give_back}").format(give_back=give_back)
    elif study.state == "closed":
        title = _("This study has ended")
        message = _("It no longer accepts answers. {give_back}").format(give_back=give_back)
    else:
        title, message = _("This isn’t possible at the moment"), error.message
    return page(request, 409, title, message.strip(), note=study.notice, study=study)
