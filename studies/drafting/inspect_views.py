"""The page on which a person decides on drafted questions, one at a time, by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.users.models import User
from core import clock
from core.errors import DomainError, Invalid, NotFound
from core.web import client_input
from studies.clips import black_box
from studies.decisions import experts
from studies.drafting import inspecting, queries, words
from studies.drafting.models import DraftQuestion
from studies.drafting.rules import question_checks
from studies.drafting.views import of_study, page, see_other
from studies.rules.text import ERRORS
from studies.task_types.base import Option

if TYPE_CHECKING:
    from studies.definition.models import Study

DONE = {inspecting.ACCEPT: "accepted", inspecting.REJECT: "rejected"}


@require_http_methods(["GET", "POST"])
@of_study
def inspect(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the next question to decide on; POST accepts, rejects, edits or undoes."""
    assert isinstance(request.user, User)
    if request.method == "POST":
        return _act(request, study, request.user)
    return _show(request, study, request.user)


def _show(
    request: HttpRequest, study: Study, user: User, *, edited: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    waiting = list(queries.waiting_for(study.pk, user.pk, black_box.withheld(study, user)))
    asked = client_input.whole_number((request.POST if edited else request.GET).get("question", ""))
    row = next((each for each in waiting if each.pk == asked), waiting[0] if waiting else None)
    mine = queries.decided_by(study.pk, user.pk)
    keys = [row.text_id] if row is not None and row.text_id else []
    passage = next(iter(queries.passages(study, keys=keys)), None) if keys else None
    context = {
        "row": row,
        "passage": passage,
        "must_play": passage is not None and not experts.played(user_id=user.pk, clips=[passage.clip]),
        "options": list(enumerate(row.options)) if row is not None else [],
        "flags": [words.of_flag(flag) for flag in row.flags] if row is not None else [],
        "is_guess_flagged": row is not None and any(flag["code"] in question_checks.GUESSED for flag in row.flags),
        "next": _after(waiting, row),
        "place": waiting.index(row) + 1 if row is not None else 0,
        "waiting": len(waiting),
        "mine": mine,
        "others": queries.drafted(study.pk).filter(state=DraftQuestion.State.OPEN).count() - len(waiting),
        "disputed": queries.disputed(study.pk).count(),
        "any": queries.drafted(study.pk).exists(),
        "errors": ERRORS,
        "edited": edited,
    }
    return page(request, study, "inspect", context, status)


def _after(waiting: list[DraftQuestion], row: DraftQuestion | None) -> int | None:
    """Return the question after this one, round to the first."""
    if row is None or len(waiting) < 2:
        return None
    return waiting[(waiting.index(row) + 1) % len(waiting)].pk


def _act(request: HttpRequest, study: Study, user: User) -> HttpResponse:
    do, now = request.POST.get("do", ""), clock.now()
    pk = client_input.whole_number(request.POST.get("question", "")) or 0
    revision = client_input.whole_number(request.POST.get("revision", "")) or 0
    following = client_input.whole_number(request.POST.get("next", ""))
    query = {"question": following} if following else {}
    try:
        if do in DONE:
            accepts = do == inspecting.ACCEPT
            if request.POST.get("played"):
                inspecting.note_play(study=study, pk=pk, user=user, now=now)
            inspecting.decide(study=study, pk=pk, user=user, accepts=accepts, revision=revision, now=now)
            messages.success(request, _("Accepted. U undoes it.") if accepts else _("Rejected. U undoes it."))
        elif do == "edit":
            prompt, options = _words(request)
            inspecting.edit(study=study, pk=pk, user=user, prompt=prompt, options=options, revision=revision, now=now)
            messages.success(request, _("Saved. Now accept or reject it."))
            query = {"question": pk}
        elif do == "undo":
            row = inspecting.undo(study=study, user=user, now=now)
            messages.success(request, _("Undone: this question is open again."))
            query = {"question": row.pk}
        else:
            raise Http404
    except Invalid as error:
        prompt, options = _words(request)
        edited = {"prompt": prompt, "options": list(enumerate(options)), "problem": error.problems["edit"]}
        return _show(request, study, user, edited=edited, status=422)
    except NotFound as error:
        if do != "undo":
            raise
        messages.info(request, error.message)
    except DomainError as error:
        messages.error(request, error.message)
        query = {"question": pk} if error.code in {"edited", "asked_before", "too_many", "not_played"} else {}
    return see_other("inspect", study.slug, **query)


def _words(request: HttpRequest) -> tuple[str, list[Option]]:
    """Return the question and the options that were entered, the right one first."""

    def clean(text: str) -> str:
        return " ".join(text.replace("\0", "").split())

    texts, errors = request.POST.getlist("option"), request.POST.getlist("error")
    options = [
        Option(clean(text), error if error in ERRORS else "") for text, error in zip(texts, ["", *errors], strict=False)
    ]
    return clean(request.POST.get("prompt", "")), options
