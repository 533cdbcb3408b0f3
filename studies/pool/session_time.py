"""Content and length of a complete session: told to raters before they consent, proposed to researchers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from studies.clips import figures
from studies.pool.models import Item, ItemClip
from studies.rules.validity import batches_offered

if TYPE_CHECKING:
    from studies.clips.figures import Group
    from studies.definition.definition import Definition


# Items read of each text that a rater may hear, to see whether there are enough texts.
MOST_OF_A_TEXT = 50


@dataclass(frozen=True, slots=True)
class SessionContent:
    """A complete session: batches, clips and minutes (an upper estimate: see `TaskType.seconds_a_clip`).

    `listening` is the total duration of the clips, `answering` the task's own time for all clips or pairs, both in
    seconds; `minutes`, the proposal, is their sum. A clip counts once in each separate pass. `answers` are those of
    clips or pairs, each of which takes `seconds_each`.
    """

    batches: int
    clips: int
    listening: float
    answering: float
    minutes: int
    answers: int
    seconds_each: float


def content(definition: Definition, groups: Sequence[Group], *, batches: int, clips_each: float) -> SessionContent:
    """Return the content of a session with this many batches and clips a trial; all clips have the average duration.

    A pair is listened to twice, but answered once; the clips of a screen are answered one by one.
    """
    number = sum(group.clips for group in groups)
    seconds = sum(group.seconds for group in groups) / number if number else 0
    kind, params = definition.kind, definition.params
    trials = batches * definition.protocol.batch_size * kind.pass_count(params)
    clips = trials * clips_each
    answers = trials if kind.shows == "pair" else clips
    seconds_each = kind.seconds_a_clip(params)
    answering = answers * seconds_each
    listening = clips * seconds
    minutes = ceil((listening + answering) / 60)
    return SessionContent(batches, ceil(clips), listening, answering, minutes, ceil(answers), seconds_each)


def content_of(study_id: int, definition: Definition) -> SessionContent:
    """Return the content of a launched study's session; of a large study, only some items are read."""
    groups, roles = figures.groups(study_id), Counter[str]()
    for group in groups:
        roles[group.role] += group.clips
    protocol, tests = definition.protocol, Item.objects.filter(study=study_id, role="test", withdrawn_at=None)
    by_traps = batches_offered(protocol, roles["trap_flawed"], roles["trap_human"])
    texts = list(tests.values_list("text", flat=True)[: MOST_OF_A_TEXT * by_traps * protocol.tests_per_batch])
    named = [text for text in texts if text is not None]
    differ = len(texts) if protocol.repeat_text == "crossed" else len(texts) - len(named) + len(set(named))
    batches = min(by_traps, differ // protocol.tests_per_batch)
    # The items of a study are alike.
    clips_each = 1 if definition.kind.shows == "clip" else ItemClip.objects.filter(item__in=tests[:1]).count()
    return content(definition, groups, batches=batches, clips_each=clips_each)
