"""Client of an OpenAI-compatible vLLM server with the merged model.

vLLM renders the model's own chat template, so profiles must use that template as their frame. It reports no hash of its
weights: the operator states it. It doesn't check clips: that is done here with the platform's data.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import httpx

from judge.client.contract import Sound
from judge.client.transport import JudgeTransport, error_message
from judge.problems import ClipRefusal, Misconfigured
from judge.profiles import PromptProfile
from judge.schemas import Caution, ClipScore, JudgeLimits, LabelInfo, ModelInfo, Origin, ProfileInfo

ENGINE = "vllm"
# Increase when this client sends something else for the same clip.
PREPROCESSING = 1
SYSTEM = "You are a helpful assistant."
# Qwen2-Audio's chat template, rendered for the messages below, and its text before the answer.
FRAME = f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\nAudio 1: {{audio}}\n{{prompt}}"
ANSWER_BEGINS = "<|im_end|>\n<|im_start|>assistant\n"
AUDIO = "<|audio_bos|><|AUDIO|><|audio_eos|>"
LIMITS = JudgeLimits(max_bytes=64 * 1024 * 1024, min_seconds=0.1, max_seconds=30.0, queue=0)
LOW_MASS = 0.5
UNSTATED = "unstated"
TOKEN = "token_id:"  # noqa: S105  (how vLLM writes a token's number)


class VllmJudge:
    """A client of a judge behind vLLM. `weights` is the merged model's hash as reported by our own server."""

    def __init__(self, transport: JudgeTransport, profile: PromptProfile, *, weights: str, model: str = "") -> None:
        if profile.frame not in {FRAME, FRAME + ANSWER_BEGINS}:
            raise Misconfigured(
                f"vLLM can't use profile {profile.name}: its frame isn't the model's own chat template."
            )
        if profile.loudness is not None:
            raise Misconfigured(f"vLLM can't use profile {profile.name}, which changes the loudness of clips first.")
        if not weights:
            raise Misconfigured(
                "vLLM doesn't report its weights: set EARSHOT_JUDGE_WEIGHTS to the merged model's SHA-256."
            )
        self.transport, self.profile, self.weights, self.model = transport, profile, weights, model
        # Requested once for all threads; vLLM's model doesn't change while it runs.
        self.labels = lru_cache(maxsize=1)(self._labels)
        self.info = lru_cache(maxsize=1)(self._info)

    def score(self, sound: Sound, profile: str) -> ClipScore:
        """Send one clip as a chat message, and read the labels' probabilities at the answer's first token."""
        if profile not in {"", self.profile.name}:
            raise Misconfigured(f"This judge uses profile {self.profile.name}, not by {profile}.")
        form = _form(sound)
        answer = self.transport.ask("POST", "/v1/chat/completions", json=self._request(sound, form))
        _check(answer, self.transport.url)
        shares = self._shares(self.transport.document(answer))
        top = max(shares)
        weights = [math.exp(share - top) for share in shares]
        probabilities = [weight / math.fsum(weights) for weight in weights]
        mass = min(1.0, math.fsum(math.exp(share) for share in shares))
        warnings: list[Caution] = [] if self.profile.suits(sound.language) else ["language"]
        texts = [label.text for label in self.profile.labels]
        return ClipScore(
            hls=self.profile.hls(probabilities),
            probabilities=dict(zip(texts, probabilities, strict=True)),
            log_probabilities=dict(zip(texts, shares, strict=True)),
            label_mass=mass,
            seconds=sound.seconds or 0.0,
            audio_sha256=sound.sha256,
            # Unknown: vLLM decodes the clip.
            pcm_sha256="",
            warnings=(*warnings, "low_label_mass") if mass < LOW_MASS else tuple(warnings),
            model=self._origin(),
        )

    def is_ready(self) -> bool:
        return self.transport.is_ready("/health")

    def close(self) -> None:
        self.transport.close()

    def _info(self) -> ModelInfo:
        """Return the operator's data on the model, and the labels' tokens from vLLM."""
        origin = self._origin()
        profile = ProfileInfo(
            name=self.profile.name, version=self.profile.version, sha256=self.profile.sha256, title=self.profile.title,
            languages=self.profile.languages,
            labels=tuple(
                LabelInfo(text=label.text, weight=label.weight, token_id=token)
                for label, token in zip(self.profile.labels, self.labels(), strict=True)
            ),
        )  # fmt: skip
        return ModelInfo(
            engine=ENGINE, weights_sha256=origin.weights_sha256, dtype=origin.dtype, device=UNSTATED,
            preprocessing=PREPROCESSING, versions=origin.versions, profiles=(profile,), limits=LIMITS,
        )  # fmt: skip

    def _origin(self) -> Origin:
        return Origin(
            engine=ENGINE, weights_sha256=self.weights, profile=self.profile.name,
            profile_version=self.profile.version, profile_sha256=self.profile.sha256, dtype=UNSTATED,
            preprocessing=PREPROCESSING, versions=self._served(),
        )  # fmt: skip

    def _served(self) -> dict[str, str]:
        if not hasattr(self, "_versions"):
            models = self.transport.json("GET", "/v1/models")
            names = [str(each.get("id", "")) for each in models.get("data", ()) if isinstance(each, Mapping)]
            if not names or self.model not in {"", *names}:
                raise Misconfigured(f"vLLM serves {', '.join(names) or 'no model'}, not {self.model or 'any'}.")
            self.model = self.model or names[0]
            version = str(self.transport.json("GET", "/version").get("version", ""))
            self._versions = {"vllm": version, "model": self.model}
        return self._versions

    def _labels(self) -> tuple[int, ...]:
        """Return the first token that each label adds to the text; raises `Misconfigured` if it is ambiguous."""
        text = self.profile.text(AUDIO)
        ids, label_ids = self._tokens(text), []
        for label in self.profile.labels:
            longer = self._tokens(text + label.text)
            if longer[: len(ids)] != ids or len(longer) == len(ids):
                raise Misconfigured(
                    f"In profile {self.profile.name} the label {label.text!r} merges with the prompt's last token."
                )
            label_ids.append(longer[len(ids)])
            if label.token_id not in {None, label_ids[-1]}:
                raise Misconfigured(f"Profile {self.profile.name} pins {label.text!r} to another token than vLLM's.")
        if len(set(label_ids)) < len(label_ids):
            raise Misconfigured(f"In profile {self.profile.name} two labels begin with the same token.")
        return tuple(label_ids)

    def _tokens(self, text: str) -> list[int]:
        self._served()
        request = {"model": self.model, "prompt": text, "add_special_tokens": False}
        return [int(token) for token in self.transport.json("POST", "/tokenize", json=request).get("tokens", ())]

    def _request(self, sound: Sound, form: str) -> dict[str, Any]:
        begins = self.profile.frame.endswith(ANSWER_BEGINS)
        data = base64.b64encode(sound.content).decode()
        content = [
            {"type": "input_audio", "input_audio": {"data": data, "format": form}},
            {"type": "text", "text": self.profile.prompt},
        ]
        self._served()
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "logprob_token_ids": list(self.labels()),
            "return_tokens_as_token_ids": True,
            "add_generation_prompt": begins,
            "continue_final_message": not begins,
        }

    def _shares(self, document: Mapping[str, Any]) -> Sequence[float]:
        """Return the labels' log-probabilities over the whole vocabulary, in the profile's order."""
        try:
            top = document["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            share_by_token = {int(str(each["token"]).removeprefix(TOKEN)): float(each["logprob"]) for each in top}
            shares = [share_by_token[token] for token in self.labels()]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Misconfigured(
                "This vLLM doesn't report the labels' probabilities: it needs a version with logprob_token_ids."
            ) from None
        if not all(math.isfinite(share) for share in shares):
            raise ClipRefusal("failed", "The model's answer to this clip is not a number.")
        return shares


def _form(sound: Sound) -> str:
    """Return the format's name; refuses clips that vLLM would cut off or score without decoding."""
    if sound.seconds is not None and sound.seconds < LIMITS.min_seconds:
        raise ClipRefusal(
            "too_short", f"The clip lasts {sound.seconds:.3f} s; at least {LIMITS.min_seconds} s are needed."
        )
    if sound.seconds is not None and sound.seconds > LIMITS.max_seconds:
        raise ClipRefusal("too_long", f"The model hears at most {LIMITS.max_seconds:g} s.")
    if len(sound.content) > LIMITS.max_bytes:
        raise ClipRefusal("too_large", f"A clip may have {LIMITS.max_bytes:,} bytes.")
    head = sound.content[:12]
    if head.startswith(b"RIFF") and head[8:] == b"WAVE":
        return "wav"
    forms = {b"fLaC": "flac", b"OggS": "ogg", b"ID3": "mp3", b"\xff\xfb": "mp3", b"\xff\xf3": "mp3", b"\xff\xf2": "mp3"}
    form = next((name for magic, name in forms.items() if head.startswith(magic)), "")
    if not form:
        raise ClipRefusal("undecodable", "This is not a WAV, FLAC, Ogg or MP3 file, which vLLM needs.")
    return form


def _check(answer: httpx.Response, url: str) -> None:
    if answer.status_code in {401, 403, 404}:
        raise Misconfigured(f"The judge at {url} rejects this request ({answer.status_code}): {error_message(answer)}")
    if answer.is_error:
        raise ClipRefusal(
            "too_large" if answer.status_code == 413 else "failed", f"vLLM fails on this clip: {error_message(answer)}"
        )
