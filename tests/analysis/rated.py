"""Studies of every task type with answers that count and answers that don't, and the former found by plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from statistics import fmean
from typing import Any
from uuid import uuid4

from analysis.data.models import Simulated
from analysis.live import figures
from analysis.sections.results import dump
from core.jobs import DONE
from core.rng import token
from raters.models import Answer, Batch, Rating, Trial, TrialClip
from raters.rating import drawing
from studies import task_types
from studies.definition import facts
from studies.launch.states import launch
from studies.models import Clip, Item, ItemClip, Pool, StudyVersion
from studies.pool.layout import lay_out
from studies.task_types.base import Listener
from tests import kinds
from tests.analysis.world import World

BENCHMARKS = ("LJSpeech", "LibriTTS", "LibriSpeech")
DOMAINS = {"alpha": "commercial", "beta": "open"}
CHANCES = {"human": 0.8, "alpha": 0.5, "beta": 0.2, "gamma": 0.6}


@dataclass
class Rated(World):
    """A small live study of a task type; three texts, each of a benchmark of its own."""

    kind: str = "hfr"
    human_tests: bool = False
    anchors: bool = False

    def __post_init__(self) -> None:
        self.rng = Random(7)
        # Later clips are paired with each other only.
        is_later = self.human_tests and not task_types.get(self.kind).contests
        self.study = kinds.make(self.kind, now=self.now, launched=is_later or not self.human_tests, **self.options)
        references = Clip.objects.filter(study=self.study, role="reference")
        if self.human_tests:
            references.update(role="test")
            if is_later:
                lay_out(study=self.study, now=self.now, rng=Random(1))
            else:
                launch(study=self.study, now=self.now, rng=Random(1))
        if self.anchors:
            self._add_anchors()
        for clip in Clip.objects.filter(study=self.study, text__isnull=False).select_related("system", "text"):
            number = int(clip.text.name.split("-")[1]) if clip.text else 0
            clip.benchmark = BENCHMARKS[number % len(BENCHMARKS)]
            clip.condition = ("zero-shot", "fine-tuned")[number % 2]
            clip.domain = DOMAINS.get(clip.system.name, "")
            clip.save()
        self.frozen = facts.frozen(StudyVersion.objects.get(study=self.study).pk)

    def _add_anchors(self) -> None:
        """Put an anchor on each screen, filed under the system of what it was made of."""
        for clip in Clip.objects.filter(study=self.study, role="reference"):
            item = Item.objects.filter(clips__clip=clip).distinct().get()
            clip.pk, clip.role, clip.file = None, "anchor", f"anchor/{clip.file}"
            clip.save()
            ItemClip.objects.create(item=item, place=item.clips.count(), clip=clip)

    def give(self, batch: Batch, item: Item, *, usable: bool | None = None, seconds: float = 9.0) -> Trial:
        """Let the batch's rater answer an item as somebody simulated would."""
        [drawn] = drawing.draw(session=batch.session, planned=[drawing.PlannedTrial(item.pk)], rng=self.rng)
        trial = Trial.objects.create(
            batch=batch,
            session=batch.session,
            rater=batch.session.rater,
            item=item,
            pool=Pool.objects.get(item=item, cell__simulated=False) if item.role == "test" else None,
            position=batch.trials.count() + 1,
            token=token(),
            shown=drawn.shown,
            served_at=self.now,
            answered_at=self.now + timedelta(seconds=seconds),
            usable=(bool(batch.valid) if batch.state == DONE else None) if usable is None else usable,
        )
        placed = [
            TrialClip.objects.create(
                trial=trial, place=place, clip_id=clip.clip, key=token(), plays=1 + place, play_began_at=self.now
            )
            for place, clip in enumerate(drawn.clips)
        ]
        shown = self.frozen.kind_shown(drawn.shown, [clip.key for clip in placed])
        listener = Listener(tuple(CHANCES.get(clip.clip.system.name, 0.3) for clip in placed))
        answer = self.frozen.kind.simulate(self.frozen.params, shown, listener, self.rng)
        Answer.objects.create(trial=trial, idempotency=uuid4(), body={}, at=self.now)
        Rating.objects.bulk_create(
            Rating(
                study=self.study,
                trial=trial,
                clip_id=None if row.place is None else drawn.clips[row.place].clip,
                place=row.place,
                question_id=row.question,
                part=row.part,
                code=row.code,
                value=row.value,
                note=row.note,
            )
            for row in self.frozen.kind.rows(self.frozen.params, shown, answer)
        )
        return trial

    def everybody(self, people: int = 12) -> Rated:
        """Let people rate a batch each; the answers of some are invalid, open, excluded or from a simulated rater."""
        items = list(Item.objects.filter(study=self.study, role="test").order_by("pk"))
        for number in range(people):
            state, valid = ("open" if number % 6 == 3 else DONE), number % 6 != 4
            session = self.session(simulated=number % 6 == 5, outcome="complete" if state == DONE else "")
            if number % 6 == 2:
                self.exclude("by_hand", session=session)
            batch = self.batch(session, state, valid)
            for item in self.rng.sample(items, min(len(items), 5)):
                self.give(batch, item, usable=False if number % 6 == 2 else None, seconds=self.rng.uniform(3, 30))
        return self

    def figures(self) -> dict[str, Any]:
        return dump(figures.compute(study_id=self.study.pk, simulated=Simulated.WITHOUT, now=self.now))

    def counting(self, part: str = "") -> Iterator[Rating]:
        """Yield the rows that count: answers of real people to test items in valid batches, with no verdict on them."""
        rows = Rating.objects.filter(study=self.study).select_related(
            "trial__item", "trial__batch__session", "clip__system", "clip__text", "question"
        )
        for row in rows.order_by("pk"):
            batch = row.trial.batch
            is_out = batch.session.verdicts.exists() or batch.verdicts.exists() or batch.session.simulated
            if row.trial.item.role == "test" and batch.state == "done" and not is_out and part in ("", row.part):
                yield row

    def means(self, key: Callable[[Rating], str | None]) -> dict[str, float]:
        """Return the mean of the score's rows by a key; rows whose key is None are left out."""
        groups: dict[str, list[float]] = {}
        for row in self.counting(self.frozen.kind.score.part):
            name = key(row)
            if name is not None and row.value is not None:
                groups.setdefault(name, []).append(row.value)
        return {name: fmean(values) for name, values in groups.items()}


def heard(row: Rating) -> Clip:
    """Return the clip that a row is about."""
    assert row.clip is not None
    return row.clip


def system(row: Rating) -> str:
    """Return the system that a row is reported under."""
    clip = heard(row)
    named = {"reference": "human", "anchor": f"{clip.system.name} (anchor)"}
    return named.get(clip.role, clip.system.name)


def spoken(row: Rating) -> str:
    """Return the name of the text that a row's clip says."""
    text = heard(row).text
    assert text is not None
    return text.name


def took(trial: Trial) -> float:
    """Return the seconds from trial shown to answer."""
    assert trial.served_at is not None
    assert trial.answered_at is not None
    return (trial.answered_at - trial.served_at).total_seconds()


def of(found: dict[str, Any], by: str, field: str = "mean") -> dict[str, Any]:
    """Return a column of a table of scores by name."""
    return {
        f"{row['name']} (anchor)" if row["kind"] == "anchor" else row["name"]: row[field] for row in found["scores"][by]
    }
