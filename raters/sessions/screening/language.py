"""First language check: do raters speak the clips' language natively, or with a certified score?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from raters.sessions.screening.base import Check, CheckScore, Form, Step
from studies.definition.definition import Definition

# Offered together with the accepted languages, so that the list doesn't reveal them.
LANGUAGES = {
    "ar": "العربية", "bn": "বাংলা", "cs": "Čeština", "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά", "en": "English",
    "es": "Español", "fa": "فارسی", "fi": "Suomi", "fr": "Français", "he": "עברית", "hi": "हिन्दी", "hu": "Magyar",
    "id": "Bahasa Indonesia", "it": "Italiano", "ja": "日本語", "ko": "한국어", "mr": "मराठी", "nl": "Nederlands",
    "pa": "ਪੰਜਾਬੀ", "pl": "Polski", "pt": "Português", "ro": "Română", "ru": "Русский", "sv": "Svenska",
    "sw": "Kiswahili", "ta": "தமிழ்", "te": "తెలుగు", "th": "ไทย", "tr": "Türkçe", "uk": "Українська", "ur": "اردو",
    "vi": "Tiếng Việt", "yue": "粵語", "zh": "中文",
}  # fmt: skip
OTHER = "other"


class Language(Check):
    """Asks for the first language, and for certified scores if accepted; a single try."""

    name = "language"
    label = gettext_lazy("First language")
    rank = 20
    template = "language"

    def mode(self, definition: Definition) -> str:
        return definition.screening.language

    def tries(self, definition: Definition) -> int:
        return 1

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        return [{}]

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        certificates = [certificate.name for certificate in definition.screening.certified]
        return {
            "languages": sorted(offered(definition).items(), key=lambda pair: pair[1]),
            "certificates": certificates,
        }

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        if form.get("first") not in {*offered(definition), OTHER}:
            return {"first": _("Choose your first language.")}
        certificate = form.get("certificate", "")
        if certificate and _points(form) is None:
            return {"points": _("Write the score as a number, such as 7.5.")}
        return {}

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        screening = definition.screening
        first, name, points = form["first"], form.get("certificate", ""), _points(form)
        known = {certificate.name: certificate.least for certificate in screening.certified}
        certified = name in known and points is not None and points >= known[name]
        claim = {"certificate": name, "points": points} if name in known else {}
        return {"first": first, **claim, "right": first in screening.accepted or certified}

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        passed = bool(answers[-1]["right"])
        return CheckScore(int(passed), 1, passed)


def offered(definition: Definition) -> dict[str, str]:
    """Return {code: name} of the languages offered."""
    own = {code: name or LANGUAGES.get(code, code) for code, name in definition.screening.accepted.items()}
    return {**LANGUAGES, **own}


def _points(form: Form) -> float | None:
    try:
        points = float(form.get("points", "").replace(",", "."))
    except ValueError:
        return None
    return points if math.isfinite(points) else None
