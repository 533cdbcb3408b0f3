"""WAV and FLAC files as services stream them: headers without a length, or with that of the first part."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from studies.imports.ingest.decode import decode
from studies.imports.ingest.problems import InvalidInput, UncertainEnd
from tests import audio

DATA = 44


def with_size(content: bytes, size: int, riff: int | None = None) -> bytes:
    raw = bytearray(content)
    assert raw[36:40] == b"data"
    struct.pack_into("<L", raw, 40, size)
    struct.pack_into("<L", raw, 4, size if riff is None else riff)
    return bytes(raw)


def heard(tmp_path: Path, content: bytes, *, keeps_declared: bool = False) -> tuple[int, list[str]]:
    path, warnings = tmp_path / "clip", list[str]()
    path.write_bytes(content)
    samples, _rate, _form = decode(path, max_seconds=60, warnings=warnings, keeps_declared=keeps_declared)
    return len(samples), warnings


def refusal(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        heard(tmp_path, content)
    return str(caught.value)


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0, 0x7FFFFFFF, 2_000_000_000, 0xFFFFFFFF - 36])
def test_a_wav_header_without_a_length_is_read_to_the_end_with_a_warning(size: int, tmp_path: Path) -> None:
    frames, warnings = heard(tmp_path, with_size(audio.wav(0.5), size))
    assert frames == 8000
    assert len(warnings) == 1
    assert "has no length" in warnings[0]
    assert "0.50 s" in warnings[0]


def test_a_flac_file_without_a_length_is_read_to_the_end_and_a_cut_one_is_refused(tmp_path: Path) -> None:
    raw = bytearray(audio.flac(2.0))
    # Neither the number of samples nor their checksum is known when the header is written.
    raw[21] &= 0xF0
    raw[22:42] = bytes(20)
    frames, warnings = heard(tmp_path, bytes(raw))
    assert frames == 32_000
    assert "has no length" in warnings[0]
    assert "can't be decoded" in refusal(tmp_path, bytes(raw[: len(raw) * 2 // 3]))


def test_samples_after_those_declared_are_read_with_a_warning(tmp_path: Path) -> None:
    frames, warnings = heard(tmp_path, with_size(audio.wav(0.5), 6000, 6036))
    assert frames == 8000
    assert "length of its first part" in warnings[0]
    assert "(0.19 s)" in warnings[0]
    assert "0.50 s" in warnings[0]


@pytest.mark.parametrize(
    "rest",
    [
        np.random.default_rng(1).integers(0, 256, 8000, dtype=np.uint8).tobytes(),
        # A jump: another recording at full scale.
        np.full(4000, 30_000, "<i2").tobytes(),
        # No whole frames.
        audio.wav(0.5)[DATA + 6000 : -1],
    ],
    ids=["noise", "jump", "odd"],
)
def test_what_follows_the_samples_and_may_not_be_speech_waits_for_a_decision(rest: bytes, tmp_path: Path) -> None:
    content = with_size(audio.wav(0.5)[: DATA + 6000], 6000) + rest
    with pytest.raises(UncertainEnd, match="something else follow"):
        heard(tmp_path, content)
    frames, warnings = heard(tmp_path, content, keeps_declared=True)
    assert frames == 3000
    assert "Only the 0.19 s that the header declares" in warnings[0]


def test_chunks_and_padding_after_the_samples_are_no_audio(tmp_path: Path) -> None:
    content = audio.wav(0.5)
    tag = b"LIST" + struct.pack("<L", 4) + b"INFO"
    assert heard(tmp_path, content + tag) == (8000, [])
    assert heard(tmp_path, content + bytes(100)) == (8000, [])
    frames, warnings = heard(tmp_path, content + b"TAG" + b"x" * 125)
    assert frames == 8000
    assert "128 bytes after the audio were left out" in warnings[0]


@pytest.mark.parametrize("first", [audio.wav(0.5), with_size(audio.wav(0.5), 0xFFFFFFFF)])
def test_wav_files_one_after_another_are_refused_with_advice(first: bytes, tmp_path: Path) -> None:
    reason = refusal(tmp_path, first + audio.wav(0.5, seed=2))
    assert "several WAV files one after another" in reason
    assert "sox" in reason


@pytest.mark.parametrize(("subtype", "form"), [("PCM_16", "16-bit"), ("FLOAT", "32-bit")])
def test_samples_without_a_header_are_named_and_how_to_convert_them(subtype: str, form: str, tmp_path: Path) -> None:
    raw = audio.encoded(audio.speech(1.0), format="RAW", subtype=subtype)
    reason = refusal(tmp_path, raw)
    assert f"no header: its bytes look like {form}" in reason
    assert "ffmpeg -f" in reason
    noise = np.random.default_rng(1).bytes(20_000)
    assert "not in a supported audio format" in refusal(tmp_path, b"\x89PNG" + noise)


def test_a_wav_file_that_was_cut_is_still_refused(tmp_path: Path) -> None:
    assert "cut off" in refusal(tmp_path, audio.wav(1.0)[:20_000])
