"""Words for the columns of a manifest, for its roles, and for the parts of file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from studies.clips.models import Clip
from studies.imports.ingest import layouts
from studies.imports.ingest.manifest import COLUMNS

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

LABELS: dict[str, StrOrPromise] = {
    "file": _("File"),
    "system": _("System"),
    "role": _("Role"),
    "voice": _("Voice"),
    "text_id": _("Text ID"),
    "dimension": _("Dimension"),
    "language": _("Language"),
    "text": _("Words of the text"),
    "box": _("Box (white or black)"),
    "benchmark": _("Benchmark"),
    "condition": _("Condition"),
    "domain": _("Domain"),
    "take": _("Take"),
    "prompt_file": _("Prompt (recording)"),
    "seen": _("Benchmark seen in training"),
    "expected": _("Expected answer (traps)"),
}
# Parts of file names that are called otherwise than the column they fill.
PARTS = {"speaker": "voice", "text": "text_id"}


def columns() -> dict[str, str]:
    """Return {column of a manifest: its words}, in the order of a manifest."""
    return {name: str(LABELS[name]) for name in COLUMNS}


def roles() -> dict[str, str]:
    """Return {role: its words}."""
    return {str(value): str(label) for value, label in Clip.Role.choices}


def parts() -> dict[str, str]:
    """Return {part of a layout: its words}."""
    return {part: str(_("(ignored)") if part == "ignore" else LABELS[PARTS.get(part, part)]) for part in layouts.PARTS}
