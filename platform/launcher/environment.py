"""Make the virtual environment from the hashed locks, and update it only when they change."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from core.findings import WARNING, Finding, problems
from launcher import folder, packages, selftest
from launcher.commands import run
from launcher.options import ROOT
from launcher.say import LauncherError, line, step

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "earshot-installed.json"
UV = VENV / "bin" / "uv"


def prepare(locks: Sequence[str]) -> None:
    """Install the named locks into the environment; do nothing if they are installed.

    New packages are tested. An environment that fails the self-test is made again once, by the other installer.
    """
    if not usable():
        create()
    install_all(locks)
    stamps = folder.read_stamps(STAMPS)
    if stamps.get("tested") == installed(stamps):
        return
    findings = try_out()
    if problems(findings):
        other = packages.PIP_NAME if stamps.get("installer") == packages.UV_NAME else packages.UV_NAME
        line(f"  {problems(findings)[0].message}")
        line(f"  So {other} makes the environment again.")
        again = remake(locks, other)
        findings = findings if again is None else again
    if failures := problems(findings):
        raise LauncherError("\n".join(f"{finding.message} {finding.remedy}".rstrip() for finding in failures))
    for finding in findings:
        if finding.state == WARNING:
            line(f"  {finding.message} To change that: {finding.remedy}")
    stamps = folder.read_stamps(STAMPS)
    folder.write_stamps(STAMPS, {**stamps, "tested": installed(stamps)})


def install_all(locks: Sequence[str], only: str = "") -> None:
    """Install the named locks that are not there yet, and Earshot itself; `only` names the installer to use."""
    stamps = folder.read_stamps(STAMPS)
    for lock in missing(locks, stamps):
        with step(f"Installing the packages of locks/{lock}.txt (this takes a minute the first time)"):
            packages.fetch_uv(PYTHON, UV)
            by = install("--require-hashes", "-r", str(ROOT / "locks" / f"{lock}.txt"), only=only)
        # These two share packages, so installing one may change the other.
        stamps = {name: value for name, value in stamps.items() if not {name, lock} <= {"run", "check"}}
        stamps |= {lock: fingerprint(lock), "installer": by}
        folder.write_stamps(STAMPS, stamps)
    if stamps.get("project") != project():
        with step("Installing Earshot itself"):
            install("--no-deps", "--no-build-isolation", "-e", str(ROOT), only=only)
        folder.write_stamps(STAMPS, {**stamps, "project": project()})


def try_out() -> list[Finding]:
    """Return the findings of the self-test in the environment."""
    with step("Trying the packages"):
        return selftest.run(PYTHON, ROOT)


def remake(locks: Sequence[str], installer: str) -> list[Finding] | None:
    """Make the environment again with one installer and test it; return None if that one can't install."""
    create()
    try:
        install_all(locks, only=installer)
    except LauncherError as problem:
        line(f"  {problem}")
        return None
    return try_out()


def installed(stamps: Mapping[str, str]) -> str:
    """Return a hash of everything that is installed and of the self-test."""
    parts = [f"{name}={value}" for name, value in sorted(stamps.items()) if name != "tested"]
    return hashlib.sha256("\n".join([*parts, Path(selftest.__file__).read_text(encoding="utf-8")]).encode()).hexdigest()


def missing(locks: Sequence[str], stamps: dict[str, str]) -> list[str]:
    """Return the locks that are not installed; the one of `./check` contains everything that running needs."""

    def is_installed(lock: str) -> bool:
        return stamps.get(lock) == fingerprint(lock) or (lock in {"run", "dnsmos"} and is_installed("check"))

    return [lock for lock in locks if not is_installed(lock)]


def fingerprint(lock: str) -> str:
    """Return the hash of a lock file."""
    return hashlib.sha256((ROOT / "locks" / f"{lock}.txt").read_bytes()).hexdigest()


def project() -> str:
    """Return a hash of the installed package's metadata and path."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [str(ROOT), repr(pyproject["project"]), repr(pyproject["build-system"]), repr(pyproject["tool"]["hatch"])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


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
            f"'sudo apt-get install python{version}-venv', and start ./run again."
        )
    with step(f"Making the virtual environment {VENV.name} with Python {sys.version.split()[0]}"):
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(VENV)], "The virtual environment could not be made.")


def install(*arguments: str, only: str = "") -> str:
    """Install into the environment and return the installer's name; show warnings only on failure."""
    failure = "The packages could not be installed. The first start needs the network; later ones don't."
    return packages.install(PYTHON, arguments, failure, uv=UV, only=only)
