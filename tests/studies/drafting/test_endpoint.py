"""The endpoint's client: where it goes, what it tries again, and what it never tells."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from studies.drafting import endpoint, targets
from studies.drafting.endpoint import Endpoint, EndpointTrouble

KEY = "sk-0123456789"
GOOD = {
    "choices": [{"message": {"content": "hello"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    "model": "m-1",
}


def client(*answers: httpx.Response | Exception, waited: list[float] | None = None) -> Endpoint:
    left = iter(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url == "https://llm.example.org/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        one = next(left)
        if isinstance(one, Exception):
            raise one
        return one

    waits = waited if waited is not None else []
    return Endpoint(
        "https://llm.example.org/v1",
        KEY,
        sleep=waits.append,
        seconds_now=lambda: sum(waits),
        transport=httpx.MockTransport(answer),
    )


def ask(client: Endpoint) -> endpoint.Completion:
    return client.complete(model="m", messages=[{"role": "user", "content": "hi"}], parameters={"temperature": 0.5})


def test_a_completion_has_words_tokens_and_the_models_own_name() -> None:
    answer = ask(client(httpx.Response(200, json=GOOD)))
    assert (answer.text, answer.model, answer.tokens_in, answer.tokens_out, answer.calls) == ("hello", "m-1", 3, 2, 1)


@pytest.mark.parametrize(
    ("after", "waits"), [("7", [7.0]), ("", [1.0]), ("Thu, 01 Jan 1970 00:00:00 GMT", [1.0]), ("99999", [60.0])]
)
def test_a_busy_endpoint_is_asked_again_after_what_it_says(after: str, waits: list[float]) -> None:
    waited: list[float] = []
    busy = httpx.Response(429, headers={"retry-after": after})
    assert ask(client(busy, httpx.Response(200, json=GOOD), waited=waited)).calls == 2
    assert waited == waits


def test_errors_of_the_server_and_of_the_line_are_tried_again_ever_later() -> None:
    waited: list[float] = []
    with pytest.raises(EndpointTrouble, match="error 500") as trouble:
        ask(
            client(
                httpx.ConnectError("x"), httpx.ReadTimeout("x"), httpx.Response(502), httpx.Response(500), waited=waited
            )
        )
    assert (waited, trouble.value.calls) == ([1.0, 2.0, 4.0], 4)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(302, headers={"location": "http://elsewhere.example/"}), "redirects elsewhere"),
        (httpx.Response(401, json={"error": {"message": f"Incorrect key {KEY}"}}), "rejects the key"),
        (httpx.Response(400, json={"error": {"message": f"No model for {KEY}"}}), r"No model for \[key\]"),
        (httpx.Response(200, text="<html>"), "no endpoint of chat completions"),
        (httpx.Response(200, json={"choices": []}), "no endpoint of chat completions"),
        (httpx.Response(200, text="[" * 200_000), "no endpoint of chat completions"),
        (httpx.Response(200, content=b"x" * ((1 << 20) + 1)), "larger than 1 MB"),
    ],
)
def test_anything_else_is_asked_once_and_tells_no_key(answer: httpx.Response, message: str) -> None:
    with pytest.raises(EndpointTrouble, match=message) as trouble:
        ask(client(answer))
    assert KEY not in trouble.value.message


def test_a_key_that_the_model_repeats_is_hidden() -> None:
    spoken: dict[str, Any] = json.loads(json.dumps(GOOD).replace("hello", f"The key is {KEY}\\u0000"))
    assert ask(client(httpx.Response(200, json=spoken))).text == "The key is [key]"


def test_status_says_what_is_set_and_asks_nobody(settings: Any) -> None:
    settings.DRAFT_URL = ""
    assert [finding.state for finding in targets.examine()] == ["ok"]
    settings.DRAFT_URL, settings.DRAFT_MODEL, settings.DRAFT_KEY = "https://llm.example.org/v1", "m", KEY
    (finding,) = targets.examine()
    assert "m at llm.example.org (not private" in str(finding)
    assert KEY not in str(finding)
