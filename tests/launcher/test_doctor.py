"""`./run doctor`, and starts that fail: the reason in one sentence, and exit status 1."""

from __future__ import annotations

import json
import os
import socket
import subprocess

import pytest

from core.findings import OK, PROBLEM, Finding
from core.paths import ROOT
from launcher import doctor, environment, folder, packages, prepare, waiting
from launcher.options import PARTS, Options
from launcher.say import LauncherError
from tests.launcher.started import bare_environment


def states(options):
    return {finding.name: finding for finding in doctor.everything(options)}


@pytest.fixture
def nothing_else(monkeypatch):
    """The machine alone: packages and parts have tests of their own."""
    monkeypatch.setattr(environment, "missing", lambda *told: [])
    monkeypatch.setattr(doctor.selftest, "run", lambda *paths: [Finding("packages", OK, "")])
    monkeypatch.setattr(doctor, "parts", lambda options: iter(()))


@pytest.mark.usefixtures("nothing_else")
def test_a_taken_port_is_a_problem_unless_it_is_our_own(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        options = Options(tmp_path, port=port)
        found = states(options)[f"port {port}"]
        assert (found.state, "--port" in found.remedy) == (PROBLEM, True)
        with folder.lock(tmp_path, PARTS):
            assert states(options)["port"].state == OK


@pytest.mark.usefixtures("nothing_else")
def test_packages_that_are_not_installed_are_told_and_nothing_is_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "missing", lambda *told: ["run"])
    monkeypatch.setattr(packages, "install", lambda *told, **_: pytest.fail("it installs"))
    found = states(Options(tmp_path))
    assert found["environment"].state == PROBLEM
    assert "packages" not in found


@pytest.mark.usefixtures("nothing_else")
def test_a_full_disk_is_a_problem_and_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: (10**12, 10**12, 10**8))
    found = states(Options(tmp_path / "new"))
    assert found["disk"].state == PROBLEM
    assert not (tmp_path / "new").exists()


def launch(data, *arguments, **environ):
    return subprocess.run(
        [ROOT / "run", "--data", data, *arguments],
        capture_output=True, text=True, cwd=data, env={**bare_environment(), **environ}, timeout=300,
    )  # fmt: skip


@pytest.mark.processes
def test_the_doctor_of_a_machine_where_nothing_runs_yet_finds_no_problem(prepared):
    done = launch(prepared, "doctor", "--json")
    found = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, done.stdout
    assert {"Python", "disk", "memory", "environment", "packages", "decoder", "broker", "database", "keys"} <= set(
        found
    )
    assert found["broker"]["message"].endswith("which ./run starts")


@pytest.mark.usefixtures("nothing_else")
def test_where_no_problem_is_found_the_last_line_says_so(tmp_path, capsys):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert doctor.examine(Options(tmp_path, port=port, doctor="text")) == 0
    assert capsys.readouterr().out.endswith("Everything that Earshot needs is available.\n")


def test_the_address_of_a_running_earshot_is_that_of_its_start(tmp_path):
    prepare.remember(tmp_path, "address", "http://127.0.0.1:8110")
    with folder.lock(tmp_path, ("web",)):
        found = doctor.port(Options(tmp_path, port=8000, doctor="text"))
    assert (found.name, found.state) == ("port", OK)
    assert found.message == f"Earshot is running at http://127.0.0.1:8110 with the data in {tmp_path}"


@pytest.mark.processes
def test_settings_that_cannot_be_read_are_a_problem_of_the_doctor(tmp_path):
    done = launch(tmp_path, "doctor", EARSHOT_WEB_WORKERS="many", EARSHOT_SECRET_KEY="short")
    assert done.returncode == 1
    assert "problem  settings: EARSHOT_WEB_WORKERS is 'many'; write a whole number." in done.stdout
    assert "EARSHOT_SECRET_KEY has 5 characters" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.processes
@pytest.mark.parametrize("arguments", [["--no-demo"], ["manage", "check"]])
def test_a_database_that_cannot_be_reached_is_one_sentence(tmp_path, arguments):
    address = "postgresql://earshot:a-secret@127.0.0.1:1/earshot"
    done = launch(tmp_path, *arguments, EARSHOT_DATABASE_URL=address)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "EARSHOT_DATABASE_URL: the database can't be reached: " in said
    assert "refused" in said
    assert "Traceback" not in said
    assert "20.00 sec" not in said
    assert "a-secret" not in said


def test_what_a_command_gave_as_its_reason_is_shown_without_its_traceback():
    assert prepare.reason("  File x\nCommandError: The key is wrong.\n") == "The key is wrong."
    assert prepare.reason("Traceback\nValueError: x") == ""


def test_a_demo_that_cannot_be_loaded_is_a_failed_start_with_its_reason(monkeypatch, tmp_path):
    program = tmp_path / "manage"
    program.write_text(
        "#!/bin/sh\necho 'Importing 24 clips …'\necho 'CommandError: The clips are silent.' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(prepare, "command", lambda *arguments: [str(program)])
    with pytest.raises(LauncherError, match=r"could not be loaded: The clips are silent\.\n.*--no-demo"):
        prepare.demo(dict(os.environ))


@pytest.mark.processes
def test_a_second_machine_with_another_key_does_not_start(prepared, tmp_path):
    first, second = prepared, tmp_path / "second"
    second.mkdir()
    shared = {"EARSHOT_DATABASE_URL": f"sqlite:///{first / 'earshot.sqlite3'}"}
    done = launch(second, "--only", "worker", **shared, EARSHOT_BROKER_URL="redis://127.0.0.1:1/0")
    assert done.returncode == 1
    assert "EARSHOT_SECRET_KEY is not the key that this database was set up with" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    key = str(first / "secret-key")
    assert launch(second, "manage", "ensure_admin", EARSHOT_SECRET_KEY_FILE=key, **shared).returncode == 0


def test_a_slow_machine_gets_the_time_that_it_needs(monkeypatch, tmp_path, capsys):
    answers = iter([False, False, False, True])
    looked = []
    monkeypatch.setattr(waiting, "STILL_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "answers", lambda *told: next(answers))
    supervisor = type("Supervisor", (), {"look_after": lambda self: looked.append(1)})()
    waiting.wait_until_up(Options(tmp_path), "http://127.0.0.1:8000", supervisor)
    assert len(looked) == 3
    assert capsys.readouterr().out.count("still starting") == 3
