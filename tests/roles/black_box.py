"""A study with black-box texts, questions and drafts, all of whose words hold a mark that is found nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.test import Client

from accounts.models import User
from analysis.exports import building
from analysis.exports.models import Export, Format, Layout, Profile
from analysis.models import Simulated
from core import jobs
from raters.models import Verdict
from studies.corpus import services as corpus
from studies.drafting import prompts
from studies.drafting.models import Draft, DraftPrompt, DraftQuestion, DraftRun
from studies.models import Clip, Question, Study, Text
from tests import passages, world
from tests.roles.world import Shared, share

# In all words of the black box: of texts, of questions about them, of drafts; and in the words of a white text.
TEXT, ASKED, DRAFT, WHITE = "zqtext", "zqasked", "zqdraft", "zqwhite"
COMBINATIONS = [
    *((format_, Layout.OWN, profile) for format_ in Format for profile in (Profile.ANALYSIS, Profile.OPEN)),
    *(
        (Format.CSV, layout, profile)
        for layout in Layout
        if layout != Layout.OWN
        for profile in (Profile.ANALYSIS, Profile.OPEN)
    ),
    (Format.CSV, Layout.OWN, Profile.PAYMENT),
]


@dataclass
class BlackBox:
    """The study with its people, and a rater in the middle of it."""

    shared: Shared
    rater: world.Person

    @property
    def clients(self) -> dict[str, Client]:
        return {**self.shared.clients, "rater": world.carry(self.rater)}

    def export(self, who: str, format_: Format, layout: Layout, profile: Profile) -> Export:
        """Have an export written for somebody."""
        row = building.request_export(
            study_id=self.shared.study.pk,
            simulated=Simulated.WITHOUT,
            format=format_,
            layout=layout,
            profile=profile,
            user=User.objects.get(username=who),
            now=self.shared.now,
        )
        building.build_export(pk=row.pk, clock=lambda: self.shared.now)
        return building.export(self.shared.study.pk, row.pk)


def make(now: datetime) -> BlackBox:
    """Return a live study: of one text the clip is black-box, another is so in the corpus only, the third is white."""
    options = {"review__mode": "all", "coding__mode": "all"}
    study = passages.make_passages(now=now, passages=3, protocol__tests_per_batch=1, **options)
    spoken, corpus_only, white = Text.objects.filter(study=study).order_by("name")
    Clip.objects.filter(study=study, text=spoken).update(box="black")
    for text, mark in ((spoken, TEXT), (corpus_only, TEXT), (white, WHITE)):
        Text.objects.filter(pk=text.pk).update(
            body=f"The {mark} {text.name} keeps an umbrella.", context={"style": f"{mark} style", "turns": []}
        )
    spoken.refresh_from_db()
    _mark_questions(study, [spoken, corpus_only], white)
    for codes in ((), ("distractor_1",), ("other",)):
        passages.listen(study, now, *codes)
    rater = passages.Listener(study, now)
    rater.start()
    shared = share(study, now)
    _add_corpus(study, corpus_only.name, now)
    _add_drafts(study, spoken, now)
    Verdict.objects.create(rule="by_hand", usable=False, at=now, session=rater.session)
    return BlackBox(shared, rater)


def _mark_questions(study: Study, black: list[Text], white: Text) -> None:
    for question in Question.objects.filter(study=study, text__isnull=False):
        mark = ASKED if question.text in black else WHITE
        question.prompt = f"{mark} {question.prompt}"
        question.options = [{**option, "text": f"{mark} {option['text']}"} for option in question.options]
        # Two of one type of error: *Check & launch* says so.
        question.options[2]["error"] = question.options[1]["error"]
        question.save()
    assert Question.objects.filter(study=study, text=white).exists()


def _add_corpus(study: Study, name: str, now: datetime) -> None:
    """Add texts of the corpus: one that a clip speaks, one that none does, with all that people wrote about them."""
    turns = [{"speaker": "A", "text": f"A {TEXT} turn"}]
    for each in (name, "unspoken"):
        values = {"body": f"{TEXT} {each} corpus", "box": "black", "style": f"{TEXT} corpus style", "turns": turns}
        text = corpus.add(study=study, name=each, values=values, author=study.owner, now=now)
        corpus.edit(
            text=text, values={**values, "body": f"{TEXT} {each} again"}, author=study.owner, now=now, seen=text.version
        )
        corpus.comment(text=text, author=study.owner, body=f"{TEXT} is a good word", now=now)
    corpus.add(study=study, name="w", values={"body": f"{WHITE} corpus"}, author=study.owner, now=now)


def _add_drafts(study: Study, passage: Text, now: datetime) -> None:
    """Add runs for the black box that have stored nothing: under way and failed; and one about a black-box passage."""
    body = f"Not like this: {passage.body} {{text}}"
    prompts.save(study=study, step="colloquial", kind="", language="en", body=body, user=study.owner, now=now)
    prompt = DraftPrompt.objects.filter(study=study).first()
    assert prompt is not None
    plan: dict[str, Any] = {"dimension": "polyphones", "language": "en", "number": 3, "shortest": 1, "longest": 99}
    plan |= {"box": "black", "topics": f"{DRAFT} topics"}
    shared: dict[str, Any] = {"study": study, "created_at": now, "budget_tokens": 1, "budget_calls": 1, "calls": 1}
    running = DraftRun.objects.create(**shared, kind="texts", plan=plan, state=jobs.RUNNING)
    failed = DraftRun.objects.create(
        **shared, kind="texts", plan=plan, state=jobs.FAILED, error=f"The endpoint said: {DRAFT} failed"
    )
    asking = DraftRun.objects.create(
        **shared, kind="questions", plan={"passages": [passage.pk], "number": 2}, state=jobs.DONE
    )
    for run, text in ((running, None), (failed, None), (asking, passage)):
        draft = Draft.objects.create(
            run=run,
            unit="generate/1",
            step="questions" if text else "generate",
            prompt=prompt,
            passage=text,
            model="m",
            parameters={},
            answer=f"{DRAFT} answer",
            items=[{"text": f"{DRAFT} item"}],
            refused=[{"reason": "known", "text": f"{DRAFT} refused"}],
            error=f"Not JSON: {DRAFT} error",
            at=now,
        )
        for state in ("open", "disputed", "accepted") if text else ():
            options = [{"text": f"{DRAFT} option {number}", "error": ""} for number in range(3)]
            DraftQuestion.objects.create(
                run=run, draft=draft, text=text, prompt=f"{DRAFT} question", options=options, state=state
            )
