"""A study's languages: add one, write its texts, remove it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text.languages import has_catalogue, spoken
from studies.definition import texts
from studies.definition.models import Study
from studies.definition.texts import called, lacking
from studies.launch import states
from studies.pages.expert_pages import ExpertPages
from studies.pages.frame import page
from studies.pages.language_form import AddLanguageForm, TranslationForm


class LanguagePages(ExpertPages):
    """The page for a study's texts in other languages."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/languages/", wrap(self.languages_page), name="studies_study_languages"),
            *super().get_urls(),
        ]

    def languages_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the texts in each language; POST adds a language, saves its texts, or removes it."""
        study = self._own(request, pk, write=request.method == "POST")
        definition = study.definition
        adding = AddLanguageForm(request.POST if "add" in request.POST else None, used=definition.languages)
        if adding.is_valid():
            language = adding.cleaned_data["language"]
            return self._write(request, study, language, texts.translation(definition, language))
        language_to_remove = request.POST.get("take_away", "")
        if language_to_remove in definition.translations:
            return self._write(request, study, language_to_remove, None)
        form = None
        if here := request.GET.get("language", ""):
            if here not in definition.translations:
                raise Http404
            sent = request.POST if "keep" in request.POST else None
            form = TranslationForm(sent, definition=definition, language=here)
            if form.is_valid():
                try:
                    return self._write(request, study, here, form.raw())
                except Invalid as error:
                    form.tell(error)
        rows = [
            (
                code,
                called(code),
                [*lacking(definition, code), *texts.unwritten(definition, code)],
                texts.unfit(definition, code),
                has_catalogue(code),
            )
            for code in definition.translations
        ]
        context: dict[str, Any] = {
            "adding": adding,
            "form": form,
            "own_name": called(definition.texts.language),
            "own_in": spoken(definition.texts.language),
            "here": called(here) if here else "",
            "here_code": here,
            "rows": rows,
        }
        return self._show(request, study, "languages", context)

    def _write(self, request: HttpRequest, study: Study, language: str, raw: dict[str, Any] | None) -> HttpResponse:
        states.change_settings(study=study, changes={f"translations.{language}": raw})
        message = _("{language} was removed.") if raw is None else _("Saved in the draft: {language}.")
        messages.success(request, message.format(language=called(language)))
        self.log_change(request, study, message.format(language=called(language)))
        address = page("languages", study.pk)
        return HttpResponseRedirect(address if raw is None else f"{address}?language={language}")
