"""The Human Fooling Rate as its paper runs it; instructions in our own words."""

from __future__ import annotations

from studies.definition.definition import Definition, Preset
from studies.definition.presets import general
from studies.definition.settings import recruitment
from studies.definition.settings.screening import ScreeningSettings
from studies.rules.parameters import Protocol
from studies.task_types import hfr

LISTENING = (
    "Put on headphones and sit somewhere quiet. "
    "Listen to each clip from beginning to end without a break before you decide: "
    "when you pause it or leave the page, it starts again.\n\n"
    "Then say who you think is speaking: choose **Human** for a person, **Machine** for a computer. "
    "There is no answer in between; when in doubt, choose what seems more likely.\n\n"
    "Things worth listening for:\n\n"
    "- the sound of the voice itself: robotic, metallic or compressed\n"
    "- a melody that moves as nobody's would, or hardly moves at all\n"
    "- a feeling or a stress that doesn't suit what is said\n"
    "- words that are said wrongly, left out or said twice\n"
    "- pauses in odd places, or a speed that no speaker would keep\n"
    "- clicks, buzzing and other traces of a computer"
)
# 30 clips of a system with 10 ratings each: as many ratings of a system as stand behind the paper's table 1.
PROTOCOL = {
    **general.UNCHECKED,
    "tests_per_batch": 10,
    "batches_per_session": 3,
    "ratings_wanted": 10,
    "interruption": "void",
    "quota_raters": 30,
    "quota_utterances": 30,
}
# The paper tells listeners to wear headphones; a test can fail those who do, so that it only marks a session.
SCREENING = ScreeningSettings(device="screen_out", volume=True, headphones="antiphase", headphones_failed="flag")

PARTICIPANTS = (
    "protocol.quota_raters",
    "protocol.quota_utterances",
    "crowd.source",
    *(f"recruitment.{name}" for name, value in recruitment.HFR if value and name != "headphones"),
)
PROCEDURE = ("protocol.interruption", "protocol.playback", "screening.headphones", "recruitment.headphones")
SOURCES = {
    **dict.fromkeys(PARTICIPANTS, "HFR paper, section 3"),
    **dict.fromkeys(PROCEDURE, "HFR paper, section 2"),
}

PRESET = Preset(
    "Human Fooling Rate (HFR)",
    "Human / Machine on single clips, heard whole; 30 raters and 30 utterances wanted for each system and benchmark.",
    Definition(
        preset="hfr",
        task_type="hfr",
        task=hfr.Params().model_dump(mode="json"),
        protocol=Protocol.model_validate(PROTOCOL),
        texts=general.texts(LISTENING),
        recruitment=recruitment.HFR,
        screening=SCREENING,
    ),
    SOURCES,
)
