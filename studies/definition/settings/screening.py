"""Checks before the first clip, and what happens to raters who fail them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from core.spec import Spec, labels
from studies.definition.settings import attention, question_lines
from studies.definition.settings.attention import Fair
from studies.definition.settings.question_lines import ListedQuestion

Failed = Literal["flag", "screen_out"]
CheckMode = Literal["off", "flag", "screen_out"]
LANGUAGE = re.compile(r"([a-z]{2,3})(?:\s*\|\s*(\S.{0,59}))?")
LONGEST_CERTIFICATE = 60
CONTINUE, END = "Mark and continue", "End the session"
FAILED = labels(flag=CONTINUE, screen_out=END)
MODES = labels(off="Off", flag=CONTINUE, screen_out=END)
WHOEVER_FAILS = "Raters who fail are marked and continue, or their session ends with a code of its own."


@dataclass(frozen=True, slots=True)
class Certificate:
    """A language test, and the lowest score that is accepted instead of a first language."""

    name: str
    least: float


class ScreeningSettings(Spec):
    """Checks of device, language, headphones and understanding; each is off by default."""

    device: CheckMode = Field(
        "off",
        json_schema_extra=MODES,
        description=f"Test whether sound plays, by counting beeps, and whether the page is wide enough. "
        f"{WHOEVER_FAILS}",
    )
    language: CheckMode = Field(
        "off",
        json_schema_extra=MODES,
        description=f"Ask for the first language, or a certified score. {WHOEVER_FAILS}",
    )
    languages: tuple[str, ...] = Field(
        (),
        max_length=20,
        description="First languages that the study accepts, one a line: a code such as en, or code | Name.",
    )
    certificates: tuple[str, ...] = Field(
        (),
        max_length=10,
        description="Accepted test scores instead, one a line: IELTS listening | 7.5. Empty: only first languages.",
    )
    volume: bool = Field(
        False, description="Ask raters to set the volume with a noise as loud as the clips, and then not to change it."
    )
    headphones: Literal["none", "antiphase", "huggins", "both"] = Field(
        "none",
        title="Headphone test",
        json_schema_extra=labels(none="None", antiphase="Tones in opposite phase", huggins="Hidden pitch", both="Both"),
        description="Headphone test of 6 trials: tones in opposite phase (Woods et al. 2017), a pitch that only two "
        "ears hear (Milne et al. 2021), or both, one after the other.",
    )
    headphones_failed: Failed = Field(
        "flag", json_schema_extra=FAILED, description="What happens to those who fail it twice."
    )
    antiphase_right: int = Field(5, ge=1, le=6, description="Tones: right answers of 6 to pass.")
    huggins_right: int = Field(6, ge=1, le=6, description="Hidden pitch: right answers of 6 to pass.")
    comprehension: CheckMode = Field(
        "off",
        json_schema_extra=MODES,
        description=f"Questions on the instructions, after raters have read them. {WHOEVER_FAILS}",
    )
    questions: tuple[str, ...] = Field(
        (),
        max_length=6,
        description="These questions, 2 to 4 of them, one a line: Question | *right answer | wrong | wrong. "
        "Answers are shuffled.",
    )
    comprehension_tries: int = Field(2, ge=2, le=5, description="Tries at these questions, with the rules in between.")
    training: CheckMode = Field(
        "off",
        json_schema_extra=MODES,
        description="Practice on clips of the role “training”, with the right answer after each; none of it counts. "
        f"{WHOEVER_FAILS}",
    )
    training_clips: int = Field(4, ge=1, le=20, description="Clips to practise on.")
    training_right: int = Field(
        0, ge=0, le=20, description="Right answers needed to pass the practice; 0: everybody passes."
    )
    recheck_minutes: int | None = Field(
        None,
        ge=5,
        le=600,
        description="After this many minutes of rating, check volume and headphones again before the next batch; "
        "raters who fail are marked and continue. Empty: never.",
    )
    attention: tuple[str, ...] = Field(
        (),
        max_length=6,
        description="Fair attention checks, one a line, each asked once between two batches. Either an instruction "
        "that names its answer: Choose “Often” here | *Often | Never | Sometimes. Or, without answers, a statement "
        "that no attentive person agrees with: I have visited every planet. Only these may support a rejection at "
        "Prolific: nothing that takes listening, memory or knowledge. Raters who fail are marked. Empty: none.",
    )
    attention_every: int = Field(
        1,
        ge=1,
        le=50,
        description="Batches between two attention checks; there is none after the last batch.",
    )
    attention_failed: Failed = Field(
        "flag",
        json_schema_extra=FAILED,
        description="What happens to raters who fail as many as Prolific requires for a rejection: two, or one if "
        "raters are told less than five minutes. They continue, or their session ends with the code for failed "
        "attention, and a person decides about their pay. Either way, valid sets stay usable.",
    )

    @field_validator("languages")
    @classmethod
    def languages_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            if not LANGUAGE.fullmatch(line):
                raise ValueError(f"“{line}” is no language: write a code of two or three small letters, such as en")
        return lines

    @field_validator("certificates")
    @classmethod
    def certificates_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        names = [certificate(line).name for line in lines]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"“{name}” is there twice")
        return lines

    @field_validator("questions")
    @classmethod
    def questions_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        question_lines.read(lines)
        return lines

    @field_validator("attention")
    @classmethod
    def attention_is_fair(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for problem in attention.unfair(lines):
            raise ValueError(problem)
        return lines

    @property
    def accepted(self) -> dict[str, str]:
        """Return {code: the name that the study gives it, mostly none} of the first languages taken."""
        matches = (LANGUAGE.fullmatch(line) for line in self.languages)
        return {match[1]: match[2] or "" for match in matches if match}

    @property
    def certified(self) -> tuple[Certificate, ...]:
        """Return the test scores that are accepted instead."""
        return tuple(certificate(line) for line in self.certificates)

    @property
    def asked(self) -> tuple[ListedQuestion, ...]:
        """Return the questions on the instructions."""
        return question_lines.read(self.questions)

    @property
    def fair(self) -> tuple[Fair, ...]:
        """Return the attention checks, in the order they are asked."""
        return attention.read(self.attention)

    def fair_asked(self, batches: int) -> int:
        """Return how many attention checks a rater of so many batches gets: none after the last."""
        return min(len(self.attention), (batches - 1) // self.attention_every)


def certificate(line: str) -> Certificate:
    """Read one line, "IELTS listening | 7.5"; raises `ValueError` with what is wrong."""
    name, _bar, least = (part.strip() for part in line.partition("|"))
    if not name or len(name) > LONGEST_CERTIFICATE:
        raise ValueError(f"“{line}” needs a name of up to {LONGEST_CERTIFICATE} characters before the bar")
    try:
        return Certificate(name, float(least))
    except ValueError:
        raise ValueError(f"“{line}” needs the least score after the bar, such as 7.5") from None
