"""The second engine, against a fake of vLLM's API: what is asked, what is read, what is refused."""

from __future__ import annotations

import httpx
import pytest

from judge.client import vllm
from judge.client.contract import Sound
from judge.problems import ClipRefusal, Misconfigured
from judge.profiles import SHIPPED, PromptProfile, load
from tests import audio
from tests.judge.client.fake_vllm import SPECIAL, WEIGHTS, FakeVllm

CLIP = Sound(audio.wav(0.5), seconds=0.5, language="zh")


def assistant() -> PromptProfile:
    """Return a profile that is read after the assistant's tag, as the released weights are."""
    labels = [{"text": text, "weight": weight} for text, weight in (("Human", 3), ("Unclear", 2), ("Machine", 1))]
    told = load("att").model_dump() | {"name": "assistant", "labels": labels}
    return PromptProfile.model_validate(
        told | {"frame": vllm.FRAME + vllm.ANSWER_BEGINS, "read_after": "<|im_start|>assistant\n"}
    )


@pytest.mark.parametrize("profile", [load("att"), assistant()], ids=["at the colon", "after the assistant's tag"])
def test_the_model_reads_exactly_what_the_profile_says(profile: PromptProfile) -> None:
    server = FakeVllm()
    server.client(profile).score(CLIP, "")
    assert server.rendered == [profile.text("<|audio_bos|><|AUDIO|><|audio_eos|>")]


def test_the_score_is_the_softmax_over_the_labels_and_the_mass_their_share_of_all() -> None:
    score = FakeVllm().client().score(CLIP, "att")
    assert list(score.probabilities) == ["Human", "Unclear", "Machine"]
    assert score.probabilities["Human"] == pytest.approx(0.6 / 0.9)
    assert score.hls == pytest.approx((0.6 + 0.5 * 0.1) / 0.9)
    assert score.label_mass == pytest.approx(0.9)
    assert score.warnings == ()
    assert (score.audio_sha256, score.seconds) == (CLIP.sha256, 0.5)
    assert (score.model.engine, score.model.weights_sha256) == ("vllm", WEIGHTS)
    assert score.model.profile_sha256 == load("att").sha256
    assert score.model.versions == {"vllm": "0.33.0", "model": "merged"}


def test_a_label_is_known_by_the_first_token_that_it_adds() -> None:
    server = FakeVllm()
    [profile] = server.client().info().profiles
    assert [label.token_id for label in profile.labels] == [len(SPECIAL), len(SPECIAL) + 1, len(SPECIAL) + 2]
    server.client().score(CLIP, "")
    assert server.requests[0]["logprob_token_ids"] == [5, 6, 7]


def test_labels_that_share_a_token_or_are_pinned_to_another_are_refused() -> None:
    server = FakeVllm()
    labels = [{"text": "Human", "weight": 1}, {"text": "Humanlike", "weight": 0}]
    alike = PromptProfile.model_validate(load("att").model_dump() | {"labels": labels})
    with pytest.raises(Misconfigured, match="begin with the same token"):
        server.client(alike).info()
    pinned = [{"text": "Human", "weight": 1, "token_id": 5}, {"text": "Machine", "weight": 0, "token_id": 99}]
    with pytest.raises(Misconfigured, match="another token"):
        server.client(PromptProfile.model_validate(load("att").model_dump() | {"labels": pinned})).info()


def test_a_small_label_mass_and_another_language_are_warned_of() -> None:
    server = FakeVllm()
    server.shares = lambda sha256: (0.01, 0.01, 0.01)
    score = server.client().score(Sound(CLIP.content, 0.5, "en"), "")
    assert score.warnings == ("language", "low_label_mass")
    assert score.hls == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("sound", "code"),
    [
        (Sound(CLIP.content, 30.5), "too_long"),
        (Sound(CLIP.content, 0.05), "too_short"),
        (Sound(b"<html>", 1.0), "undecodable"),
        (Sound(b"\x00\x00\x00\x18ftypM4A ", 1.0), "undecodable"),
    ],
)
def test_what_vllm_would_cut_off_or_score_unheard_never_reaches_it(sound: Sound, code: str) -> None:
    server = FakeVllm()
    with pytest.raises(ClipRefusal) as refused:
        server.client().score(sound, "")
    assert refused.value.code == code
    assert server.requests == []


@pytest.mark.parametrize("form", ["WAV", "FLAC", "OGG", "MP3"])
def test_each_format_is_sent_under_its_name(form: str) -> None:
    server = FakeVllm()
    server.client().score(Sound(audio.encoded(audio.speech(0.5), format=form), 0.5), "")
    [request] = server.requests
    assert request["messages"][1]["content"][0]["input_audio"]["format"] == form.lower()


def test_a_clip_on_which_vllm_fails_is_refused_with_what_it_said() -> None:
    server = FakeVllm()
    server.refuses[CLIP.sha256] = httpx.Response(400, json={"error": {"message": "Audio can't be loaded"}})
    with pytest.raises(ClipRefusal, match="Audio can't be loaded") as refused:
        server.client().score(CLIP, "")
    assert refused.value.code == "failed"


def test_an_older_vllm_that_passes_over_the_tokens_asked_for_is_told_from_a_bad_clip() -> None:
    with pytest.raises(Misconfigured, match="logprob_token_ids"):
        FakeVllm(knows_token_ids=False).client().score(CLIP, "")


def test_what_vllm_cannot_do_is_refused_before_anything_is_asked() -> None:
    server, att = FakeVllm(), load("att").model_dump()
    with pytest.raises(Misconfigured, match="chat template"):
        server.client(PromptProfile.model_validate(att | {"frame": "{audio} {prompt}"}))
    with pytest.raises(Misconfigured, match="changes the loudness"):
        server.client(PromptProfile.model_validate(att | {"loudness": -23.0}))
    with pytest.raises(Misconfigured, match="EARSHOT_JUDGE_WEIGHTS"):
        server.client(weights="")
    with pytest.raises(Misconfigured, match="serves merged, not other"):
        server.client(model="other").info()
    with pytest.raises(Misconfigured, match="not by own"):
        server.client().score(CLIP, "own")


def test_both_ways_to_ask_that_are_shipped_fit_the_chat_template() -> None:
    att = load("att")
    assert att.frame == vllm.FRAME
    released = (vllm.FRAME + vllm.ANSWER_BEGINS).split("{audio}")[1]
    assert released in (SHIPPED / "auto-att-released.toml").read_text(encoding="utf-8")
