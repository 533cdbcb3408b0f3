"""Filters for results; an axis (`analysis.plots.charts.Axis`) gives a score's position and format."""

from __future__ import annotations

from typing import Any

from django import template

from analysis.live import scores_page
from analysis.plots.charts import Axis, Span
from analysis.sections.blocks import display_name

register = template.Library()
register.filter("display_name", display_name)
register.filter("group_name", scores_page.group_name)
register.filter("has_few_raters", scores_page.has_few_raters)
register.filter("is_apart", scores_page.is_apart)


@register.filter
def score(value: float | None, axis: Axis) -> str:
    return axis.show(value)


@register.filter
def fine(value: float | None, axis: Axis) -> str:
    """Format a score with one more digit, for a table."""
    return axis.show(value, 1)


@register.filter
def interval(row: Any, axis: Axis) -> str:
    return axis.interval(row.low, row.high)


@register.filter
def fine_interval(row: Any, axis: Axis) -> str:
    return axis.interval(row.low, row.high, 1)


@register.filter
def at(value: float, axis: Axis) -> str:
    """Return the position of a score on a chart, for SVG."""
    return axis.at(value)


@register.filter
def span(row: Any, axis: Axis) -> Span | None:
    """Return the interval of a row as a span on a chart, for SVG; None without an interval."""
    return None if row.low is None or row.high is None else axis.span(row.low, row.high)
