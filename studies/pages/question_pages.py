"""A study's page of questions: how many each passage has, lists to import and to download."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from core import clock
from core.errors import DomainError
from core.web.counted_pages import CountedPaginator
from studies.clips import passages
from studies.definition.models import Study
from studies.imports import publishing, question_lists
from studies.imports.ingest import questions as ingest
from studies.imports.ingest import table
from studies.imports.ingest.problems import ImportProblem
from studies.imports.ingest.table import MAX_BYTES
from studies.imports.report import shown
from studies.pages import listing
from studies.pages.corpus_pages import CorpusPages
from studies.pages.frame import page
from studies.rules.text import ERRORS, FEWEST, MOST
from studies.summaries import services as summaries

LISTS = {"questions": ingest.QUESTIONS, "golden": ingest.GOLDEN_QUESTIONS}
PASSAGES = 25
REPORT_ROWS = 200


class ImportQuestionsForm(forms.Form):
    """Two lists, of which one is enough: the files at first, then what they contained, to be confirmed."""

    questions = forms.FileField(label=gettext_lazy("Questions (CSV)"), required=False)
    golden = forms.FileField(label=gettext_lazy("Golden questions (CSV)"), required=False)
    questions_content = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    golden_content = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in LISTS:
            file = data.get(name)
            if file is not None and file.size > MAX_BYTES:
                self.add_error(name, _("This list is larger than {limit} MB.").format(limit=MAX_BYTES >> 20))
        if not self.errors and not any(data.get(name) or data.get(f"{name}_content") for name in LISTS):
            self.add_error("questions", _("Choose a file: questions, golden questions, or both."))
        return data

    @property
    def sent(self) -> publishing.Files:
        """Return the lists as bytes."""
        data = self.cleaned_data
        content = {
            name: bytes(file.read()) if (file := data.get(name)) else data[f"{name}_content"].encode() or None
            for name in LISTS
        }
        return publishing.Files(None, content["questions"], content["golden"])


class QuestionPages(CorpusPages):
    """The page of questions, what a list would change, and downloads."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/questions/", wrap(self.questions_page), name="studies_study_questions"),
            path("<int:pk>/questions/import/", wrap(self.questions_import), name="studies_study_questions_import"),
            path("<int:pk>/questions/list.csv", wrap(self.questions_list), name="studies_study_questions_list"),
            *super().get_urls(),
        ]

    @method_decorator(require_GET)
    def questions_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the questions of each passage, and the golden ones."""
        return self._show_questions(request, self._own(request, pk))

    def _show_questions(
        self, request: HttpRequest, study: Study, form: ImportQuestionsForm | None = None
    ) -> HttpResponse:
        if not study.definition.kind.asks:
            return self._show(request, study, "questions", {})
        withheld = listing.withheld(request.user, study)
        shown = summaries.summary(passages.SUMMARY, study, now=clock.now())
        counts = shown.value
        texts = CountedPaginator(passages.passages(study.pk), PASSAGES, counts.passages if counts else None)
        texts_shown = texts.get_page(request.GET.get("page"))
        asked = question_lists.by_passage(texts_shown)
        context = {
            "passages": [
                (text.name, len(asked[text.pk]), text.name in withheld, [] if text.name in withheld else asked[text.pk])
                for text in texts_shown
            ],
            "page": texts_shown,
            "shown": shown,
            "number": counts.questions if counts else 0,
            "short": counts.short if counts else 0,
            "golden": question_lists.of_study(study, golden=True),
            "fewest": FEWEST,
            "most": MOST,
            "errors": ERRORS,
            "import_form": form or ImportQuestionsForm(),
        }
        return self._show(request, study, "questions", context)

    def questions_import(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show what lists would change; a second POST, with the lists in it, applies it."""
        study = self._own(request, pk, write=request.method == "POST")
        if request.method != "POST":
            return HttpResponseRedirect(page("questions", study.pk))
        form = ImportQuestionsForm(request.POST, request.FILES)
        if not form.is_valid():
            return self._show_questions(request, study, form)
        files = form.sent
        lists = publishing.read(files)
        try:
            if "confirm" in request.POST:
                result = question_lists.store(study=study, lists=lists)
                message = _("{added} questions were added and {changed} changed.")
                message = message.format(added=len(result.new), changed=len(result.changed))
                messages.success(request, message)
                self.log_change(request, study, message)
                return HttpResponseRedirect(page("questions", study.pk))
            preview = question_lists.preview(study, lists)
            problems = preview.problems
        except question_lists.QuestionsRefused as error:
            preview, problems = None, list(error.problems)
        except DomainError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(page("questions", study.pk))
        return self._show(request, study, "questions", _checked(files, preview, problems), template="questions_import")

    @method_decorator(require_GET)
    def questions_list(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the questions, or the golden ones, as the list that an import reads."""
        study = self._own(request, pk)
        name = "golden" if request.GET.get("list") == "golden" else "questions"
        withheld = listing.withheld(request.user, study)
        rows = question_lists.of_study(study, golden=name == "golden", withheld=withheld)
        content = question_lists.as_csv(rows, LISTS[name])
        response = HttpResponse("\ufeff" + content, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}.csv"'
        return response


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
