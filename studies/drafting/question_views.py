"""A study's page of questions: by passage, written and corrected by hand, lists to import and to download."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core import clock
from core.errors import Conflict, DomainError, Invalid, NotFound
from core.web import client_input
from core.web.counted_pages import CountedPaginator
from studies.clips import black_box, passages
from studies.clips.models import Text
from studies.definition.models import Study
from studies.drafting import by_hand, question_list
from studies.drafting.question_forms import LISTS, ImportQuestionsForm, QuestionForm
from studies.drafting.question_list import GOLDEN
from studies.imports import publishing, question_lists
from studies.imports.ingest import table
from studies.imports.ingest.problems import ImportProblem
from studies.imports.report import shown
from studies.members.pages import Actions, acted, log_change, may_change, own_page, show
from studies.rules.text import ERRORS, FEWEST, MOST
from studies.summaries import services as summaries

PASSAGES = 25
REPORT_ROWS = 200
# Where a researcher's session keeps the question that was deleted last, for Undo.
LAST = "last_deleted_question"


@own_page()
def questions_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the questions of each passage, and the golden ones; POST writes, corrects, deletes or restores one."""
    if request.method != "POST":
        return _show_questions(request, study)
    actions: Actions = {
        "write": _write_question,
        "edit": _edit_question,
        "delete": _delete_question,
        "undo": _restore_question,
    }
    return acted(request, study, actions) or HttpResponseRedirect(
        _address(request, study, request.POST.get("passage", ""))
    )


def _show_questions(
    request: HttpRequest,
    study: Study,
    form: ImportQuestionsForm | None = None,
    sent: question_list.Chosen | None = None,
) -> HttpResponse:
    """Return the page; `form` and `sent` are forms that were not accepted."""
    if not study.definition.kind.asks:
        return show(request, study, "studies/drafting/questions.html", _("Questions"), {})
    shown = summaries.summary(passages.SUMMARY, study, now=clock.now())
    counts = shown.value
    texts = CountedPaginator(passages.passages(study.pk), PASSAGES, counts.passages if counts else None)
    texts_shown = texts.get_page(request.GET.get("page"))
    may_write = study.is_draft and may_change(study, request.user)
    last = request.session.get(LAST)
    listed, golden = question_list.groups(
        study,
        list(texts_shown),
        withheld=black_box.withheld(study, request.user),
        chosen=sent or question_list.Chosen.of(request.GET, last if last and last["study"] == study.pk else None),
        may_write=may_write,
    )
    context = {
        "passages": listed,
        "page": texts_shown,
        "shown": shown,
        "number": counts.questions if counts else 0,
        "short": counts.short if counts else 0,
        "golden": golden,
        "may_write": may_write,
        "has_errors": sent is not None,
        "fewest": FEWEST,
        "most": MOST,
        "errors": ERRORS,
        "import_form": form or ImportQuestionsForm(),
    }
    return show(request, study, "studies/drafting/questions.html", _("Questions"), context)


def _write_question(request: HttpRequest, study: Study) -> HttpResponse:
    key = request.POST.get("passage", "")
    passage = _passage(study, key)
    form = QuestionForm(request.POST, golden=not passage, key=f"write{key}")
    if form.is_valid():
        try:
            question = by_hand.write(
                study=study, passage=passage, prompt=form.cleaned_data["question"], options=form.options
            )
        except Invalid as error:
            form.tell(error.problems or {"": error.message})
        else:
            return _changed(
                request, study, _("The question {name} was added.").format(name=question.name), key, f"write-{key}"
            )
    return _show_questions(request, study, sent=question_list.Chosen(write=key, sent=form))


def _edit_question(request: HttpRequest, study: Study) -> HttpResponse:
    question = by_hand.question_of(study, _number(request))
    key = str(question.text_id or GOLDEN)
    form = QuestionForm(request.POST, golden=question.golden, key=f"edit{question.pk}", question=question)
    if form.is_valid():
        try:
            changed = by_hand.edit(
                study=study,
                pk=question.pk,
                prompt=form.cleaned_data["question"],
                options=form.options,
                seen=form.cleaned_data["seen"],
            )
        except Invalid as error:
            form.tell(error.problems or {"": error.message})
        except Conflict as error:
            if error.code != "edited":
                raise
            form.add_error(None, error.message)
        else:
            if changed is None:
                messages.info(request, _("Nothing was changed."))
                return HttpResponseRedirect(_address(request, study, key, f"question-{question.pk}"))
            message = _("The question {name} was changed.").format(name=question.name)
            return _changed(request, study, message, key, f"question-{question.pk}")
    return _show_questions(request, study, sent=question_list.Chosen(edit=question.pk, sent=form))


def _delete_question(request: HttpRequest, study: Study) -> HttpResponse:
    deleted = by_hand.delete(study=study, pk=_number(request))
    message = _("The question {name} was deleted.").format(name=deleted["name"])
    log_change(request, study, message)
    request.session[LAST] = {"study": study.pk, "message": message, "question": deleted}
    key = str(deleted["text_id"] or GOLDEN)
    return HttpResponseRedirect(_address(request, study, key, f"question-{deleted['pk']}"))


def _restore_question(request: HttpRequest, study: Study) -> HttpResponse:
    last = request.session.pop(LAST, None)
    if not last or last["study"] != study.pk:
        messages.info(request, _("There is no change to undo."))
        return HttpResponseRedirect(_address(request, study))
    question = by_hand.restore(study=study, deleted=last["question"])
    message = _("The question {name} was restored.").format(name=question.name)
    return _changed(request, study, message, str(question.text_id or GOLDEN), f"question-{question.pk}")


def _changed(request: HttpRequest, study: Study, message: str, key: str, anchor: str) -> HttpResponse:
    """Say what was done, write it into the study's history, and go back to where it was done."""
    request.session.pop(LAST, None)
    messages.success(request, message)
    log_change(request, study, message)
    return HttpResponseRedirect(_address(request, study, key, anchor))


@own_page()
def questions_import(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what lists would change; a second POST, with the lists in it, applies it."""
    if request.method != "POST":
        return redirect("studies:questions", study.slug)
    form = ImportQuestionsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_questions(request, study, form)
    files = form.sent
    lists = publishing.read(files)
    try:
        if "confirm" in request.POST:
            result = question_lists.store(study=study, lists=lists)
            message = _("{added} questions were added and {changed} changed.")
            message = message.format(added=len(result.new), changed=len(result.changed))
            messages.success(request, message)
            log_change(request, study, message)
            return redirect("studies:questions", study.slug)
        preview = question_lists.preview(study, lists)
        problems = preview.problems
    except question_lists.QuestionsRefused as error:
        preview, problems = None, list(error.problems)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("studies:questions", study.slug)
    return show(
        request,
        study,
        "studies/drafting/questions_import.html",
        _("Questions"),
        _checked(files, preview, problems),
    )


@require_GET
@own_page()
def questions_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Return the questions, or the golden ones, as the list that an import reads."""
    name = "golden" if request.GET.get("list") == "golden" else "questions"
    withheld = black_box.withheld(study, request.user)
    rows = question_lists.of_study(study, golden=name == "golden", withheld=withheld)
    content = question_lists.as_csv(rows, LISTS[name])
    response = HttpResponse("\ufeff" + content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}.csv"'
    return response


def _passage(study: Study, key: str) -> str:
    """Return the name of the passage that a form names, "" for the golden questions; raises `NotFound`."""
    if key == GOLDEN:
        return ""
    text = Text.objects.filter(study=study, pk=client_input.whole_number(key) or 0).first()
    if text is None:
        raise NotFound(_("There is no such passage."))
    return text.name


def _number(request: HttpRequest) -> int:
    return client_input.whole_number(request.POST.get("pk", "")) or 0


def _address(request: HttpRequest, study: Study, key: str = "", anchor: str = "") -> str:
    """Return the address of the list's page that the request came from, with a passage open."""
    number = client_input.whole_number(request.GET.get("page", "")) or 1
    opened = f"&open={key}" if key == GOLDEN or key.isdecimal() else ""
    return f"{reverse('studies:questions', args=[study.slug])}?page={number}{opened}#{anchor or 'listed'}"


def _checked(
    files: publishing.Files, preview: question_lists.QuestionsPreview | None, problems: list[ImportProblem]
) -> dict[str, Any]:
    """Return the context of the page that shows what lists would change, or what is wrong in them."""
    refusals = sum(not problem.warning for problem in problems)
    sent = {"questions": files.questions, "golden": files.golden}
    lines = sorted(problems, key=lambda each: (each.warning, each.table, each.row))
    return {
        "problems": shown(problem.as_dict() for problem in lines[:REPORT_ROWS]),
        "refusals": refusals,
        "preview": None if refusals else preview,
        "contents": []
        if refusals
        else [(name, table.decode(content, LISTS[name])[0]) for name, content in sent.items() if content],
    }
