"""Numbers and bars of templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.text import numbers

register = template.Library()
register.filter("whole", numbers.whole)
register.filter("tenths", numbers.tenths)
register.filter("duration", numbers.duration)
register.filter("percent", numbers.percent)
register.filter("points", numbers.points)
register.filter("decimals", numbers.decimals)
register.filter("unbroken", numbers.unbroken)
register.filter("signed_percent", numbers.signed_percent)


@register.filter
def share_of(part: float, of: float) -> float | None:
    """Return part / of; None (shown as a dash) where `of` is 0."""
    return part / of if of else None


@register.simple_tag
def bar(part: Any, of: Any, css: str = "") -> SafeString:
    """Draw a share as a bar. It repeats a number next to it, so screen readers skip it."""
    # With a point in every language, as SVG needs it.
    width = f"{100 * part / of if of else 0:.2f}%"
    return format_html(
        '<svg{} width="100%" height="6" aria-hidden="true"><rect class="trough" width="100%" height="6" rx="3"/>'
        '<rect class="fill" width="{}" height="6" rx="3"/></svg>',
        format_html(' class="{}"', css) if css else "",
        width,
    )
