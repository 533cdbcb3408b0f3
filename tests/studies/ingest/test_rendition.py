from __future__ import annotations

import hashlib
import io
import struct
from typing import Any

import numpy as np
import pyloudnorm
import pytest
import soundfile
from scipy import signal

from studies.imports.ingest import wav
from studies.imports.ingest.facts import Target
from studies.imports.ingest.measure import decibels, loudness, peak, silence
from studies.imports.ingest.rendition import render
from tests import audio


def made(samples: Any, rate: int, **target: Any) -> tuple[bytes, float, float | None]:
    return render(samples, rate, Target(**target), seed=7)


def reread(content: bytes) -> tuple[Any, int]:
    return soundfile.read(io.BytesIO(content), always_2d=True)


def fine_peak(samples: Any) -> float:
    """Return the true peak in dBTP another way: a Fourier interpolation, 16 times."""
    return decibels(float(np.abs(signal.resample(samples, 16 * len(samples), axis=0)).max()))


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_rendition_has_the_loudness_asked_for_as_another_meter_hears_it(rate: int, channels: int) -> None:
    content, _, delivered = made(audio.speech(3.0, rate=rate, channels=channels, level=0.05), rate)
    samples, rate = reread(content)
    assert delivered == pytest.approx(-23)
    assert pyloudnorm.Meter(rate).integrated_loudness(samples) == pytest.approx(-23, abs=0.1)


def test_loudness_matches_the_reference_tone() -> None:
    # ITU-R BS.1770-4: a 997 Hz sine at 0 dBFS in one channel reads -3.01 LUFS.
    tone = np.sin(2 * np.pi * 997 * np.arange(48000 * 5) / 48000)[:, None]
    assert loudness(tone, 48000) == pytest.approx(-3.01, abs=0.01)


def test_the_true_peak_between_samples_is_found() -> None:
    # A sine at a quarter of the rate, 45 degrees off: samples reach 0.707 of its height.
    tone = np.sin(2 * np.pi * 0.25 * np.arange(4800) + np.pi / 4)[:, None] * signal.windows.tukey(4800, 0.5)[:, None]
    assert np.abs(tone).max() == pytest.approx(0.7071, abs=1e-3)
    assert decibels(peak(tone)) == pytest.approx(0.0, abs=0.1)


def test_the_true_peak_of_a_long_clip_equals_that_of_its_loudest_part(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = audio.speech(2.0)
    whole = peak(samples)
    monkeypatch.setattr("studies.imports.ingest.measure.CHUNK", 1000)
    assert peak(samples) == pytest.approx(whole, rel=1e-3)


def test_the_peak_limits_the_gain() -> None:
    samples = audio.speech(2.0, rate=48000, level=0.02)
    samples[5000:5003, 0] += [0.4, 0.8, 0.4]
    content, gain, delivered = made(samples, 48000, peak=-6.0)
    assert delivered is not None
    assert delivered < -24
    assert fine_peak(reread(content)[0]) <= -5.9
    assert gain == pytest.approx(-6 - decibels(peak(samples)), abs=0.05)


@pytest.mark.parametrize("level", [0.01, 0.2, 1.0])
def test_no_rendition_is_above_the_peak(level: float) -> None:
    samples = audio.speech(1.0, rate=22050, level=level, seed=3)
    content, _, _ = made(samples, 22050, loudness=-10.0, peak=-1.0)
    assert fine_peak(reread(content)[0]) <= -0.9


def test_the_header_is_the_canonical_one_and_nothing_follows_the_samples() -> None:
    content, _, _ = made(audio.speech(1.0), 16000, sample_rate=24000)
    assert content[:4] + content[8:16] + content[36:40] == b"RIFFWAVEfmt data"
    assert struct.unpack_from("<L", content, 4)[0] == len(content) - 8
    assert struct.unpack_from("<LHHLLHH", content, 16) == (16, 1, 1, 24000, 48000, 2, 16)
    assert len(content) == wav.HEADER + 24000 * 2 == wav.HEADER + struct.unpack_from("<L", content, 40)[0]


def test_the_length_in_bytes_depends_on_duration_alone() -> None:
    noise = np.random.default_rng(0).standard_normal((22050, 1)) * 0.1
    lengths = {
        len(made(samples, 22050)[0])
        for samples in (noise, audio.speech(1.0, rate=22050), audio.speech(1.0, rate=22050, level=1))
    }
    assert lengths == {44 + 2 * 48000}


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 192000])
def test_a_change_of_rate_keeps_the_duration(rate: int) -> None:
    content, _, _ = made(audio.speech(1.234, rate=rate), rate)
    frames = (len(content) - 44) // 2
    assert 0 <= frames - 1.234 * 48000 < 48000 / 50 + 1


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 24000, 44100, 48000])
@pytest.mark.parametrize("wanted", [16000, 22050, 48000])
def test_the_length_does_not_tell_the_rate_of_the_original(rate: int, wanted: int) -> None:
    content, _, _ = made(audio.speech(0.7654, rate=rate), rate, sample_rate=wanted)
    assert (len(content) - 44) // 2 == 39 * wanted // 50


def test_a_change_of_rate_keeps_a_tone_and_adds_no_image() -> None:
    tone = 0.1 * np.sin(2 * np.pi * 3000 * np.arange(22050 * 2) / 22050)[:, None]
    samples, _ = reread(made(tone, 22050, loudness=None)[0])
    middle = samples[10000:-10000, 0]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    frequency = np.fft.rfftfreq(len(middle), 1 / 48000)
    tone_power = spectrum[np.abs(frequency - 3000) < 50].max()
    assert spectrum[np.abs(frequency - 3000) > 200].max() < tone_power * 10 ** (-80 / 20)


def test_the_same_clip_gives_the_same_bytes() -> None:
    samples = audio.speech(1.0, rate=22050)
    first, second = (hashlib.sha256(made(samples, 22050)[0]).hexdigest() for _ in range(2))
    assert first == second


def test_without_matching_a_16_bit_clip_is_delivered_bit_for_bit() -> None:
    samples, _ = reread(audio.wav(0.5, rate=48000))
    content, gain, _ = made(samples, 48000, loudness=None)
    assert gain == 0
    assert content[44:] == audio.wav(0.5, rate=48000)[44:]


def test_without_matching_only_what_16_bits_cannot_hold_is_lowered() -> None:
    samples = audio.speech(0.5, rate=48000, level=2.0)
    content, gain, _ = made(samples, 48000, loudness=None)
    assert gain == pytest.approx(-6.02, abs=0.01)
    assert np.abs(reread(content)[0]).max() <= 1.0


def test_two_channels_become_one_and_one_becomes_two() -> None:
    stereo = np.concatenate([audio.speech(1.0, seed=1), audio.speech(1.0, seed=2)], axis=1)
    assert reread(made(stereo, 16000)[0])[0].shape == (48000, 1)
    doubled = reread(made(audio.speech(1.0), 16000, channels=2)[0])[0]
    assert doubled.shape == (48000, 2)


def test_a_clip_shorter_than_a_gating_block_keeps_its_level() -> None:
    _, gain, delivered = made(audio.speech(0.3), 16000)
    assert (gain, delivered) == (0.0, None)


def test_silence_before_and_after_is_measured() -> None:
    quiet = np.random.default_rng(1).standard_normal((16000, 1)) * 1e-5
    sound = np.concatenate([quiet[:4800], 0.3 + 0 * quiet[:16000], quiet[:8000]])
    sound[4800:20800, 0] *= np.sin(2 * np.pi * 200 * np.arange(16000) / 16000)
    before, after = silence(sound, 16000)
    assert before == pytest.approx(0.3, abs=0.011)
    assert after == pytest.approx(0.5, abs=0.011)
