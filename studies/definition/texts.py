"""Translate the presets' texts, and check a study's translations before its launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.text import languages
from core.text.languages import matched, speaking
from studies.definition import presets
from studies.definition.definition import Definition, Translation, Wording
from studies.definition.form_fields import label_of
from studies.definition.question_lists import LISTS, QuestionList
from studies.hooks import LaunchFinding

# Catalogues contain single paragraphs: presets share some.
GAP = "\n\n"
Text = str | tuple[str, ...]


def words() -> Iterator[str]:
    """Yield every paragraph of every preset's texts."""
    for name, _label in presets.choices():
        for text in _texts(presets.get(name).definition).values():
            for line in (text,) if isinstance(text, str) else text:
                yield from line.split(GAP)


def translation(definition: Definition, language: str) -> dict[str, Any]:
    """Return a translation into `language`, raw, of those texts that are still the preset's."""
    preset = presets.by_name().get(definition.preset)
    own, other = _catalogue(definition.texts.language), _catalogue(language)
    if preset is None or not own or not other:
        return {}
    texts = _texts(preset.definition)
    before, after = _said(texts, own), _said(texts, other)
    ready = {name: after[name] for name, text in _texts(definition).items() if text and text == before.get(name)}
    prompts = {name: ready.pop(name) for name in definition.kind.prompts() if name in ready}
    return {**ready, "prompts": prompts}


def begun_in(definition: Definition, language: str) -> Definition:
    """Return a preset's definition in this language; raise `Invalid` if there are no texts in it."""
    code = _catalogue(language)
    if not code:
        known = _("known are {languages}; in another one, write the texts yourself")
        raise Invalid(
            _("The presets’ texts are not in this language."),
            {"language": known.format(languages=", ".join(settings.CATALOGUES))},
        )
    if code == definition.texts.language:
        return definition
    ready = translation(definition, code)
    task = definition.kind.with_texts(definition.task, ready.pop("prompts"))
    texts = definition.texts.model_copy(update={**ready, "language": code})
    return definition.model_copy(update={"texts": texts, "task": task})


def _catalogue(language: str) -> str:
    return matched([language], settings.CATALOGUES)


def _texts(definition: Definition) -> dict[str, Text]:
    own: dict[str, Text] = {name: getattr(definition.texts, name) for name in Wording.model_fields}
    return own | definition.kind.texts(definition.params)


def _said(texts: Mapping[str, Text], language: str) -> dict[str, Text]:
    with speaking(language):
        return {
            name: _line(text) if isinstance(text, str) else tuple(_line(line) for line in text)
            for name, text in texts.items()
        }


def _line(line: str) -> str:
    # gettext translates an empty text into the header of the catalogue.
    return GAP.join(gettext(paragraph) if paragraph else "" for paragraph in line.split(GAP))


# Texts that every language needs if the study's own language has them.
READ = ("information", "consent", "instructions", "debrief")


def findings(definition: Definition) -> Iterator[LaunchFinding]:
    """Yield what is missing in the study's other languages: texts, lists of questions, the pages' catalogue."""
    for language in definition.translations:
        if missing := lacking_labels(definition, language):
            text = _("The texts in {language} lack {names}: write them under Languages.")
            yield LaunchFinding(
                "blocking", text.format(language=called(language), names=", ".join(missing)), place="languages"
            )
        yield from _questions(definition, language)
    for language in definition.languages:
        if not languages.has_catalogue(language):
            text = _("Buttons and hints of the rater’s pages are in English: there is no catalogue of {language}.")
            yield LaunchFinding("warning", text.format(language=called(language)), place="languages")


def _questions(definition: Definition, language: str) -> Iterator[LaunchFinding]:
    names = {"language": called(language), "own": called(definition.texts.language)}
    for each in LISTS:
        names["questions"] = languages.translate(each.label)
        if each.is_missing(definition, language) and each.decides:
            text = _("“{questions}” are missing in {language}, and raters can fail them: write them under Languages.")
            yield LaunchFinding("blocking", text.format(**names), place="languages")
        elif each.is_missing(definition, language):
            text = _("“{questions}” are missing in {language}: its raters read them in {own}.")
            yield LaunchFinding("warning", text.format(**names), place="languages")
        elif each.is_asked(definition) and (misfit := misfits(definition, language, each)):
            text = _("“{questions}” in {language} don’t fit the original, which its raters would meet: {differences} "
                     "Fix them under Languages.")  # fmt: skip
            yield LaunchFinding("blocking", text.format(**names, differences=misfit), place="languages")


def misfits(definition: Definition, language: str, questions: QuestionList) -> str:
    """Return how a list in this language differs from the original; empty if it is missing or fits."""
    return " ".join(languages.translate(each) for each in questions.misfits(definition, language))


def written_wrong(definition: Definition, before: Definition | None) -> dict[str, str]:
    """Return {dotted field: difference} for new or changed lists that don't fit the original.

    Unchanged lists may no longer fit after a change of the original; a draft allows that, a launch doesn't.
    """
    messages = {}
    for language in definition.translations:
        for each in LISTS:
            is_new = before is None or each.written(definition, language) != each.written(before, language)
            if is_new and (problem := misfits(definition, language, each)):
                names = {"language": called(language), "questions": languages.translate(each.label)}
                message = _("{language}, “{questions}”: {differences}").format(**names, differences=problem)
                messages[f"translations.{language}.questions.{each.name}"] = message
    return messages


def lacking(definition: Definition, language: str) -> list[str]:
    """Return the names of texts that are missing in this language."""
    translation = definition.translations[language]
    read = [name for name in READ if getattr(definition.texts, name) and not getattr(translation, name)]
    own = definition.kind.texts(definition.params)
    return read + [name for name, text in own.items() if not _has_lines(text, translation.prompts.get(name))]


def lacking_labels(definition: Definition, language: str) -> list[str]:
    """Return the texts that are missing in this language, by the labels of their fields."""
    fields = {**Translation.model_fields, **definition.kind.Params.model_fields}
    return [languages.translate(label_of(name, fields.get(name))) for name in lacking(definition, language)]


def _has_lines(own: Text, translated: Text | None) -> bool:
    if isinstance(own, tuple):
        return isinstance(translated, tuple) and len(translated) == len(own)
    return bool(translated)


def unwritten(definition: Definition, language: str) -> list[str]:
    """Return the names of lists of questions that are missing in this language."""
    return [languages.translate(each.label) for each in LISTS if each.is_missing(definition, language)]


def unfit(definition: Definition, language: str) -> list[tuple[str, str]]:
    """Return the names of lists of questions that don't fit the original, each with the difference."""
    lists = ((languages.translate(each.label), misfits(definition, language, each)) for each in LISTS)
    return [(name, differences) for name, differences in lists if differences]


def called(language: str) -> str:
    """Return a language's own name with its code."""
    (name,) = languages.with_names([language])
    return f"{name.name} ({language})"
