"""The clip that a rated clip is heard with: a reference of its text, or a prompt of its voice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from core.text.words import say
from studies.task_types.base import HUMAN, ClipFact, ItemLayout, ItemPlan, Trouble


def beside_reference(clips: Sequence[ClipFact]) -> ItemLayout:
    """Lay out each test clip with the reference of its text; without one, with the human recording of it."""
    references = _references(clips)
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
    prompts = _prompts(clips)
    partners: dict[int, ClipFact] = {}
    troubles = []
    for clip in _tests(clips):
        prompt = prompts.get(clip.clip)
        if prompt is None:
            troubles.append(Trouble(_no_prompt(), clip.clip))
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


def with_x(clips: Sequence[ClipFact], plans: Sequence[ItemPlan], kind: Literal["text", "prompt"]) -> ItemLayout:
    """Add a third clip to each pair: a reference of its text, or a recording of the speaker of its first clip."""
    references, prompts = _references(clips), _prompts(clips)
    items, troubles = [], []
    for plan in plans:
        x = references.get(plan.text) if kind == "text" else prompts.get(plan.clips[0])
        if x is None:
            reason = (
                say("Its text ({text}) has no clip of the role reference and no human one.", text=plan.text)
                if kind == "text"
                else _no_prompt()
            )
            troubles.append(Trouble(reason, plan.clips[0]))
        elif x.clip in plan.clips:
            reason = say(
                "The human recording of its text ({text}) can’t be compared with itself: give it the role reference.",
                text=plan.text,
            )
            troubles.append(Trouble(reason, x.clip))
        else:
            items.append(replace(plan, clips=(*plan.clips, x.clip)))
    return ItemLayout(problems=tuple(troubles)) if troubles else ItemLayout(tuple(items))


def _references(clips: Sequence[ClipFact]) -> dict[str, ClipFact]:
    """Return the reference of each text, or its human test clip."""
    references = {clip.text: clip for clip in clips if clip.text and clip.role == "test" and clip.system == HUMAN}
    return references | {clip.text: clip for clip in clips if clip.text and clip.role == "reference"}


def _prompts(clips: Sequence[ClipFact]) -> dict[int, ClipFact]:
    """Return the recording of the target speaker for each test clip that has one."""
    by_key = {clip.clip: clip for clip in clips}
    of_voice = {clip.voice: clip for clip in clips if clip.role == "prompt" and clip.voice}
    prompts = {clip.clip: by_key.get(clip.prompt) or of_voice.get(clip.voice) for clip in _tests(clips)}
    return {clip: prompt for clip, prompt in prompts.items() if prompt}


def _no_prompt() -> str:
    return say(
        "There is no recording of the target speaker: name its file in the column prompt_file, and import it with the "
        "role prompt."
    )


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
