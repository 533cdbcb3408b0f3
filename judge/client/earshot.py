"""Client of `judge.server`: `POST /v1/score` with the clip's bytes as the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from judge.client.contract import Sound
from judge.client.transport import JudgeTransport, error_body, error_message
from judge.problems import ClipRefusal, Misconfigured
from judge.schemas import ClipScore, ModelInfo, ScoreQuery

# Errors caused by the clip: too large (413), can't be scored (422), makes the model fail (500).
OF_THE_CLIP = frozenset({413, 422, 500})


class EarshotJudge:
    """A client of Earshot's own judge server."""

    def __init__(self, transport: JudgeTransport) -> None:
        self.transport = transport

    def info(self) -> ModelInfo:
        """Return the answer to `GET /v1/model`."""
        try:
            return ModelInfo.model_validate(self.transport.json("GET", "/v1/model"))
        except ValidationError:
            raise self._stranger() from None

    def score(self, sound: Sound, profile: str) -> ClipScore:
        """Send one clip with its length, hash, duration and language."""
        query = ScoreQuery(
            profile=profile, language=sound.language, length=len(sound.content), sha256=sound.sha256,
            seconds=sound.seconds,
        )  # fmt: skip
        answer = self.transport.ask("POST", "/v1/score", params=_query_parameters(query), content=sound.content)
        if answer.status_code in {400, 401, 403, 404}:
            raise Misconfigured(f"The judge rejects this request ({answer.status_code}): {error_message(answer)}")
        known = error_body(answer) if answer.is_error else None
        if known is not None and answer.status_code in OF_THE_CLIP:
            raise ClipRefusal(known.code, known.message)
        if answer.is_error:
            raise self._stranger()
        try:
            score = ClipScore.model_validate(self.transport.document(answer))
        except ValidationError:
            raise self._stranger() from None
        if score.audio_sha256 != sound.sha256 or not 0 <= score.hls <= 1:
            raise Misconfigured(f"The judge at {self.transport.url} answers about another clip than the one sent.")
        return score

    def is_ready(self) -> bool:
        return self.transport.is_ready("/readyz")

    def close(self) -> None:
        self.transport.close()

    def _stranger(self) -> Misconfigured:
        return Misconfigured(f"What answers at {self.transport.url} is not an Earshot judge of a known version.")


def _query_parameters(query: ScoreQuery) -> Mapping[str, Any]:
    return {name: value for name, value in query.model_dump().items() if value not in {None, ""}}
