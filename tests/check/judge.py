"""The judge's own environment, without what only a GPU needs, and the tests that run in it."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from core.paths import ROOT
from launcher import folder, packages
from launcher.commands import run, tail
from launcher.environment import UV
from launcher.say import LauncherError, line, step
from tests.check import steps, suite
from tests.check.steps import BIN, Step
from tests.check.suite import Counts

VENV = ROOT / ".venv-judge"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "earshot-installed.json"
LOCKS = ("judge", "judge-check")
# The lock names every package; what nobody imports needn't be compiled.
ALONE = ("--no-compile", "--no-deps")
# Several GB, and PyTorch alone comes in more than one build.
FOR_GPUS = re.compile(r"(?:torch|triton|nvidia-[\w-]+|cuda-[\w-]+)==")
TESTS = ROOT / "tests" / "judge_engine"
# In the platform's environment, with the judge's process beside it.
ASKS = ROOT / "tests" / "judge"
MYPY = (str(BIN / "mypy"), "--config-file", str(TESTS / "mypy.ini"), "--python-executable", str(PYTHON))
TYPES = Step("The judge's types", [*MYPY, "-p", "judge.server", "-p", "judge.train"])


def check() -> Counts:
    """Make the environment, hold the judge's types against it, and run its tests."""
    prepare()
    ini = str(TESTS / "pytest.ini")
    with ThreadPoolExecutor() as threads:
        is_typed = threads.submit(steps.run, TYPES)
        own = suite.run("the judge", {}, ["-c", ini, str(TESTS)], python=PYTHON, workers=0)
        both = suite.run("the platform and its judge", {}, ["-m", "judge", "--require=judge", str(ASKS)], workers=0)
    return Counts(failed=0 if is_typed.result() else 1) + own + both


def prepare() -> None:
    """Bring the environment to what the locks say; costs nothing when it is there already."""
    lines = [text for lock in LOCKS for text in (ROOT / "locks" / f"{lock}.txt").read_text().splitlines()]
    wanted = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    if folder.read_stamps(STAMPS).get("judge") == wanted and PYTHON.exists():
        return
    with step("Making the judge's environment (this takes minutes the first time)"):
        shutil.rmtree(VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(VENV)], "The judge's environment could not be made.")
        install_torch(next(text.split()[0] for text in lines if text.startswith("torch==")))
        named = VENV / "packages.txt"
        named.write_text("\n".join(without_gpus(lines)) + "\n", encoding="utf-8")
        arguments = [*ALONE, "--require-hashes", "-r", str(named)]
        packages.install(PYTHON, arguments, "The judge's packages could not be installed.", uv=UV)
        compile_imported()
    folder.write_stamps(STAMPS, {"judge": wanted})


def install_torch(pinned: str) -> None:
    """Install PyTorch for the processor; on Linux the build that pip finds first is another, for GPUs."""
    spec = f"{pinned}+cpu" if platform.system() == "Linux" else pinned
    try:
        packages.install(PYTHON, [*ALONE, spec], f"The judge's tests need {spec}, and no index has it:", uv=UV)
    except LauncherError as problem:
        raise LauncherError(
            f"{problem}\n"
            "Tell pip where PyTorch's builds without CUDA are (PIP_EXTRA_INDEX_URL or PIP_FIND_LINKS; PyTorch's own "
            "installation page names the address), or leave these tests out: ./check --without judge"
        ) from None


def without_gpus(lines: list[str]) -> list[str]:
    """Return a lock's lines without the packages of `FOR_GPUS`, and each package once."""
    kept, seen, is_kept = list[str](), set[str](), True
    for text in lines:
        if text and not text.startswith((" ", "#")):
            requirement = text.removesuffix(" \\")
            is_kept = not FOR_GPUS.match(requirement) and requirement not in seen
            seen.add(requirement)
        if is_kept:
            kept.append(text)
    return kept


def compile_imported() -> None:
    """Import what the tests will, once, so that every process after this one starts in half the time."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    code = "import peft, pyloudnorm, pytest, httpx, judge.server.__main__, judge.train.__main__"
    done = subprocess.run([PYTHON, "-c", code], check=False, cwd=ROOT, env=environ, capture_output=True, text=True)
    if done.returncode:
        line(tail(done.stderr))
