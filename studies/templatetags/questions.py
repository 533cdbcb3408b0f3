"""Words for what is stored of a question."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

from studies.rules.text import ERRORS

register = template.Library()


@register.filter
def error_name(code: str) -> str:
    """Name the type of error of a distractor; an unknown type goes by its code."""
    return gettext(ERRORS[code]) if code in ERRORS else code
