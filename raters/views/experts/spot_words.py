"""The words for what experts say in a spot check."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Word:
    """An answer: its code, what its button says, and what that means."""

    code: str
    label: str
    hint: str = ""


def forms() -> dict[str, list[Word]]:
    """Return the answers of each form, in the order of their keys."""
    return {
        "success": [
            Word("ok", _("In order"), _("none of these faults")),
            Word("quality_defect", _("Quality defect"), _("heavy noise, jitter, distortion")),
            Word("incomplete", _("Incomplete"), _("cut off, very short, or silent")),
            Word("wrong_language", _("Wrong language"), _("not that of the text")),
            Word("mixed_voice", _("Mixed voices"), _("the voice changes in the clip")),
            Word("unintelligible", _("Unintelligible"), _("words can’t be made out")),
            Word("wrong_words", _("Wrong words"), _("not what the text says")),
            Word("other", _("Something else"), _("say in the note what")),
        ],
        "consistency": [
            Word("yes", _("Yes"), _("they could be one voice")),
            Word("no", _("No"), _("timbre, language or prosody differ")),
            Word("cannot_tell", _("Cannot tell")),
        ],
    }


def labels() -> dict[str, str]:
    """Return {code: what its button says}."""
    return {word.code: word.label for words in forms().values() for word in words}
