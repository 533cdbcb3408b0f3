"""The trials of a batch: sides, order and golden questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from raters.people.models import Session
from raters.rating import sides
from raters.rating.models import Trial
from studies.definition import facts
from studies.definition.facts import Frozen
from studies.hooks import SpokenContext
from studies.pool import claiming, material
from studies.pool.claiming import ClipAt
from studies.rules import validity
from studies.task_types.base import ItemContent, PlacedClip, Presentation, QuestionFact, StoredPresentation

NO_CONTEXT: SpokenContext = {"style": "", "turns": [], "language": ""}


class DrawnTrial(NamedTuple):
    """A drawn trial: `shown` as it will be stored, and the clips in the order of their places."""

    shown: StoredPresentation
    clips: list[ClipAt]


def draw(*, session: Session, items: Sequence[tuple[int, int]], rng: Random) -> list[DrawnTrial]:
    """Draw a trial for each (item, repeat); one SELECT, one more for pairs, and three more if the task asks questions.

    Of the pairs of two systems, a rater hears either system first equally often, or once more than the other.
    """
    frozen = facts.frozen(session.version_id)
    firsts = {position: key for position, (key, repeat) in enumerate(items) if not repeat}
    clips = claiming.clips_of(firsts.values())
    questions = material.of_items(list(firsts.values())) if frozen.kind.asks else {}
    mixed = _golden(session, frozen, list(firsts), rng) if frozen.kind.asks else {}
    drawn = []
    for position, (key, repeat) in enumerate(items):
        item = ItemContent(
            tuple(
                PlacedClip(clip.system, clip.role, clip.text or "", clip.seconds, clip.expected) for clip in clips[key]
            ),
            questions.get(key, ()),
            mixed.get(position, ()),
            session.rater_id,
            key,
            repeat,
        )
        drawn.append(frozen.kind.draw(frozen.params, item, rng))
    if frozen.kind.balances_sides(frozen.params):
        drawn = _balanced(session, items, drawn, clips, rng)
    trials = []
    for (key, _repeat), shown in zip(items, drawn, strict=True):
        if frozen.protocol.show_context:
            # All clips of a trial have the same text. Without context, the same keys are sent with empty values.
            shown.public["context"] = clips[key][0].context or NO_CONTEXT
        order = shown.order or range(len(clips[key]))
        trials.append(DrawnTrial(shown.stored(), [clips[key][place] for place in order]))
    return trials


def _balanced(
    session: Session,
    items: Sequence[tuple[int, int]],
    drawn: Sequence[Presentation],
    clips: Mapping[int, Sequence[ClipAt]],
    rng: Random,
) -> list[Presentation]:
    """Swap the sides of some pairs; a repeat is swapped with its first, to which it is the other way round."""
    pairs = {
        key: sides.Heard(*((clips[key][place].role, clips[key][place].system) for place in shown.order[-2:]))
        for (key, repeat), shown in zip(items, drawn, strict=True)
        if not repeat
    }
    keys = list(pairs)
    positions = sides.to_swap(list(pairs.values()), sides.earlier_pairs(session.rater_id), rng)
    swapped = {keys[position] for position in positions}
    return [
        shown.model_copy(update={"order": sides.swapped(shown.order)}) if key in swapped else shown
        for (key, _repeat), shown in zip(items, drawn, strict=True)
    ]


def _golden(
    session: Session, frozen: Frozen, positions: Sequence[int], rng: Random
) -> dict[int, tuple[QuestionFact, ...]]:
    """Return {position: golden questions} for new trials; a rater gets no golden question twice."""
    if not frozen.protocol.golden_share:
        return {}
    earlier = Trial.objects.filter(rater=session.rater_id, session__study=session.study_id, repeat=0)
    shown = list(earlier.values_list("session_id", "shown", "skipped_at"))
    met = {question for _session, trial, _skipped in shown for question in trial["golden"]}
    # Golden questions in skipped trials weren't answered, so they are replaced.
    here = [trial["golden"] for key, trial, skipped in shown if key == session.pk and skipped is None]
    count = validity.how_many(
        frozen.protocol.golden_share, tasks=len(here), met=sum(map(bool, here)), size=len(positions), rng=rng
    )
    free = [question for question in material.golden(session.study_id) if question.question not in met]
    chosen = rng.sample(free, min(count, len(free)))
    return {
        position: (question,) for position, question in zip(rng.sample(positions, len(chosen)), chosen, strict=True)
    }
