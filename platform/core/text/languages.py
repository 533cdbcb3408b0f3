"""Languages of pages: which one somebody meets, what it is called, and how a sentence is said in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language_info, gettext
from django.utils.translation.trans_real import parse_accept_lang_header

from core.text.words import Translatable

View = Callable[..., HttpResponse]
PARAMETER = "lang"
# Browsers name a country where catalogues name a script.
SCRIPTS = {
    **dict.fromkeys(("zh", "zh-cn", "zh-sg", "zh-my"), "zh-hans"),
    **dict.fromkeys(("zh-tw", "zh-hk", "zh-mo"), "zh-hant"),
}


class LanguageName(NamedTuple):
    """A language, by the name that its speakers give it."""

    code: str
    name: str


class TextLanguage(NamedTuple):
    """The language of a text on a page, as the attributes `lang` and `dir` say it."""

    code: str
    direction: str


def chosen(request: HttpRequest, offered: Sequence[str]) -> str:
    """Return the language for somebody who has just come: the link's word, then the browser's wish, then the first."""
    accepted = [tag for tag, _weight in parse_accept_lang_header(request.headers.get("Accept-Language", ""))]
    return matched([request.GET.get(PARAMETER, "").lower(), *accepted], offered) or offered[0]


def of_browser(request: HttpRequest) -> str:
    """Return the language for somebody of whom nothing else is known: one that has a catalogue."""
    return chosen(request, settings.CATALOGUES)


def by_browser(view: View) -> View:
    """Let a page be in the browser's language, where no study says which."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with speaking(of_browser(request)):
            return view(request, *args, **kwargs)

    return wrapped


def matched(wanted: Iterable[str], offered: Sequence[str]) -> str:
    """Return the first language of those wanted that is offered, or its nearest relative; empty when none is."""
    by_script = {SCRIPTS.get(code, code): code for code in reversed(offered)}
    by_speech = {code.partition("-")[0]: code for code in reversed(offered)}
    for tag in filter(None, wanted):
        exact = by_script.get(SCRIPTS.get(tag, tag))
        # Those who read one script of Chinese may not read the other.
        near = None if tag.startswith("zh") else by_speech.get(tag.partition("-")[0])
        if code := exact or near:
            return code
    return ""


def has_catalogue(code: str) -> bool:
    """Say whether the pages' own words are known in this language."""
    return bool(matched([code], settings.CATALOGUES))


def speaking(code: str) -> translation.override:
    """Let pages be in this language, as far as there is a catalogue of it."""
    return translation.override(SCRIPTS.get(code, code))


def translate(sentence: str) -> str:
    """Say a sentence of pure code in the language that is spoken now."""
    if isinstance(sentence, Translatable):
        return gettext(sentence.pattern).format(**sentence.values)
    return sentence


def with_names(codes: Iterable[str]) -> list[LanguageName]:
    """Return each language with the name that its speakers give it; an unknown one is called by its code."""
    return [LanguageName(code, _name(code)) for code in codes]


def spoken(code: str) -> TextLanguage:
    """Return a language with the direction of its script; of an unknown one, a browser finds it by the first letter."""
    try:
        return TextLanguage(code, "rtl" if get_language_info(SCRIPTS.get(code, code))["bidi"] else "ltr")
    except KeyError:
        return TextLanguage(code, "auto")


def _name(code: str) -> str:
    try:
        return str(get_language_info(SCRIPTS.get(code, code))["name_local"])
    except KeyError:
        return code
