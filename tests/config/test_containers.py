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

from launcher.options import ROOT

COMPOSE = ROOT / "docker-compose.yml"
OURS = ("setup", "web", "worker", "beat")
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


def test_settings_given_to_containers_exist(compose: dict[str, Any]) -> None:
    documented = set(re.findall(r"^\| `(EARSHOT_\w+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.M))
    given = {name for service in OURS for name in compose["services"][service]["environment"]}
    ours = {name.removesuffix("_FILE") for name in given if name.startswith("EARSHOT_")}
    assert len(ours) > 10
    assert ours <= documented


def test_containers_are_given_every_setting_that_is_not_their_own_affair(compose: dict[str, Any]) -> None:
    given = {name.removesuffix("_FILE") for name in compose["services"]["web"]["environment"]}
    wanted = {"STORE", "IDENTITY_KEYS", "S3_ENCRYPTION_KEY", "API_RATE", "ARRIVAL_RATE", "SIGN_IN_RATE", "CACHE_MB"}
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    wanted |= set(re.findall(r"^\| `EARSHOT_((?:FORMER_S3|PROLIFIC)_\w+)` \|", settings, re.M))
    assert len(wanted) > 15
    assert {f"EARSHOT_{name}" for name in wanted} <= given


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
