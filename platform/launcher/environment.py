"""The environment of the packages: a clone makes it from the hashed locks, and updates it only when they change."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from core.findings import WARNING, problems
from core.paths import FOLDERS, IS_CLONE, ROOT, START
from launcher import folder, packages, selftest
from launcher.commands import run
from launcher.say import LauncherError, line, step

VENV = ROOT / ".venv" if IS_CLONE else Path(sys.prefix)
PYTHON = VENV / "bin" / "python" if IS_CLONE else Path(sys.executable)
STAMPS = VENV / "earshot-installed.json"
UV = VENV / "bin" / "uv"
# What a lock adds that an installed program may lack: the module that needs it, and the extra that brings it.
EXTRAS = {"demo": "espeakng_loader", "dnsmos": "speechmos"}


def prepare(locks: Sequence[str]) -> None:
    """Install the named locks into the environment and test it; do nothing if that is done already.

    An installed program has its packages, and only optional ones can be missing.
    """
    if not IS_CLONE:
        require(locks)
        return
    if not usable():
        create()
    add_to_path()
    stamps = folder.read_stamps(STAMPS)
    for lock in missing(locks, stamps):
        with step(f"Installing the packages of locks/{lock}.txt (this takes a minute the first time)"):
            packages.fetch_uv(PYTHON, UV)
            failure = "The packages could not be installed. The first start needs the network; later ones don't."
            arguments = ["--require-hashes", "-r", str(ROOT / "locks" / f"{lock}.txt")]
            packages.install(PYTHON, arguments, failure, uv=UV)
        # These two share packages, so installing one may change the other.
        changed = {"run", "check", "tested"} if lock in {"run", "check"} else {"tested"}
        stamps = {name: value for name, value in stamps.items() if name not in changed} | {lock: fingerprint(lock)}
        folder.write_stamps(STAMPS, stamps)
    if "tested" not in stamps:
        test()
        folder.write_stamps(STAMPS, {**stamps, "tested": "yes"})


def require(locks: Sequence[str]) -> None:
    """Raise `LauncherError` if a package is missing that an installed program doesn't always have."""
    for lock, module in EXTRAS.items():
        if lock in locks and find_spec(module) is None:
            raise LauncherError(
                f"The package {module} is not installed. Install Earshot with it, for example by "
                f"'pipx install --force \"WHEEL[{lock}]\"', or leave out what needs it (--no-demo, --with-dnsmos)."
            )


def test() -> None:
    """Run the self-test; raise `LauncherError` on a problem, and print warnings."""
    with step("Trying the packages"):
        findings = list(selftest.run(PYTHON))
    if failures := problems(findings):
        raise LauncherError("\n".join(f"{finding.message} {finding.remedy}" for finding in failures))
    for finding in findings:
        if finding.state == WARNING:
            line(f"  {finding.message} To change that: {finding.remedy}")


def missing(locks: Sequence[str], stamps: dict[str, str]) -> list[str]:
    """Return the locks that are not installed; the one of `./check` contains everything that running needs.

    An installed program has them.
    """

    def is_installed(lock: str) -> bool:
        return stamps.get(lock) == fingerprint(lock) or (lock in {"run", "dnsmos"} and is_installed("check"))

    return [lock for lock in locks if IS_CLONE and not is_installed(lock)]


def fingerprint(lock: str) -> str:
    """Return the hash of a lock file."""
    return hashlib.sha256((ROOT / "locks" / f"{lock}.txt").read_bytes()).hexdigest()


def usable() -> bool:
    """Return whether the environment's Python starts and has a supported version."""
    try:
        code = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))"
        return subprocess.run([PYTHON, "-c", code], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def create() -> None:
    """Make the environment with the current Python."""
    if find_spec("ensurepip") is None or find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise LauncherError(
            f"Python {version} has no venv module. Install it, for example with "
            f"'sudo apt-get install python{version}-venv', and start {START} again."
        )
    with step(f"Making the virtual environment {VENV.name} with Python {sys.version.split()[0]}"):
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(VENV)], "The virtual environment could not be made.")


def add_to_path() -> None:
    """Let the environment's Python import Earshot from here; the clone may have been moved."""
    folders = "\n".join(map(str, FOLDERS))
    for site in VENV.glob("lib/python*/site-packages"):
        path = site / "_earshot.pth"
        if not path.exists() or path.read_text(encoding="utf-8") != folders:
            path.write_text(folders, encoding="utf-8")
