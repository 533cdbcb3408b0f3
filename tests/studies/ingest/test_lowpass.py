from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.imports.ingest.child import process
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.facts import Facts, Target
from studies.imports.ingest.lowpass import lowpassed, write_lowpass
from studies.imports.ingest.measure import Samples, decibels
from studies.imports.ingest.problems import InvalidInput
from tests import audio

RATES = [16000, 22050, 44100, 48000, 96000, 192000]


def noise(seconds: float, rate: int, channels: int = 1, level: float = 0.1) -> Samples:
    return level * np.random.default_rng(5).standard_normal((round(seconds * rate), channels))


def band(samples: Samples, rate: int, low: float, high: float) -> float:
    """Return the mean power of what lies between two frequencies, in dB."""
    window = np.hanning(len(samples))[:, None] ** 4
    power = np.abs(np.fft.rfft(samples * window, axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    return float(10 * np.log10(power[(frequencies >= low) & (frequencies <= high)].mean()))


@pytest.mark.parametrize("hertz", [3500, 7000])
@pytest.mark.parametrize("rate", RATES)
def test_what_lies_above_is_gone_and_what_lies_below_is_left(rate: int, hertz: int) -> None:
    before = noise(1.0, rate)
    after = lowpassed(before, rate, hertz)
    assert after.shape == before.shape
    for low in range(100, hertz, hertz // 10):
        high = min(low + hertz // 10, hertz)
        assert band(after, rate, low, high) == pytest.approx(band(before, rate, low, high), abs=0.5)
    if 1.15 * hertz < rate / 2:
        assert band(after, rate, 1.15 * hertz, rate / 2) < band(before, rate, 1.15 * hertz, rate / 2) - 50


@pytest.mark.parametrize("frequency", [50, 1000, 3400])
def test_a_tone_below_the_cut_off_keeps_its_level_and_its_time(frequency: int) -> None:
    tone = np.sin(2 * np.pi * frequency * np.arange(48000) / 48000)[:, None]
    after = lowpassed(tone, 48000, 3500)
    middle = slice(4800, -4800)
    assert decibels(float(np.abs(after[middle] - tone[middle]).max())) < -60


@settings(max_examples=25, deadline=None)
@given(st.integers(8000, 192000), st.integers(1000, 20000), st.integers(1, 2))
def test_a_filtered_clip_is_as_long_as_it_was_or_refused(rate: int, hertz: int, channels: int) -> None:
    if rate / 2 >= 1.1 * hertz:
        after = lowpassed(noise(0.1, rate, channels), rate, hertz)
        assert after.shape == (round(0.1 * rate), channels)
        assert np.isfinite(after).all()


def written(folder: Path, content: bytes, hertz: int) -> Path:
    (folder / "source").write_bytes(content)
    write_lowpass(folder / "source", folder / "low.wav", hertz, max_seconds=60)
    return folder / "low.wav"


def test_the_filtered_file_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    content = audio.flac(1.0, rate=44100, channels=2)
    first = written(tmp_path, content, 3500).read_bytes()
    assert written(tmp_path, content, 3500).read_bytes() == first
    info = soundfile.info(tmp_path / "low.wav")
    assert (info.samplerate, info.channels, info.frames, info.subtype) == (44100, 2, 44100, "PCM_24")


def test_ringing_beyond_full_scale_is_brought_back_in(tmp_path: Path) -> None:
    square = np.sign(np.sin(2 * np.pi * 900 * np.arange(48000) / 48000))[:, None]
    samples, _rate = soundfile.read(written(tmp_path, audio.encoded(square, 48000, subtype="FLOAT"), 3500))
    assert 0.99 < np.abs(samples).max() <= 1.0
    assert (np.abs(samples) > 0.999).mean() < 0.1


@pytest.mark.parametrize(("rate", "hertz"), [(8000, 7000), (8000, 4000), (14000, 7000)])
def test_a_recording_with_nothing_to_cut_makes_no_anchor(rate: int, hertz: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=f"{hertz:,} Hz can't be made of a recording at {rate:,} Hz"):
        written(tmp_path, audio.wav(0.5, rate=rate), hertz)
    assert not (tmp_path / "low.wav").exists()


def test_the_rendition_of_an_anchor_is_as_loud_as_others_and_holds_nothing_above(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(audio.encoded(noise(2.0, 48000, level=0.05), 48000, subtype="PCM_24"))
    write_lowpass(tmp_path / "source", tmp_path / "low", 3500, max_seconds=60)
    facts = process(tmp_path / "low", tmp_path / "rendition", Target())
    assert isinstance(facts, Facts)
    assert facts.delivered == pytest.approx(-23)
    samples, rate = soundfile.read(tmp_path / "rendition", always_2d=True)
    assert band(samples, rate, 1.15 * 3500, rate / 2) < band(samples, rate, 100, 3500) - 50


@pytest.mark.processes
def test_the_child_filters_and_refuses_like_it_decodes(tmp_path: Path) -> None:
    (tmp_path / "clip").write_bytes(audio.wav(0.5, rate=48000))
    (tmp_path / "text").write_bytes(b"no sound")
    with DecoderProcess(Target()) as decoder:
        decoder.lowpass(tmp_path / "clip", tmp_path / "low", 3500)
        assert decoder.decode(tmp_path / "low", tmp_path / "rendition").duration == 0.5
        with pytest.raises(InvalidInput, match="text"):
            decoder.lowpass(tmp_path / "text", tmp_path / "other", 3500)


@pytest.mark.processes
def test_a_filtered_file_that_is_a_link_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("root:x:0:0")
    with DecoderProcess(Target()) as decoder:
        monkeypatch.setattr(decoder, "_ask", lambda source, target, lowpass: target.symlink_to(tmp_path / "secret"))
        with pytest.raises(InvalidInput, match="did not produce a recording"):
            decoder.lowpass(tmp_path / "clip", tmp_path / "low", 3500)
