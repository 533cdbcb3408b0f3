from __future__ import annotations

import socket
from pathlib import Path

import pytest

from core.paths import ROOT
from launcher import ports, settings
from launcher.children import children
from launcher.options import Options, is_loopback, locks, parse
from launcher.say import LauncherError


def test_without_options_everything_stays_on_this_machine_and_in_the_repository():
    assert parse([], {}) == Options(ROOT / "data", "127.0.0.1", 8000, demo=True, manage=None)


def test_everything_behind_manage_belongs_to_the_command():
    options = parse(["--data", "/tmp/a", "manage", "create_study", "x", "--set", "port=1", "--help"], {})
    assert options.manage == ("create_study", "x", "--set", "port=1", "--help")
    assert options.data == Path("/tmp/a").resolve()


def test_the_data_folder_of_the_environment_gives_way_to_the_option(tmp_path):
    assert parse([], {"EARSHOT_DATA": str(tmp_path)}).data == tmp_path
    assert parse(["--data", "/tmp/a"], {"EARSHOT_DATA": str(tmp_path)}).data == Path("/tmp/a").resolve()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], ["run", "demo"]),
        (["--no-demo"], ["run"]),
        (["doctor"], ["run"]),
        (["--with-dnsmos"], ["run", "demo", "dnsmos"]),
        (["manage", "migrate"], ["run"]),
        (["manage", "seed_demo"], ["run", "demo"]),
        (["manage", "score_dnsmos", "a-study"], ["run", "dnsmos"]),
        (["--with-dnsmos", "manage", "migrate"], ["run", "dnsmos"]),
    ],
)
def test_only_the_packages_that_are_needed_are_installed(arguments, wanted):
    assert locks(parse(arguments, {})) == wanted
    assert all((ROOT / "locks" / f"{lock}.txt").exists() for lock in wanted)


BROKER = {"EARSHOT_BROKER_URL": "redis://:password@host/0"}


def test_one_part_alone_starts_without_broker_and_demo():
    options = parse(["--only", "worker"], BROKER)
    assert (options.parts, options.demo) == (("worker",), False)
    assert [child.name for child in children(options, BROKER, None)] == ["worker"]
    assert parse(["--only", "beat", "--only", "web"], BROKER).parts == ("web", "beat")
    names = ["broker", "worker", "beat", "web", "web"]
    with socket.socket() as listener:
        assert [child.name for child in children(parse([], {}), {}, listener)] == names


def test_one_part_alone_needs_a_broker_that_others_share():
    with pytest.raises(LauncherError, match="set EARSHOT_BROKER_URL"):
        parse(["--only", "worker"], {})


def test_the_worker_has_as_many_processes_as_the_setting_says():
    [worker] = children(parse(["--only", "worker"], BROKER), {**BROKER, "EARSHOT_WORKERS": "5"}, None)
    assert "--concurrency=5" in worker.command
    [worker] = children(parse(["--only", "worker"], BROKER), BROKER, None)
    assert "--concurrency=2" in worker.command


def test_the_doctor_is_asked_for_text_or_json(tmp_path):
    assert parse(["doctor"], {}).doctor == "text"
    options = parse(["--data", str(tmp_path), "doctor", "--json"], {})
    assert (options.doctor, options.data, options.manage) == ("json", tmp_path, None)
    assert parse(["manage", "doctor", "--json"], {}).manage == ("doctor", "--json")


@pytest.mark.parametrize("port", ["0", "-1", "65536"])
def test_a_port_that_does_not_exist_is_refused(port):
    with pytest.raises(LauncherError, match="no port"):
        parse(["--port", port], {})


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("example.org", False),
    ],
)
def test_only_loopback_addresses_are_private(host, loopback):
    assert is_loopback(host) is loopback


def test_a_taken_port_is_said_in_a_plain_sentence_with_another_to_try():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LauncherError, match=f"Port {port} on 127.0.0.1 is in use.*--port"):
            ports.listen("127.0.0.1", port)
    ports.listen("127.0.0.1", port).close()


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(LauncherError, match="Choose an address of this machine"):
        ports.listen("192.0.2.1", 8000)


def test_a_public_address_needs_names_and_warns_about_plain_http(tmp_path):
    options = Options(tmp_path, host="0.0.0.0")
    with pytest.raises(LauncherError, match="EARSHOT_ALLOWED_HOSTS"):
        settings.warnings(options, {})
    named = {"EARSHOT_ALLOWED_HOSTS": "listening.example.org"}
    assert "plain HTTP" in settings.warnings(options, named)[0]
    assert settings.warnings(options, {**named, "EARSHOT_BASE_URL": "https://listening.example.org"}) == []
    assert settings.warnings(Options(tmp_path), {}) == []


def test_links_are_built_from_the_address_asked_for_unless_one_is_set(tmp_path):
    assert settings.environment(Options(tmp_path, port=8123), {})["EARSHOT_BASE_URL"] == "http://127.0.0.1:8123"
    assert settings.environment(Options(tmp_path, host="::1"), {})["EARSHOT_BASE_URL"] == "http://[::1]:8000"
    public = {"EARSHOT_ALLOWED_HOSTS": "a.example.org,b.example.org"}
    assert settings.base_url(Options(tmp_path, host="0.0.0.0"), public) == "http://a.example.org:8000"
    own = {"EARSHOT_BASE_URL": "https://listening.example.org"}
    assert settings.environment(Options(tmp_path), own)["EARSHOT_BASE_URL"] == "https://listening.example.org"
