"""Somebody who speaks the judge's language and scores a clip by its hash; told beforehand what else to answer."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import httpx

from judge.client.earshot import EarshotJudge
from judge.client.transport import JudgeTransport, Patience
from judge.schemas import ClipScore, ErrorBody, JudgeLimits, LabelInfo, ModelInfo, Origin, ProfileInfo

WEIGHTS, PROFILE = "a" * 64, "b" * 64
LABELS = (("Human", 1.0), ("Unclear", 0.5), ("Machine", 0.0))
Answer = httpx.Response | Exception


def refusal(code: str, status: int = 422, **headers: str) -> httpx.Response:
    """Return an answer that isn't 2xx."""
    fault = ErrorBody.model_validate({"code": code, "message": f"It is {code}."})
    return httpx.Response(
        status, content=fault.model_dump_json(), headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class FakeJudge:
    """One address; `asked` lists the hashes of all clips that came, `faults` what is answered first."""

    def __init__(self, *, token: str = "", weights: str = WEIGHTS) -> None:
        self.token, self.weights, self.engine = token, weights, "earshot-1"
        self.languages: tuple[str, ...] = ("zh",)
        self.label_mass = 0.9
        self.faults: defaultdict[str, list[Answer]] = defaultdict(list)
        self.always: Answer | None = None
        self.asked: list[str] = []
        self.queries: list[dict[str, str]] = []
        self.waited: list[float] = []
        self.most_at_once = self.at_once = 0
        self.scores: Callable[[str], float] = lambda sha256: int(sha256[:8], 16) / 0xFFFFFFFF
        self.lock = threading.Lock()

    def client(self, **patience: Any) -> EarshotJudge:
        """Return our client, talking to this judge and waiting in no time."""
        transport = JudgeTransport(
            "http://judge", self.token, Patience(**patience), sleep=self.waited.append,
            transport=httpx.MockTransport(self),
        )  # fmt: skip
        return EarshotJudge(transport)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self._answer(request)
        finally:
            with self.lock:
                self.at_once -= 1

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if isinstance(self.always, Exception):
            raise self.always
        if self.always is not None:
            return self.always
        if request.url.path == "/readyz":
            return httpx.Response(200)
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return refusal("unauthorized", 401)
        if request.url.path == "/v1/model":
            return httpx.Response(200, content=self.info().model_dump_json())
        assert (request.method, request.url.path) == ("POST", "/v1/score")
        return self._score(request.content, dict(request.url.params))

    def _score(self, content: bytes, query: dict[str, str]) -> httpx.Response:
        sha256 = digest(content)
        with self.lock:
            self.asked.append(sha256)
            self.queries.append(query)
            fault = self.faults[sha256].pop(0) if self.faults[sha256] else None
        if isinstance(fault, Exception):
            raise fault
        return fault or httpx.Response(200, content=self.score(sha256).model_dump_json())

    def score(self, sha256: str) -> ClipScore:
        hls = self.scores(sha256)
        return ClipScore(
            hls=hls,
            probabilities={"Human": hls, "Unclear": 0.0, "Machine": 1 - hls},
            log_probabilities={"Human": -1.0, "Unclear": -2.0, "Machine": -3.0},
            label_mass=self.label_mass,
            seconds=0.5,
            audio_sha256=sha256,
            pcm_sha256=sha256[::-1],
            warnings=("language",) if self.label_mass > 0.5 else ("language", "low_label_mass"),
            model=self.origin(),
        )

    def origin(self) -> Origin:
        return Origin(
            engine=self.engine, weights_sha256=self.weights, profile="att", profile_version=1, profile_sha256=PROFILE,
            dtype="float32", preprocessing=1, versions={"torch": "2"},
        )  # fmt: skip

    def info(self) -> ModelInfo:
        labels = tuple(LabelInfo(text=text, weight=weight, token_id=i) for i, (text, weight) in enumerate(LABELS))
        profile = ProfileInfo(
            name="att", version=1, sha256=PROFILE, title="As the paper says", languages=self.languages, labels=labels
        )
        return ModelInfo(
            engine=self.engine, weights_sha256=self.weights, dtype="float32", device="cpu", preprocessing=1,
            versions={"torch": "2"}, profiles=(profile,),
            limits=JudgeLimits(max_bytes=1 << 20, min_seconds=0.1, max_seconds=30.0, queue=64),
        )  # fmt: skip
