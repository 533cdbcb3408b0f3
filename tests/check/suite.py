"""Run the tests, and count what ran."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.paths import ROOT
from launcher.environment import PYTHON
from launcher.options import environ_of_process
from launcher.say import line


@dataclass(frozen=True)
class Counts:
    """How the tests of one or more runs ended."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run(
    title: str, environ: dict[str, str], arguments: Sequence[str], *, python: Path = PYTHON, workers: int | None = None
) -> Counts:
    """Run pytest once, its progress on the terminal; without `workers` as many as suit the machine, with 0 none."""
    line(f"Tests on {title}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="earshot-junit-") as folder:
        report = Path(folder) / "report.xml"
        # One more than there are cores: a third of the time, tests wait for a page, a process or a disk.
        count = max(2, min(8, (os.cpu_count() or 2) + 1)) if workers is None else workers
        # Neighbours stay together where they can: what a file's tests share is made once.
        parallel = [f"-n{count}", "--dist=worksteal"] if count else []
        slowest = ["--durations=15", "--durations-min=5"] if workers is None else []
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "--no-header", *parallel, *slowest, f"--junitxml={report}", *arguments],
            cwd=ROOT, check=False, env={**environ_of_process(), **environ}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        counts = read(report)
    if done.returncode and not counts.failed:
        # A broken collection or a lost worker process is a failure that no test reports.
        counts += Counts(failed=1)
    line(f"  {title}: {counts}  ({time.monotonic() - began:.0f} s)")
    return counts


def read(report: Path) -> Counts:
    """Return the counts of a report that pytest wrote; one failure when it wrote none."""
    try:
        suites = ET.parse(report).getroot().iter("testsuite")
    except (OSError, ET.ParseError):
        return Counts(failed=1)
    total = Counts()
    for suite in suites:
        tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        total += Counts(tests - failed - skipped, failed, skipped)
    return total
