"""The pages of drafting: what to draft, how runs go, and the prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core import clock
from core.errors import DomainError, Invalid, NotFound
from core.nudge import nudge
from studies.clips import black_box, passages
from studies.corpus import queries as corpus_queries
from studies.decisions import experts
from studies.drafting import inspecting, prompts, queries, requesting, run_table, targets, words
from studies.drafting.forms import FORMS, DraftForm
from studies.drafting.gate import quotes_black
from studies.drafting.models import Draft, DraftPrompt, DraftQuestion, DraftRun
from studies.drafting.rules import prompts as prompt_rules
from studies.members import access, pages
from studies.members.pages import View
from studies.rules.roles import Capability
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.drafting.rules.prompts import Step

ROWS = 50


def of_study(view: View) -> View:
    """Call the view with the study of that slug: whoever may see it may look, whoever may change it may send."""

    return never_cache(pages.of_study(view))


def page(request: HttpRequest, study: Study, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render a page of drafting."""
    shared = {
        "study": study,
        "may_change": access.may(study, request.user, Capability.CHANGE_STUDY),
        "asks": study.definition.kind.asks,
        "is_draft": study.is_draft,
        "clips_url": reverse("studies:clips", args=[study.slug]),
        "questions_url": reverse("studies:questions", args=[study.slug]),
        "texts_url": reverse("studies:texts", args=[study.slug]),
    }
    return render(request, f"studies/drafting/{template}.html", {**shared, **context}, status=status)


def _shown(request: HttpRequest, study: Study, text: str) -> str:
    """Return words that a researcher entered; nothing if they quote a black-box text that this person doesn’t get."""
    is_shown = black_box.gets_words(study, request.user) or not quotes_black(study.pk, text)
    return text if is_shown else ""


def _is_withheld(request: HttpRequest, study: Study, run: DraftRun) -> bool:
    """Return whether this person doesn’t get what a run drafted, nor what it was told and what went wrong."""
    return not black_box.gets_words(study, request.user) and queries.is_black(run, black_box.texts(study))


def _asked_for(study: Study, run: DraftRun) -> str:
    dimension = run.plan.get("dimension", "")
    known = {each.name: each.label for each in corpus_queries.dimensions(study)} if dimension else {}
    return words.of_plan(run, known.get(dimension, dimension))


def _unread(run: DraftRun) -> int:
    """Return how many answers could not be read, if a run is short for that reason: its last request failed."""
    asked = Draft.objects.filter(run=run).exclude(step="blind").order_by("pk")
    failed, last = asked.exclude(error="").count(), asked.last()
    return failed if run.kind == DraftRun.Kind.QUESTIONS or (last is not None and last.error) else 0


def see_other(name: str, *args: Any, **query: Any) -> HttpResponseRedirect:
    """Redirect a form to a page of drafting."""
    response = HttpResponseRedirect(reverse(f"drafting:{name}", args=args, query=query or None))
    response.status_code = 303
    return response


@require_http_methods(["GET", "POST"])
@of_study
def home(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what can be drafted, what waits for people, and the runs; POST starts a run."""
    kind = request.POST.get("kind", "") if request.method == "POST" else ""
    if kind and kind not in FORMS:
        raise Http404
    sent = FORMS[kind](study, request.POST, auto_id=f"{kind}_%s") if kind else None
    status = 200
    if sent is not None:
        run = _start(request, study, kind, sent)
        if run is not None:
            return see_other("run", study.slug, run.pk)
        status = 422
    kinds = ["questions", "golden", "texts"] if study.definition.kind.asks else ["texts"]
    forms = {
        each: sent if sent is not None and each == kind else FORMS[each](study, auto_id=f"{each}_%s") for each in kinds
    }
    asks = study.definition.kind.asks
    counts = summaries.summary(passages.SUMMARY, study, now=clock.now()).value if asks else None
    context = {
        "configured": targets.is_configured(),
        "targets": [
            (each, ", ".join(str(DraftPrompt.Step(step).label) for step in steps))
            for each, steps in targets.by_target().items()
        ],
        "forms": forms,
        "has_passages": asks and passages.heard(study.pk).exists(),
        "without_text": counts.wordless if counts else 0,
        "under_way": requesting.under_way(study.pk),
        "runs": [
            (row, _asked_for(study, row), requesting.drafted(row), requesting.wanted(row))
            for row in queries.runs(study)[:20]
        ],
        "waiting": queries.waiting_for(study.pk, request.user.pk or 0).count(),
        "disputed": queries.disputed(study.pk).count(),
        "accepted": queries.drafted(study.pk).filter(state=DraftQuestion.State.ACCEPTED).count(),
        "texts_waiting": _texts(study).filter(state="draft").count(),
    }
    return page(request, study, "home", context, status)


def _start(request: HttpRequest, study: Study, kind: str, form: DraftForm) -> DraftRun | None:
    """Start a run; None, with the problems in the form, where that is not possible."""
    if not form.is_valid():
        return None
    try:
        run = requesting.request(
            study=study, kind=kind, plan=form.plan, user=request.user, now=clock.now(), **form.limits
        )
    except Invalid as error:
        for name, problem in error.problems.items():
            form.add_error(name if name in form.fields else None, problem)
        return None
    except DomainError as error:
        form.add_error(None, error.message)
        return None
    nudge(run.task_name, run.pk)
    return run


@require_http_methods(["GET", "POST"])
@of_study
def run(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a run: progress, cost, every request; POST stops or continues it."""
    row = queries.run(study, pk)
    if request.method == "POST":
        try:
            if request.POST.get("do") == "stop":
                requesting.stop(run=row, now=clock.now())
                messages.success(request, _("The run stops after its present requests. What was drafted is kept."))
            elif request.POST.get("do") == "continue":
                requesting.resume(run=row, now=clock.now())
                nudge(row.task_name, row.pk)
        except DomainError as error:
            messages.error(request, error.message)
        return see_other("run", study.slug, pk)
    drafts = Draft.objects.filter(run=row).select_related("prompt", "passage", "text")
    texts = [each.text for each in drafts.filter(text__isnull=False).order_by("pk") if each.text is not None]
    black = black_box.withheld(study, request.user)
    # One answer holds several texts, so that all of a run are kept back with one of them.
    is_withheld = _is_withheld(request, study, row)
    is_planned_black = is_withheld and queries.is_planned_black(row)
    shown = Paginator(drafts.exclude(step="blind").order_by("pk"), ROWS).get_page(request.GET.get("page"))
    context = {
        "run": row,
        "asked_for": _asked_for(study, row),
        "topics": "" if is_withheld else _shown(request, study, row.plan.get("topics", "")),
        # A run that was refused before its first request doesn't concern the endpoint.
        "endpoint_failed": row.calls > 0,
        "unread": _unread(row),
        "may_continue": row.is_over and (row.ending or row.state == "failed"),
        "texts": [
            (text, is_black, [] if is_black else [words.of_flag(flag) for flag in text.flags])
            for text in texts
            for is_black in [is_planned_black or text.name in black]
        ],
        "is_withheld": is_withheld,
        "texts_waiting": sum(text.state == "draft" for text in texts),
        "figures": _figures(row),
        "requests": [
            (
                each,
                words.of_parameters(each.parameters),
                [(words.of_refusal(one), "" if is_withheld else one["text"]) for one in each.refused],
            )
            for each in shown
        ],
        "page": shown,
        "blind": drafts.filter(step="blind").count(),
        "failures": drafts.exclude(error="").count(),
        "estimated": drafts.filter(is_estimated=True).count(),
    }
    return page(request, study, "run", context)


@require_GET
@of_study
def progress(request: HttpRequest, study: Study, pk: int) -> JsonResponse:
    """Return the progress of a run for the page's script."""
    row = queries.run(study, pk)
    shown = {"percent": row.percent, "done": row.done, "total": row.total, "over": row.is_over}
    return JsonResponse({**shown, "figures": _figures(row)})


def _figures(run: DraftRun) -> dict[str, int | str]:
    """Return what a run has drafted and used so far, as its page shows it."""
    used = {
        name: _("%(used)s of at most %(budget)s") % {"used": used, "budget": budget}
        for name, used, budget in (("calls", run.calls, run.budget_calls), ("tokens", run.tokens, run.budget_tokens))
    }
    drafted = _("%(number)s of %(wanted)s") % {"number": requesting.drafted(run), "wanted": requesting.wanted(run)}
    if run.kind == DraftRun.Kind.TEXTS:
        return {**used, "texts": drafted}
    return {**used, "questions": drafted, "open": run.questions.filter(state="open").count()}


@require_GET
@of_study
def download(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Send what a run drafted as CSV, with prompt versions, models and flags."""
    row, black = queries.run(study, pk), black_box.withheld(study, request.user)
    is_planned_black = _is_withheld(request, study, row) and queries.is_planned_black(row)
    content = run_table.as_csv(row, black, is_planned_black=is_planned_black)
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-drafts-{row.pk}.csv"'
    return response


def _texts(study: Study) -> Any:
    return corpus_queries.matching(study, corpus_queries.Filters()).filter(created_by=None, name__startswith="draft-")


@require_http_methods(["GET", "POST"])
@of_study
def prompt(request: HttpRequest, study: Study) -> HttpResponse:
    """Show one prompt with its versions, and store a new one."""
    asked = request.POST if request.method == "POST" else request.GET
    step: Step = next((each for each in prompt_rules.STEPS if each == asked.get("step")), "generate")
    kind = asked.get("kind", "")
    if kind not in prompt_rules.KINDS:
        kind = prompt_rules.kind_of(corpus_queries.dimensions(study)[0].name)
    kind = kind if step == "generate" else ""
    usual = prompt_rules.language_of(study.definition.texts.language)
    language = next((each for each in ("en", "zh") if each == asked.get("language")), usual)
    built_in = prompt_rules.built_in(step, kind, language)
    problem, status = "", 200
    if request.method == "POST":
        body = built_in if request.POST.get("do") == "built_in" else request.POST.get("body", "").replace("\0", "")
        try:
            saved = prompts.save(
                study=study, step=step, kind=kind, language=language, body=body, user=request.user, now=clock.now()
            )
        except Invalid as error:
            problem, status = error.message, 422
        else:
            messages.success(request, _("Version {number} is used from now on.").format(number=saved.number))
            return see_other("prompt", study.slug, step=step, kind=kind, language=language)
    versions = DraftPrompt.objects.filter(study=study, step=step, kind=kind, language=language).order_by("-number")
    newest = versions.first()
    current = newest.body if newest else built_in
    context = {
        **{"step": step, "kind": kind, "language": language, "problem": problem},
        "body": request.POST.get("body", "") if problem else _shown(request, study, current),
        "versions": [(each, _shown(request, study, each.body)) for each in versions.select_related("author")],
        "is_built_in": current == built_in,
        "steps": [(each, DraftPrompt.Step(each).label) for each in prompt_rules.STEPS],
        "kinds": words.KINDS.items(),
        "required": [f"{{{name}}}" for name in prompt_rules.REQUIRED[step]],
        "optional": [f"{{{name}}}" for name in prompt_rules.OPTIONAL[step]],
        "format": prompt_rules.FORMATS[step],
        "longest": prompt_rules.LONGEST_PROMPT,
    }
    return page(request, study, "prompt", context, status)


@require_http_methods(["GET", "POST"])
@of_study
def decisions(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how far people agree, what is disputed and what was decided; POST settles a dispute."""
    if request.method == "POST":
        key, do = request.POST.get("question", ""), request.POST.get("do", "")
        if not key.isascii() or not key.isdecimal() or do not in {inspecting.ACCEPT, inspecting.REJECT}:
            raise Http404
        try:
            accepts = do == inspecting.ACCEPT
            if request.POST.get("played"):
                inspecting.note_play(study=study, pk=int(key), user=request.user, now=clock.now())  # type: ignore[arg-type]
            inspecting.settle(study=study, pk=int(key), user=request.user, accepts=accepts, now=clock.now())  # type: ignore[arg-type]
            messages.success(request, _("The question is settled."))
        except NotFound:
            raise
        except DomainError as error:
            messages.error(request, error.message)
        return see_other("decisions", study.slug)
    black = black_box.withheld(study, request.user)
    rows = queries.drafted(study.pk, black).prefetch_related("decisions__user")
    disputed = list(rows.filter(state="disputed"))
    waiting = queries.waiting_for(study.pk, request.user.pk or 0, black).count()
    keys = {row.text_id for row in disputed if row.text_id}
    passages_of = {passage.pk: passage for passage in queries.passages(study, keys=keys)}
    played = experts.played(user_id=request.user.pk or 0, clips=[each.clip for each in passages_of.values()])
    decided = Paginator(rows.filter(state__in=["accepted", "rejected"]), ROWS).get_page(request.GET.get("page"))
    context = {
        "agreement": inspecting.agreement(study),
        "disputed": [
            (row, _standing(row), passage, passage is not None and passage.clip not in played)
            for row in disputed
            for passage in [passages_of.get(row.text_id or 0)]
        ],
        "decided": [(row, _standing(row)) for row in decided],
        "page": decided,
        "open_for_me": waiting,
        "open_for_others": rows.filter(state="open").count() - waiting,
    }
    return page(request, study, "decisions", context)


def _standing(row: DraftQuestion) -> list[Any]:
    return [each for each in row.decisions.all() if each.revoked_at is None]
