"""`earshot` and its commands, as people type them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import ROOT
from launcher import __main__ as start
from launcher import completion, environment, study, usage
from launcher.interrupts import Interrupts
from launcher.options import parse
from launcher.say import LauncherError


@pytest.fixture(autouse=True)
def signals(monkeypatch):
    """The handlers of this process stay."""
    monkeypatch.setattr(Interrupts, "listen", lambda self: None)
    monkeypatch.setattr(os, "umask", lambda mask: None)


@pytest.fixture
def wheel(monkeypatch):
    """The program as a wheel has it."""
    monkeypatch.setattr(start, "IS_CLONE", False)
    monkeypatch.setattr(environment, "IS_CLONE", False)


def bare(*arguments):
    """Run the launcher by a Python without any package, as `./run` does."""
    return subprocess.run(
        [sys.executable, "-S", "-P", "-m", "launcher", *arguments],
        capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "platform")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["--help"], 0, "Exit status: 0 fine, 1 failed, 2 wrong use."),
        (["--version"], 0, "Earshot 0."),
        (["run", "--help"], 0, "--no-demo"),
        (["study"], 0, "launch      check a draft, and launch it"),
        (["completion", "bash"], 0, "complete -o default"),
        (["stduy"], 2, "There is no command 'stduy'"),
        (["study", "lanch", "x"], 2, "There is no command 'study lanch'"),
        (["completion", "tcsh"], 2, "Name your shell"),
        (["--port", "0"], 2, "no port 0"),
        (["--prot", "1"], 2, "--prot"),
        (["doctor", "--speed"], 2, "--speed"),
    ],
)
def test_help_and_wrong_use_need_no_package_and_have_a_status_of_their_own(arguments, status, text):
    done = bare(*arguments)
    assert done.returncode == status, done.stdout + done.stderr
    assert text in done.stdout + done.stderr


@pytest.mark.parametrize("text", [usage.text(), study.usage()], ids=["all", "study"])
def test_help_fits_a_small_terminal(text):
    # The path of the data folder is as long as it is; the prompt needs a line.
    lines = [line for line in text.splitlines() if str(ROOT) not in line]
    assert max(map(len, lines)) <= 80
    assert len(text.splitlines()) <= 23


def test_without_a_command_a_clone_starts_and_a_wheel_shows_its_help(wheel, monkeypatch, capsys):
    monkeypatch.setattr(start, "serve", lambda options, interrupts: pytest.fail("it starts"))
    assert start.main([]) == 0
    assert "commands:" in capsys.readouterr().out
    assert start.main(["--no-demo"]) == 2
    monkeypatch.setattr(start, "IS_CLONE", True)
    monkeypatch.setattr(start, "serve", lambda options, interrupts: options.port)
    assert start.main(["--port", "9001"]) == 9001
    assert start.main(["run", "--port", "9002"]) == 9002


def test_a_failure_is_1_and_its_reason_is_printed(monkeypatch, capsys):
    def fail(options, interrupts):
        raise LauncherError("The disk is full.")

    monkeypatch.setattr(start, "serve", fail)
    assert start.main(["run"]) == 1
    assert capsys.readouterr().out == "The disk is full.\n"


def test_names_of_study_stand_for_management_commands_that_exist(tmp_path):
    there = {path.stem for app in (ROOT, ROOT / "platform") for path in app.glob("*/management/commands/*.py")}
    assert {command for command, _ in study.STUDY.values()} <= there
    options = parse(["study", "create", "one", "--preset", "acr", "--data", str(tmp_path)], {})
    assert (options.manage, options.data) == (("create_study", "one", "--preset", "acr"), tmp_path)
    assert parse(["--data", str(tmp_path), "study", "plan", "one", "--json"], {}).data == tmp_path
    assert parse(["study", "plan", "one", "power", "--json"], {}).manage == ("plan_study", "one", "power", "--json")


def test_an_installed_program_installs_nothing_and_names_what_it_lacks(wheel, monkeypatch):
    monkeypatch.setattr(environment, "create", lambda: pytest.fail("it makes an environment"))
    monkeypatch.setattr(environment.packages, "install", lambda *_, **__: pytest.fail("it installs"))
    monkeypatch.setattr(environment, "find_spec", lambda module: None if module == "speechmos" else object())
    environment.prepare(["run", "demo"])
    assert environment.missing(["run", "demo"], {}) == []
    with pytest.raises(LauncherError, match=r"speechmos is not installed.*\[dnsmos\]"):
        environment.prepare(["run", "demo", "dnsmos"])


COMPLETED = {
    "earshot st": ["study"],
    "earshot study la": ["launch"],
    "earshot manage changep": ["changepassword"],
    "earshot run --no": ["--no-demo"],
    "earshot completion f": ["fish"],
}


@pytest.mark.parametrize("typed", COMPLETED)
def test_bash_completes_commands_names_and_options(typed):
    words = typed.split()
    code = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _earshot; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = completion.script("bash") + code
    done = subprocess.run(["bash", "--norc", "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == COMPLETED[typed]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_their_script_and_know_every_command(shell, tmp_path):
    text = completion.script(shell)
    assert all(command in text for command in (*usage.COMMANDS, *study.STUDY))
    if program := shutil.which(shell):
        path = Path(tmp_path / "script")
        path.write_text(text)
        assert subprocess.run([program, "-n", path], check=False).returncode == 0


def test_the_package_finds_the_folders_of_its_clone():
    done = subprocess.run(
        [sys.executable, "-S", "-P", ROOT / "earshot" / "__main__.py", "--version"], capture_output=True, text=True
    )
    assert done.stdout.endswith(f"({ROOT})\n")
