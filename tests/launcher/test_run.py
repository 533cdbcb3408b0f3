"""The whole launcher as a person starts it, with real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from core.paths import ROOT
from launcher import settings
from launcher.interrupts import Interrupts
from launcher.options import parse
from launcher.say import LauncherError
from launcher.supervisor import Supervisor
from launcher.waiting import wait_for_parts
from tests.launcher.started import bare_environment

pytestmark = pytest.mark.processes


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(data, port, **environ):
    return subprocess.Popen(
        [ROOT / "run", "--no-demo", "--port", str(port), "--data", data],
        stdout=subprocess.PIPE, text=True, env={**bare_environment(), **environ}, cwd=data, start_new_session=True,
    )  # fmt: skip


def lines_until(process, wanted):
    found = []
    for line in process.stdout:
        found.append(line)
        if wanted in line:
            return "".join(found)
    raise AssertionError(f"{wanted!r} was never said:\n{''.join(found)}")


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as response:
        return response.status, response.read().decode()


def pids_that_mention(text):
    """Return the processes with `text` in their command line or environment."""
    if not Path("/proc").is_dir():
        listed = subprocess.run(["ps", "-axEww", "-o", "pid=,command="], capture_output=True, text=True).stdout
        return {int(line.split()[0]) for line in listed.splitlines() if text in line} - {os.getpid()}
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if text.encode() in told:
            found.add(int(folder.name))
    return found - {os.getpid()}


def test_one_command_starts_everything_and_ctrl_c_stops_everything(tmp_path, port):
    tmp_path /= "with a space, 100% or more"
    tmp_path.mkdir()
    process = start(tmp_path, port)
    said = lines_until(process, "Ctrl-C")
    assert get(port, "/healthz")[0] == 200
    status, page = get(port, "/admin/login/")
    assert status == 200
    assert "csrfmiddlewaretoken" in page
    assert "user admin, password " in said
    password = said.split("password ")[1].split()[0]
    # Broker, worker with its two processes, beat, web with its two processes.
    assert len(pids_that_mention(str(tmp_path))) >= 8
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert pids_that_mention(str(tmp_path)) == set()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and password.encode() in path.read_bytes()]
    assert kept == []

    again = start(tmp_path, port)
    said = lines_until(again, "Ctrl-C")
    assert "password " not in said.replace("changepassword ", "").replace("the password?", "")
    assert not any(word in said for word in ("Installing", "Making the tables", "Collecting"))
    again.kill()
    again.wait()
    until = time.monotonic() + 30
    while pids_that_mention(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.1)
    assert pids_that_mention(str(tmp_path)) == set(), "the watchdog left something behind"


# Nothing listens on port 1.
AWAY = {
    "broker": {"EARSHOT_BROKER_URL": "redis://127.0.0.1:1/0"},
    "files": {
        "EARSHOT_S3_BUCKET": "earshot", "EARSHOT_S3_ENDPOINT": "http://127.0.0.1:1", "EARSHOT_S3_REGION": "here",
        "EARSHOT_S3_ACCESS_KEY": "key", "EARSHOT_S3_SECRET_KEY": "secret",
    },
}  # fmt: skip


@pytest.mark.parametrize("part", AWAY)
def test_a_part_that_is_away_is_named_and_waited_for_instead_of_claiming_to_run(prepared, port, part):
    process = start(prepared, port, **AWAY[part])
    for line in process.stdout:
        assert "Earshot is running" not in line
        if f"Waiting for the {part}" in line:
            break
    time.sleep(3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "Earshot is running" not in process.communicate(timeout=60)[0]


@pytest.mark.parametrize("part", AWAY)
def test_a_part_that_stays_away_stops_the_start_with_what_to_do(prepared, port, part, capfd):
    options = parse(["--port", str(port), "--data", str(prepared)], {})
    environ = settings.environment(options, {**bare_environment(), **AWAY["broker"], **AWAY[part]})
    supervisor = Supervisor(prepared, environ, Interrupts())
    try:
        with pytest.raises(LauncherError, match="Start it, or correct its address"):
            wait_for_parts(environ, supervisor, seconds=1)
    finally:
        supervisor.stop()
    assert f"{part} (" in capfd.readouterr().out


def test_a_taken_port_is_said_before_anything_is_made(tmp_path, port):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        process = start(tmp_path, port)
        said = process.communicate(timeout=30)[0]
    assert process.returncode == 1
    assert said.startswith(f"Port {port} on 127.0.0.1 is in use")
    assert list(tmp_path.iterdir()) == []


def test_a_management_command_runs_on_data_that_is_made_for_it(made, prepared):
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout == "password set\n"
    assert "own" not in made.stdout + made.stderr
    assert (prepared / "earshot.sqlite3").stat().st_mode & 0o077 == 0
