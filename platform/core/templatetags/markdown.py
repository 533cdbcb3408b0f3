"""Researchers' texts: Markdown without HTML, images or links to anything but https."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

register = template.Library()


class Renderer(RendererHTML):
    """Renders headings one level lower, since the page has its own, and opens links in a new tab."""

    def heading_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        return f"<h{_level(tokens[i])}>"

    def heading_close(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        return f"</h{_level(tokens[i])}>\n"

    def link_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        tokens[i].attrSet("rel", "noopener noreferrer")
        tokens[i].attrSet("target", "_blank")
        return self.renderToken(tokens, i, options, env)

    def th_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        # The content security policy forbids the inline style of an aligned column.
        return f"<{tokens[i].tag}>"

    td_open = th_open


def _level(token: Token) -> int:
    return min(int(token.tag[1:]) + 1, 6)


def _is_https(url: str) -> bool:
    try:
        return urlsplit(url).scheme == "https" and bool(urlsplit(url).hostname)
    except ValueError:
        return False


PARSER = MarkdownIt("js-default", {"html": False, "linkify": False}, renderer_cls=Renderer).disable("image")
PARSER.validateLink = _is_https  # type: ignore[method-assign]


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown; whatever is not Markdown comes out escaped."""
    return _rendered(str(text))


@lru_cache(maxsize=128)
def _rendered(text: str) -> SafeString:
    # Safe, since the parser escapes HTML, loads no image and links only to https.
    return SafeString(PARSER.render(text))
