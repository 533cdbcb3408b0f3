"""The trials of a new batch: their order, the clips, sides and questions drawn for each."""

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
from studies.rules import repeats, validity
from studies.rules.passes import in_passes
from studies.task_types.base import ItemContent, PlacedClip, Presentation, QuestionFact, StoredPresentation

NO_CONTEXT: SpokenContext = {"style": "", "turns": [], "language": ""}


class DrawnTrial(NamedTuple):
    """A drawn trial: `shown` as it will be stored, and the clips in the order of their places."""

    shown: StoredPresentation
    clips: list[ClipAt]


class PlannedTrial(NamedTuple):
    """A trial to draw: its item, whether it repeats an earlier one, and its separate pass, if the task has some."""

    item: int
    repeat: int = 0
    pass_number: int = 0

    @property
    def is_first(self) -> bool:
        """True if it is the rater's first trial of the item, which may take a place."""
        return not self.repeat and self.pass_number <= 1


def draw(*, session: Session, planned: Sequence[PlannedTrial], rng: Random) -> list[DrawnTrial]:
    """Draw the trials; one SELECT, one more for pairs, and three more if the task asks questions.

    Of the pairs of two systems, a rater hears either system first equally often, or once more than the other.
    """
    frozen = facts.frozen(session.version_id)
    firsts = {position: trial.item for position, trial in enumerate(planned) if trial.is_first}
    clips = claiming.clips_of(firsts.values())
    questions = material.of_items(list(firsts.values())) if frozen.kind.asks else {}
    mixed = _golden(session, frozen, list(firsts), rng) if frozen.kind.asks else {}
    drawn = []
    for position, (key, repeat, pass_number) in enumerate(planned):
        item = ItemContent(
            tuple(
                PlacedClip(clip.system, clip.role, clip.text or "", clip.seconds, clip.expected) for clip in clips[key]
            ),
            questions.get(key, ()),
            mixed.get(position, ()),
            session.rater_id,
            key,
            repeat,
            pass_number,
        )
        drawn.append(frozen.kind.draw(frozen.params, item, rng))
    if frozen.kind.balances_sides(frozen.params):
        drawn = _balanced(session, planned, drawn, clips, rng)
    trials = []
    for trial, shown in zip(planned, drawn, strict=True):
        heard = clips[trial.item]
        if frozen.protocol.show_context:
            # All clips of a trial have the same text. Without context, the same keys are sent with empty values.
            shown.public["context"] = heard[0].context or NO_CONTEXT
        trials.append(DrawnTrial(shown.stored(), [heard[place] for place in shown.order or range(len(heard))]))
    return trials


def _balanced(
    session: Session,
    planned: Sequence[PlannedTrial],
    drawn: Sequence[Presentation],
    clips: Mapping[int, Sequence[ClipAt]],
    rng: Random,
) -> list[Presentation]:
    """Swap the sides of some pairs; a repeat is swapped with its first, to which it is the other way round."""
    pairs = {
        trial.item: sides.Heard(
            *((clips[trial.item][place].role, clips[trial.item][place].system) for place in shown.order[-2:])
        )
        for trial, shown in zip(planned, drawn, strict=True)
        if trial.is_first
    }
    keys = list(pairs)
    positions = sides.to_swap(list(pairs.values()), sides.earlier_pairs(session.rater_id), rng)
    swapped = {keys[position] for position in positions}
    return [
        shown.model_copy(update={"order": sides.swapped(shown.order)}) if trial.item in swapped else shown
        for trial, shown in zip(planned, drawn, strict=True)
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


def in_order(frozen: Frozen, tests: Sequence[int], traps: Sequence[int], rng: Random) -> list[PlannedTrial]:
    """Return the trials of a batch with these items in the order of their positions."""
    passes, protocol = frozen.kind.pass_count(frozen.params), frozen.protocol
    if passes > 1:
        order = in_passes([*tests, *traps], passes=passes, rng=rng)
        return [PlannedTrial(item, pass_number=number) for item, number in order]
    order = repeats.in_order(tests, traps, repeats=protocol.repeats, distance=protocol.repeat_distance, rng=rng)
    return [PlannedTrial(item, repeat) for item, repeat in order]
