"""The clip that a rated clip is heard with: a reference of its text, or a prompt of its voice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.text.words import say
from studies.task_types.base import HUMAN, ClipFact, ItemLayout, ItemPlan, Trouble


def beside_reference(clips: Sequence[ClipFact]) -> ItemLayout:
    """Lay out each test clip with the reference of its text; without one, with the human recording of it."""
    references = {clip.text: clip for clip in clips if clip.role == "test" and clip.system == HUMAN}
    references |= {clip.text: clip for clip in clips if clip.role == "reference"}
    partners: dict[int, ClipFact] = {}
    troubles = []
    for clip in _tests(clips):
        reference = references.get(clip.text) if clip.text else None
        if reference is None:
            reason = say(
                "The clip of {system} has no reference to be heard with: its text ({text}) has neither a clip whose "
                "role is reference nor a human one.",
                system=clip.system,
                text=clip.text or say("none is named"),
            )
            troubles.append(Trouble(reason, clip.clip))
        elif reference.clip != clip.clip:
            partners[clip.clip] = reference
    return _layout(clips, partners, troubles)


def after_prompt(clips: Sequence[ClipFact]) -> ItemLayout:
    """Lay out each test clip with a recording of the speaker that it copies, who says another sentence."""
    by_key = {clip.clip: clip for clip in clips}
    of_voice = {clip.voice: clip for clip in clips if clip.role == "prompt" and clip.voice}
    partners: dict[int, ClipFact] = {}
    troubles = []
    for clip in _tests(clips):
        prompt = by_key.get(clip.prompt) or of_voice.get(clip.voice)
        if prompt is None:
            reason = say(
                "There is no recording of the target speaker: name its file in the column prompt_file, and import it "
                "with the role prompt."
            )
            troubles.append(Trouble(reason, clip.clip))
        elif clip.text and prompt.text == clip.text:
            troubles.append(
                Trouble(
                    say("The recording of the target speaker says the same sentence: it must say another one."),
                    clip.clip,
                )
            )
        else:
            partners[clip.clip] = prompt
    return _layout(clips, partners, troubles)


def _tests(clips: Sequence[ClipFact]) -> list[ClipFact]:
    return [clip for clip in clips if clip.role == "test"]


def _layout(clips: Sequence[ClipFact], partners: Mapping[int, ClipFact], troubles: Sequence[Trouble]) -> ItemLayout:
    if troubles:
        return ItemLayout(problems=tuple(troubles))
    return ItemLayout(
        tuple(
            ItemPlan((clip.clip, partners[clip.clip].clip), clip.system, "test", clip.text, clip.dimension)
            for clip in clips
            if clip.clip in partners
        )
    )
