"""The Audio Turing Test as its paper runs it; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset, ReviewSettings, SpotCheck, Texts
from studies.task_types import ternary

TEXTS = Texts(
    language="en",
    information=(
        "We study how natural synthetic speech has become. You will hear short recordings, some spoken by a person "
        "and some made by a computer, say which you think each one is, and write what made you decide.\n\n"
        "We keep your answers, what you write, and when and how often each clip was played. "
        "We don't ask for your name. "
        "You may stop whenever you like."
    ),
    consent="I have read this, I am at least 18 years old, and I agree to take part.",
    instructions=(
        "Listen to each clip from beginning to end, then choose **Human**, **Unclear** or **Machine**, "
        "and write in your own words what in the audio made you decide.\n\n"
        "Each set of clips holds test items with a clear answer. Reasons are read by experts: "
        "they must be your own words, written without AI. "
        "Failing these checks affects whether we can use your answers. It does not affect your pay.\n\n"
        "Use headphones if you can, in a quiet place."
    ),
    good_reasons=(
        'The word "record" should fall at the end of the sentence, but the voice goes up.',
        "Every word starts from silence; nobody takes a breath between the two sentences.",
        'I hear a small laugh in "of course" that fits what is being said.',
    ),
    poor_reasons=("Sounds like a robot.", "Clearly a real person.", "Just a feeling."),
    debrief="Some of the clips were made by speech synthesis, and some were spoken by people. Thank you for listening.",
)

PRESET = Preset(
    "Audio Turing Test (ATT)",
    "Human / Unclear / Machine with a reason; batches of 7 test clips and 3 traps.",
    Definition(
        preset="att",
        task_type="ternary",
        task=ternary.Params().model_dump(mode="json"),
        texts=TEXTS,
        review=ReviewSettings(mode="all"),
        spot_check=SpotCheck(mode="offered"),
    ),
    # The paper gives no number of ratings for a clip (`protocol.ratings_wanted`).
    dict.fromkeys(
        (
            "protocol.tests_per_batch",
            "protocol.flawed_traps",
            "protocol.human_traps",
            "protocol.human_traps_right",
            "task.reason_required",
            "review.mode",
        ),
        "ATT paper, section 3.3",
    ),
)
