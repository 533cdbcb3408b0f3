"""Damaged, cut and glued containers, which a decoder would shorten without a word, and levels that no recording has."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from studies.imports.ingest.decode import decode
from studies.imports.ingest.problems import InvalidInput
from tests import audio

OPUS, VORBIS = {"format": "OGG", "subtype": "OPUS"}, {"format": "OGG", "subtype": "VORBIS"}
MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
TAG = b"ID3\x04\x00\x00\x00\x00\x00\x10" + bytes(16)


def ogg(seconds: float = 2.0, seed: int = 1, codec: dict[str, str] = OPUS) -> bytes:
    return audio.encoded(audio.speech(seconds, seed=seed), **codec)


def mp3(seconds: float = 2.0, seed: int = 1) -> bytes:
    return audio.encoded(audio.speech(seconds, seed=seed), format="MP3")


def pages(content: bytes) -> list[bytes]:
    found = []
    while content:
        table = content[27 : 27 + content[26]]
        size = 27 + len(table) + sum(table)
        found.append(content[:size])
        content = content[size:]
    return found


def marked_as_end(page: bytes, position: int | None = None) -> bytes:
    """Return the page as the last one, with a checksum that fits."""
    raw = bytearray(page)
    raw[5] |= 4
    if position is not None:
        struct.pack_into("<q", raw, 6, position)
    raw[22:26] = bytes(4)
    mirrored = zlib.crc32(bytes(raw).translate(MIRRORED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    raw[22:26] = mirrored.to_bytes(4, "little").translate(MIRRORED)[::-1]
    return bytes(raw)


def refusal(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "clip"
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        decode(path, max_seconds=60)
    return str(caught.value)


@pytest.mark.parametrize("codec", [OPUS, VORBIS])
def test_a_damaged_ogg_page_is_refused(codec: dict[str, str], tmp_path: Path) -> None:
    raw = bytearray(ogg(codec=codec))
    raw[len(raw) // 2] ^= 1
    assert "doesn't match its checksum" in refusal(tmp_path, bytes(raw))


@pytest.mark.parametrize("codec", [OPUS, VORBIS])
def test_a_missing_ogg_page_is_refused(codec: dict[str, str], tmp_path: Path) -> None:
    parts = pages(ogg(codec=codec))
    assert "pages are missing" in refusal(tmp_path, b"".join([*parts[:2], *parts[3:]]))
    assert "first Ogg pages are missing" in refusal(tmp_path, b"".join(parts[1:]))


@pytest.mark.parametrize("codec", [OPUS, VORBIS])
def test_a_second_ogg_stream_is_refused(codec: dict[str, str], tmp_path: Path) -> None:
    assert "several Ogg streams" in refusal(tmp_path, ogg(codec=codec) + ogg(1.0, seed=2, codec=codec))


def test_an_ogg_file_that_goes_on_as_something_else_is_refused(tmp_path: Path) -> None:
    assert "there is other data after its end" in refusal(tmp_path, ogg() + b"more")


def test_zeros_behind_an_ogg_file_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "clip"
    path.write_bytes(ogg() + bytes(100))
    assert len(decode(path, max_seconds=60)[0]) == 32_000


@pytest.mark.parametrize(("codec", "rate"), [(OPUS, 48_000), (VORBIS, 16_000)])
def test_an_ogg_file_that_declares_more_than_it_holds_is_refused(
    codec: dict[str, str], rate: int, tmp_path: Path
) -> None:
    parts = pages(ogg(codec=codec))
    content = b"".join([*parts[:-1], marked_as_end(parts[-1], 5 * rate)])
    assert "it declares" in refusal(tmp_path, content)


@pytest.mark.parametrize("between", [b"", TAG, b"TAG".ljust(128, b"\x00")])
def test_mp3_files_that_were_glued_together_are_refused(between: bytes, tmp_path: Path) -> None:
    assert "several MP3 recordings" in refusal(tmp_path, mp3() + between + mp3(1.0, seed=2))


@pytest.mark.parametrize("factor", [1e30, 32_768.0, 20.0])
def test_levels_that_no_recording_has_are_refused(factor: float, tmp_path: Path) -> None:
    loud = audio.speech(1.0, level=1.0) * factor
    assert "full scale is 0" in refusal(tmp_path, audio.encoded(loud, subtype="FLOAT"))


def test_a_few_decibels_beyond_full_scale_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "clip"
    path.write_bytes(audio.encoded(audio.speech(1.0, level=2.0), subtype="FLOAT"))
    samples, _, _ = decode(path, max_seconds=60)
    assert np.abs(samples).max() == pytest.approx(2.0)
