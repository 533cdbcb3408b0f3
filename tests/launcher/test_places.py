"""Real uv and pip with two places, the first of which offers only the wrong file; and the self-test."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile

import pytest

from launcher import packages, selftest
from launcher.environment import PYTHON, UV

pytestmark = pytest.mark.processes


def wheel(folder, tag, content):
    """Write a wheel of the package `probe` and return its name and hash."""
    name = f"probe-1.0-{tag}.whl"
    files = {
        "probe.py": content,
        "probe-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n",
        "probe-1.0.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    record = "".join(f"{path},sha256={digest(text)},{len(text)}\n" for path, text in files.items())
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in {**files, "probe-1.0.dist-info/RECORD": record + "probe-1.0.dist-info/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return name, hashlib.sha256((folder / name).read_bytes()).hexdigest()


def digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def index(folder, *wheels):
    """Make a place in the form of PEP 503 that offers these wheels, and return its address."""
    page = folder / "probe"
    page.mkdir(parents=True)
    links = [wheel(page, tag, content) for tag, content in wheels]
    (page / "index.html").write_text("".join(f'<a href="{name}#sha256={sha}">{name}</a>' for name, sha in links))
    return f"file://{folder}", [sha for _, sha in links]


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A lock that allows the complete wheel alone, where the first place offers only the incomplete one."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    complete = f"{version}-{version}-{platform_tag()}"
    wrong, _ = index(tmp_path / "first", ("py3-none-any", "COMPLETE = False"))
    right, hashes = index(tmp_path / "second", (complete, "COMPLETE = True"), ("py3-none-any", "COMPLETE = False"))
    for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("PIP_INDEX_URL", right)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", wrong)
    path = tmp_path / "lock.txt"
    path.write_text(f"--only-binary :all:\n# {complete}\nprobe==1.0 \\\n    --hash=sha256:{hashes[0]}\n")
    return path


def platform_tag():
    code = "from packaging.tags import sys_tags; print(next(sys_tags()).platform)"
    return subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("uv", [UV, UV.with_name("no-uv")], ids=["uv", "pip"])
def test_the_right_file_is_installed_though_the_first_place_offers_the_wrong_one(lock, tmp_path, uv):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    arguments = ["--require-hashes", "-r", str(lock)]
    packages.install(python, arguments, "It failed.", uv=uv)
    done = subprocess.run([python, "-c", "import probe; print(probe.COMPLETE)"], capture_output=True, text=True)
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("raise OSError(\"cannot load library 'libsndfile.so'\")", "OSError: cannot load library 'libsndfile.so'"),
        ("import os; os.abort()", "the process ended with status -6"),
    ],
    ids=["its library is missing", "it crashes the interpreter"],
)
def test_a_package_that_cannot_be_imported_is_named_with_the_reason_and_a_remedy(
    tmp_path, monkeypatch, content, reason
):
    (tmp_path / "soundfile.py").write_text(content)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    [finding] = selftest.run(PYTHON)
    assert (finding.name, finding.state) == ("soundfile", "problem")
    assert finding.message == f"soundfile can't be used here: {reason}."
    assert finding.remedy == "Delete .venv and start again."


def test_a_soundfile_that_decodes_something_else_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "soundfile.py").write_text("def write(*_, **__): pass\ndef read(*_): return [], 24000\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    [finding] = selftest.run(PYTHON)
    assert (finding.name, finding.state) == ("decoder", "problem")
    assert "12000 frames were decoded as 0" in finding.message


def test_this_environment_passes_its_self_test():
    found = {finding.name: finding.state for finding in selftest.run(PYTHON)}
    assert set(found) == {"packages", "decoder", "ffmpeg", "Pango"}
    assert (found["packages"], found["decoder"]) == ("ok", "ok")
