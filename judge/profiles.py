"""Profiles: how a model is asked, and the weights of its answers. Identified by a hash of all fields."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from judge.problems import Misconfigured

SHIPPED = Path(__file__).parent / "server" / "profiles"


class FrozenRecord(BaseModel):
    """A frozen record that rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Label(FrozenRecord):
    """One possible answer. `token_id` pins the token, if the weights were published with one."""

    text: str = Field(min_length=1)
    weight: float
    token_id: int | None = None


class PromptProfile(FrozenRecord):
    """Labels with weights, the prompt, and the frame around audio and prompt. The model is read at the frame's end."""

    name: str = Field(pattern="^[a-z0-9][a-z0-9.-]*$")
    version: int = Field(ge=1)
    title: str
    # ISO 639; a clip in another language is scored with a warning.
    languages: tuple[str, ...] = ()
    frame: str
    prompt: str = ""
    # Hash of a prompt that the operator supplies.
    prompt_sha256: str | None = None
    # Required end of the rendered text.
    read_after: str = Field(min_length=1)
    labels: tuple[Label, ...] = Field(min_length=2)
    # Clips are normalized to this loudness in LUFS; None: unchanged.
    loudness: float | None = Field(None, ge=-70, lt=0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.frame.count("{audio}") != 1 or self.frame.count("{prompt}") != 1:
            raise ValueError("the frame must hold {audio} and {prompt} once each")
        if len({label.text for label in self.labels}) < len(self.labels):
            raise ValueError("two labels have the same text")
        if self.lowest == self.highest:
            raise ValueError("all labels weigh the same")
        return self

    @property
    def lowest(self) -> float:
        return min(label.weight for label in self.labels)

    @property
    def highest(self) -> float:
        return max(label.weight for label in self.labels)

    @property
    def sha256(self) -> str:
        """Hash of all fields, independent of the file's format."""
        canonical = json.dumps(self.model_dump(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def text(self, audio: str) -> str:
        """Return the model's input text, up to the position where its answer is read."""
        before, after = self.frame.split("{prompt}")
        return before.replace("{audio}", audio) + self.prompt + after.replace("{audio}", audio)

    def hls(self, probabilities: Sequence[float]) -> float:
        """Return the expected weight on a scale from 0 (least human) to 1 (equation 1 of the ATT paper)."""
        mean = sum(p * label.weight for p, label in zip(probabilities, self.labels, strict=True))
        return min(1.0, max(0.0, (mean - self.lowest) / (self.highest - self.lowest)))

    def suits(self, language: str) -> bool:
        """True if the profile is made for clips in `language` (zh-CN counts as zh); unknown languages pass."""
        return not language or not self.languages or language.lower().split("-")[0] in self.languages


def load(spec: str) -> PromptProfile:
    """Load a shipped profile by name, or a .toml or .json file; either may be followed by =PROMPT_FILE."""
    where, _, prompt = spec.partition("=")
    path = Path(where) if where.endswith((".toml", ".json")) else SHIPPED / f"{where}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.toml")))
        raise Misconfigured(
            f"There is no profile {where}. Shipped profiles are {known}; name any other by its .toml file."
        )
    try:
        text = path.read_text(encoding="utf-8")
        fields = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        return PromptProfile.model_validate({**fields, **_prompt(fields, path, prompt)})
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise Misconfigured(f"The profile {path} can't be used: {error}") from None


def load_all(specs: Sequence[str]) -> dict[str, PromptProfile]:
    """Load profiles by name; the first one is the default."""
    profiles = [load(spec) for spec in specs]
    by_name = {profile.name: profile for profile in profiles}
    if not by_name or len(by_name) < len(profiles):
        raise Misconfigured("At least one profile is needed, and no two may share a name.")
    return by_name


def _prompt(fields: Mapping[str, object], path: Path, supplied: str) -> dict[str, str]:
    """Return the operator's prompt, checked against the hash in the profile."""
    if not supplied:
        if fields.get("prompt"):
            return {}
        raise Misconfigured(
            f"The profile {path.stem} comes without its prompt, which belongs to the model's own repository. Save that "
            f"text in a file and name it: --profile {path.stem}=PROMPT.txt"
        )
    try:
        text = Path(supplied).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The prompt file {supplied} can't be read: {error}") from None
    if fields.get("prompt"):
        raise Misconfigured(f"The profile {path.stem} has a prompt of its own; leave {supplied} out.")
    wanted, actual = fields.get("prompt_sha256"), hashlib.sha256(text.encode()).hexdigest()
    if wanted and wanted != actual:
        raise Misconfigured(
            f"{supplied} isn't the prompt that the profile {path.stem} pins: its SHA-256 is {actual}, and {wanted} is "
            "wanted. Save the text as it was published, line breaks included and nothing around it."
        )
    return {"prompt": text}
