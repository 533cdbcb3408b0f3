"""What a listener reads before a quick test; instructions and questions are those of the preset."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from core.text import languages


def words(language: str) -> dict[str, Any]:
    """Return the title and the dotted texts of a study in this language."""
    with languages.speaking(language):
        return {
            "title": _("Listening test"),
            "texts.information": _(
                "Your answers stay on the computer of the person who sent you this link: what you choose, and when and "
                "how often you play each clip. We don't ask for your name. You may stop whenever you like."
            ),
            "texts.consent": _("I have read this and agree to take part."),
            "texts.debrief": _("Thank you for listening. The person who sent you the link sees the result."),
        }
