"""What groups are called on pages."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import ANCHOR, HUMAN

BY: dict[str, Promise] = {
    "system": gettext_lazy("System"),
    "voice": gettext_lazy("Voice"),
    "dimension": gettext_lazy("Dimension"),
    "benchmark": gettext_lazy("Benchmark"),
    "condition": gettext_lazy("Condition"),
    "domain": gettext_lazy("Domain"),
    "box": gettext_lazy("Box"),
    "overall": gettext_lazy("Overall"),
}


def named(row: dict[str, Any]) -> str:
    """Return what a group is called; an anchor filed under the system that it was made of is told from it."""
    name = str(row["name"] or (_("human") if row["kind"] == HUMAN else _("not given")))
    is_told = row["kind"] != ANCHOR or ANCHOR in name.casefold()
    return name if is_told else _("{name} (anchor)").format(name=name)
