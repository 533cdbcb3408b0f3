"""Decode formats that libsndfile can't read with ffmpeg, under tight limits."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from studies.imports.ingest.formats import AudioFormat
from studies.imports.ingest.problems import InvalidInput

SECONDS = 60


def command(program: str, path: Path, form: AudioFormat, target: Path, *, max_seconds: float) -> list[str]:
    """Return the call: one demuxer, local files alone, first audio stream, one thread, stop at the first error."""
    return [
        program,
        *("-nostdin", "-hide_banner", "-loglevel", "error", "-xerror", "-threads", "1"),
        *("-err_detect", "explode", "-protocol_whitelist", "file", "-f", form.demuxer, "-i", f"file:{path}"),
        *("-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-t", f"{max_seconds + 1:g}"),
        *("-c:a", "pcm_f32le", "-threads", "1", "-f", "wav", "-y", f"file:{target}"),
    ]


def to_wav(path: Path, form: AudioFormat, target: Path, *, max_seconds: float) -> Path:
    """Decode `path` to a WAV file at `target`; raises `InvalidInput`. The caller's limits hold for ffmpeg too."""
    program = shutil.which("ffmpeg")
    if not program:
        raise InvalidInput(f"{form.name} needs ffmpeg, which this server doesn't have. Save the clip as WAV or FLAC.")
    call = command(program, path, form, target, max_seconds=max_seconds)
    try:
        done = subprocess.run(call, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603  (no shell)
    except subprocess.TimeoutExpired:
        raise InvalidInput(f"ffmpeg needed more than {SECONDS} s. Save the clip as WAV or FLAC.") from None
    if done.returncode or done.stderr.strip() or not target.is_file():
        output = done.stderr.decode(errors="replace")
        sys.stderr.write(output)
        why = cause(output, path)
        raise InvalidInput(f"The {form.name} file is damaged and can't be decoded{why}. Export it again.")
    return target


def cause(output: str, path: Path) -> str:
    """Return the last of ffmpeg's lines in brackets, without our path, its parts' names and their addresses."""
    lines = [re.sub(r"\[[^\]]*@ 0x[0-9a-f]+\]\s*", "", line).strip() for line in output.splitlines()]
    lines = [line for line in lines if line and not re.search(r"0x[0-9a-f]{4,}", line)]
    return f" ({lines[-1].replace(f'file:{path}', 'the file').replace(str(path), 'the file')[:200]})" if lines else ""
