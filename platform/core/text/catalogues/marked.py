"""Collect the sentences to translate: marked in code and templates, or registered by apps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

from core import hooks

CODE = ("platform/accounts", "platform/core", "platform/demo", "studies", "raters", "analysis", "judge")
TEMPLATES = "templates"
# Modules that mark sentences import from one of these.
MODULES = ("gettext", "core.text.words", "def say(")
# Which of a call's arguments are context, sentence and plural.
CALLS = {
    "_": (None, 0, None),
    "say": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
}
LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
TAGS = re.compile(rf"\b(?P<name>n?p?gettext|_)\((?P<literals>{LITERAL}(?:,\s*{LITERAL})*)", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Sentence:
    """One sentence to translate; `context` distinguishes equal ones, `plural` is the form for several."""

    text: str
    plural: str = ""
    context: str = ""


def sentences(root: Path | None = None) -> dict[Sentence, list[str]]:
    """Return every sentence and its files, in the order of the files."""
    root = root or settings.ROOT
    places: dict[Sentence, list[str]] = {}
    for path in sorted(path for folder in CODE for path in (root / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        # Parsing takes a hundred times as long as this test.
        if any(module in source for module in MODULES):
            _note(places, in_code(source), path.relative_to(root))
    for path in sorted(path for ending in ("html", "txt") for path in (root / TEMPLATES).rglob(f"*.{ending}")):
        _note(places, in_template(path.read_text(encoding="utf-8")), path.relative_to(root))
    for declared in hooks.declared_words:
        _note(places, (Sentence(text) for text in declared() if text), Path(declared.__module__))
    return places


def in_code(source: str) -> Iterator[Sentence]:
    """Yield the sentences that calls in a module mark; apps register those that are computed."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in CALLS:
            arguments = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
            yield from _sentence(name, arguments)


def in_template(source: str) -> Iterator[Sentence]:
    """Yield the sentences that a template's tags mark."""
    for call in TAGS.finditer(templatize(source)):
        yield from _sentence(call["name"], list(ast.literal_eval(f"[{call['literals']}]")))


def _sentence(name: str, arguments: Sequence[object]) -> Iterator[Sentence]:
    context, text, plural = (
        "" if place is None else arguments[place] if place < len(arguments) else None for place in CALLS[name]
    )
    if isinstance(context, str) and isinstance(text, str) and isinstance(plural, str):
        yield Sentence(text, plural, context)


def _note(places: dict[Sentence, list[str]], sentences: Iterator[Sentence], place: Path) -> None:
    for sentence in sentences:
        files = places.setdefault(sentence, [])
        if place.as_posix() not in files:
            files.append(place.as_posix())
