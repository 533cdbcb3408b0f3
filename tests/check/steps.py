"""The checks that read the code without running it as a server."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from core.paths import ROOT
from launcher.environment import VENV
from launcher.options import environ_of_process
from launcher.say import line
from tests.check import programs

BIN = VENV / "bin"
MANAGE = (str(BIN / "python"), str(ROOT / "manage.py"))


@dataclass(frozen=True)
class Step:
    """One command that must end well."""

    title: str
    command: Sequence[str]
    environ: dict[str, str] = field(default_factory=dict)


def static(scratch: Path) -> list[Step]:
    """Return the checks of code and documentation; a test checks the deployment's settings."""
    production = {
        "EARSHOT_DATA": str(scratch),
        "EARSHOT_SECRET_KEY": secrets.token_urlsafe(48),
        "EARSHOT_BASE_URL": "https://listening.example.org",
        "EARSHOT_BEHIND_PROXY": "1",
    }
    steps = [
        Step("Format", [str(BIN / "ruff"), "format", "--check", "."]),
        Step("Lint", [str(BIN / "ruff"), "check", "."]),
        Step("Types", [str(BIN / "mypy")]),
        Step("Layers", [str(BIN / "lint-imports")]),
        Step("Migrations", [*MANAGE, "makemigrations", "--check", "--dry-run"], production),
        Step(
            "Documentation", [str(BIN / "sphinx-build"), "--fail-on-warning", "--quiet", "docs", str(scratch / "site")]
        ),
    ]
    compiler = programs.typescript()
    return [*steps, scripts(compiler)] if compiler else steps


def scripts(compiler: Path, project: Path = programs.TYPESCRIPT) -> Step:
    """Return the step that checks the types of the scripts that a project of TypeScript names."""
    return Step("JavaScript", ["node", str(compiler), "-p", str(project)])


def run(step: Step) -> bool:
    """Run one step and say how it ended; a failed one shows everything it said."""
    began = time.monotonic()
    environ = {name: value for name, value in environ_of_process().items() if not name.startswith("EARSHOT_")}
    done = subprocess.run(
        step.command, cwd=ROOT, env={**environ, **step.environ}, check=False, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    line(f"  {'ok    ' if done.returncode == 0 else 'FAILED'}  {step.title}  ({time.monotonic() - began:.1f} s)")
    if done.returncode:
        line(done.stdout)
    return done.returncode == 0


def run_all() -> list[str]:
    """Run every step side by side, also after one has failed; return the titles of those that failed."""
    with tempfile.TemporaryDirectory(prefix="earshot-check-") as scratch, ThreadPoolExecutor(os.cpu_count()) as threads:
        # The longest begins first.
        steps = sorted(static(Path(scratch)), key=lambda step: step.title != "Types")
        return [step.title for step, is_well in zip(steps, threads.map(run, steps), strict=True) if not is_well]
