"""Install packages into an environment with uv; with pip only uv itself, and everything where there is no uv."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from core.paths import ROOT
from launcher.commands import run
from launcher.options import environ_of_process
from launcher.say import LauncherError

PIP = ("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--retries=1")
# Hashes in the locks identify a package, so the order of the indexes does not matter.
UV = ("pip", "install", "--quiet", "--no-progress", "--index-strategy=unsafe-best-match")
# If several indexes have a version, uv sees only the files of the first one. Where these are not the ones that
# a lock allows, the main index may have them.
PLACES = (("index-url", "extra-index-url", "find-links"), ("index-url",))


def install(python: Path, arguments: Sequence[str], failure: str, *, uv: Path) -> None:
    """Install what `arguments` name, which pip and uv both understand, into the environment of `python`."""
    if not uv.exists():
        run([str(python), *PIP, *arguments], failure)
        return
    settings = settings_of_pip(python)
    environ = environ_of_process()
    if "cert" in settings:
        environ.setdefault("SSL_CERT_FILE", settings["cert"])
    options = ["--no-index"] if "no-index" in settings else []
    # Compile only what is imported, and keep the result, unless that is switched off.
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        options.append("--compile-bytecode")
    problems = []
    for names in PLACES:
        places = [f"--{name}={place}" for name in names for place in settings.get(name, "").split()]
        try:
            run([str(uv), *UV, "--python", str(python), *options, *places, *arguments], failure, environ)
        except LauncherError as problem:
            problems.append(problem)
        else:
            return
    # The first one read every index.
    raise problems[0]


def fetch_uv(python: Path, uv: Path) -> None:
    """Install uv itself; ignore failures, because pip can do its work in minutes."""
    if not uv.exists():
        command = [str(python), *PIP, "--require-hashes", "-r", str(ROOT / "locks" / "uv.txt")]
        subprocess.run(command, cwd=ROOT, env=environ_of_process(), check=False, capture_output=True)


def settings_of_pip(python: Path) -> dict[str, str]:
    """Return pip's configuration, which uv doesn't read; environment variables override files."""
    done = subprocess.run(
        [str(python), "-m", "pip", "config", "list"],
        cwd=ROOT, env=environ_of_process(), check=False, text=True, capture_output=True,
    )  # fmt: skip
    entries = re.findall(r"^(\S+)\.([\w-]+)=('.*'|\".*\")$", done.stdout, re.MULTILINE)
    entries.sort(key=lambda entry: entry[0] == ":env:")
    return {name: str(ast.literal_eval(value)) for _, name, value in entries}
