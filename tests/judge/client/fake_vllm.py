"""What vLLM's OpenAI-compatible server answers to the requests that our client makes, as its own code describes them.

It renders the chat template of Qwen2-Audio and cuts text at every character, so that a test can read what was asked.
No vLLM was at hand: this is a fake of its API, and docs/judge.md says so.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable
from typing import Any

import httpx

from judge.client.transport import JudgeTransport, Patience
from judge.client.vllm import VllmJudge
from judge.profiles import PromptProfile, load

SPECIAL = ("<|im_start|>", "<|im_end|>", "<|audio_bos|>", "<|AUDIO|>", "<|audio_eos|>")
# Whole words, as Qwen's vocabulary has them; "Unclear" is two tokens there.
WORDS = ("Human", "Unc", "Machine")
WEIGHTS = "c" * 64


class FakeVllm:
    """One server; `rendered` are the prompts that it would have run, `requests` the bodies that asked for them."""

    def __init__(self, *, knows_token_ids: bool = True) -> None:
        self.knows_token_ids = knows_token_ids
        self.rendered: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.refuses: dict[str, httpx.Response] = {}
        # What share of the whole vocabulary each label has, in the order of WORDS.
        self.shares: Callable[[str], tuple[float, ...]] = lambda sha256: (0.6, 0.1, 0.2)
        self.words = WORDS

    def client(self, profile: PromptProfile | None = None, *, weights: str = WEIGHTS, model: str = "") -> VllmJudge:
        transport = JudgeTransport(
            "http://vllm", "", Patience(), sleep=lambda seconds: None, transport=httpx.MockTransport(self)
        )
        return VllmJudge(transport, profile or load("att"), weights=weights, model=model)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else {}
        match request.url.path:
            case "/v1/models":
                return _json({"object": "list", "data": [{"id": "merged", "object": "model"}]})
            case "/version":
                return _json({"version": "0.33.0"})
            case "/health":
                return httpx.Response(200)
            case "/tokenize":
                assert body["add_special_tokens"] is False
                return _json({"tokens": self.tokens(body["prompt"]), "count": 0, "max_model_len": 8192})
            case "/v1/chat/completions":
                return self.completion(body)
        return _json({"error": {"message": "Not Found"}}, 404)

    def tokens(self, text: str) -> list[int]:
        """Return a number for each special token, known word, or character."""
        known, found = (*SPECIAL, *self.words), list[int]()
        while text:
            word = next((word for word in known if text.startswith(word)), text[0])
            found.append(known.index(word) if word in known else 1000 + ord(word))
            text = text[len(word) :]
        return found

    def completion(self, body: dict[str, Any]) -> httpx.Response:
        self.requests.append(body)
        assert (body["model"], body["max_tokens"], body["temperature"], body["logprobs"]) == ("merged", 1, 0, True)
        assert body["add_generation_prompt"] != body["continue_final_message"]
        system, user = body["messages"]
        audio, text = user["content"]
        content = base64.b64decode(audio["input_audio"]["data"])
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 in self.refuses:
            return self.refuses[sha256]
        sound = "Audio 1: <|audio_bos|><|AUDIO|><|audio_eos|>"
        prompt = f"<|im_start|>system\n{system['content']}<|im_end|>\n<|im_start|>user\n{sound}\n{text['text']}"
        if body["add_generation_prompt"]:
            prompt += "<|im_end|>\n<|im_start|>assistant\n"
        self.rendered.append(prompt)
        wanted = body["logprob_token_ids"] if self.knows_token_ids else []
        known = {len(SPECIAL) + at: share for at, share in enumerate(self.shares(sha256))}
        top = [{"token": f"token_id:{token}", "logprob": math.log(known[token]), "bytes": None} for token in wanted]
        first = {"token": "token_id:5", "logprob": -0.5, "bytes": None, "top_logprobs": top}
        return _json({"id": "chatcmpl-1", "choices": [{"index": 0, "logprobs": {"content": [first]}}]})


def _json(told: dict[str, Any], status: int = 200) -> httpx.Response:
    return httpx.Response(status, json=told)
