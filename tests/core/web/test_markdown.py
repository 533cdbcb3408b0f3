"""Researchers' texts on raters' pages."""

from __future__ import annotations

import pytest

from core.templatetags.markdown import markdown


def test_html_comes_out_escaped() -> None:
    assert markdown("<script>alert(1)</script> **b**") == (
        "<p>&lt;script&gt;alert(1)&lt;/script&gt; <strong>b</strong></p>\n"
    )


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "http://example.org", "data:text/html,x", "//example.org", "/x"]
)
def test_only_https_links_become_links(url: str) -> None:
    assert "<a" not in markdown(f"[text]({url})")


def test_links_open_apart_and_tell_nobody_where_they_stood() -> None:
    link = markdown("[text](https://example.org)")
    assert 'href="https://example.org"' in link
    assert 'rel="noopener noreferrer"' in link


def test_no_image_is_ever_loaded() -> None:
    assert "<img" not in markdown("![a](https://example.org/pixel.png)")


def test_headings_come_below_the_one_of_the_page() -> None:
    assert markdown("# One") == "<h2>One</h2>\n"


def test_no_inline_style_is_written() -> None:
    assert "style" not in markdown("| a |\n|:-:|\n| 1 |")
