"""The HTTP contract: what is asked, what is answered, what each failure is called."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from judge.schemas import ClipScore, ErrorBody, ModelInfo, ScoreQuery
from judge.server.app import GONE, ServerSettings, Service
from judge.server.batching import Budget, Reader
from judge.server.judging import Judge, ScoreRequest
from tests.judge_engine.faults import Faulty, Gate
from tests.judge_engine.malformed import all_files
from tests.judge_engine.sounds import file, sound, wav

TOKEN = "a long random text"
SCOPE: dict[str, Any] = {
    "type": "http", "method": "POST", "path": "/v1/score", "raw_path": b"/v1/score", "query_string": b"",
    "headers": [], "http_version": "1.1", "scheme": "http", "server": ("judge", 80), "client": ("c", 1),
}  # fmt: skip
Test = Callable[[httpx.AsyncClient], Coroutine[Any, Any, None]]


@asynccontextmanager
async def asked(judge: Judge, reader: Reader | None = None, **told: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a judge that asks for a token."""
    service = Service(judge, ServerSettings(**{"token": TOKEN, "budget": Budget(8, 100_000), **told}), reader)
    transport = httpx.ASGITransport(service.app())
    headers = {"authorization": f"Bearer {TOKEN}"}
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://judge", headers=headers) as client:
            yield client
    finally:
        await asyncio.to_thread(service.close)


def run(judge: Judge, test: Test, reader: Reader | None = None, **told: Any) -> None:
    """Run one test's requests."""

    async def all_of_it() -> None:
        async with asked(judge, reader, **told) as client:
            await test(client)

    asyncio.run(all_of_it())


def fault(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, ErrorBody.model_validate_json(answer.content).code


def test_a_score_tells_everything_that_it_depends_on(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/score", params={"profile": "att", "language": "en"}, content=wav(2.0))
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == set(ClipScore.model_fields)
        score = ClipScore.model_validate_json(answer.content)
        assert sum(score.probabilities.values()) == pytest.approx(1)
        assert score.hls == pytest.approx(score.probabilities["Human"] + 0.5 * score.probabilities["Unclear"])
        assert list(score.log_probabilities) == ["Human", "Unclear", "Machine"]
        assert 0 < score.label_mass < 0.5
        assert score.seconds == 2.0
        assert score.audio_sha256 == hashlib.sha256(wav(2.0)).hexdigest()
        assert score.warnings == ("language", "low_label_mass")
        origin, loaded = score.model, judge.engine.loaded
        assert origin.weights_sha256 == loaded.weights_sha256
        assert origin.profile_sha256 == judge.profiles["att"].sha256
        assert (origin.dtype, origin.preprocessing, origin.adapter_sha256) == ("float32", 1, "")
        assert set(origin.versions) == {"torch", "transformers", "peft"}

    run(judge, test)


def test_the_first_profile_is_meant_where_none_is_named_and_others_by_name(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        first = ClipScore.model_validate_json((await client.post("/v1/score", content=wav())).content)
        other = ClipScore.model_validate_json((await client.post("/v1/score?profile=assistant", content=wav())).content)
        assert first.model.profile == "att"
        assert other.model.profile == "assistant"
        good, fair = other.probabilities["Good"], other.probabilities["Fair"]
        assert other.hls == pytest.approx(good + fair / 2)
        assert fault(await client.post("/v1/score?profile=none", content=wav())) == (404, "unknown_profile")

    run(judge, test)


def test_many_at_once_get_what_each_would_get_alone(judge: Judge) -> None:
    clips = [wav(0.5 + number / 4, number) for number in range(12)]

    async def test(client: httpx.AsyncClient) -> None:
        async def one(clip: bytes) -> float:
            return ClipScore.model_validate_json((await client.post("/v1/score", content=clip)).content).hls

        alone = [await one(clip) for clip in clips]
        together = await asyncio.gather(*(one(clip) for clip in clips))
        assert together == pytest.approx(alone, abs=1e-5)

    run(judge, test)


def test_nobody_is_answered_without_the_token(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        for wrong in ("", "Bearer", "Bearer other", f"Basic {TOKEN}"):
            for method, path in (("POST", "/v1/score"), ("GET", "/v1/model"), ("GET", "/metrics")):
                answer = await client.request(method, path, headers={"authorization": wrong})
                assert fault(answer) == (401, "unauthorized")
                assert answer.headers["www-authenticate"] == "Bearer"
        for path in ("/livez", "/readyz"):
            assert (await client.get(path, headers={"authorization": ""})).status_code == 200

    run(judge, test)


def test_the_model_tells_its_profiles_and_limits(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        info = ModelInfo.model_validate_json((await client.get("/v1/model")).content)
        assert [profile.name for profile in info.profiles] == ["att", "assistant"]
        assert [label.text for label in info.profiles[0].labels] == ["Human", "Unclear", "Machine"]
        assert info.profiles[0].sha256 == judge.profiles["att"].sha256
        assert (info.limits.min_seconds, info.limits.max_seconds, info.limits.queue) == (0.1, 30.0, 64)
        assert info.training is None

    run(judge, test)


def test_a_body_that_is_too_large_is_refused_with_or_without_a_length(judge: Judge) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield bytes(1000)

    async def test(client: httpx.AsyncClient) -> None:
        assert fault(await client.post("/v1/score", content=bytes(20_000))) == (413, "too_large")
        assert fault(await client.post("/v1/score", content=parts())) == (413, "too_large")

    run(judge, test, max_bytes=10_000)


def test_hostile_files_are_refused_with_their_code_and_the_server_lives_on(judge: Judge) -> None:
    files = all_files()
    codes = set()

    async def test(client: httpx.AsyncClient) -> None:
        for name, content in files.items():
            answer = await client.post("/v1/score", content=content)
            assert answer.status_code in {200, 422}, name
            if answer.status_code == 422:
                codes.add(fault(answer)[1])
        assert (await client.post("/v1/score", content=wav())).status_code == 200
        assert (await client.get("/readyz")).status_code == 200

    run(judge, test)
    every = {"undecodable", "too_short", "too_long", "silent", "non_finite", "unsupported_layout", "corrupt"}
    assert codes == every


def test_a_clip_that_arrives_changed_is_corrupt_and_a_wrong_question_is_no_422(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        for query in ({"sha256": "0" * 64}, {"length": 5}, {"seconds": 9.0}):
            assert fault(await client.post("/v1/score", params=query, content=wav())) == (422, "corrupt")
        for wrong in ({"sha256": "x"}, {"length": "many"}, {"seconds": -1}):
            assert fault(await client.post("/v1/score", params=wrong, content=wav())) == (400, "invalid_request")

    run(judge, test)


def test_a_full_queue_says_when_to_come_again(judge: Judge) -> None:
    gate = Gate(judge.engine)

    async def test(client: httpx.AsyncClient) -> None:
        taken = [asyncio.create_task(client.post("/v1/score", content=wav(1.0, number))) for number in range(3)]
        await asyncio.to_thread(gate.entered.wait, 60)
        while (await client.get("/metrics")).text.count("earshot_judge_in_flight 3.0") == 0:
            await asyncio.sleep(0)
        answer = await client.post("/v1/score", content=wav())
        assert fault(answer) == (503, "busy")
        assert int(answer.headers["retry-after"]) >= 1
        gate.opened.set()
        assert [one.status_code for one in await asyncio.gather(*taken)] == [200] * 3
        assert (await client.post("/v1/score", content=wav())).status_code == 200

    run(judge, test, gate, queue=3)


def test_failures_of_the_device_are_told_apart_from_those_of_the_clip(judge: Judge) -> None:
    poison = judge.engine.prepare(sound(1.5), "att").tokens
    deadly = judge.engine.prepare(sound(2.5), "att").tokens
    faulty = Faulty(judge.engine, poison=poison, deadly=deadly)
    faulty.opened.set()

    async def test(client: httpx.AsyncClient) -> None:
        assert fault(await client.post("/v1/score", content=wav(1.5))) == (500, "failed")
        assert (await client.post("/v1/score", content=wav(1.0))).status_code == 200
        died = await client.post("/v1/score", content=wav(2.5))
        assert fault(died) == (503, "device_failed")
        assert "retry-after" in died.headers
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/livez")).status_code == 200
        assert fault(await client.post("/v1/score", content=wav(1.0))) == (503, "device_failed")

    run(judge, test, faulty)


def test_a_client_that_goes_away_is_not_waited_for(judge: Judge) -> None:
    gate = Gate(judge.engine)
    service = Service(judge, ServerSettings(budget=Budget(1, 100_000)), gate)
    app = service.app()
    sent: list[dict[str, Any]] = []

    async def test() -> None:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://judge") as client:
            first = asyncio.create_task(client.post("/v1/score", content=wav()))
            await asyncio.to_thread(gate.entered.wait, 60)
            events = iter([{"type": "http.request", "body": wav(1.0, 2)}, {"type": "http.disconnect"}])

            async def receive() -> dict[str, Any]:
                return next(events)

            async def send(event: dict[str, Any]) -> None:
                sent.append(event)

            await app(SCOPE, receive, send)  # type: ignore[arg-type]
            assert service.in_flight == 1, "only the first is still there"
            gate.opened.set()
            assert (await first).status_code == 200

    asyncio.run(test())
    service.close()
    assert sent[0]["status"] == GONE
    assert gate.sizes == [1], "the clip of the one who left was never read"


def test_a_sender_who_breaks_off_in_the_middle_gives_the_place_back(judge: Judge) -> None:
    service = Service(judge, ServerSettings())
    app = service.app()
    sent: list[dict[str, Any]] = []
    events = iter([{"type": "http.request", "body": b"RIFF", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> dict[str, Any]:
        return next(events)

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    asyncio.run(app(SCOPE, receive, send))  # type: ignore[arg-type]
    service.close()
    assert sent[0]["status"] == GONE
    assert service.in_flight == 0


def test_what_nobody_foresaw_is_answered_in_the_usual_shape_and_logged(judge: Judge) -> None:
    class Broken(Judge):
        def question(self, content: bytes, query: ScoreQuery) -> ScoreRequest:
            raise MemoryError

    service = Service(Broken(judge.engine), ServerSettings())

    async def test() -> None:
        transport = httpx.ASGITransport(service.app(), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://judge") as client:
            assert fault(await client.post("/v1/score", content=wav())) == (500, "failed")
            assert service.in_flight == 0

    asyncio.run(test())
    service.close()


def test_the_counters_tell_how_requests_ended(judge: Judge) -> None:
    async def test(client: httpx.AsyncClient) -> None:
        await client.post("/v1/score", content=wav(2.0))
        await client.post("/v1/score", content=b"")
        await client.post("/v1/score", content=file(sound(1.0) * 0))
        text = (await client.get("/metrics")).text
        assert 'earshot_judge_answers_total{outcome="scored"} 1.0' in text
        assert 'earshot_judge_answers_total{outcome="undecodable"} 1.0' in text
        assert 'earshot_judge_answers_total{outcome="silent"} 1.0' in text
        assert "earshot_judge_audio_seconds_total 2.0" in text
        assert "earshot_judge_batch_clips_count 1.0" in text
        assert "earshot_judge_in_flight 0.0" in text

    run(judge, test)
