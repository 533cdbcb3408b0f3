"""A study of passages with questions, and raters who know what was meant by each option."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from raters.models import Trial
from raters.rating import batches
from raters.rating.progress import CurrentTrial
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.models import Question, Study, StudyVersion, Text
from studies.pool.layout import lay_out
from tests import world

ERRORS = ("phonetic", "semantic", "syntax", "grammar")
COMMENT = "I heard a name that is not listed"


def make_passages(
    *,
    now: datetime,
    systems: tuple[str, ...] = ("alpha",),
    passages: int = 1,
    questions: int = 3,
    golden: int = 6,
    seconds: float = 0.5,
    **settings: Any,
) -> Study:
    """Make a live study in which each system reads each passage; one passage a batch unless the settings say more."""
    study = world.make_study(
        now=now, systems=systems, texts=passages, flawed=0, humans=0, seconds=seconds, launch=False
    )
    study.clips.exclude(role="test").delete()
    changes = {
        "protocol__tests_per_batch": 1,
        "protocol__golden_share": 1.0,
        "crowd__completion_code": "DONE1",
        **settings,
    }
    dotted = {key.replace("__", "."): value for key, value in changes.items()}
    draft = parse(change(presets.get("sp-mcqa").definition.model_dump(mode="json"), dotted)).model_dump(mode="json")
    for text in Text.objects.filter(study=study):
        for number in range(1, questions + 1):
            _ask(study, f"{text.name}/{number}", text, f"How many were there, {text.name}, {number}?", ERRORS[:2])
    for number in range(1, golden + 1):
        _ask(study, f"golden/{number}", None, f"How many days has a week, {number}?", ("", ""))
    StudyVersion.objects.create(study=study, number=1, definition=draft, sha256="0" * 64, published_at=now)
    Study.objects.filter(pk=study.pk).update(state=Study.State.LIVE, launched_at=now, draft=draft)
    study.refresh_from_db()
    lay_out(study=study, now=now, rng=Random(study.pk))
    return study


def _ask(study: Study, name: str, text: Text | None, prompt: str, errors: tuple[str, str]) -> None:
    texts = ("Seven", "Eleven", "A dozen")
    options = [{"text": each, "error": error} for each, error in zip(texts, ("", *errors), strict=True)]
    Question.objects.create(study=study, name=name, text=text, golden=text is None, prompt=prompt, options=options)


@dataclass
class Listener(world.Person):
    """A rater who answers with the codes that the test names."""

    def rate_passage(self, *codes: str, golden: str = "correct", comment: str = COMMENT) -> None:
        """Answer the current trial: its questions by these codes in order, the rest and golden ones as named."""
        trial = Trial.objects.get(token=self.current.trial.token)
        left = iter(codes)
        answer: dict[str, dict[str, str]] = {"answers": {}, "comments": {}, "kinds": {}}
        for key, question in trial.shown["private"].items():
            code = golden if question["question"] in trial.shown["golden"] else next(left, "correct")
            answer["answers"][key] = option(question, code)
            if code == "other":
                answer["comments"][key] = comment
                answer["kinds"][key] = "unrecognised"
        self.fetch()
        self.play()
        self.wait(sum(clip.seconds for clip in self.current.trial.clips) + 1)
        self.send(self.submission(answer=answer))

    def finish(self, *codes: str, golden: str = "correct") -> Listener:
        """Answer whatever comes in the same way until the session ends, and let each batch be decided."""
        while isinstance(self.page, CurrentTrial):
            self.rate_passage(*codes, golden=golden)
        self.decide()
        return self

    def decide(self) -> None:
        """Let the worker decide the batches that were filled."""
        while self.filled:
            batches.validate(pk=self.filled.pop(0), now=self.now)


def option(question: dict[str, Any], code: str) -> str:
    """Return the key by which the browser knows the option of this code."""
    return next(str(key) for key, (meant, _error) in question["options"].items() if meant == code)


def listen(study: Study, now: datetime, *codes: str, golden: str = "correct") -> Listener:
    """Take one rater through a whole session."""
    person = Listener(study, now)
    person.start()
    return person.finish(*codes, golden=golden)
