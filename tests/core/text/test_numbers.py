"""Numbers and bars of templates: a dash for what is not known, and bars that SVG can read in every language."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.template import Context, Template
from django.utils import translation

from analysis.plots.words import number
from analysis.sections.tables import Column
from core.text.numbers import fixed, rounded, unbroken


def shown(template: str, **context: Any) -> str:
    return Template("{% load numbers %}" + template).render(Context(context))


@pytest.mark.parametrize(
    ("template", "value", "expected"),
    [
        ("{{ value|whole }}", 12345, "12,345"),
        ("{{ value|whole }}", 0, "0"),
        ("{{ value|tenths }}", 0.25, "0.2"),
        ("{{ value|duration }}", 39.6, "40 s"),
        ("{{ value|duration }}", 59.8, "1.0 min"),
        ("{{ value|duration }}", 100, "1.7 min"),
        ("{{ value|duration }}", 754, "13 min"),
        ("{{ value|percent }}", 0.5, "50 %"),
        ("{{ value|percent:1 }}", 2 / 3, "66.7 %"),
        ("{{ value|share_of:4|percent }}", 1, "25 %"),
    ],
)
def test_numbers_are_rounded_and_written_in_the_pages_language(template: str, value: float, expected: str) -> None:
    assert shown(template, value=value) == expected


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_the_order_of_a_sum_does_not_decide_how_its_mean_is_rounded(digits: int) -> None:
    half = 4 + 10**-digits * 7.5
    for mean in (half - 1e-15, half, half + 2e-15):
        last = fixed(mean, digits)
        assert last == f"{4 + 10**-digits * 8:.{digits}f}"
        assert rounded(mean, digits) == number(mean, digits) == Column("", digits).shown(mean) == last


@pytest.mark.parametrize(
    "template", ["{{ row.took.median|tenths }}", "{{ row.took|whole }}", "{{ 3|share_of:0|percent }}"]
)
def test_a_dash_stands_for_what_is_not_known(template: str) -> None:
    assert shown(template, row=SimpleNamespace(took=None)) == "–"


@pytest.mark.parametrize(("part", "of", "width"), [(1, 3, "33.33%"), (0, 5, "0.00%"), (1, 0, "0.00%")])
def test_a_bar_is_a_share_written_with_a_point_in_every_language(part: int, of: int, width: str) -> None:
    with translation.override("de"):
        drawn = shown("{% bar part of 'share' %}", part=part, of=of)
    assert f'class="fill" width="{width}"' in drawn
    assert drawn.startswith('<svg class="share"')


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert unbroken("0.24 s, 95 % of 3 systems") == "0.24\xa0s, 95\xa0% of 3 systems"
