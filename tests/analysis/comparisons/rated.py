"""A study whose raters and machines are made up so that each figure is known beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

from analysis.metrics import sets
from analysis.metrics.models import MetricSet
from analysis.metrics.sets import Given
from core.rng import token
from raters.models import Answer, Rating, Trial, TrialClip
from studies.models import Clip, ItemClip
from tests.analysis.world import VALUES, World

SYSTEMS = ("human", "s1", "s2", "s3", "s4", "s5")
LABELS = ("machine", "unclear", "human")


@dataclass
class Heard(World):
    """Five systems and human recordings, four texts in two dimensions; the higher a system's number, the better.

    Each of four raters hears every test clip: s5 is Human to all, s1 Machine, and the others a quarter apart.
    """

    options: dict[str, Any] = field(default_factory=lambda: {"systems": SYSTEMS, "texts": 4})
    people: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        self.items = dict(ItemClip.objects.filter(clip__study=self.study).values_list("clip", "item"))
        for number in range(self.people):
            said = {}
            for place, system in enumerate(self.options["systems"]):
                likes = 4 if system == "human" else place - 1
                for text, clip in enumerate(self.clips(system)):
                    said[clip.pk] = LABELS[min(2, max(0, (likes + (number + text) % 2) // 2))]
            self._hear(said)

    def _hear(self, said: dict[int, str]) -> None:
        """Store one person's batch in four statements: {clip: label}."""
        batch = self.batch(self.session(outcome="complete"), size=len(said))
        common = {"batch": batch, "session": batch.session, "rater": batch.session.rater, "shown": {}, "usable": True}
        at = {"served_at": self.now, "answered_at": self.now + timedelta(seconds=9)}
        trials = Trial.objects.bulk_create(
            [
                Trial(**common, **at, item_id=self.items[clip], position=place, token=token())
                for place, clip in enumerate(said, start=1)
            ]
        )
        pairs = list(zip(trials, said.items(), strict=True))
        TrialClip.objects.bulk_create(
            [TrialClip(trial=trial, clip_id=clip, key=token(), plays=1) for trial, (clip, _label) in pairs]
        )
        reason = "A breath before the last word"
        Answer.objects.bulk_create(
            [
                Answer(trial=trial, idempotency=uuid4(), body={"label": label}, reason=reason, evidence={}, at=self.now)
                for trial, (_clip, label) in pairs
            ]
        )
        row: dict[str, Any] = {"study": self.study, "place": 0, "part": "label"}
        Rating.objects.bulk_create(
            [
                Rating(**row, trial=trial, clip_id=clip, code=label, value=VALUES[label])
                for trial, (clip, label) in pairs
            ]
        )

    def machine(self, name: str, worth: dict[str, float], step: float = 0.0, **meant: Any) -> MetricSet:
        """Let a machine say the same of all of a system's clips, but for a `step` from text to text; traps too."""
        made = sets.create_set(study_id=self.study.pk, name=name, now=self.now, **meant)
        given = []
        for system, value in worth.items():
            clips = Clip.objects.filter(study=self.study, system__name=system).order_by("pk")
            given += [Given(clip.pk, value + step * number) for number, clip in enumerate(clips)]
        sets.put(set_id=made.pk, values=given)
        return made


GOOD = {"human": 0.9, "s1": 0.1, "s2": 0.2, "s3": 0.3, "s4": 0.4, "s5": 0.5, "broken": 0.05}
