"""The client of our own judge: what it sends, what it believes, and how long it keeps trying."""

from __future__ import annotations

import httpx
import pytest

from judge.client.contract import Sound
from judge.problems import ClipRefusal, Misconfigured, Unavailable
from tests.judge.fake_judge import FakeJudge, digest, refusal

CLIP = Sound(b"RIFF a clip", seconds=1.5, language="zh-CN")


def test_a_clip_goes_over_as_its_bytes_with_all_that_is_known_of_it() -> None:
    judge = FakeJudge(token="secret")
    score = judge.client().score(CLIP, "att")
    assert score.hls == judge.scores(CLIP.sha256)
    assert judge.queries == [
        {"profile": "att", "language": "zh-CN", "length": "11", "sha256": digest(CLIP.content), "seconds": "1.5"}
    ]


@pytest.mark.parametrize(
    ("code", "status"),
    [("undecodable", 422), ("too_long", 422), ("corrupt", 422), ("too_large", 413), ("failed", 500)],
)
def test_a_fault_of_the_clip_is_refused_at_once_and_by_name(code: str, status: int) -> None:
    judge = FakeJudge()
    judge.faults[CLIP.sha256] = [refusal(code, status)]
    with pytest.raises(ClipRefusal, match=f"It is {code}") as refused:
        judge.client().score(CLIP, "")
    assert refused.value.code == code
    assert len(judge.asked) == 1


def test_a_busy_judge_is_asked_again_after_the_time_that_it_names() -> None:
    judge = FakeJudge()
    judge.faults[CLIP.sha256] = [refusal("busy", 503, retry_after="7"), refusal("draining", 503, retry_after="900")]
    assert judge.client().score(CLIP, "").audio_sha256 == CLIP.sha256
    assert judge.waited == [7, 30]


def test_waits_grow_and_end_with_what_the_judge_said_last() -> None:
    judge = FakeJudge()
    judge.faults[CLIP.sha256] = [httpx.ReadError("cut"), *[refusal("busy", 503) for _ in range(9)]]
    with pytest.raises(Unavailable, match="It is busy") as trouble:
        judge.client(tries=4, first_wait=1.0).score(CLIP, "")
    assert trouble.value.code == "busy"
    assert judge.waited == [1, 2, 4]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (httpx.ConnectError("Connection refused"), r"http://judge can't be reached \(Connection refused\)"),
        (httpx.ReadTimeout(""), "took too long"),
    ],
)
def test_a_judge_that_is_not_there_is_told_from_one_that_refuses(error: Exception, says: str) -> None:
    judge = FakeJudge()
    judge.always = error
    with pytest.raises(Unavailable, match=says):
        judge.client(tries=2).info()
    assert not judge.client().is_ready()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.Response(200, text="<html>Welcome</html>"), "is not a judge"),
        (httpx.Response(200, json=["no", "object"]), "is not a judge"),
        (httpx.Response(200, json={"hello": "world"}), "not an Earshot judge"),
        (httpx.Response(404, text="Not Found"), "404"),
        (httpx.Response(302, headers={"location": "http://elsewhere"}), "is not a judge"),
    ],
)
def test_somebody_else_at_the_address_is_never_believed(answer: httpx.Response, says: str) -> None:
    judge = FakeJudge()
    judge.always = answer
    with pytest.raises(Misconfigured, match=says):
        judge.client().info()


def test_a_server_error_from_a_proxy_is_no_verdict_on_a_clip() -> None:
    judge = FakeJudge()
    judge.faults[CLIP.sha256] = [httpx.Response(500, text="proxy")]
    with pytest.raises(Misconfigured):
        judge.client().score(CLIP, "")


def test_a_wrong_token_stops_with_a_sentence_that_names_the_setting() -> None:
    judge = FakeJudge(token="secret")
    client = judge.client()
    judge.token = "another"
    with pytest.raises(Misconfigured, match="EARSHOT_JUDGE_TOKEN"):
        client.info()
    with pytest.raises(Misconfigured, match="401"):
        client.score(CLIP, "")


def test_an_answer_about_another_clip_is_never_taken_for_this_one() -> None:
    judge = FakeJudge()
    judge.faults[CLIP.sha256] = [httpx.Response(200, content=judge.score("d" * 64).model_dump_json())]
    with pytest.raises(Misconfigured, match="another clip"):
        judge.client().score(CLIP, "")
