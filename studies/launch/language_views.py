"""A study's languages: add one, write its texts, remove it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text.languages import has_catalogue, spoken
from studies.definition import texts
from studies.definition.models import Study
from studies.definition.texts import called, lacking_labels
from studies.launch import states
from studies.launch.language_form import AddLanguageForm, TranslationForm
from studies.members.pages import log_change, own_page, show


@own_page()
@transaction.atomic
def languages_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the texts in each language; POST adds a language, saves its texts, or removes it."""
    if request.method == "POST":
        states.lock(study)
    definition = study.definition
    adding = AddLanguageForm(request.POST if "add" in request.POST else None, used=definition.languages)
    if adding.is_valid():
        language = adding.cleaned_data["language"]
        return _write(request, study, language, texts.translation(definition, language))
    language_to_remove = request.POST.get("take_away", "")
    if language_to_remove in definition.translations:
        return _write(request, study, language_to_remove, None)
    form = None
    if here := request.GET.get("language", ""):
        if here not in definition.translations:
            raise Http404
        sent = request.POST if "keep" in request.POST else None
        form = TranslationForm(sent, definition=definition, language=here)
        if form.is_valid():
            try:
                return _write(request, study, here, form.raw())
            except Invalid as error:
                form.tell(error)
    rows = [
        (
            code,
            called(code),
            [*lacking_labels(definition, code), *texts.unwritten(definition, code)],
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
    return show(request, study, "studies/launch/languages.html", _("Languages"), context)


def _write(request: HttpRequest, study: Study, language: str, raw: dict[str, Any] | None) -> HttpResponse:
    states.change_settings(study=study, changes={f"translations.{language}": raw})
    message = _("{language} was removed.") if raw is None else _("Saved in the draft: {language}.")
    messages.success(request, message.format(language=called(language)))
    log_change(request, study, message.format(language=called(language)))
    address = reverse("studies:languages", args=[study.slug])
    return HttpResponseRedirect(address if raw is None else f"{address}?language={language}")
