"""One forward pass must give what the model itself would say, alone or in company."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from judge.profiles import PromptProfile
from judge.server import forward
from judge.server.engine import Engine, ModelReading
from judge.server.forward import audio_tokens, collate
from judge.server.loading import load
from judge.server.pcm import RATE
from tests.judge_engine.sounds import sound

LENGTHS = (0.7, 29.9, 3.0, 0.1, 10.0)


@pytest.mark.parametrize("profile", ["att", "assistant"])
def test_a_batch_of_mixed_lengths_equals_single_clips(engine: Engine, profile: str) -> None:
    clips = [engine.prepare(sound(seconds, seed), profile) for seed, seconds in enumerate(LENGTHS)]
    together = engine.read(clips)
    for clip, reading in zip(clips, together, strict=True):
        alone = engine.read([clip])[0]
        assert reading.log_probabilities == pytest.approx(alone.log_probabilities, abs=1e-5)
    assert len({round(reading.probabilities[0], 3) for reading in together}) == len(LENGTHS), "clips must differ"


def test_profiles_may_share_a_batch(engine: Engine) -> None:
    clips = [engine.prepare(sound(2.0, 5), "att"), engine.prepare(sound(1.0, 6), "assistant")]
    for clip, reading in zip(clips, engine.read(clips), strict=True):
        assert reading.log_probabilities == pytest.approx(engine.read([clip])[0].log_probabilities, abs=1e-5)


@pytest.mark.parametrize("profile", ["att", "assistant"])
def test_a_reading_is_what_generating_one_token_would_have_seen(engine: Engine, profile: str) -> None:
    processor, model = engine.loaded.processor, engine.loaded.model
    samples = [sound(seconds, seed) for seed, seconds in enumerate(LENGTHS)]
    rendering = engine.renderings[profile]
    text = rendering.profile.text(f"<|audio_bos|>{processor.audio_token}<|audio_eos|>")
    inputs = processor(text=[text] * len(samples), audio=samples, sampling_rate=RATE, return_tensors="pt", padding=True)
    told = model.generate(**inputs, max_new_tokens=1, do_sample=False, output_logits=True, return_dict_in_generate=True)
    shares = torch.log_softmax(told.logits[0].float(), dim=-1)
    readings = engine.read([engine.prepare(one, profile) for one in samples])
    for row, reading in zip(shares, readings, strict=True):
        expected = [float(row[token]) for token in rendering.label_ids]
        assert reading.log_probabilities == pytest.approx(expected, abs=1e-5)


def test_our_tokens_and_features_are_the_processors(engine: Engine) -> None:
    processor = engine.loaded.processor
    for seconds in LENGTHS:
        clip = engine.prepare(sound(seconds), "att")
        text = clip.rendering.profile.text(f"<|audio_bos|>{processor.audio_token}<|audio_eos|>")
        theirs = processor(text=text, audio=sound(seconds), sampling_rate=RATE, return_tensors="pt")
        assert clip.ids.tolist() == theirs["input_ids"][0].tolist()
        assert torch.equal(clip.features, theirs["input_features"][0])
        assert torch.equal(clip.frames, theirs["feature_attention_mask"][0])


def test_padding_is_on_the_left_and_the_last_column_is_read(engine: Engine) -> None:
    clips = [engine.prepare(sound(seconds), "att") for seconds in (0.5, 4.0)]
    batch = collate(clips)
    colon = engine.loaded.processor.tokenizer.encode(":")
    assert batch["input_ids"][:, -1].tolist() == colon * 2
    assert batch["attention_mask"][0, 0] == 0
    assert batch["attention_mask"][:, -1].tolist() == [1, 1]
    assert int(batch["position_ids"][0, -1]) == clips[0].tokens - 1


def test_the_shortest_clip_that_is_taken_still_has_audio_tokens() -> None:
    assert audio_tokens(10) == 2


def test_half_precision_stays_within_five_thousandths(
    folder: Path, profiles: Sequence[PromptProfile], engine: Engine
) -> None:
    half = Engine(load(folder, device="cpu", dtype="bfloat16"), profiles)
    clips = [half.prepare(sound(seconds, seed), "att") for seed, seconds in enumerate(LENGTHS)]
    att = profiles[0]
    together = [att.hls(reading.probabilities) for reading in half.read(clips)]
    alone = [att.hls(half.read([clip])[0].probabilities) for clip in clips]
    exact = [att.hls(reading.probabilities) for reading in engine.read(clips)]
    assert together == pytest.approx(alone, abs=5e-3)
    assert together == pytest.approx(exact, abs=5e-3)


def test_the_head_is_read_in_full_precision_whatever_the_models_own(
    folder: Path, profiles: Sequence[PromptProfile]
) -> None:
    half = Engine(load(folder, device="cpu", dtype="bfloat16"), profiles)
    model, clips = (
        half.loaded.model,
        [half.prepare(sound(seconds, seed), "att") for seed, seconds in enumerate(LENGTHS)],
    )
    with torch.inference_mode():
        hidden = model.model(**collate(clips), use_cache=False).last_hidden_state[:, -1].double()
        # Logits as large as a real model's, where those of bf16 are an eighth apart.
        model.lm_head.weight.mul_(20 / (hidden @ model.lm_head.weight.double().T).max())
        shares = torch.log_softmax(hidden @ model.lm_head.weight.double().T, dim=-1)
    for row, clip, reading in zip(shares, clips, half.read(clips), strict=True):
        exact = ModelReading(tuple(float(row[token]) for token in clip.rendering.label_ids))
        assert reading.log_probabilities == pytest.approx(exact.log_probabilities, abs=1e-4)
        assert clip.rendering.profile.hls(reading.probabilities) == pytest.approx(
            clip.rendering.profile.hls(exact.probabilities), abs=1e-5
        )


def test_the_whole_vocabulary_is_summed_in_parts(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = [engine.prepare(sound(2.0, 5), "att")]
    whole = engine.read(clips)[0].log_probabilities
    monkeypatch.setattr(forward, "PART", 7)
    assert engine.read(clips)[0].log_probabilities == pytest.approx(whole, abs=1e-6)


def test_probabilities_are_the_softmax_over_the_labels_alone() -> None:
    reading = ModelReading((math.log(0.2), math.log(0.1), math.log(0.1)))
    assert reading.probabilities == pytest.approx((0.5, 0.25, 0.25))
    assert reading.label_mass == pytest.approx(0.4)
    assert reading.is_sound
    assert not ModelReading((math.nan, 0.0)).is_sound
