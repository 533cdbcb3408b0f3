"""The wheel: what is in it, and a start from it where there is no clone."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from core.paths import ROOT
from launcher import packages
from launcher.environment import UV
from tests.launcher.started import bare_environment

pytestmark = pytest.mark.processes

PIN = re.compile(r"^([a-z0-9._-]+(?:\[[^\]]*\])?==[^ ;]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, text=True)
    [path] = folder.glob("earshot_tests-*.whl")
    return path


def test_a_wheel_holds_one_package_with_everything_that_runs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"earshot", "earshot_tests"}
    folders = ("platform", "studies", "raters", "analysis", "judge", "templates", "static", "locale", "locks", "docs")
    tracked = subprocess.run(["git", "ls-files", *folders, "manage.py"], cwd=ROOT, capture_output=True, text=True)
    assert len(tracked.stdout.splitlines()) > 500
    assert {f"earshot/{path}" for path in tracked.stdout.splitlines()} <= set(names)
    assert not [name for name in names if name.endswith(".pyc") or "/tests/" in name]


def test_a_wheel_requires_the_versions_of_the_locks(wheel):
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = [line for line in archive.read(name).decode().splitlines() if line.startswith("Requires-Dist: ")]
    pins = {PIN.match(line.removeprefix("Requires-Dist: "))[1] for line in lines if "extra ==" not in line}
    locked = [PIN.findall((ROOT / "locks" / f"{lock}.txt").read_text()) for lock in ("run", "demo")]
    assert pins == {pin for names in locked for pin in names}


@pytest.fixture
def home():
    """Yield a folder with a path so short that the broker gets a socket in it, as users have, and no port."""
    with tempfile.TemporaryDirectory(prefix="home-") as name:
        yield Path(name)


@pytest.mark.slow
def test_a_wheel_alone_is_examined_and_started_and_writes_nothing_next_to_its_code(wheel, tmp_path, home):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    packages.install(environment / "bin" / "python", [str(wheel)], "The wheel can't be installed.", uv=UV)
    environ = {**bare_environment(), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("XDG_DATA_HOME", "PYTHONPATH", "VIRTUAL_ENV"):
        environ.pop(name, None)
    before = contents(environment)
    earshot = environment / "bin" / "earshot"
    done = subprocess.run([earshot, "doctor"], env=environ, cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    process = subprocess.Popen([earshot, "run", "--no-demo", "--port", port], env=environ, cwd=home)
    try:
        while process.poll() is None and not is_healthy(port):
            time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        process.kill()
    assert contents(environment) == before
    [data] = [path.parent for path in home.rglob("earshot.sqlite3")]
    assert data.name == "earshot"
    assert (data / "static" / "staticfiles.json").exists()


def is_healthy(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as response:
            return response.status == 200
    except OSError:
        return False


def contents(folder):
    return {path for path in Path(folder).rglob("*") if path.suffix != ".pyc" and path.name != "__pycache__"}
