from __future__ import annotations

import re

import pytest

from core.findings import PROBLEM, WARNING, Finding
from launcher import commands, environment, packages, selftest
from launcher.options import ROOT
from launcher.say import LauncherError


def pins(lock):
    lines = (ROOT / "locks" / f"{lock}.txt").read_text().splitlines()
    return {line.split(" ")[0] for line in lines if re.match(r"[a-z0-9]", line)}


@pytest.mark.parametrize("lock", ["run", "dnsmos"])
def test_the_check_lock_holds_every_pin_of_this_lock(lock):
    assert pins(lock) <= pins("check")


@pytest.mark.parametrize("lock", ["run", "check", "demo", "dnsmos"])
def test_every_pin_is_exact_and_hashed_and_no_lock_names_a_host_or_a_path(lock):
    text = (ROOT / "locks" / f"{lock}.txt").read_text()
    assert "://" not in text
    assert "--find-links" not in text
    for block in re.split(r"\n#.*\n", text.strip())[1:]:
        assert re.match(r"[a-z0-9._-]+(\[[a-z0-9,_-]+\])?==[^ ]+ ", block), block[:80]
        assert "--hash=sha256:" in block, block[:80]


def test_what_the_check_installed_is_enough_to_run():
    stamps = {"check": environment.fingerprint("check")}
    assert environment.missing(["run"], stamps) == []
    assert environment.missing(["run", "demo", "dnsmos"], stamps) == ["demo"]


def test_a_changed_lock_is_installed_again():
    assert environment.missing(["run"], {"run": "an older lock"}) == ["run"]
    assert environment.missing(["run"], {"run": environment.fingerprint("run")}) == []


def test_a_failed_command_shows_the_end_of_what_it_said_without_noise():
    code = "print('WARNING: Location x is ignored'); print('no such package'); raise SystemExit(3)"
    with pytest.raises(LauncherError, match=r"Needs the network\.\n    no such package$") as caught:
        commands.run([str(environment.PYTHON), "-c", code], "Needs the network.")
    assert "WARNING" not in str(caught.value)


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """What is made and installed, in the order in which it happens; nothing really is."""
    made = []

    def install(*arguments, only=""):
        made.append(f"{arguments[-1].rpartition('/')[2]} {only}".strip())
        return only or packages.UV_NAME

    def create():
        made.append("create")
        (tmp_path / "stamps").unlink(missing_ok=True)

    monkeypatch.setattr(environment, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(environment, "install", install)
    monkeypatch.setattr(environment, "create", create)
    monkeypatch.setattr(packages, "fetch_uv", lambda *paths: None)
    monkeypatch.setattr(selftest, "run", lambda *paths: made.append("try") or [])
    return made


def test_each_lock_is_installed_and_tried_once(calls):
    environment.prepare(["run", "demo"])
    environment.prepare(["run", "demo"])
    assert calls == ["run.txt", "demo.txt", environment.ROOT.name, "try"]
    environment.prepare(["check", "demo"])
    environment.prepare(["run", "demo"])
    environment.prepare(["check", "demo"])
    assert calls[4:] == ["check.txt", "try"]


WRONG = Finding("soundfile", PROBLEM, "soundfile-1-py3-none-any.whl can't be used here: no library.", "Remove it.")


def test_an_environment_that_fails_its_test_is_made_again_by_the_other_installer(calls, monkeypatch, capsys):
    outcomes = iter([[WRONG], []])
    monkeypatch.setattr(selftest, "run", lambda *paths: next(outcomes))
    environment.prepare(["run"])
    assert calls == ["run.txt", environment.ROOT.name, "create", "run.txt pip", f"{environment.ROOT.name} pip"]
    assert "So pip makes the environment again." in capsys.readouterr().out
    environment.prepare(["run"])


def test_what_neither_installer_gets_right_ends_with_package_file_and_remedy(calls, monkeypatch):
    monkeypatch.setattr(selftest, "run", lambda *paths: [WRONG])
    with pytest.raises(LauncherError) as caught:
        environment.prepare(["run"])
    assert str(caught.value) == "soundfile-1-py3-none-any.whl can't be used here: no library. Remove it."
    with pytest.raises(LauncherError):
        environment.prepare(["run"])


def test_what_only_a_feature_needs_is_said_and_stops_nothing(calls, monkeypatch, capsys):
    found = [Finding("Pango", WARNING, "Reports can't be saved as PDF.", "sudo apt-get install libpango-1.0-0")]
    monkeypatch.setattr(selftest, "run", lambda *paths: found)
    environment.prepare(["run"])
    said = capsys.readouterr().out
    assert "Reports can't be saved as PDF. To change that: sudo apt-get install libpango-1.0-0" in said


def test_uv_is_told_what_pip_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://one.example/simple https://two.example/simple")
    monkeypatch.setenv("PIP_CERT", "/authorities.pem")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    said = tmp_path / "said"
    uv = program(tmp_path, f'echo "$@" "$SSL_CERT_FILE" > {said}')
    assert packages.by_uv(environment.PYTHON, ["-r", "a.txt"], uv)
    told = said.read_text().split()
    for place in ("https://one.example/simple", "https://two.example/simple"):
        assert f"--extra-index-url={place}" in told
    assert told[-3:] == ["-r", "a.txt", "/authorities.pem"]


def test_what_uv_cannot_install_pip_installs_or_explains(tmp_path):
    uv, pip = program(tmp_path, "exit 2"), program(tmp_path, 'echo "no $7"; exit 1', name="python")
    with pytest.raises(LauncherError, match=r"Needs the network\.\n    no install$"):
        packages.install(pip, ["a"], "Needs the network.", uv=uv)
    packages.install(pip, ["a"], "Needs the network.", uv=program(tmp_path, "exit 0"))


def test_a_uv_that_cannot_be_run_leaves_it_to_pip(tmp_path):
    uv, said = program(tmp_path, "exit 0"), tmp_path / "said"
    uv.write_bytes(b"\x7fELF of another machine")
    packages.install(program(tmp_path, f'echo "$@" > {said}', name="python"), ["a"], "Needs the network.", uv=uv)
    assert said.read_text().split()[-2:] == ["install", "a"]


def test_uv_comes_with_the_hashes_of_the_lock(tmp_path):
    said = tmp_path / "said"
    pip = program(tmp_path, f'for last; do :; done; cat "$last" > {said}', name="python")
    packages.fetch_uv(pip, tmp_path / "gone")
    assert re.match(r"uv==[\d.]+ \\\n(    --hash=sha256:[0-9a-f]{64}( \\\n|\n$))+", said.read_text())


def program(folder, script, name="uv"):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
