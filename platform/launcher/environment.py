"""The virtual environment, made from the hashed locks and remade only when they change."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec

from launcher import folder, packages
from launcher.commands import run
from launcher.options import ROOT
from launcher.say import Problem, step

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "earshot-installed.json"
UV = VENV / "bin" / "uv"


def prepare(locks: Sequence[str]) -> None:
    """Bring the environment to what the named locks say; costs nothing when it is there already."""
    if not usable():
        create()
    stamps = folder.read_stamps(STAMPS)
    for lock in missing(locks, stamps):
        with step(f"Installing the packages of locks/{lock}.txt (this takes a minute the first time)"):
            packages.fetch_uv(PYTHON, UV)
            install("--require-hashes", "-r", str(ROOT / "locks" / f"{lock}.txt"))
        # Each of these two names some of the other's packages, so installing one makes the other doubtful.
        stamps = {name: value for name, value in stamps.items() if not {name, lock} <= {"run", "check"}}
        stamps[lock] = fingerprint(lock)
        folder.write_stamps(STAMPS, stamps)
    if stamps.get("project") != project():
        with step("Installing Earshot itself"):
            install("--no-deps", "--no-build-isolation", "-e", str(ROOT))
        folder.write_stamps(STAMPS, {**stamps, "project": project()})


def missing(locks: Sequence[str], stamps: dict[str, str]) -> list[str]:
    """Return the locks not installed yet; what `./check` installs holds everything that running needs."""

    def is_installed(lock: str) -> bool:
        return stamps.get(lock) == fingerprint(lock) or (lock in {"run", "dnsmos"} and is_installed("check"))

    return [lock for lock in locks if not is_installed(lock)]


def fingerprint(lock: str) -> str:
    """Return the hash of a lock file."""
    return hashlib.sha256((ROOT / "locks" / f"{lock}.txt").read_bytes()).hexdigest()


def project() -> str:
    """Return a hash of what the installed package says about itself, and of where it lies."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [str(ROOT), repr(told["project"]), repr(told["build-system"]), repr(told["tool"]["hatch"])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def usable() -> bool:
    """Say whether the environment's Python still starts, and is the one that can run Earshot."""
    try:
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        return subprocess.run([PYTHON, "-c", code], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def create() -> None:
    """Make the environment with the Python that runs this."""
    if find_spec("ensurepip") is None or find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Problem(
            f"Python {version} is here, but without its venv module. Install it, for example with "
            f"'sudo apt-get install python{version}-venv', and start ./run again."
        )
    with step(f"Making the virtual environment {VENV.name} with Python {sys.version.split()[0]}"):
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(VENV)], "The virtual environment could not be made.")


def install(*arguments: str) -> None:
    """Install into the environment; warnings are shown only when it fails."""
    failure = "The packages could not be installed. The first start needs the network; later ones don't."
    packages.install(PYTHON, arguments, failure, uv=UV)
