from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.paths import ROOT
from launcher import watchdog
from launcher.children import Child
from launcher.interrupts import Interrupts
from launcher.say import LauncherError
from launcher.supervisor import Supervisor

SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")
DIE = (sys.executable, "-c", "print('no disk'); raise SystemExit(7)")
STUBBORN = (sys.executable, "-uc", "import signal, time; signal.signal(15, signal.SIG_IGN); print(1); time.sleep(60)")


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def eventually(question, seconds=10.0):
    until = time.monotonic() + seconds
    while not question() and time.monotonic() < until:
        time.sleep(0.02)
    return question()


@pytest.fixture
def supervisor(tmp_path):
    (tmp_path / "logs").mkdir()
    found = Supervisor(tmp_path, dict(os.environ), Interrupts())
    yield found
    found.stop()


def test_stopping_ends_every_child(supervisor):
    for name in ("a", "b"):
        supervisor.start(Child(name, SLEEP))
    pids = [process.pid for process in supervisor.running.values()]
    assert all(map(is_alive, pids))
    supervisor.stop()
    assert not any(map(is_alive, pids))
    assert supervisor.watchdog.returncode == 0


def test_a_child_that_ignores_the_request_is_killed(supervisor, capsys):
    child = Child("stubborn", STUBBORN, patience=0.2)
    supervisor.start(child)
    log = supervisor.data / "logs" / "stubborn.log"
    assert eventually(lambda: log.read_text() == "1\n")
    supervisor.stop()
    assert "has not stopped and is killed" in capsys.readouterr().out


def test_a_child_that_dies_is_said_and_started_again(supervisor, capsys):
    child = Child("web", SLEEP)
    supervisor.start(child)
    before = supervisor.running[child]
    before.kill()
    before.wait()
    supervisor.look_after()
    assert supervisor.running[child].pid != before.pid
    assert "The web process ended with status -9" in capsys.readouterr().out


def test_a_child_that_dies_over_and_over_ends_the_run_with_its_last_words(supervisor, capsys):
    def live_on():
        while True:
            for process in supervisor.running.values():
                process.wait()
            supervisor.look_after()

    supervisor.start(Child("web", DIE))
    with pytest.raises(LauncherError, match="keeps failing"):
        live_on()
    assert "no disk" in capsys.readouterr().out


def test_a_child_that_touches_its_file_no_more_is_killed_and_started_again(supervisor, monkeypatch, capsys, tmp_path):
    alive = tmp_path / "worker.alive"
    child = Child("worker", SLEEP, alive=alive)
    supervisor.start(child)
    before = supervisor.running[child]
    before.send_signal(signal.SIGSTOP)
    now = time.monotonic()
    for seconds, is_touched in ((60, True), (119, True), (238, False)):
        if is_touched:
            alive.touch()
            os.utime(alive, (seconds, seconds))
        monkeypatch.setattr(time, "monotonic", lambda at=now + seconds: at)
        supervisor.look_after()
        assert supervisor.running[child] is before
    monkeypatch.setattr(time, "monotonic", lambda: now + 240)
    supervisor.look_after()
    assert supervisor.running[child].pid != before.pid
    assert "The worker process has done nothing for 120 s and is killed." in capsys.readouterr().out


def test_a_child_that_never_touched_its_file_gets_as_long(supervisor, monkeypatch, tmp_path):
    child = Child("beat", SLEEP, alive=tmp_path / "beat.alive")
    supervisor.start(child)
    before, now = supervisor.running[child], time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 100)
    supervisor.look_after()
    assert supervisor.running[child] is before
    monkeypatch.setattr(time, "monotonic", lambda: now + 130)
    supervisor.look_after()
    assert supervisor.running[child] is not before


def test_the_parent_in_a_container_restarts_what_dies_and_ends_with_it_when_asked(tmp_path):
    own = "import os, time; print('here', os.getpid(), os.environ['LAUNCHER_ALIVE'], flush=True); time.sleep(60)"
    command = [sys.executable, "-P", "-m", "launcher.contained", "worker", sys.executable, "-c", own]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "platform"), "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)

    def said(word):
        return next(line for line in parent.stdout if word in line).split()

    _, first, alive = said("here")
    assert Path(alive).name == "worker.alive"
    os.kill(int(first), signal.SIGKILL)
    assert "status -9" in " ".join(said("ended"))
    _, second, _ = said("here")
    assert second != first
    parent.terminate()
    assert parent.wait(30) == 0
    assert not is_alive(int(second))
    parent.stdout.close()


def test_when_the_supervisor_is_killed_the_watchdog_stops_its_children():
    child = subprocess.Popen(SLEEP, process_group=0)
    dog = subprocess.Popen([sys.executable, watchdog.__file__], stdin=subprocess.PIPE, text=True)
    dog.communicate(f"+{child.pid}\n+999999\n-999999\n", timeout=20)
    assert child.wait(20) == -signal.SIGTERM


def test_a_signal_in_the_middle_of_a_whole_action_waits_for_its_end():
    interrupts, done = Interrupts(), []

    def act():
        with interrupts.later():
            interrupts.receive(signal.SIGTERM, None)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        act()
    assert done == ["all of it"]
    with pytest.raises(KeyboardInterrupt):
        interrupts.receive(signal.SIGTERM, None)


def test_a_program_that_is_not_there_is_said_and_signals_are_heard_again(supervisor):
    with pytest.raises(LauncherError, match="The broker process can't be started"):
        supervisor.start(Child("broker", ("/no/such/program",)))
    with pytest.raises(KeyboardInterrupt):
        supervisor.interrupts.receive(signal.SIGINT, None)
