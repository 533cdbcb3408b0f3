"""Profiles as tokens: those before and after the audio, and one per label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judge.problems import Misconfigured
from judge.profiles import PromptProfile

AUDIO_BEGINS, AUDIO_ENDS = "<|audio_bos|>", "<|audio_eos|>"


@dataclass(frozen=True, slots=True)
class Rendering:
    """Token ids before and after the audio, and one id per label. The model is read at the last token."""

    profile: PromptProfile
    before: tuple[int, ...]
    after: tuple[int, ...]
    label_ids: tuple[int, ...]

    def ids(self, audio_id: int, tokens: int) -> list[int]:
        """Return the whole input for a clip with this many audio tokens."""
        return [*self.before, *[audio_id] * tokens, *self.after]


def render(profile: PromptProfile, tokenizer: Any, audio_token: str) -> Rendering:
    """Convert a profile to tokens; raises `Misconfigured` if a single token can't distinguish the labels."""
    text = profile.text(f"{AUDIO_BEGINS}{audio_token}{AUDIO_ENDS}")
    if not text.endswith(profile.read_after):
        raise Misconfigured(f"The text of profile {profile.name} doesn't end with {profile.read_after!r}.")
    ids = _encode(tokenizer, text)
    audio_id = tokenizer.convert_tokens_to_ids(audio_token)
    if ids.count(audio_id) != 1:
        raise Misconfigured(f"In profile {profile.name} the audio doesn't become one token: is this a Qwen2-Audio?")
    at = ids.index(audio_id)
    return Rendering(profile, tuple(ids[:at]), tuple(ids[at + 1 :]), _label_ids(profile, tokenizer, text, ids))


def _label_ids(profile: PromptProfile, tokenizer: Any, text: str, ids: list[int]) -> tuple[int, ...]:
    """Return the first token that each label adds to the text; raises `Misconfigured` if it is ambiguous."""
    label_ids = []
    for label in profile.labels:
        longer = _encode(tokenizer, text + label.text)
        if longer[: len(ids)] != ids or len(longer) == len(ids):
            raise Misconfigured(
                f"In profile {profile.name} the label {label.text!r} merges with the prompt's last token. "
                "End the prompt differently, or begin the label with a space."
            )
        token = longer[len(ids)]
        if label.token_id not in {None, token}:
            raise Misconfigured(
                f"Profile {profile.name} pins {label.text!r} to token {label.token_id}, but this model writes it as "
                f"{token}: the profile belongs to another model."
            )
        label_ids.append(token)
    if len(set(label_ids)) < len(label_ids):
        raise Misconfigured(f"In profile {profile.name} two labels begin with the same token; rename one.")
    return tuple(label_ids)


def _encode(tokenizer: Any, text: str) -> list[int]:
    return [int(token) for token in tokenizer.encode(text, add_special_tokens=False)]
