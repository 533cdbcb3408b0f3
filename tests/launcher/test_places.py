"""Real uv and pip, told of two places, the first of which offers only the wrong file."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import zipfile

import pytest

from launcher import packages, selftest
from launcher.environment import PYTHON, UV
from launcher.options import ROOT

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


@pytest.mark.parametrize("installer", [packages.UV_NAME, packages.PIP_NAME])
def test_the_right_file_is_installed_though_the_first_place_offers_the_wrong_one(lock, tmp_path, installer):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    arguments = ["--require-hashes", "-r", str(lock)]
    assert packages.install(python, arguments, "It failed.", uv=UV, only=installer) == installer
    done = subprocess.run([python, "-c", "import probe; print(probe.COMPLETE)"], capture_output=True, text=True)
    assert done.stdout.strip() == "True"


def test_an_incomplete_soundfile_is_named_with_its_file_and_a_remedy(tmp_path):
    """The very fault: the pure wheel of soundfile, where the system has no libsndfile either."""
    site = tmp_path / "soundfile-0.14.0.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: soundfile\nVersion: 0.14.0\n")
    (site / "WHEEL").write_text("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py2-none-any\nTag: py3-none-any\n")
    (tmp_path / "soundfile.py").write_text("raise OSError(\"cannot load library 'libsndfile.so'\")\n")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; from launcher import selftest; "
        "selftest.COMPILED = {'soundfile': 'soundfile'}; selftest.main()"
    )
    done = subprocess.run([PYTHON, "-c", code], cwd=ROOT / "platform", capture_output=True, text=True, check=True)
    found = {line["name"]: line for line in map(json.loads, done.stdout.splitlines()) if line["state"] != "trying"}
    assert found["soundfile"]["state"] == found["decoder"]["state"] == "problem"
    assert found["soundfile"]["message"].startswith("soundfile-0.14.0-py2-none-any.py3-none-any.whl can't be used here")
    assert "libsndfile.so" in found["soundfile"]["message"]
    assert "pip config list" in found["soundfile"]["remedy"]


def test_a_package_that_crashes_the_interpreter_is_named():
    code = 'import os, sys; print(\'{"name": "numpy", "state": "trying", "message": ""}\', flush=True); os.abort()'
    crashed = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True)
    assert crashed.returncode < 0
    [finding] = selftest.judged(crashed)
    assert (finding.name, finding.state) == ("numpy", "problem")
    assert "the process that imported it ended" in finding.message


def test_this_environment_passes_its_self_test():
    found = selftest.run(PYTHON, ROOT)
    assert [finding for finding in found if finding.state == "problem"] == []
    assert {"packages", "decoder", "ffmpeg", "Pango"} <= {finding.name for finding in found}
