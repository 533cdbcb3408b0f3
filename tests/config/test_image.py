"""What the image leaves out is not needed: neither of its packages nor of ffmpeg."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from core.paths import ROOT
from studies.imports.ingest import formats
from studies.imports.ingest.ffmpeg import command

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXPORT = """
import sys
from datetime import UTC, datetime
from pathlib import Path
import pandas, pyarrow
from analysis.exports.writers import Parquet
from analysis.exports.columns import Column
columns = (Column("score", "number", ""), Column("text", "text", ""), Column("at", "time", ""))
file = Parquet(columns, Path(sys.argv[1]))
file.add({"score": [1.5, None], "text": ["a", None], "at": [datetime(2026, 1, 1, tzinfo=UTC), None]})
file.close()
print(pyarrow.__file__, len(pandas.read_parquet(sys.argv[1])))
"""


def switches(name: str) -> set[str]:
    """The parts of ffmpeg that the image's build switches on."""
    return {part for parts in re.findall(rf"--enable-{name}='?([^'\s]+)", DOCKERFILE) for part in parts.split(",")}


def test_parquet_is_written_without_the_parts_of_pyarrow_that_the_image_leaves_out(tmp_path: Path) -> None:
    patterns = re.findall(r"site-packages/pyarrow/(\S+)", DOCKERFILE)
    assert patterns
    spec = find_spec("pyarrow")
    assert spec
    assert spec.origin
    installed = Path(spec.origin).parent
    for pattern in patterns:
        assert list(installed.glob(pattern)), f"pyarrow has no {pattern} to leave out"
    shutil.copytree(installed, tmp_path / "pyarrow", ignore=shutil.ignore_patterns(*patterns), copy_function=os.symlink)
    path = os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "platform")])
    call = [sys.executable, "-c", EXPORT, tmp_path / "rows.parquet"]
    done = subprocess.run(call, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(tmp_path / "pyarrow" / "__init__.py"), "2"], done.stderr


def test_the_images_ffmpeg_has_the_demuxers_of_imports_and_what_their_command_names() -> None:
    forms = [form for form in vars(formats).values() if isinstance(form, formats.AudioFormat) and form.demuxer]
    assert {form.demuxer for form in forms} == switches("demuxer")
    call = command("ffmpeg", Path("clip"), forms[0], Path("wav"), max_seconds=1)
    for option, part in (("-protocol_whitelist", "protocol"), ("-c:a", "encoder")):
        assert {call[call.index(option) + 1]} == switches(part)
    assert switches("muxer") == {call[len(call) - 1 - call[::-1].index("-f") + 1]}


def test_the_images_ffmpeg_decodes_what_m4a_and_webm_usually_hold() -> None:
    assert switches("decoder") >= {"aac", "alac", "opus", "vorbis"}
