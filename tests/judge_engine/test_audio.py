"""What the model hears of a clip, and which clips it never hears."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest

from judge.problems import ClipRefusal
from judge.schemas import ScoreQuery
from judge.server.audio import hear
from judge.server.pcm import RATE
from tests.judge_engine.malformed import all_files
from tests.judge_engine.sounds import file, sound, wav

ANY = ScoreQuery(length=None, seconds=None)
DOCS = Path(__file__).parents[2] / "docs" / "judge.md"
FILES = all_files()


def outcome(content: bytes, query: ScoreQuery = ANY) -> str:
    """Return what the table says of a file."""
    try:
        heard = hear(content, query)
    except ClipRefusal as refused:
        return f"refused: `{refused.code}`"
    told = ", ".join(f"`{warning}`" for warning in heard.warnings)
    return f"scored, with {told}" if told else "scored"


def documented() -> dict[str, str]:
    rows = re.findall(r"^\| ([^|]+) \| (scored[^|]*|refused[^|]*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.strip(): told.strip() for name, told in rows}


def test_the_table_in_the_docs_says_what_becomes_of_every_malformed_file() -> None:
    assert documented() == {name: outcome(content) for name, content in FILES.items()}


def test_a_cut_that_no_decoder_sees_is_refused_when_the_sender_told_the_length() -> None:
    cut = FILES["the same, cut after a third"]
    assert outcome(cut).startswith("scored")
    assert outcome(cut, ScoreQuery(length=None, seconds=5.0)) == "refused: `corrupt`"
    assert outcome(cut, ScoreQuery(length=3 * len(cut), seconds=None)) == "refused: `corrupt`"


def test_a_clip_is_held_against_the_hash_that_its_sender_told() -> None:
    right = hashlib.sha256(wav()).hexdigest()
    assert hear(wav(), ScoreQuery(sha256=right, length=len(wav()), seconds=1.0)).audio_sha256 == right
    with pytest.raises(ClipRefusal, match=right):
        hear(wav(), ScoreQuery(sha256="0" * 64, length=None, seconds=None))


def test_the_model_hears_16_khz_whatever_the_file_has() -> None:
    for rate in (8000, 22_050, 48_000):
        heard = hear(file(sound(2.0, rate=rate), rate), ANY)
        assert heard.samples.dtype == np.float32
        assert abs(len(heard.samples) - 2 * RATE) <= 1
        assert heard.seconds == pytest.approx(2.0, abs=1e-3)


def test_channels_are_averaged() -> None:
    left, right = sound(1.0, 1), sound(1.0, 2)
    heard = hear(file(np.stack([left, right], axis=1), subtype="FLOAT"), ANY)
    assert heard.samples == pytest.approx((left + right) / 2, abs=1e-6)


def test_the_same_samples_have_the_same_pcm_hash_in_another_container() -> None:
    whole = np.round(sound(1.0) * 32767).astype(np.int16)
    one, other = (hear(file(whole, kind=kind, subtype="PCM_16"), ANY) for kind in ("WAV", "FLAC"))
    assert one.pcm_sha256 == other.pcm_sha256
    assert one.audio_sha256 != other.audio_sha256
    assert one.pcm_sha256 != hear(wav(1.0, seed=2), ANY).pcm_sha256


def test_the_level_is_left_alone_unless_the_profile_names_one() -> None:
    quiet = file(sound(2.0) / 20, subtype="FLOAT")
    assert np.abs(hear(quiet, ANY).samples).max() == pytest.approx(np.abs(sound(2.0)).max() / 20, rel=1e-4)
    levelled = hear(quiet, ANY, loudness=-23.0).samples
    assert pyloudnorm.Meter(RATE).integrated_loudness(levelled.astype(np.float64)) == pytest.approx(-23, abs=0.1)


def test_a_clip_too_short_to_have_a_loudness_keeps_its_level() -> None:
    short = file(sound(0.3), subtype="FLOAT")
    assert hear(short, ANY, loudness=-23.0).samples == pytest.approx(hear(short, ANY).samples)


@pytest.mark.parametrize(("seconds", "is_taken"), [(0.099, False), (0.1, True), (30.0, True), (30.001, False)])
def test_the_limits_of_length_are_what_the_model_can_hold(seconds: float, is_taken: bool) -> None:
    assert (outcome(wav(seconds)) == "scored") is is_taken
