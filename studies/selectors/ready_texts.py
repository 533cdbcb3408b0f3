"""The presets' texts in every language that the pages speak, so that a study needs to translate only its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.languages import matched, speaking
from studies import presets
from studies.presets.definition import Definition, Wording

# Catalogues hold texts by paragraph: presets share some.
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
    preset = presets.found().get(definition.preset)
    own, other = _catalogue(definition.texts.language), _catalogue(language)
    if preset is None or not own or not other:
        return {}
    texts = _texts(preset.definition)
    before, after = _said(texts, own), _said(texts, other)
    ready = {name: after[name] for name, text in _texts(definition).items() if text and text == before.get(name)}
    prompts = {name: ready.pop(name) for name in definition.kind.prompts() if name in ready}
    return {**ready, "prompts": prompts}


def begun_in(definition: Definition, language: str) -> Definition:
    """Return a preset's definition with this as its own language; raises `Invalid` where there are no texts in it."""
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
    task = {**definition.task, **ready.pop("prompts")}
    texts = definition.texts.model_copy(update={**ready, "language": code})
    return definition.model_copy(update={"texts": texts, "task": task})


def _catalogue(language: str) -> str:
    return matched([language], settings.CATALOGUES)


def _texts(definition: Definition) -> dict[str, Text]:
    own: dict[str, Text] = {name: getattr(definition.texts, name) for name in Wording.model_fields}
    return own | {name: getattr(definition.params, name) for name in definition.kind.prompts()}


def _said(texts: Mapping[str, Text], language: str) -> dict[str, Text]:
    with speaking(language):
        return {
            name: _line(text) if isinstance(text, str) else tuple(_line(line) for line in text)
            for name, text in texts.items()
        }


def _line(line: str) -> str:
    # gettext says of nothing who wrote the catalogue.
    return GAP.join(gettext(paragraph) if paragraph else "" for paragraph in line.split(GAP))
