"""A study's page of texts: write, review, import and copy them, and download lists of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.users.models import User
from core import clock
from core.errors import DomainError, Invalid, NotFound
from core.web import client_input
from studies import hooks
from studies.clips import black_box
from studies.corpus import lists, queries, services, text_table
from studies.corpus.models import CorpusText
from studies.corpus.table_preview import preview
from studies.definition.models import Study
from studies.imports.ingest import table
from studies.imports.report import shown
from studies.members import access
from studies.pages import corpus_list
from studies.pages.clip_pages import ClipPages
from studies.pages.corpus_forms import CorpusSettingsForm, ImportTextsForm, TextForm
from studies.pages.frame import links_of, page
from studies.rules.roles import Capability

# Where a researcher's session keeps the last review of a study's texts, for Undo.
LAST = "last_text_review"
REPORT_ROWS = 200
Review = Callable[[CorpusText, User, HttpRequest, int], dict[str, Any]]


def _accept(text: CorpusText, user: User, _request: HttpRequest, seen: int) -> dict[str, Any]:
    return services.accept(text=text, user=user, now=clock.now(), seen=seen)


def _check(text: CorpusText, user: User, _request: HttpRequest, seen: int) -> dict[str, Any]:
    return services.cross_check(text=text, user=user, now=clock.now(), seen=seen)


def _reject(text: CorpusText, user: User, request: HttpRequest, seen: int) -> dict[str, Any]:
    reason = request.POST.get("reason", "")
    return services.reject(text=text, user=user, reason=reason, now=clock.now(), seen=seen)


REVIEWS: dict[str, Review] = {"accept": _accept, "check": _check, "reject": _reject}


# What a form asks for by its button `do`.
Actions = Mapping[str, Callable[[HttpRequest, Study], HttpResponse]]


class CorpusPages(ClipPages):
    """The page of texts, its table of changes before an import, and its downloads."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/texts/", wrap(self.texts_page), name="studies_study_texts"),
            path("<int:pk>/texts/import/", wrap(self.texts_import), name="studies_study_texts_import"),
            path("<int:pk>/texts/list.csv", wrap(self.texts_list), name="studies_study_texts_list"),
            *super().get_urls(),
        ]

    def texts_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the texts; POST writes, reviews or comments on one, copies texts, or changes the settings."""
        study = self._own(request, pk, write=request.method == "POST")
        if request.method != "POST":
            return self._show_texts(request, study)
        actions: Actions = {
            "add": self._add_text,
            "edit": self._edit_text,
            "comment": self._comment,
            "restore": self._restore_version,
            "undo": self._undo_review,
            "copy": self._copy_texts,
            "settings": self._corpus_settings,
            **dict.fromkeys(REVIEWS, self._review),
        }
        return self._acted(request, study, actions) or HttpResponseRedirect(_address(request, study))

    def _acted(self, request: HttpRequest, study: Study, actions: Actions) -> HttpResponse | None:
        """Do what a form of the page asks for; None if that was refused, which a message then says, or is unknown."""
        action = actions.get(request.POST.get("do", ""))
        try:
            return action and action(request, study)
        except NotFound as error:
            raise Http404(error.message) from error
        except DomainError as error:
            messages.error(request, error.message)
        return None

    def _show_texts(self, request: HttpRequest, study: Study, **forms: Any) -> HttpResponse:
        """Return the page; `forms` are those that were not accepted."""
        may_change = self.has_change_permission(request, study)
        last = request.session.get(LAST)
        others = access.visible(request.user, Capability.SEE_STUDY).exclude(pk=study.pk) if may_change else []
        context = {
            **corpus_list.context(study, request.GET, request.user, may_change=may_change),
            "last": last if may_change and last and last["study"] == study.pk else None,
            "add_form": TextForm(study=study),
            "settings_form": CorpusSettingsForm.of(queries.settings(study)),
            "import_form": ImportTextsForm(),
            "other_studies": corpus_list.with_texts(others) if may_change else [],
            "text_links": links_of(study, request, hooks.text_links),
            "columns": text_table.COLUMNS,
            "pattern": lists.PATTERN,
            **forms,
        }
        return self._show(request, study, "texts", context)

    def _text(self, request: HttpRequest, study: Study) -> CorpusText:
        pk = client_input.whole_number(request.POST.get("text", ""))
        return queries.text(study, pk if pk is not None else 0)

    def _add_text(self, request: HttpRequest, study: Study) -> HttpResponse:
        form = TextForm(request.POST, study=study)
        if form.is_valid():
            try:
                name = form.cleaned_data["name"]
                text = services.add(
                    study=study, name=name, values=form.values, author=_person(request), now=clock.now()
                )
            except Invalid as error:
                for field, problem in error.problems.items():
                    form.add_error(field, problem)
            else:
                messages.success(request, _("The text {name} was added as a draft.").format(name=text.name))
                return HttpResponseRedirect(f"{page('texts', study.pk)}#text-{text.pk}")
        return self._show_texts(request, study, add_form=form)

    def _edit_text(self, request: HttpRequest, study: Study) -> HttpResponse:
        text = self._text(request, study)
        form = TextForm(request.POST, study=study, text=text)
        if form.is_valid():
            is_changed = services.edit(
                text=text, values=form.values, author=_person(request), now=clock.now(), seen=_seen(request)
            )
            if not is_changed:
                messages.info(request, _("Nothing was changed."))
            return HttpResponseRedirect(_address(request, study, text.pk))
        return self._show_texts(request, study, edited=text.pk, edit_form=form)

    def _comment(self, request: HttpRequest, study: Study) -> HttpResponse:
        text = self._text(request, study)
        services.comment(text=text, author=_person(request), body=request.POST.get("comment", ""), now=clock.now())
        return HttpResponseRedirect(_address(request, study, text.pk, opened=True))

    def _restore_version(self, request: HttpRequest, study: Study) -> HttpResponse:
        text = self._text(request, study)
        number = client_input.whole_number(request.POST.get("number", "")) or 0
        services.restore(text=text, number=number, author=_person(request), now=clock.now())
        return HttpResponseRedirect(_address(request, study, text.pk))

    def _review(self, request: HttpRequest, study: Study) -> HttpResponse:
        do, text = request.POST["do"], self._text(request, study)
        try:
            change = REVIEWS[do](text, _person(request), request, _seen(request))
        except DomainError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(_address(request, study, text.pk))
        said = {
            "accept": _("{name} was accepted."),
            "check": _("{name} was cross-checked."),
            "reject": _("{name} was rejected."),
        }
        message = said[do].format(name=text.name)
        request.session[LAST] = {"study": study.pk, "message": message, "change": change}
        return HttpResponseRedirect(_address(request, study, text.pk))

    def _undo_review(self, request: HttpRequest, study: Study) -> HttpResponse:
        last = request.session.pop(LAST, None)
        if not last or last["study"] != study.pk:
            messages.info(request, _("There is no review to undo."))
            return HttpResponseRedirect(_address(request, study))
        text = services.undo(study=study, change=last["change"], now=clock.now())
        messages.success(request, _("The review of {name} was undone.").format(name=text.name))
        return HttpResponseRedirect(_address(request, study, text.pk))

    def _copy_texts(self, request: HttpRequest, study: Study) -> HttpResponse:
        pk = client_input.whole_number(request.POST.get("study", "")) or 0
        source = access.visible(request.user, Capability.SEE_STUDY).exclude(pk=study.pk).filter(pk=pk).first()
        if source is None:
            raise Invalid(_("Choose the study to copy from."))
        copied, skipped = services.copy(
            study=study,
            source=source,
            author=_person(request),
            now=clock.now(),
            withheld=black_box.withheld(source, request.user),
        )
        message = ngettext("{number} text was copied.", "{number} texts were copied.", copied).format(number=copied)
        if skipped:
            more = ngettext(
                "{number} was left out, because this study has its id already.",
                "{number} were left out, because this study has their ids already.",
                skipped,
            )
            message = f"{message} {more.format(number=skipped)}"
        messages.success(request, message)
        return HttpResponseRedirect(page("texts", study.pk))

    def _corpus_settings(self, request: HttpRequest, study: Study) -> HttpResponse:
        form = CorpusSettingsForm(request.POST)
        if not form.is_valid():
            return self._show_texts(request, study, settings_form=form)
        services.save_settings(study=study, **form.cleaned_data)
        messages.success(request, _("The settings were saved."))
        return HttpResponseRedirect(page("texts", study.pk))

    def texts_import(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show what a table of texts would change; a second POST, with the table in it, applies it."""
        study = self._own(request, pk, write=request.method == "POST")
        if request.method != "POST":
            return HttpResponseRedirect(page("texts", study.pk))
        form = ImportTextsForm(request.POST, request.FILES)
        if not form.is_valid():
            return self._show_texts(request, study, import_form=form)
        sent = form.sent
        read = text_table.read(sent)
        refused = [problem for problem in read.problems if not problem.warning]
        if not refused and "confirm" in request.POST:
            name = request.POST.get("file", "")[:100]
            note = _("Imported from {file}").format(file=name)
            added, changed = services.import_rows(
                study=study, rows=read.rows, author=_person(request), now=clock.now(), note=note
            )
            message = _("{added} texts were added and {changed} changed.").format(added=added, changed=changed)
            messages.success(request, message)
            self.log_change(request, study, message)
            return HttpResponseRedirect(page("texts", study.pk))
        chosen = form.cleaned_data.get("table")
        context = {
            "problems": shown(problem.as_dict() for problem in read.problems[:REPORT_ROWS]),
            "refusals": len(refused),
            "preview": None if refused else preview(study, read.rows),
            "content": "" if refused else table.decode(sent, text_table.KIND)[0],
            "file": chosen.name if chosen else "",
        }
        return self._show(request, study, "texts", context, template="texts_import")

    @method_decorator(require_GET)
    def texts_list(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return texts as CSV: all, those to be spoken, or a manifest of the clips to come."""
        study = self._own(request, pk)
        kind = request.GET.get("list", "texts")
        if kind != "texts":
            # Lists for synthesis hold the words of black-box texts.
            self._own(request, pk, needs=Capability.CHANGE_STUDY)
        try:
            if kind == "speaking":
                content = lists.for_speaking(queries.usable(study))
            elif kind == "manifest":
                systems = lists.systems_of(request.GET.get("systems", ""))
                pattern = request.GET.get("pattern", "").strip() or lists.PATTERN
                content = lists.manifest(list(queries.usable(study)), systems, pattern)
            else:
                kind, withheld = "texts", black_box.withheld(study, request.user)
                rows = queries.matching(study, queries.Filters.of(request.GET), withheld=withheld)
                content = lists.all_texts(rows, withheld)
        except Invalid as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(f"{page('texts', study.pk)}#lists")
        response = HttpResponse("\ufeff" + content, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-{kind}.csv"'
        return response


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _seen(request: HttpRequest) -> int:
    return client_input.whole_number(request.POST.get("seen", "")) or 0


def _address(request: HttpRequest, study: Study, text: int | None = None, *, opened: bool = False) -> str:
    """Return the address of the list as it was filtered, at one text."""
    number = client_input.whole_number(request.GET.get("page", "")) or 1
    more = f"&open={text}" if opened else ""
    anchor = f"text-{text}" if text is not None else "top"
    return f"{page('texts', study.pk)}?{queries.Filters.of(request.GET).query}page={number}{more}#{anchor}"
