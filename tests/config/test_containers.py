"""What the container files promise; deploy/podman/try runs them for real."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.paths import ROOT

COMPOSE = ROOT / "docker-compose.yml"
OURS = ("setup", "web", "worker", "beat")
# Documented settings that docker-compose.yml does not pass on, each with the reason.
NOT_GIVEN = {
    "EARSHOT_DATA": "set by the image",
    "EARSHOT_STATIC": "set by the image",
    "EARSHOT_SENDFILE": "without effect",
    "EARSHOT_DEBUG": "never on a server that others can reach",
    "EARSHOT_TEST_DATABASE_URL": "only for the tests",
    "EARSHOT_TEST_CHROMIUM": "only for the tests",
}
DOCKERFILES = (
    "Dockerfile",
    "judge/Dockerfile",
    *(f"deploy/podman/{name}.Dockerfile" for name in ("database", "broker")),
)


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment that these tests run in."""
    program = Path(sys.executable).with_name(name)
    return subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load(COMPOSE.read_text(encoding="utf-8")))


def test_the_compose_file_fits_the_published_schema() -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE))
    assert done.returncode == 0, done.stdout


def test_the_schema_check_finds_a_planted_fault(tmp_path: Path) -> None:
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(COMPOSE.read_text(encoding="utf-8").replace("restart: unless-stopped", "restart: [1]", 1))
    assert tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(broken)).returncode != 0


def test_the_release_workflow_fits_the_published_schema() -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", ".github/workflows/release.yml")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("arguments", "hosts", "passed"),
    [
        ([], "localhost,127.0.0.1", ""),
        (["run", "--no-demo"], "localhost,127.0.0.1", "--no-demo"),
        (["run"], "listening.example.org", ""),
    ],
)
def test_an_image_started_alone_runs_everything_for_this_machine_or_the_named_hosts(
    arguments: list[str], hosts: str, passed: str, tmp_path: Path
) -> None:
    script = (ROOT / "deploy" / "entrypoint").read_text(encoding="utf-8").replace("cd /app", f"cd {tmp_path}")
    program = tmp_path / "earshot"
    program.write_text(
        '#!/bin/sh\necho "$* $EARSHOT_ALLOWED_HOSTS ${EARSHOT_STATIC:-in the data folder}"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "EARSHOT_STATIC": "/app/build/static"}
    if "," not in hosts:
        environ["EARSHOT_ALLOWED_HOSTS"] = hosts
    done = subprocess.run(["sh", "-c", script, "entrypoint", *arguments], env=environ, capture_output=True, text=True)
    expected = f"run --host 0.0.0.0 --port 8000 {passed} {hosts} in the data folder"
    assert done.stdout.split() == expected.split(), done.stderr


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_file_lints_clean(name: str) -> None:
    # Images made on this machine have no versions; those that are fetched do.
    done = tool("hadolint", "--ignore", "DL3006", name)
    assert done.returncode == 0, done.stdout


def test_earshots_containers_can_write_nothing_but_their_data_and_have_no_rights(compose: dict[str, Any]) -> None:
    for name in OURS:
        service = compose["services"][name]
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert [volume.split(":")[1] for volume in service["volumes"]] == ["/data"], name
    assert re.search(r"^USER 10001", (ROOT / "Dockerfile").read_text(), re.M)


def test_only_the_proxy_can_be_reached_from_outside(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    assert compose["networks"]["inside"]["internal"] is True


def test_no_password_is_written_in_the_compose_file(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        for variable, value in service.get("environment", {}).items():
            # Which key of the store's encrypts is no secret.
            if re.search("PASSWORD|SECRET|TOKEN$|TOKEN_|(?<!ENCRYPTION_)KEY|URL_FILE", variable):
                assert variable.endswith("_FILE"), (name, variable)
                assert str(value).startswith("/run/secrets/"), (name, variable)


def test_every_image_can_be_replaced(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[\w./:-]+\}", service["image"]), name


def test_the_secrets_that_are_read_are_those_that_are_made(compose: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / "make-secrets"
    script.write_text((ROOT / "deploy" / "make-secrets").read_text(encoding="utf-8"))
    subprocess.run(["sh", script], check=True, capture_output=True)
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    named = {Path(secret["file"]).name for secret in compose["secrets"].values()}
    used = {secret for service in compose["services"].values() for secret in service.get("secrets", [])}
    assert named == used
    assert named <= set(made)
    assert stat.S_IMODE(os.stat(tmp_path / "secrets").st_mode) == 0o700
    assert made["database-password"] in made["database-url"]
    assert made["store-secret-key"] in made["store-identities.json"]
    empty = {name for name, text in made.items() if not text}
    assert empty == {
        "identity-keys",
        "former-store-access-key",
        "former-store-secret-key",
        "prolific-token",
        "prolific-hook-secret",
        "draft-key",
        "draft-second-key",
    }
    random = [text for name, text in made.items() if name not in empty]
    assert len(set(random)) == len(random)
    assert min(len(text) for text in random) >= 20


def test_secrets_that_are_there_stay(tmp_path: Path) -> None:
    script = tmp_path / "make-secrets"
    script.write_text((ROOT / "deploy" / "make-secrets").read_text(encoding="utf-8"))
    subprocess.run(["sh", script], check=True, capture_output=True)
    before = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    subprocess.run(["sh", script], check=True, capture_output=True)
    assert {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()} == before


def test_every_documented_setting_is_given_to_the_containers_or_left_out_for_a_reason(compose: dict[str, Any]) -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(EARSHOT_\w+)` \|", text, re.M))
    assert len(documented) > 60
    for service in OURS:
        given = {name.removesuffix("_FILE") for name in compose["services"][service]["environment"]}
        given = {name for name in given if name.startswith("EARSHOT_")}
        assert given == documented - set(NOT_GIVEN), service


def test_settings_that_are_not_set_keep_their_defaults_in_containers(compose: dict[str, Any], tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    for name, value in compose["services"]["web"]["environment"].items():
        if name.endswith("_FILE"):
            continue
        # Docker reads the inner default first.
        while (shorter := re.sub(r"\$\{\w+:-([^${}]*)\}", r"\1", value)) != value:
            value = shorter
        environ[name] = value
    code = "from config import settings as s; print(s.ALLOWED_HOSTS, s.JUDGE_ENGINE, s.DRAFT_URL or None, s.LOG_LEVEL)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environ, "EARSHOT_SECRET_KEY": "x" * 50, "EARSHOT_DATA": str(tmp_path)},
        cwd=ROOT / "platform",
        capture_output=True,
        text=True,
    )
    assert done.stdout == "['localhost'] earshot None INFO\n", done.stderr


def test_what_makes_tables_and_bucket_tries_again_until_it_is_done(compose: dict[str, Any]) -> None:
    assert compose["services"]["setup"]["restart"] == "on-failure"


def test_every_command_of_the_compose_file_is_one_of_the_entrypoints(compose: dict[str, Any]) -> None:
    known = set(re.findall(r"^    (\w+)\)", (ROOT / "deploy" / "entrypoint").read_text(), re.M)) | {"healthy"}
    assert {compose["services"][name]["command"][0] for name in OURS} <= known


def test_nothing_private_or_heavy_is_sent_to_the_builder() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[0] == "*"
    allowed = {line[1:].rstrip("/") for line in lines if line.startswith("!")}
    assert not allowed & {"data", "tests", ".venv", ".git", "docs"}
    assert "deploy/secrets" in lines
