"""The studies of the demo: only data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from demo.material import LANGUAGE
from studies.definition.presets import att

REMARK = (
    "This is the demo. Every clip was synthesised on this machine with espeak-ng; those of the system “human” are "
    "stand-ins for recordings, spoken by a synthetic voice. The first raters are simulated."
)
FINISHED_REMARK = (
    "This is a finished study of the demo. Every clip was synthesised on this machine with espeak-ng; those of the "
    "system “human” are stand-ins for recordings. All raters and experts are simulated, so its results mean nothing."
)
HINT = (
    "**This is a demo, and every voice in it is synthetic.** The woman with the British accent plays the human: "
    "where you hear her, choose Human. All men's voices are machines, and so is anything that sounds broken.\n\n"
)
EVERY: dict[str, Any] = {
    "audio.sample_rate": 22050,
    "texts.language": LANGUAGE,
    # No rater comes from a crowd platform, so none is sent back to one.
    "crowd.return_url": "",
    "questionnaire.gender": True,
    "questionnaire.age": True,
    "questionnaire.device": True,
}
# Only few reasons are reviewed, so that a visitor's desk has work, but not hundreds of items.
REVIEWED: dict[str, Any] = {"review.mode": "share", "review.simulated": True}
ATT: dict[str, Any] = {
    **EVERY,
    **REVIEWED,
    "protocol.batches_per_session": 2,
    "protocol.ratings_wanted": 5,
    "texts.instructions": HINT + att.TEXTS.instructions,
}


@dataclass(frozen=True, slots=True)
class Design:
    """A study of the demo; `clips` names its material, a plan of `demo.synthesise`."""

    slug: str
    title: str
    preset: str
    clips: str
    raters: int
    settings: dict[str, Any] = field(default_factory=dict)
    remark: str = FINISHED_REMARK
    # Closed before its raters are simulated, so that no page asks to recruit raters for it meanwhile.
    is_closed: bool = True


LIVE = Design(
    "demo", "Demo: does this voice pass for a person?", "att", "att", 25, {**ATT, "review.share": 0.04}, REMARK, False
)
FINISHED = (
    Design(
        "demo-att",
        "Demo, finished: Audio Turing Test",
        "att",
        "att",
        25,
        {**ATT, "review.share": 0.4, "review.double_share": 0.25},
    ),
    Design(
        "demo-hfr",
        "Demo, finished: Human Fooling Rate with markers",
        "hfr-granular",
        "hfr",
        20,
        {
            **EVERY,
            "protocol.tests_per_batch": 8,
            "protocol.batches_per_session": 2,
            "protocol.ratings_wanted": 5,
            "protocol.quota_raters": 20,
            "protocol.quota_utterances": 8,
        },
    ),
    Design(
        "demo-sp-mcqa",
        "Demo, finished: passages with questions",
        "sp-mcqa",
        "passages",
        16,
        {
            **EVERY,
            "protocol.tests_per_batch": 4,
            "protocol.batches_per_session": 2,
            "protocol.ratings_wanted": 4,
            "protocol.most_ratings": 6,
        },
    ),
)
