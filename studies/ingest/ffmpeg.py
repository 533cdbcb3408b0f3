"""Formats that libsndfile can't read, through ffmpeg on a short leash."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from studies.ingest.formats import Format
from studies.ingest.problems import Refused

SECONDS = 60


def command(program: str, path: Path, form: Format, target: Path, *, max_seconds: float) -> list[str]:
    """Return the call: one demuxer, local files alone, first audio stream, one thread, stop at the first error."""
    return [
        program,
        *("-nostdin", "-hide_banner", "-loglevel", "error", "-xerror", "-threads", "1"),
        *("-err_detect", "explode", "-protocol_whitelist", "file", "-f", form.demuxer, "-i", f"file:{path}"),
        *("-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-t", f"{max_seconds + 1:g}"),
        *("-c:a", "pcm_f32le", "-threads", "1", "-f", "wav", "-y", f"file:{target}"),
    ]


def to_wav(path: Path, form: Format, target: Path, *, max_seconds: float) -> Path:
    """Decode `path` to a WAV file at `target`; raises `Refused`. The caller's limits hold for ffmpeg too."""
    program = shutil.which("ffmpeg")
    if not program:
        raise Refused(f"{form.name} needs ffmpeg, which this server doesn't have. Save the clip as WAV or FLAC.")
    call = command(program, path, form, target, max_seconds=max_seconds)
    try:
        done = subprocess.run(call, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603  (no shell)
    except subprocess.TimeoutExpired:
        raise Refused(f"ffmpeg needed more than {SECONDS} s. Save the clip as WAV or FLAC.") from None
    if done.returncode or done.stderr.strip() or not target.is_file():
        said = done.stderr.decode(errors="replace").strip().splitlines()
        # ffmpeg names the file; its path is ours and tells the researcher nothing.
        why = said[-1].replace(str(path), "the file")[:200] if said else f"exit status {done.returncode}"
        raise Refused(f"The {form.name} file can't be decoded ({why}). Export it again.")
    return target
