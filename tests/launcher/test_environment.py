from __future__ import annotations

import re

import pytest

from core.findings import PROBLEM, WARNING, Finding
from core.paths import ROOT
from launcher import commands, environment, packages, selftest
from launcher.say import LauncherError


def pins(lock):
    lines = (ROOT / "locks" / f"{lock}.txt").read_text().splitlines()
    return {line.split(" ")[0] for line in lines if re.match(r"[a-z0-9]", line)}


@pytest.mark.parametrize("lock", ["run", "dnsmos", "uv"])
def test_the_check_lock_holds_every_pin_of_this_lock(lock):
    assert pins(lock) <= pins("check")


@pytest.mark.parametrize("lock", ["run", "check", "uv", "demo", "dnsmos"])
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
    """What is made, installed and tested, in the order in which it happens; nothing really is."""
    made = []
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(environment, "usable", lambda: True)
    monkeypatch.setattr(packages, "fetch_uv", lambda *paths: None)
    monkeypatch.setattr(packages, "install", lambda python, told, *_, **__: made.append(told[-1].rpartition("/")[2]))
    monkeypatch.setattr(selftest, "run", lambda *paths: made.append("test") or [])
    return made


def test_each_lock_is_installed_and_tested_once(calls):
    environment.prepare(["run", "demo"])
    environment.prepare(["run", "demo"])
    assert calls == ["run.txt", "demo.txt", "test"]
    environment.prepare(["check", "demo"])
    environment.prepare(["run", "demo"])
    environment.prepare(["check", "demo"])
    assert calls[3:] == ["check.txt", "test"]


def test_the_environment_imports_earshot_from_its_clone_even_after_a_move(calls, tmp_path):
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (site / "_earshot.pth").write_text("/another/place")
    environment.prepare(["run"])
    assert (site / "_earshot.pth").read_text().split("\n") == [str(ROOT), str(ROOT / "platform")]


WRONG = Finding("soundfile", PROBLEM, "soundfile can't be used here: no library.", "Delete .venv and start again.")


def test_packages_that_fail_their_test_stop_every_start_with_name_reason_and_remedy(calls, monkeypatch):
    monkeypatch.setattr(selftest, "run", lambda *paths: [WRONG])
    for _ in range(2):
        with pytest.raises(LauncherError) as caught:
            environment.prepare(["run"])
        assert str(caught.value) == "soundfile can't be used here: no library. Delete .venv and start again."


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
    packages.install(environment.PYTHON, ["-r", "a.txt"], "It failed.", uv=uv)
    told = said.read_text().split()
    for place in ("https://one.example/simple", "https://two.example/simple"):
        assert f"--extra-index-url={place}" in told
    assert told[-3:] == ["-r", "a.txt", "/authorities.pem"]


def test_uv_reads_the_indexes_of_a_configuration_file_of_pip(monkeypatch, tmp_path):
    config, said = tmp_path / "pip.conf", tmp_path / "said"
    config.write_text(
        "[global]\nindex-url = https://main.example/simple\n"
        "extra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n"
    )
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    packages.install(environment.PYTHON, ["a"], "It failed.", uv=program(tmp_path, f'echo "$@" > {said}'))
    told = said.read_text().split()
    assert "--index-url=https://main.example/simple" in told
    assert [option.partition("=")[2] for option in told if option.startswith("--extra-index-url")] == [
        "https://one.example/simple",
        "https://two.example/simple",
    ]


def test_what_uv_cannot_install_ends_with_its_explanation_of_the_first_try(tmp_path):
    tries = tmp_path / "tries"
    uv = program(tmp_path, f"echo x >> {tries}; echo no file fits, try $(wc -l < {tries}) >&2; exit 2")
    with pytest.raises(LauncherError, match=r"Needs the network\.\n    no file fits, try 1$"):
        packages.install(environment.PYTHON, ["a"], "Needs the network.", uv=uv)


def test_where_there_is_no_uv_pip_installs_or_explains(tmp_path):
    pip = program(tmp_path, 'echo "no $3"; exit 1', name="python")
    with pytest.raises(LauncherError, match=r"Needs the network\.\n    no install$"):
        packages.install(pip, ["a"], "Needs the network.", uv=tmp_path / "gone")
    said = tmp_path / "said"
    packages.install(program(tmp_path, f'echo "$@" > {said}', name="python"), ["a"], "", uv=tmp_path / "gone")
    assert said.read_text().split()[-1] == "a"


def test_uv_comes_with_the_hashes_of_the_lock(tmp_path):
    said = tmp_path / "said"
    pip = program(tmp_path, f'for last; do :; done; echo "$@" > {said}; cat "$last" >> {said}', name="python")
    packages.fetch_uv(pip, tmp_path / "gone")
    assert re.search(
        r"--require-hashes.*\nuv==[\d.]+ \\\n(    --hash=sha256:[0-9a-f]{64}( \\\n|\n$))+", said.read_text(), re.DOTALL
    )


def program(folder, script, name="uv"):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
