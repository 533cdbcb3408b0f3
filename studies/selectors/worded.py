"""What to know before a launch about the languages of a study's texts."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from core import languages
from studies.hooks import Finding
from studies.presets.definition import Definition
from studies.presets.question_lists import LISTS, QuestionList

# What a rater must be able to read in their own language, where the study has it at all.
READ = ("information", "consent", "instructions", "debrief")


def findings(definition: Definition) -> Iterator[Finding]:
    """Whoever takes part in another language reads all that the others read, and pages speak it."""
    for language in definition.translations:
        if missing := lacking(definition, language):
            text = _("The texts in {language} lack {names}: write them under Languages.")
            yield Finding("blocking", text.format(language=called(language), names=", ".join(missing)))
        yield from _questions(definition, language)
    for language in definition.languages:
        if not languages.has_catalogue(language):
            text = _("Buttons and hints of the rater's pages are in English: there is no catalogue of {language}.")
            yield Finding("warning", text.format(language=called(language)))


def _questions(definition: Definition, language: str) -> Iterator[Finding]:
    names = {"language": called(language), "own": called(definition.texts.language)}
    for each in LISTS:
        names["questions"] = languages.said(each.label)
        if each.is_missing(definition, language) and each.decides:
            text = _("“{questions}” are missing in {language}, and their answers decide: write them under Languages.")
            yield Finding("blocking", text.format(**names))
        elif each.is_missing(definition, language):
            text = _("“{questions}” are missing in {language}: its raters meet them in {own}.")
            yield Finding("warning", text.format(**names))
        elif each.is_asked(definition) and (found := misfits(definition, language, each)):
            text = _("“{questions}” in {language} don't fit the original, which its raters would meet: {differences} "
                     "Mend them under Languages.")  # fmt: skip
            yield Finding("blocking", text.format(**names, differences=found))


def misfits(definition: Definition, language: str, questions: QuestionList) -> str:
    """Say where a list in this language differs from the original; empty where it is none, or fits."""
    return " ".join(languages.said(each) for each in questions.misfits(definition, language))


def written_wrong(definition: Definition, before: Definition | None) -> dict[str, str]:
    """Return {dotted field: what differs} for the lists that are written now and don't fit the original.

    Those that stay as they were may have ceased to fit by a change of the original: a draft may, a launch may not.
    """
    found = {}
    for language in definition.translations:
        for each in LISTS:
            is_new = before is None or each.written(definition, language) != each.written(before, language)
            if is_new and (problem := misfits(definition, language, each)):
                names = {"language": called(language), "questions": languages.said(each.label)}
                named = _("{language}, “{questions}”: {differences}").format(**names, differences=problem)
                found[f"translations.{language}.questions.{each.name}"] = named
    return found


def lacking(definition: Definition, language: str) -> list[str]:
    """Name the texts that raters of this language would miss."""
    translation = definition.translations[language]
    read = [name for name in READ if getattr(definition.texts, name) and not getattr(translation, name)]
    return read + [name for name in definition.kind.prompts() if not translation.prompts.get(name)]


def unwritten(definition: Definition, language: str) -> list[str]:
    """Name the lists of questions that raters of this language would meet in the study's own."""
    return [languages.said(each.label) for each in LISTS if each.is_missing(definition, language)]


def unfit(definition: Definition, language: str) -> list[tuple[str, str]]:
    """Name the lists of questions that no longer fit the original, each with what differs."""
    found = ((languages.said(each.label), misfits(definition, language, each)) for each in LISTS)
    return [(name, differences) for name, differences in found if differences]


def called(language: str) -> str:
    """Return a language's own name with its code."""
    (found,) = languages.named([language])
    return f"{found.name} ({language})"
