"""How the samples of a source file were coded: its codec and its bit depth."""

from __future__ import annotations

from pathlib import Path

import soundfile

from studies.imports.ingest.formats import FLAC, AudioFormat

# Bits of a sample by libsndfile's name; codecs that lose something have none.
DEPTHS = {"PCM_S8": 8, "PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32, "FLOAT": 32, "DOUBLE": 64}
NAMES = {
    "ALAW": "A-law", "ULAW": "µ-law", "MPEG_LAYER_I": "MP1", "MPEG_LAYER_II": "MP2", "MPEG_LAYER_III": "MP3",
    "VORBIS": "Vorbis", "OPUS": "Opus",
}  # fmt: skip


def coding_of(path: Path, form: AudioFormat) -> tuple[str, int | None]:
    """Return the codec of a recording, such as PCM, float, FLAC or MP3, and the bits of a sample, if it has any."""
    if form.demuxer:
        # What ffmpeg decodes are AAC, and Opus or Vorbis in WebM; the container is what is known for sure.
        return form.name, None
    with soundfile.SoundFile(path) as file:
        subtype = str(file.subtype)
    depth = DEPTHS.get(subtype)
    if depth is None:
        return NAMES.get(subtype, subtype.replace("_", " ").title())[:20], None
    if form == FLAC:
        return "FLAC", depth
    return ("float" if subtype in {"FLOAT", "DOUBLE"} else "PCM"), depth
