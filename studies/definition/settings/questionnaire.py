"""Questions about raters at the end of a session; all are optional."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field, field_validator

from core.spec import Spec
from studies.definition.settings import question_lines

QUESTIONS = GENDER, AGE, LANGUAGES, DEVICE = "gender", "age", "languages", "device"
# "Prefer not to say", and no answer at all.
NOT_SAID, SKIPPED = "not_said", "skipped"
SELF_DESCRIBED, OTHER = "self_described", "other"
CODES = {
    GENDER: ("woman", "man", "non_binary", SELF_DESCRIBED),
    AGE: ("18-24", "25-34", "35-44", "45-54", "55-64", "65+"),
    DEVICE: ("over_ear", "in_ear", "loudspeakers", "built_in", OTHER),
}
# The key of a study's own questions, by their number from 1.
OWN = "own_{number}"


@dataclass(frozen=True, slots=True)
class QuestionnaireQuestion:
    """One question: its canonical codes, or none where a rater writes; `prompt` and `choices` are the researcher's."""

    key: str
    codes: tuple[str, ...] = ()
    prompt: str = ""
    choices: tuple[str, ...] = ()

    def choice(self, code: str) -> str:
        """Return the researcher's words for a code; empty where there are none."""
        return self.choices[self.codes.index(code)] if self.choices and code in self.codes else ""


class Questionnaire(Spec):
    """Questions after the ratings; a session is complete and payable before they are shown."""

    gender: bool = Field(
        False, description="Ask for the gender; raters may describe it in their own words, or prefer not to say."
    )
    age: bool = Field(False, description="Ask for the age, in bands of ten years.")
    languages: bool = Field(False, description="Ask for the first language, or two of them.")
    device: bool = Field(False, description="Ask what raters listened with.")
    questions: tuple[str, ...] = Field(
        (),
        max_length=20,
        description="Your own questions, one a line: “Question | choice | choice”; without choices, raters answer in "
        "their own words. Don’t ask for names, addresses or birth dates.",
    )

    @field_validator("questions")
    @classmethod
    def questions_can_be_read(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for question in question_lines.read(lines):
            if question.right is not None:
                raise ValueError(f"“{question.text}” has a star: nothing is right or wrong here")
        return lines

    @property
    def is_on(self) -> bool:
        return self.gender or self.age or self.languages or self.device or bool(self.questions)

    def asked(self) -> tuple[QuestionnaireQuestion, ...]:
        """Return the questions in the order they are asked."""
        listed = [QuestionnaireQuestion(key, CODES.get(key, ())) for key in QUESTIONS if getattr(self, key)]
        for number, question in enumerate(question_lines.read(self.questions), start=1):
            codes = tuple(str(at) for at in range(1, len(question.choices) + 1))
            listed.append(QuestionnaireQuestion(OWN.format(number=number), codes, question.text, question.choices))
        return tuple(listed)
