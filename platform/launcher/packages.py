"""Install packages into an environment: with uv, in seconds, if it is available; else with pip, in minutes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launcher.commands import run
from launcher.options import ROOT, environ_of_process
from launcher.say import LauncherError

UV_NAME, PIP_NAME = "uv", "pip"
PIP = ("-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "--retries=1")
# Hashes in the locks identify a package, so the order of the indexes does not matter.
UV = ("pip", "install", "--quiet", "--no-progress", "--index-strategy=unsafe-best-match")
# If several indexes have a version, uv sees only the files of the first one. Where these are not the ones that
# a lock allows, the main index may have them; pip compares the files of all indexes, but takes minutes.
PLACES = (("index-url", "extra-index-url", "find-links"), ("index-url",))


def install(python: Path, arguments: Sequence[str], failure: str, *, uv: Path, only: str = "") -> str:
    """Install what `arguments` name, which pip and uv both understand, into the environment of `python`.

    Returns which of the two did it. uv is tried first if it is available; `only` names the installer to use.
    """
    if only != PIP_NAME and uv.exists() and by_uv(python, arguments, uv):
        return UV_NAME
    if only == UV_NAME:
        raise LauncherError(failure)
    run([str(python), *PIP, "install", *arguments], failure)
    return PIP_NAME


def by_uv(python: Path, arguments: Sequence[str], uv: Path) -> bool:
    """Install with uv and return whether that worked; if not, pip explains the reason better."""
    pip_settings = settings_of_pip(python)
    environ = environ_of_process()
    if "cert" in pip_settings:
        environ.setdefault("SSL_CERT_FILE", pip_settings["cert"])
    # Compile only what is imported, and keep the result, unless that is switched off.
    compiled = ["--compile-bytecode"] if os.environ.get("PYTHONDONTWRITEBYTECODE") else []
    for names in PLACES:
        places = [f"--{name}={place}" for name in names for place in pip_settings.get(name, "").split()]
        if "no-index" in pip_settings:
            places.append("--no-index")
        command = [str(uv), *UV, "--python", str(python), *compiled, *places, *arguments]
        quietly: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True}
        try:
            if subprocess.run(command, cwd=ROOT, env=environ, check=False, **quietly).returncode == 0:
                return True
        except OSError:
            # A program for another machine, or in a folder that forbids execution.
            return False
    return False


def fetch_uv(python: Path, uv: Path) -> None:
    """Install uv itself, as locks/check.txt pins it; ignore failures."""
    if uv.exists():
        return
    text = (ROOT / "locks" / "check.txt").read_text(encoding="utf-8")
    pinned = re.search(r"^uv==.*(?:\n .*)*", text, re.MULTILINE)
    with tempfile.TemporaryDirectory(prefix="earshot-uv-") as folder:
        only = Path(folder) / "uv.txt"
        only.write_text(f"{pinned[0] if pinned else ''}\n", encoding="utf-8")
        wheel = ("install", "--no-deps", "--only-binary=:all:", "--require-hashes")
        command = [str(python), *PIP, *wheel, "-r", str(only)]
        subprocess.run(command, cwd=ROOT, env=environ_of_process(), check=False, capture_output=True)


def settings_of_pip(python: Path) -> dict[str, str]:
    """Return pip's configuration; environment variables override files."""
    done = subprocess.run(
        [str(python), "-m", "pip", "config", "list"],
        cwd=ROOT, env=environ_of_process(), check=False, text=True, capture_output=True,
    )  # fmt: skip
    entries = re.findall(r"^(\S+)\.([\w-]+)=('.*'|\".*\")$", done.stdout, re.MULTILINE)
    entries.sort(key=lambda entry: entry[0] == ":env:")
    return {name: str(ast.literal_eval(value)) for _, name, value in entries}
