"""What to know before a launch about the languages of a study's texts."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from core import languages
from studies.hooks import Finding
from studies.presets.definition import Definition

# What a rater must be able to read in their own language, where the study has it at all.
READ = ("information", "consent", "instructions", "debrief")


def findings(definition: Definition) -> Iterator[Finding]:
    """Whoever takes part in another language reads all that the others read, and pages speak it."""
    for language in definition.translations:
        if missing := lacking(definition, language):
            text = _("The texts in {language} lack {names}: write them under Languages.")
            yield Finding("blocking", text.format(language=called(language), names=", ".join(missing)))
    if definition.translations and definition.screening.comprehension != "off":
        text = _("The questions on the instructions are in one language alone, and the study has several: switch these "
                 "questions off, or offer one language.")  # fmt: skip
        yield Finding("blocking", text)
    if definition.translations and definition.questionnaire.questions:
        text = _("Your own questions after the ratings are in one language alone: whoever rates in another meets them "
                 "as they are.")  # fmt: skip
        yield Finding("warning", text)
    for language in definition.languages:
        if not languages.has_catalogue(language):
            text = _("Buttons and hints of the rater's pages are in English: there is no catalogue of {language}.")
            yield Finding("warning", text.format(language=called(language)))


def lacking(definition: Definition, language: str) -> list[str]:
    """Name the texts that raters of this language would miss."""
    translation = definition.translations[language]
    read = [name for name in READ if getattr(definition.texts, name) and not getattr(translation, name)]
    return read + [name for name in definition.kind.prompts() if not translation.prompts.get(name)]


def called(language: str) -> str:
    """Return a language's own name with its code."""
    (found,) = languages.named([language])
    return f"{found.name} ({language})"
