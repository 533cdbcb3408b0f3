"""`earshot doctor`: check everything that Earshot needs, one line each, and say what to do about problems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from core.findings import OK, PROBLEM, WARNING, Finding, problems, read
from core.paths import ROOT, START
from launcher import broker, environment, folder, ports, prepare, selftest, settings
from launcher.commands import tail
from launcher.environment import PYTHON
from launcher.options import Options, locks
from launcher.say import LauncherError, line

GIB = 1 << 30
LITTLE_DISK, LITTLE_MEMORY = 5 * GIB, 2 * GIB


def examine(options: Options) -> int:
    """Print every finding; return the exit status, 1 on a problem."""
    findings = []
    for finding in everything(options):
        findings.append(finding)
        line(finding.as_json() if options.doctor == "json" else finding.as_line())
    failures = problems(findings)
    if options.doctor != "json":
        line(f"{len(failures)} problems." if failures else "Everything that Earshot needs is available.")
    return 1 if failures else 0


def everything(options: Options) -> Iterator[Finding]:
    """Yield the findings, in the order parts depend on each other."""
    yield Finding("Python", OK, f"{sys.version.split()[0]} ({sys.executable})")
    yield from machine(options.data)
    yield port(options)
    missing = environment.missing(locks(options), folder.read_stamps(environment.STAMPS))
    if missing or not environment.usable():
        yield Finding("environment", PROBLEM, "The packages are not installed.", f"Start {START}: it installs them.")
        return
    yield Finding("environment", OK, str(environment.VENV))
    yield from selftest.run(PYTHON)
    if not options.data.is_dir():
        yield Finding("data", WARNING, f"{options.data} doesn't exist yet.", f"Start {START}: it makes the folder.")
        return
    yield from parts(options)


def machine(data: Path) -> Iterator[Finding]:
    """Yield whether there is enough disk and memory."""
    there = next(path for path in (data, *data.parents) if path.exists())
    _, _, free = shutil.disk_usage(there)
    remedy = "Free some space, or choose another folder with --data." if free < LITTLE_DISK else ""
    state = PROBLEM if free < GIB // 2 else WARNING if remedy else OK
    yield Finding("disk", state, f"{free / GIB:.1f} GiB free at {there}", remedy)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    remedy = "Give the machine at least 2 GiB; imports and analyses need it." if memory < LITTLE_MEMORY else ""
    yield Finding("memory", WARNING if remedy else OK, f"{memory / GIB:.1f} GiB", remedy)


def port(options: Options) -> Finding:
    """Return whether the port of the web pages is free, or used by this Earshot."""
    name = f"port {options.port}"
    if folder.is_running(options.data):
        # It listens on the port that it was started with, not on the one of this command.
        address = prepare.last_address(options.data).get("EARSHOT_BASE_URL", "an unknown address")
        return Finding("port", OK, f"Earshot is running at {address} with the data in {options.data}")
    try:
        ports.listen(options.host, options.port).close()
    except LauncherError as problem:
        return Finding(name, PROBLEM, str(problem), "Stop the other program, or choose another port with --port.")
    return Finding(name, OK, f"free on {options.host}")


def parts(options: Options) -> Iterator[Finding]:
    """Yield the findings of the server: settings, database, keys, store, broker and configured services."""
    arguments = ["doctor", "--json", "--without", "data"]
    if not folder.is_running(options.data):
        arguments += ["--without", "worker"]
    if not settings.has_own_broker(os.environ) and not folder.is_running(options.data):
        yield Finding("broker", OK, f"{Path(broker.binary()).name}, which {START} starts")
        arguments += ["--without", "broker"]
    environ = settings.environment(options, {**prepare.last_address(options.data), **os.environ})
    done = subprocess.run(
        prepare.command(*arguments), cwd=ROOT, env=environ, check=False, text=True, capture_output=True
    )
    findings = list(read(done.stdout))
    yield from findings
    if done.returncode and not problems(findings):
        yield Finding("settings", PROBLEM, prepare.reason(done.stderr) or tail(done.stderr).strip())
