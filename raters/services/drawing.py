"""What the trials of a batch show: clips in the order drawn, questions, and golden ones mixed among them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from raters.models import Session, Trial
from studies.protocols import golden
from studies.selectors import facts, material, places
from studies.selectors.facts import Frozen
from studies.task_types.base import Item, Placed, QuestionFact


class Drawn(NamedTuple):
    """One trial to be: what was drawn, as it is stored, and the clips by the place at which they are shown."""

    shown: dict[str, Any]
    clips: list[int]


def draw(*, session: Session, items: Sequence[tuple[int, str]], rng: Random) -> list[Drawn]:
    """Draw one trial for each (item, role): one SELECT, and three more where the task asks questions."""
    frozen = facts.frozen(session.version_id)
    keys = [item for item, _role in items]
    clips = places.clips_of(keys)
    questions = material.of_items(keys) if frozen.kind.asks else {}
    mixed = _golden(session, frozen, len(items), rng) if frozen.kind.asks else {}
    trials = []
    for position, (key, role) in enumerate(items):
        item = Item(
            role,
            tuple(Placed(clip.system, clip.role, clip.text or "", clip.seconds) for clip in clips[key]),
            questions.get(key, ()),
            mixed.get(position, ()),
            session.rater_id,
        )
        shown = frozen.kind.draw(frozen.params, item, rng)
        order = shown.order or range(len(clips[key]))
        trials.append(Drawn(shown.model_dump(mode="json"), [clips[key][place].clip for place in order]))
    return trials


def _golden(session: Session, frozen: Frozen, size: int, rng: Random) -> dict[int, tuple[QuestionFact, ...]]:
    """Return golden questions, by the position of the trial that asks them; nobody meets one twice."""
    if not frozen.protocol.golden_share:
        return {}
    earlier = Trial.objects.filter(rater=session.rater_id, session__study=session.study_id)
    shown = list(earlier.values_list("session_id", "shown", "skipped_at"))
    met = {question for _session, trial, _skipped in shown for question in trial["golden"]}
    # What was skipped was not answered: another golden question takes its place.
    here = [trial["golden"] for key, trial, skipped in shown if key == session.pk and skipped is None]
    count = golden.how_many(frozen.protocol.golden_share, tasks=len(here), met=sum(map(bool, here)), size=size, rng=rng)
    free = [question for question in material.golden(session.study_id) if question.question not in met]
    chosen = rng.sample(free, min(count, len(free)))
    return {
        position: (question,) for position, question in zip(rng.sample(range(size), len(chosen)), chosen, strict=True)
    }
