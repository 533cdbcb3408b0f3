"""A study's answers written row by row, so that each case is exactly what its test says."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import uuid4

from core.jobs import DONE
from core.rng import token
from raters.models import Answer, Batch, Rater, Rating, Session, Trial, TrialClip, Verdict
from studies.models import Clip, Item, Pool, Study, StudyVersion
from tests.world import make_study

VALUES = {"human": 1.0, "unclear": 0.5, "machine": 0.0}
NAMES = count(1)


@dataclass
class World:
    """A launched study of two synthesisers and human recordings, 12 texts in two dimensions, and its raters."""

    now: datetime
    options: dict[str, Any] = field(default_factory=dict)
    study: Study = field(init=False)

    def __post_init__(self) -> None:
        self.study = make_study(now=self.now, **{"dimensions": ("数字", "poetry"), **self.options})

    def clips(self, system: str, role: str = "test") -> list[Clip]:
        return list(Clip.objects.filter(study=self.study, system__name=system, role=role).order_by("pk"))

    def session(self, *, simulated: bool = False, outcome: str = "", rater: Rater | None = None) -> Session:
        """Let somebody arrive and agree."""
        return Session.objects.create(
            rater=rater or Rater.objects.create(created_at=self.now),
            study=self.study,
            version=StudyVersion.objects.get(study=self.study),
            simulated=simulated,
            source="prolific",
            ext_study="ext",
            ext_session=f"ext-{next(NAMES)}",
            step=Session.Step.ENDED if outcome else Session.Step.RATING,
            outcome=outcome,
            arrived_at=self.now,
            consented_at=self.now,
            started_at=self.now,
            ended_at=self.now + timedelta(minutes=6) if outcome else None,
        )

    def batch(self, session: Session, state: str = DONE, valid: bool | None = True, size: int = 10) -> Batch:
        """Add a batch; an invalid one gets the verdict that says so."""
        batch = Batch.objects.create(
            session=session,
            number=session.batches.count() + 1,
            size=size,
            state=state,
            opened_at=self.now,
            valid=valid if state == DONE else None,
        )
        if batch.valid is False:
            self.exclude("traps", batch=batch)
        return batch

    def exclude(self, rule: str, **on: Any) -> Verdict:
        return Verdict.objects.create(rule=rule, usable=False, at=self.now, **on)

    def rate(self, batch: Batch, clip: Clip, label: str, *, usable: bool | None = None, **parts: Any) -> Answer:
        """Store one answer and its row; it is usable when its batch is valid, unless said otherwise."""
        item = Item.objects.get(clips__clip=clip)
        pool = Pool.objects.get(item=item, cell__simulated=False) if clip.role == "test" else None
        served = parts.pop("served", self.now)
        seconds = parts.pop("seconds", 9.0)
        trial = Trial.objects.create(
            batch=batch,
            session=batch.session,
            rater=batch.session.rater,
            item=item,
            pool=pool,
            position=batch.trials.count() + 1,
            token=token(),
            shown={},
            served_at=served,
            answered_at=served + timedelta(seconds=seconds),
            usable=(bool(batch.valid) if batch.state == DONE else None) if usable is None else usable,
            surplus=parts.pop("surplus", False),
            late=parts.pop("late", False),
        )
        heard = TrialClip.objects.create(
            trial=trial, clip=clip, key=token(), plays=1, play_began_at=served + timedelta(seconds=2)
        )
        evidence = {"clips": {heard.key: parts.pop("evidence", {"played": 1.0})}}
        answer = Answer.objects.create(
            trial=trial,
            idempotency=uuid4(),
            body={"label": label},
            reason=parts.pop("reason", "A breath before the last word"),
            evidence=evidence,
            at=served + timedelta(seconds=seconds),
        )
        Rating.objects.create(
            study=self.study, trial=trial, clip=clip, place=0, part="label", code=label, value=VALUES[label]
        )
        assert not parts
        return answer

    def crowd(self, people: int, **session: Any) -> None:
        """Let people rate a batch each: every third fails the traps, every fifth is not done, one answer is out."""
        tests = [clip for system in ("human", "alpha", "beta") for clip in self.clips(system)]
        flawed, humans = self.clips("broken", "trap_flawed"), self.clips("human", "trap_human")
        for number in range(people):
            state = "open" if number % 5 == 4 else DONE
            valid = number % 3 != 2
            batch = self.batch(self.session(outcome="complete" if state == DONE else "", **session), state, valid)
            for place in range(7):
                clip = tests[(5 * number + 7 * place) % len(tests)]
                labels = ("human", "unclear") if clip.system.name == "human" else ("machine", "unclear", "human")
                excluded = number == 0 and place == 3
                answer = self.rate(
                    batch,
                    clip,
                    labels[(number + place) % len(labels)],
                    usable=False if excluded else None,
                )
                if excluded:
                    self.exclude("expert", answer=answer)
            self.rate(batch, flawed[number % len(flawed)], "machine" if valid else "human")
            self.rate(batch, humans[number % len(humans)], "human" if valid else "machine")
            self.rate(batch, humans[(number + 1) % len(humans)], "unclear")
