"""Run commands, and show the end of their output."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from core.paths import ROOT
from launcher.options import environ_of_process
from launcher.say import LauncherError


def run(command: Sequence[str], failure: str, environ: Mapping[str, str] | None = None) -> None:
    """Run a command and raise `LauncherError` with the end of its output when it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=environ or environ_of_process(), check=False, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        raise LauncherError(f"{failure}\n{tail(done.stdout)}")


def tail(output: str, lines: int = 15) -> str:
    """Return the last lines of an output, without pip's warnings about locations."""
    shown = [line for line in output.splitlines() if line.strip() and not line.startswith("WARNING: Location")]
    return "\n".join(f"    {line}" for line in shown[-lines:])
