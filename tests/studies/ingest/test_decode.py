from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.imports.ingest import ffmpeg
from studies.imports.ingest.decode import decode
from studies.imports.ingest.facts import Target
from studies.imports.ingest.formats import AAC, MP4, WEBM, recognise
from studies.imports.ingest.problems import InvalidInput
from studies.imports.ingest.rendition import render
from tests import audio

FORMATS: dict[str, dict[str, Any]] = {
    "wav16": {"format": "WAV", "subtype": "PCM_16"},
    "wav24": {"format": "WAVEX", "subtype": "PCM_24"},
    "wavfloat": {"format": "WAV", "subtype": "FLOAT"},
    "rf64": {"format": "RF64", "subtype": "PCM_16"},
    "flac": {"format": "FLAC"},
    "mp3": {"format": "MP3"},
    "vorbis": {"format": "OGG", "subtype": "VORBIS"},
    "opus": {"format": "OGG", "subtype": "OPUS"},
    "aiff": {"format": "AIFF", "subtype": "PCM_16"},
}
ISO = b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00M4A mp42isom\x00\x00\x00\x00"


def content_of(name: str, seconds: float = 3.0) -> bytes:
    return audio.encoded(audio.speech(seconds), **FORMATS[name])


def heard(tmp_path: Path, content: bytes, max_seconds: float = 60.0) -> Any:
    path = tmp_path / "clip"
    path.write_bytes(content)
    return decode(path, max_seconds=max_seconds)


def refusal(tmp_path: Path, content: bytes, max_seconds: float = 60.0) -> str:
    with pytest.raises(InvalidInput) as caught:
        heard(tmp_path, content, max_seconds)
    return str(caught.value)


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_file_is_decoded(name: str, tmp_path: Path) -> None:
    samples, rate, _ = heard(tmp_path, content_of(name))
    assert rate == 16000
    assert samples.shape == (48000, 1)
    assert np.abs(samples).max() == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_file_that_was_cut_off_is_refused(name: str, share: float, tmp_path: Path) -> None:
    content = content_of(name)
    reason = refusal(tmp_path, content[: int(len(content) * share)])
    assert "cut off" in reason or "can't be decoded" in reason


def test_damage_in_the_middle_of_a_flac_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(content_of("flac"))
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)
    assert "can't be decoded" in refusal(tmp_path, bytes(content))


def test_damage_in_the_middle_of_an_mp3_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(content_of("mp3"))
    middle = len(content) // 2
    content[middle : middle + 500] = b"\x55" * 500
    assert "damaged" in refusal(tmp_path, bytes(content))


def test_an_mp3_file_with_a_tag_is_decoded(tmp_path: Path) -> None:
    tag = b"ID3\x04\x00\x00\x00\x00\x01\x00" + b"<html><script>alert(1)</script>".ljust(128, b"\x00")
    samples, _, _ = heard(tmp_path, tag + content_of("mp3") + b"TAG".ljust(128, b"\x00"))
    assert len(samples) == 48000


def test_a_tag_in_front_of_anything_else_is_refused(tmp_path: Path) -> None:
    assert "no MP3 audio" in refusal(tmp_path, b"ID3\x04\x00\x00\x00\x00\x00\x00" + content_of("flac"))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "playlist"),
        (b"\xef\xbb\xbf#EXTM3U\n", "playlist"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "playlist"),
        (b"<html><body>RIFF</body></html>", "text"),
        (audio.zipped({"a.wav": b"x"}), "archive"),
        (b"\x89PNG\r\n\x1a\n" + bytes(60), "not in a supported audio format"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "not in a supported audio format"),
        (b"RIFF\xff\x00\x00\x00WAVE", "no audio"),
        (b"fLaC" + bytes(100), "can't be decoded"),
        (b"OggS" + bytes(100), "damaged"),
    ],
)
def test_crowd_13_what_is_no_recording_is_refused(content: bytes, word: str, tmp_path: Path) -> None:
    assert word in refusal(tmp_path, content)


def test_silence_is_refused(tmp_path: Path) -> None:
    assert "silent" in refusal(tmp_path, audio.encoded(np.zeros((16000, 1))))
    assert "silent" in refusal(tmp_path, audio.encoded(np.full((16000, 1), 0.5)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_that_are_no_numbers_are_refused(value: float, tmp_path: Path) -> None:
    samples = audio.speech(1.0)
    samples[500] = value
    assert "NaN" in refusal(tmp_path, audio.encoded(samples, subtype="FLOAT"))


@pytest.mark.parametrize("rate", [4000, 7999, 192_001, 384_000])
def test_an_absurd_sample_rate_is_refused(rate: int, tmp_path: Path) -> None:
    assert "sample rate" in refusal(tmp_path, audio.encoded(audio.speech(1.0), rate))


@pytest.mark.parametrize("rate", [8000, 192_000])
def test_the_lowest_and_the_highest_sample_rate_are_taken(rate: int, tmp_path: Path) -> None:
    assert heard(tmp_path, audio.wav(0.5, rate=rate))[1] == rate


def test_more_than_two_channels_are_refused(tmp_path: Path) -> None:
    assert "3 channels" in refusal(tmp_path, audio.wav(1.0, channels=3))


def test_a_clip_that_is_too_long_is_refused_and_180_seconds_are_possible(tmp_path: Path) -> None:
    content = audio.flac(181.0, rate=8000)
    assert "at most 60 s" in refusal(tmp_path, content)
    assert "at most 180 s" in refusal(tmp_path, content, max_seconds=180)
    assert len(heard(tmp_path, content, max_seconds=181)[0]) == 181 * 8000


def test_a_clip_that_is_too_short_is_refused(tmp_path: Path) -> None:
    assert "at least 0.1 s" in refusal(tmp_path, audio.wav(0.09))
    assert len(heard(tmp_path, audio.wav(0.1))[0]) == 1600


def changed(content: bytes, offset: int, form: str, value: int) -> bytes:
    raw = bytearray(content)
    struct.pack_into(form, raw, offset, value)
    return bytes(raw)


@pytest.mark.parametrize(
    ("offset", "form", "value", "word"),
    [
        (22, "<H", 2, "contradicts"),
        (22, "<H", 0, "no channels"),
        (24, "<L", 44100, "contradicts"),
        (28, "<L", 1, "contradicts"),
        (32, "<H", 8, "contradicts"),
        (34, "<H", 24, "contradicts"),
        (40, "<L", 32001, "cut off"),
    ],
)
def test_a_wav_header_that_lies_is_refused(offset: int, form: str, value: int, word: str, tmp_path: Path) -> None:
    content = audio.wav(1.0)
    assert content[36:40] == b"data"
    assert word in refusal(tmp_path, changed(content, offset, form, value))


@pytest.mark.parametrize("number", [16001, 30000, 15000])
def test_a_flac_header_that_promises_more_or_less_is_refused(number: int, tmp_path: Path) -> None:
    # The number of samples is the last 36 bits of bytes 18 to 25 (RFC 9639, section 8.2).
    assert "damaged" in refusal(tmp_path, changed(audio.flac(1.0), 22, ">L", number))


def test_a_flac_file_of_24_bits_and_two_channels_agrees_with_its_checksum(tmp_path: Path) -> None:
    content = audio.encoded(audio.speech(1.0, channels=2), format="FLAC", subtype="PCM_24")
    assert len(heard(tmp_path, content)[0]) == 16000


def test_an_aiff_header_that_lies_is_refused(tmp_path: Path) -> None:
    content = content_of("aiff")
    frames = content.index(b"COMM") + 10
    assert "another number" in refusal(tmp_path, changed(content, frames, ">L", 100))


def test_crowd_13_what_hides_in_a_wav_file_is_not_in_what_raters_are_sent(tmp_path: Path) -> None:
    page = b"<html><script>alert(1)</script></html>"
    content = content_of("wav16") + b"LIST" + struct.pack("<I", len(page)) + page
    content = content[:4] + struct.pack("<I", len(content) - 8) + content[8:]
    samples, rate, _ = heard(tmp_path, content)
    rendered, _gain, _peak = render(samples, rate, Target(), seed=7)
    assert rendered.startswith(b"RIFF")
    assert b"script" not in rendered


def test_crowd_13_a_name_with_another_extension_says_nothing_the_first_bytes_do() -> None:
    assert recognise(ISO) == MP4
    assert recognise(b"\x1aE\xdf\xa3" + bytes(60)) == WEBM
    assert recognise(b"\xff\xf1\x50\x80" + bytes(60)) == AAC


def test_without_ffmpeg_the_reason_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "needs ffmpeg" in refusal(tmp_path, ISO)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program named ffmpeg first that keeps its arguments, and gives back a WAV file or complains as told."""
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    (tmp_path / "sound.wav").write_bytes(audio.wav(1.0))
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\nfor last; do :; done\n'
        f'cp {tmp_path}/sound.wav "${{last#file:}}"\ncat {tmp_path}/says >&2 2>/dev/null\nexit 0\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return tmp_path


def test_ffmpeg_gets_one_demuxer_and_local_files_alone(pretended: Path) -> None:
    samples, rate, form = heard(pretended, ISO)
    given = (pretended / "arguments").read_text().splitlines()
    assert (len(samples), rate, form) == (16000, 16000, MP4)
    before_input = given[: given.index("-i")]
    assert before_input[before_input.index("-f") + 1] == "mov"
    assert before_input[before_input.index("-protocol_whitelist") + 1] == "file"
    assert given[given.index("-i") + 1] == f"file:{pretended}/clip"


def test_anything_that_ffmpeg_complains_about_is_a_refusal_without_our_paths(pretended: Path) -> None:
    (pretended / "says").write_text(f"{pretended}/clip: partial file\n")
    reason = refusal(pretended, ISO)
    assert "partial file" in reason
    assert str(pretended) not in reason


def test_no_address_in_memory_reaches_a_researcher(pretended: Path) -> None:
    (pretended / "says").write_text(
        "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x55d0c8a3f2c0] moov atom not found\n[aac @ 0x7f00deadbeef] 0x7f00deadbeef\n"
    )
    reason = refusal(pretended, ISO)
    assert "(moov atom not found)" in reason
    assert "0x" not in reason


def test_ffmpeg_is_never_asked_about_what_soundfile_reads(pretended: Path) -> None:
    refusal(pretended, audio.wav(1.0)[:100])
    assert not (pretended / "arguments").exists()


@pytest.mark.ffmpeg
@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
@pytest.mark.parametrize(("kind", "codec"), [("ipod", "aac"), ("webm", "libopus"), ("adts", "aac")])
def test_real_ffmpeg_decodes_what_soundfile_cannot(kind: str, codec: str, tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "in.wav").write_bytes(audio.wav(2.0, rate=48000))
    made = tmp_path / "made"
    call = ["ffmpeg", "-v", "error", "-i", tmp_path / "in.wav", "-c:a", codec, "-f", kind, made]
    subprocess.run(call, check=True)
    samples, rate, _ = heard(tmp_path, made.read_bytes())
    assert len(samples) / rate == pytest.approx(2.0, abs=0.1)
    assert ffmpeg.SECONDS
