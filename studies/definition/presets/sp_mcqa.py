"""Spoken-passage multiple-choice questions as their paper asks them; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Audio, Definition, Preset, Texts
from studies.rules.parameters import Protocol
from studies.task_types import sp_mcqa

TEXTS = Texts(
    language="en",
    information=(
        "We study how well one understands what a voice says. You will hear short passages, as in the news, some "
        "spoken by a person and some made by a computer, and answer a few questions on each.\n\n"
        "We keep your answers, what you write, and when and how often each passage was played. "
        "We don't ask for your name. "
        "You may stop whenever you like."
    ),
    consent="I have read this, I am at least 18 years old, and I agree to take part.",
    instructions=(
        "Listen to each passage from beginning to end; you may play it again. "
        "For every question, choose the answer that **the audio states**.\n\n"
        "- Infer nothing: what you only know or guess is not an answer.\n"
        "- When none of the answers is what you heard, or you can't make it out, choose **Other** and "
        "write in a few words what you heard or what kept you from understanding.\n"
        "- The words matter more than the voice: names, numbers, days and places.\n\n"
        "Each session holds a few test questions with a clear answer, and comments are read: "
        "write them in your own words and without AI. "
        "Failing these checks affects whether we can use your answers. It does not affect your pay.\n\n"
        "Use headphones if you can, in a quiet place."
    ),
    debrief=(
        "Most of the passages were read by speech synthesis. Your answers show which names, numbers and places "
        "are lost on the way. Thank you for listening."
    ),
)

PRESET = Preset(
    "Passages with questions (SP-MCQA)",
    "A spoken passage and 2 to 10 questions on what it says; two raters each, more where they disagree.",
    Definition(
        preset="sp-mcqa",
        task_type="sp_mcqa",
        task=sp_mcqa.Params(comment_kinds=True).model_dump(mode="json"),
        protocol=Protocol(
            batches_per_session=2,
            tests_per_batch=5,
            ratings_wanted=2,
            most_ratings=4,
            golden_share=0.1,
            flawed_traps=0,
            human_traps=0,
            human_traps_right=0,
            repeat_text="never",
        ),
        texts=TEXTS,
        audio=Audio(max_seconds=180.0),
    ),
    dict.fromkeys(
        ("protocol.ratings_wanted", "protocol.most_ratings", "protocol.golden_share"), "SP-MCQA paper, section 3.2"
    ),
)
