"""Recognise the format of an audio file by its first bytes, never by its name."""

from __future__ import annotations

from dataclasses import dataclass

from studies.imports.ingest.problems import InvalidInput

MAGIC_BYTES = 64
KNOWN = "WAV, FLAC, MP3, Ogg, AIFF, M4A, AAC or WebM"


@dataclass(frozen=True)
class AudioFormat:
    """A container: its name in libsndfile, or else the only demuxer that ffmpeg may use."""

    name: str
    soundfile: frozenset[str] = frozenset()
    demuxer: str = ""


WAV = AudioFormat("WAV", frozenset({"WAV", "WAVEX"}))
RF64 = AudioFormat("RF64", frozenset({"RF64"}))
AIFF = AudioFormat("AIFF", frozenset({"AIFF"}))
FLAC = AudioFormat("FLAC", frozenset({"FLAC"}))
OGG = AudioFormat("Ogg", frozenset({"OGG"}))
MP3 = AudioFormat("MP3", frozenset({"MP3", "MPEG"}))
MP4 = AudioFormat("M4A", demuxer="mov")
WEBM = AudioFormat("WebM", demuxer="matroska")
AAC = AudioFormat("AAC", demuxer="aac")


def recognise(head: bytes) -> AudioFormat:
    """Return the format of a file that begins with `head` (64 bytes are enough); raises `InvalidInput`."""
    if not head:
        raise InvalidInput("The file is empty.")
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return WAV
    if head.startswith(b"RF64") and head[8:12] == b"WAVE":
        return RF64
    if head.startswith(b"FORM") and head[8:12] in {b"AIFF", b"AIFC"}:
        return AIFF
    if head.startswith(b"fLaC"):
        return FLAC
    if head.startswith(b"OggS"):
        return OGG
    if head[4:8] == b"ftyp":
        return MP4
    if head.startswith(b"\x1aE\xdf\xa3"):
        return WEBM
    if head.startswith(b"ID3"):
        return MP3
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return AAC
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06:
        return MP3
    if head.startswith(b"PK\x03\x04"):
        raise InvalidInput("The file is an archive, not a recording. Unpack it first.")
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"#EXTM3U", b"[playlist]", b"ffconcat")):
        raise InvalidInput("The file is a playlist, not a recording. Send the recording itself.")
    if b"\x00" not in head and head.isascii():
        raise InvalidInput("The file is text, not a recording.")
    raise InvalidInput(f"The file is not in a supported audio format. Save it as {KNOWN}.")
