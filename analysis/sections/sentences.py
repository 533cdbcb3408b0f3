"""Sentences that workers computed, in the reader's language.

Results contain them in English; `sentences` adds the pattern and the values of those with values filled in. Labels and
sentences without values are looked up in the catalogue directly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy

from analysis.sections.results import Results, load
from core.text import languages
from core.text.words import Translatable, restored

# The keys of results that contain sentences; labels are translated only in the `LABELLED` sections.
SENTENCES = frozenset({"refused", "note", "notes", "scope", "priors"})
LABELS = SENTENCES | {"label", "title"}
LABELLED = frozenset({"participants", "exclusions", "quality", "breakdowns"})
# Titles of breakdowns that need a context, because the word has another translation elsewhere.
TITLES: dict[str, Promise] = {"Ratings": pgettext_lazy("answers on a scale", "Ratings")}
# Contain no sentences, or the study's own words.
OWN = frozenset({"study", "inputs", "sentences"})


def patterns(results: Mapping[str, Any], collected: Mapping[str, Translatable]) -> dict[str, Any]:
    """Return {sentence: pattern and values} of the sentences in these results."""
    return {text: collected[text].as_json for text in sorted(set(_texts(results)) & set(collected))}


def in_language(results: Results) -> Results:
    """Return results with their sentences and labels in the active language."""
    if languages.speaks_english():
        return results
    content = translated(results.model_dump(mode="json", by_alias=True))
    study = content["study"]
    codes = {code: gettext(label) for code, label in study["scale"]["codes"].items()}
    content["study"] = {**study, "task": gettext(study["task"]), "scale": {**study["scale"], "codes": codes}}
    return load(content)


def translated(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return results as JSON with their sentences and labels in the active language."""
    if languages.speaks_english():
        return dict(stored)
    known = stored.get("sentences", {})

    def translate_text(text: str, key: str) -> str:
        if text in known:
            return languages.translate(restored(known[text]))
        if key == "title" and text in TITLES:
            return str(TITLES[text])
        return gettext(text) if text else ""

    def translate_values(value: Any, key: str, keys: frozenset[str]) -> Any:
        if isinstance(value, dict):
            return {name: translate_values(each, name, keys) for name, each in value.items()}
        if isinstance(value, list):
            return [translate_values(each, key, keys) for each in value]
        return translate_text(value, key) if isinstance(value, str) and key in keys else value

    return {
        name: value if name in OWN else translate_values(value, name, LABELS if name in LABELLED else SENTENCES)
        for name, value in stored.items()
    }


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
