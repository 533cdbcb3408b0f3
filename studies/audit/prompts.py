"""Speaker prompts that are the target's own recording, or say its own text (rule C2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from studies.imports.ingest.names import folded

WORD = re.compile(r"\w+")


class PromptedClip(NamedTuple):
    """A clip, the file of its prompt, its text's name and words, and the hashes of its audio; empty if unknown."""

    file: str
    prompt: str
    text: str
    words: str
    hashes: tuple[str, ...]


class OwnPrompts(NamedTuple):
    """Pairs of a clip and its prompt, by file."""

    # The prompt is the clip's own audio.
    audio: tuple[tuple[str, str], ...]
    # The prompt is other audio of the clip's text.
    text: tuple[tuple[str, str], ...]


def own_prompts(clips: Sequence[PromptedClip]) -> OwnPrompts:
    """Find clips whose prompt is their own audio or says their own text.

    A prompt says the texts of all clips with its audio. Texts are the same if their names or their words are. Prompts
    that aren't among the clips can't be compared.
    """
    by_file = {folded(clip.file): clip for clip in clips}
    spoken: defaultdict[str, set[str]] = defaultdict(set)
    for clip in clips:
        for key in _audio(clip):
            spoken[key] |= _texts(clip)
    audio, text = [], []
    for clip in clips:
        # Manifests name prompts as their authors' machines do; clips have clean names.
        prompt = by_file.get(folded(clip.prompt.replace("\\", "/").removeprefix("./")))
        if prompt is None:
            continue
        if _audio(clip) & _audio(prompt):
            audio.append((clip.file, prompt.file))
        elif any(_texts(clip) & spoken[key] for key in _audio(prompt)):
            text.append((clip.file, prompt.file))
    return OwnPrompts(tuple(audio), tuple(text))


def _audio(clip: PromptedClip) -> set[str]:
    return {f"file {clip.file}", *(f"hash {each}" for each in clip.hashes if each)}


def _texts(clip: PromptedClip) -> set[str]:
    words = " ".join(WORD.findall(clip.words.casefold()))
    return {f"name {clip.text}"} - {"name "} | {f"words {words}"} - {"words "}
