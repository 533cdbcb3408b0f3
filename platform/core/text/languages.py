"""Languages of pages: choose one for a visitor, name it, and translate sentences into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, get_language_info, gettext
from django.utils.translation.trans_real import parse_accept_lang_header

from core.text.words import Translatable

View = Callable[..., HttpResponse]
# The language in which a page is shown; empty where Django's own choice holds.
_page: ContextVar[str] = ContextVar("page", default="")
PARAMETER = "lang"
# Browsers name a country where catalogues name a script.
SCRIPTS = {
    **dict.fromkeys(("zh", "zh-cn", "zh-sg", "zh-my"), "zh-hans"),
    **dict.fromkeys(("zh-tw", "zh-hk", "zh-mo"), "zh-hant"),
}


class LanguageName(NamedTuple):
    """A language and its own name for itself."""

    code: str
    name: str


class TextLanguage(NamedTuple):
    """The language of a text on a page, for the attributes `lang` and `dir`."""

    code: str
    direction: str


def chosen(request: HttpRequest, offered: Sequence[str]) -> str:
    """Return the language for a new visitor: that of the link, else of the browser, else the first one."""
    accepted = [tag for tag, _weight in parse_accept_lang_header(request.headers.get("Accept-Language", ""))]
    return matched([request.GET.get(PARAMETER, "").lower(), *accepted], offered) or offered[0]


def of_browser(request: HttpRequest) -> str:
    """Return the language of the browser, if there is a catalogue."""
    return chosen(request, settings.CATALOGUES)


def by_browser(view: View) -> View:
    """Show a page in the browser's language, where no study decides it."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with speaking(of_browser(request)):
            return view(request, *args, **kwargs)

    return wrapped


def matched(wanted: Iterable[str], offered: Sequence[str]) -> str:
    """Return the first wanted language that is offered, or its nearest relative; empty when there is none."""
    by_script = {SCRIPTS.get(code, code): code for code in reversed(offered)}
    by_speech = {code.partition("-")[0]: code for code in reversed(offered)}
    for tag in filter(None, wanted):
        exact = by_script.get(SCRIPTS.get(tag, tag))
        # People who read one script of Chinese may not read the other.
        near = None if tag.startswith("zh") else by_speech.get(tag.partition("-")[0])
        if code := exact or near:
            return code
    return ""


def has_catalogue(code: str) -> bool:
    """Return whether the pages' sentences are translated into this language."""
    return bool(matched([code], settings.CATALOGUES))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Show pages in this language, their sentences in English where there is no catalogue.

    Django's own catalogues of other languages would translate a word here and there.
    """
    token = _page.set(code)
    try:
        with translation.override(SCRIPTS.get(code, code) if has_catalogue(code) else "en"):
            yield
    finally:
        _page.reset(token)


def marks(request: HttpRequest) -> dict[str, Any]:
    """Return the language of the page that is spoken, and the attributes of English sentences in it, for templates."""
    code = _page.get()
    is_translated = not code or has_catalogue(code)
    return {
        "page_language": spoken(code) if code else None,
        "in_english": "" if is_translated else mark_safe(' lang="en" dir="ltr"'),
    }


def speaks_english() -> bool:
    """Return whether the active language is English."""
    return (get_language() or "en").startswith("en")


def translate(sentence: str) -> str:
    """Translate a sentence of pure code into the active language."""
    if isinstance(sentence, Translatable):
        values = {name: translate(value) for name, value in sentence.values.items()}
        return gettext(sentence.pattern).format(**values)
    return sentence


def with_names(codes: Iterable[str]) -> list[LanguageName]:
    """Return each language with its own name for itself, or with its code if it is unknown."""
    return [LanguageName(code, _name(code)) for code in codes]


def spoken(code: str) -> TextLanguage:
    """Return a language with the direction of its script; for an unknown one, the browser detects the direction."""
    try:
        return TextLanguage(code, "rtl" if get_language_info(SCRIPTS.get(code, code))["bidi"] else "ltr")
    except KeyError:
        return TextLanguage(code, "auto")


def _name(code: str) -> str:
    try:
        return str(get_language_info(SCRIPTS.get(code, code))["name_local"])
    except KeyError:
        return code
