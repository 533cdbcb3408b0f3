"""Styles hold in every direction and script."""

from __future__ import annotations

import re

import pytest

from core.paths import ROOT

SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
# Sides of the paper; what is meant is the beginning and the end of a line.
SIDED = re.compile(
    r"(?:margin|padding|border)-(?:left|right)\b|(?:^|[\s;{])(?:left|right)\s*:|(?:float|clear|text-align)\s*:\s*(?:left|right)\b"
)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.stem)
def test_styles_name_no_side_of_the_page(sheet):
    assert SIDED.findall(sheet.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.stem)
def test_nothing_is_italic_since_chinese_has_no_such_letters(sheet):
    assert "italic" not in sheet.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("style", "is_sided"),
    [
        ("a { margin-left: 1px }", True),
        ("a{left:0}", True),
        ("a { text-align: right; }", True),
        ("a { margin-inline-start: 1px; inset-inline-start: 0; text-align: start; overflow-left: 0 }", False),
    ],
)
def test_the_look_for_sides_sees_them(style, is_sided):
    assert bool(SIDED.search(style)) == is_sided
